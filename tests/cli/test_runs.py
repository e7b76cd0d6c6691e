"""`evaluate`, `runs`, `import`: runs and their figures."""

from __future__ import annotations

import json
import re
import shutil
import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import ROOT, ok, recorded, run, spawn
from tests.fifth.support import towers
from tui.cli.figures import kappa_text


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


def test_evaluating_a_record_gives_the_figures_of_its_run(store: Path) -> None:
    first = recorded(store)
    shown = ok("runs", "show", first, "--store", store, "--json").json
    evaluated = ok(
        "evaluate", "shapes", "--model", f"replay:{first}", "--store", store, "--json"
    )  # fmt: skip
    again = evaluated.json
    # The record has no verdict on what its gate kept back, nor does the new run ask for one.
    for key in ("metrics", "right", "denominators", "intervals", "counts", "baselines"):
        assert again[key] == shown[key]
    assert again["run"] != first
    assert again["state"] == "done"
    assert again["complete"] is True
    assert "Stands: 6/6 asked" in evaluated.err


def test_the_same_command_asks_nothing_twice(store: Path) -> None:
    model = f"replay:{recorded(store)}"
    words = ("evaluate", "shapes", "--model", model, "--store", store)
    first = ok(*words, "--json").json
    again = ok(*words, "--json")
    assert again.json == first
    assert "not asked again" in again.err


def test_a_run_with_a_limit_is_not_complete(store: Path) -> None:
    model = f"replay:{recorded(store)}"
    words = ("evaluate", "shapes", "--model", model, "--store", store, "--limit", "2")
    summary = ok(*words, "--json").json
    assert summary["n"] == 2
    assert summary["complete"] is False
    assert any("not comparable" in note for note in summary["notes"])
    assert "not comparable" in ok(*words).out


def test_other_words_for_a_setting_are_the_same_run(store: Path) -> None:
    model = f"replay:{recorded(store)}"
    words = ("evaluate", "shapes", "--model", model, "--store", store, "--json", "--set")
    whole = ok(*words[:-1]).json
    assert ok(*words, "glue=no").json == whole
    assert whole["setting"] == {}


def test_runs_are_listed(store: Path) -> None:
    assert ok("runs", "list", "--store", store, "--json").json == {"runs": []}
    assert not store.exists()
    run_id = recorded(store)
    [listed] = ok("runs", "list", "--store", store, "--json").json["runs"]
    expected = {
        "id": run_id,
        "model": "org/Hashing 1B",
        "benchmark": "shapes",
        "state": "done",
        "n": 6,
    }
    assert expected.items() <= listed.items()
    assert run_id in ok("runs", "list", "--store", store).out


def test_a_figure_comes_with_its_count_interval_and_baselines(store: Path) -> None:
    shown = ok("runs", "show", recorded(store), "--store", store, "--json").json
    assert set(shown["metrics"]) == {"Stands", "Culprit", "Top"}
    for name, value in shown["metrics"].items():
        assert value == shown["right"][name] / shown["denominators"][name]
        low, high = shown["intervals"][name]
        assert low <= value <= high
    answers = "no to every tower"
    assert shown["baselines"] == {"Stands": {"always no": {"value": 4 / 6, "answers": answers}}}
    assert shown["not_checkable"] == []


def test_another_profile(store: Path) -> None:
    run_id = recorded(store)
    falling = ok("runs", "show", run_id, "--profile", "falling", "--store", store, "--json").json
    assert falling["profile"] == "falling"
    assert falling["denominators"]["Stands"] == 4
    refused = run("runs", "show", run_id, "--profile", "faling", "--store", store)
    assert refused.code == 2
    assert "Did you mean “falling”?" in refused.err


def test_a_run_whose_benchmark_is_gone_still_shows_accuracy(store: Path) -> None:
    run_id = recorded(store)
    with sqlite3.connect(store) as db:
        db.execute("UPDATE runs SET benchmark = 'forgotten'")
    shown = ok("runs", "show", run_id, "--store", store, "--json").json
    assert shown["profile"] == "plain"
    assert set(shown["metrics"]) == {"Accuracy (stands)", "Accuracy (culprit)", "Accuracy (top)"}


# -- logs of other programs --------------------------------------------------------------------


def test_survivors_of_a_real_run_reproduce_its_prompts(shared_data: Path, store: Path) -> None:
    """Worked examples are drawn from the model's own survivors, as the harness logged them."""
    data = shared_data / "gita4calamita"
    folder = data / "logs" / "gemma-2-9b"
    run_id = ok("import", "lm-eval", folder, "--store", store, "--json").json["run"]
    [log] = folder.glob("*/samples_physical_state_*.jsonl")
    logged = [json.loads(line)["arguments"] for line in log.read_text().splitlines()]
    asked = ok(
        "questions", "gita", "--data", data / "gita.json", "--task-layer", "physical_state",
        "--shots", "3", "--seed", "1234", "--survivors", run_id, "--store", store, "--jsonl",
    ).lines  # fmt: skip
    assert [line["prompt"] for line in asked] == [
        arguments["gen_args_0"]["arg_0"] for arguments in logged
    ]
    assert len(asked) == 28


def test_an_inspect_log_becomes_a_run(shared_data: Path, store: Path) -> None:
    log = shared_data / "inspect_logs" / "mmlu-summary-choices.eval"
    run_id = ok("import", "inspect", log, "--store", store, "--json").json["run"]
    [listed] = ok("runs", "list", "--store", store, "--json").json["runs"]
    assert (listed["id"], listed["benchmark"], listed["state"]) == (run_id, "inspect", "imported")
    shown = ok("runs", "show", run_id, "--store", store, "--json").json
    assert shown["metrics"] == {"Accuracy": 0.0}
    assert shown["intervals"]["Accuracy"][1] > 0.5


def test_a_log_with_a_limit_is_listed_as_a_part(store: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    description = {"task": "t", "model": "m", "config": {"limit": 1}}
    sample = {"id": 1, "scores": {"match": {"value": "C"}}}
    plan = {"config": {"temperature": 0.7}}
    fields = {"status": "success", "eval": description, "plan": plan, "samples": [sample]}
    log.write_text(json.dumps(fields))
    ok("import", "inspect", log, "--store", store)
    assert "1/1 part" in ok("runs", "list", "--store", store).out
    [listed] = ok("runs", "list", "--store", store, "--json").json["runs"]
    assert (listed["form"], listed["limit"], listed["temperature"]) == ("chat", 1, 0.7)
    # The seed of its answers is not in the log.
    assert "seed" not in ok("runs", "list", "--store", store).out
    shown = ok("runs", "show", listed["id"], "--store", store).out
    assert "chat prompt, generated answers, temperature 0.7, imported" in shown


@pytest.mark.parametrize("kind", ["lm-eval", "inspect"])
def test_what_is_no_log_is_refused(store: Path, tmp_path: Path, kind: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "notes.json").write_text("{}")
    path = tmp_path / "notes" / ("" if kind == "lm-eval" else "notes.json")
    ran = run("import", kind, path, "--store", store)
    assert ran.code == 2
    assert ran.out == ""
    assert "notes" in ran.err
    assert not store.exists()


def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "thesis.txt"
    file.write_text("chapter one\n" * 100)
    for words in (("runs", "list"), ("evaluate", "shapes", "--model", "replay:x")):
        ran = run(*words, "--store", file)
        assert ran.code == 2
        assert "not a store" in ran.err
    assert file.read_text() == "chapter one\n" * 100


# -- the bundled model, stopped --------------------------------------------------------------------


def test_ctrl_c_keeps_what_was_answered(store: Path, tmp_path: Path, demo_model: None) -> None:
    data = tmp_path / "many.json"
    data.write_text(json.dumps(towers(4000)))
    words = ("evaluate", "shapes", "--data", data, "--store", store, "--json")
    with spawn(*words) as process:
        while _verdicts(store) < 5 and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in err
    assert "the same command goes on" in err
    [listed] = ok("runs", "list", "--store", store, "--json").json["runs"]
    assert listed["state"] == "paused"
    assert listed["verdicts"] >= 5


def test_kill_keeps_what_was_answered_and_the_same_command_goes_on(
    store: Path, tmp_path: Path, demo_model: None
) -> None:
    data = tmp_path / "some.json"
    data.write_text(json.dumps(towers(30)))
    words = ("evaluate", "shapes", "--data", data, "--json", "--store")
    with spawn(*words, store) as process:
        while _verdicts(store) < 5 and process.poll() is None:
            time.sleep(0.01)
        process.kill()
    kept = _verdicts(store)
    resumed = ok(*words, store)
    whole = ok(*words, tmp_path / "whole.sqlite")
    assert f"{kept} verdicts recorded" in resumed.err
    assert {**resumed.json, "created": ""} == {**whole.json, "created": ""}
    assert "a demonstration, not a result" in " ".join(whole.json["notes"])
    assert whole.json["complete"] is True
    assert whole.json["demo"] is True


def test_a_run_whose_store_is_removed_stops_and_says_so(
    store: Path, tmp_path: Path, demo_model: None
) -> None:
    data = tmp_path / "some.json"
    data.write_text(json.dumps(towers(200)))
    with spawn("evaluate", "shapes", "--data", data, "--store", store) as process:
        while _verdicts(store) < 5 and process.poll() is None:
            time.sleep(0.01)
        for file in store.parent.glob(f"{store.name}*"):
            file.unlink()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "The store was removed or replaced while it was in use." in err
    assert "is kept" not in err
    assert "Accuracy" not in out


# -- where answers settle --------------------------------------------------------------------------


def test_blocks_tell_where_answers_settle(store: Path, demo_model: None) -> None:
    words = ("evaluate", "gita", "--limit", "4", "--store", store)
    plain = ok(*words, "--json").json
    read = ok(*words, "--blocks", "--json")
    assert plain["blocks"] is None
    assert read.json["run"] != plain["run"]
    assert read.json["metrics"] == plain["metrics"]
    blocks = read.json["blocks"]
    assert (blocks["count"], read.json["blocks_read"]) == (6, 6)
    assert any("a projection, not a belief" in note for note in blocks["notes"])
    assert "Blocks count from 0." in blocks["notes"]
    [first, *_] = blocks["layers"]
    assert first["layer"] == "story_class"
    for found in (first["right"], first["wrong"]):
        assert found["n"] == sum(found["settles_at"]) + found["ties"]
        assert len(found["settles_at"]) == blocks["count"]
    assert first["right"]["n"] == plain["counts"]["story_class right"]
    assert first["right"]["n"] + first["wrong"]["n"] == 4
    assert first["mean_centred"] is None
    assert "fewer than 10 questions" in first["not_mean_centred"]
    assert sum(first["wrong"]["classes"].values()) == first["wrong"]["n"]
    assert set(first["wrong"]["classes"]) == {"never led", "led, then lost", "tie at the end"}
    shown = ok("runs", "show", read.json["run"], "--store", store, "--json").json
    assert shown == read.json
    again = ok(*words, "--blocks", "--json")
    assert again.json == read.json
    assert "not asked again" in again.err


def test_counts_by_the_mean_centred_lens_stand_beside_the_raw_ones(
    store: Path, demo_model: None
) -> None:
    blocks = ok("evaluate", "gita", "--limit", "12", "--store", store, "--blocks", "--json").json[
        "blocks"
    ]
    [first, *_] = blocks["layers"]
    beyond = first["mean_centred"]
    assert first["not_mean_centred"] is None
    for kind in ("right", "wrong"):
        found = beyond[kind]
        assert found["n"] == first[kind]["n"]
        assert set(found["withheld"]) == {"near_tie", "prior_decides"}
        assert found["n"] == sum(found["settles_at"]) + sum(found["withheld"].values())
        assert "ties" not in found
    assert set(beyond["wrong"]["classes"]) == {"never led", "led, then lost"}
    told = sum(beyond["wrong"]["classes"].values())
    assert told == beyond["wrong"]["n"] - sum(beyond["wrong"]["withheld"].values())
    assert any(note.startswith("Mean-centred lens: ") for note in blocks["notes"])


def test_where_answers_settle_is_printed_in_80_columns(store: Path, demo_model: None) -> None:
    ran = ok("evaluate", "com2", "--limit", "1", "--store", store, "--blocks")
    words = " ".join(ran.out.split())
    assert "read after each of 6 blocks" in words
    assert "by the block at which they settle task layer n 0 1 2 3 4 5 tie Link 1 " in words
    assert "a projection, not a belief" in words
    start = re.search("^ Raw lens: .* by the block", ran.out, re.MULTILINE)
    assert start is not None
    tables = ran.out[start.start() : ran.out.index(" Answered by the")]
    assert max(map(len, tables.splitlines())) <= 80


def test_blocks_need_a_model_that_can_be_read(store: Path) -> None:
    record = recorded(store)
    before = store.read_bytes()
    ran = run("evaluate", "shapes", "--model", f"replay:{record}", "--store", store, "--blocks")
    assert (ran.code, ran.out) == (2, "")
    assert "cannot be read" in ran.err
    assert len(ran.err.splitlines()) <= 3
    written = ("evaluate", "shapes", "--blocks", "--scoring", "generated")
    ran = run(*written, "--store", store)
    assert (ran.code, ran.out) == (2, "")
    assert "--blocks" in ran.err
    assert store.read_bytes() == before


def _verdicts(store: Path) -> int:
    """How many verdicts there are, seen from outside."""
    if not store.exists():
        return 0
    try:
        with sqlite3.connect(store) as db:
            return int(db.execute("SELECT count(*) FROM verdicts").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def _without_empty_columns(table: dict[str, Any]) -> dict[str, Any]:
    """A table without what was asked of nothing, which versions up to 4 gave a column."""
    full = [
        number
        for number, _name in enumerate(table["columns"])
        if not table["rows"] or any(row[number] for row in table["rows"])
    ]
    return {
        "title": table["title"],
        "columns": [table["columns"][number] for number in full],
        "rows": [[row[number] for number in full] for row in table["rows"]],
    }


def test_runs_of_a_store_of_version_4_are_shown_as_that_version_did(tmp_path: Path) -> None:
    folder = ROOT / "tests" / "runs" / "recorded"
    store = tmp_path / "runs.sqlite"
    shutil.copy(folder / "version-4.sqlite", store)
    for expected in json.loads((folder / "version-4.json").read_text(encoding="utf-8")):
        shown = ok("runs", "show", expected["run"], "--store", store, "--json").json
        for blocks in (expected.get("blocks"), shown.get("blocks")):
            if blocks is not None:
                del blocks["notes"]
        # That version recorded no scores after each block.
        for layer in (shown.get("blocks") or {"layers": []})["layers"]:
            assert layer.pop("mean_centred") is None
            assert "were not recorded" in layer.pop("not_mean_centred")
        # Intervals, and the words about them, are those of the present version.
        for field in expected.keys() - {"intervals", "figure_notes", "notes", "tables"}:
            assert shown[field] == expected[field]
        # So is the standard error of equal answers, which was .00.
        recorded = json.dumps(expected.get("tables"), ensure_ascii=False).replace(" ±.00", "")
        # It called no lens by its name.
        for table in shown.get("tables") or []:
            lens, _colon, title = table["title"].partition(": ")
            if lens == "Raw lens":
                came_about = "failures by how they came about: the right answer"
                title = title.replace("failures by what the right answer did", came_about)
                table["title"] = title.capitalize()
        # That version counted no letters and knew no priors.
        lengths = ("By length of the options", "By length and prior of the options")
        known, tables = (
            [each for each in found or [] if each["title"] not in (*lengths, "Letters")]
            for found in (json.loads(recorded), shown.get("tables"))
        )
        assert tables == [_without_empty_columns(each) for each in known]
        for table in shown.get("tables", []):
            if table["title"] in lengths:
                assert {row[5] for row in table["rows"]} == {"not asked"}


# -- agreement and answers that were not read ----------------------------------------------------


@pytest.mark.parametrize(
    ("kappa", "why"), [(1.0, "1.000, no interval: all agree"), (0.5, "0.500, no interval: too few")]
)
def test_why_a_kappa_has_no_interval_is_told(kappa: float, why: str) -> None:
    assert kappa_text(kappa, None, "answer") == why


def test_agreement_needs_two_runs(store: Path) -> None:
    refused = run("runs", "agree", recorded(store), "--store", store)
    assert refused.code == 2
    assert "Name two runs or more" in refused.err


@pytest.mark.parametrize(
    "command",
    [
        ("agree",),
        ("compare",),
        ("export", "--to", "new.csv"),
        ("export", "--to", "new.md"),
        ("plot", "layers"),
    ],
)
def test_a_run_that_is_named_twice_is_refused(
    store: Path, command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would count twice in a kappa, and its verdicts stand twice in a table."""
    monkeypatch.chdir(tmp_path)
    name = recorded(store)
    refused = run("runs", *command, name, name, "--store", store)
    assert refused.code == 2
    assert f"{name} is named twice" in refused.err
    assert not list(tmp_path.glob("new*"))


def test_agreement_is_told_layer_by_layer(shared_data: Path, store: Path) -> None:
    logs = shared_data / "gita4calamita" / "logs"
    runs = [
        ok("import", "lm-eval", logs / model, "--store", store, "--json").json["run"]
        for model in ("gemma-2-9b", "Meta-Llama-3.1-8B", "gemma-2-27b")
    ]
    two = ok("runs", "agree", *runs[:2], "--store", store, "--json").json
    assert set(two["layers"]) == {"story_class", "conflict_detec", "physical_state"}
    assert two["n"] == sum(layer["n"] for layer in two["layers"].values())
    assert two["statistic"] == "cohen"
    for layer in two["layers"].values():
        assert layer["by_options"][0]["n"] == layer["n"]
        if layer["n"] < 10:
            assert layer["kappa_interval"] is None
        else:
            low, high = layer["kappa_interval"]
            assert low <= layer["kappa"] <= high
    assert two["layers"]["physical_state"]["n"] == 4
    assert not {"kappa", "expected", "kappa_interval"} & set(two)
    assert "no kappa over several task layers" in two["notes"][0]
    text = ok("runs", "agree", *runs, "--store", store).out
    assert "Fleiss' kappa" in text
    assert "conflict_detec" in text
    assert two["notes"][0] in text


def test_what_trivial_answers_reach_is_explained_below_the_figures(store: Path) -> None:
    text = ok("runs", "show", recorded(store), "--store", store).out
    assert "always no (Stands): no to every tower" in text


def test_answers_by_length_are_a_table_of_a_run(store: Path) -> None:
    """The options of the towers are of different lengths, those of their questions too."""
    shown = ok("runs", "show", recorded(store), "--store", store, "--json").json
    table = next(
        each for each in shown["tables"] if each["title"] == "By length and prior of the options"
    )
    assert table["columns"][2:5] == ["by sum", "per token", "per byte"]
    by_layer = {row[0]: row for row in table["rows"]}
    share = f"{shown['metrics']['Stands']:.3f}".removeprefix("0")
    assert by_layer["Stands"][1] == str(shown["denominators"]["Stands"])
    assert by_layer["Stands"][2].startswith(share)
    assert shown["counts"]["not_read"] == 0
