"""Generated answers, imports twice over, and runs told in words, on the command line."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest

from core.runs.records import RunState
from core.runs.store import Store
from core.text.errors import RunError
from tests.cli.support import ok, recorded, run
from tests.fifth.support import towers
from tui.cli import progress


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


def inspect_log(path: Path, answers: str) -> Path:
    """A log of Inspect in which each sample was answered with a letter and B is right."""
    samples = [
        {
            "id": str(number),
            "epoch": 1,
            "choices": ["x", "y"],
            "target": "B",
            "scores": {"choice": {"value": "C" if letter == "B" else "I", "answer": letter}},
        }
        for number, letter in enumerate(answers)
    ]
    log = {"status": "success", "eval": {"task": "t", "model": "org/m"}, "samples": samples}
    path.write_text(json.dumps(log))
    return path


def test_the_same_log_is_imported_once(store: Path, tmp_path: Path) -> None:
    log = inspect_log(tmp_path / "log.json", "ABB")
    first = ok("import", "inspect", log, "--store", store)
    run_id = first.out.strip()
    assert run_id in first.err
    assert "org/m" in first.err
    assert "3 items, 3 verdicts" in first.err
    again = ok("import", "inspect", log, "--store", store)
    assert again.out == first.out
    assert f"imported earlier, as run {run_id}" in again.err
    assert ok("import", "inspect", log, "--store", store, "--json").json["imported_earlier"]
    # Neither the place of the log nor its name makes another run; what is in it does.
    moved = log.rename(tmp_path / "moved.json")
    assert ok("import", "inspect", moved, "--store", store).out == first.out
    other = inspect_log(tmp_path / "other.json", "AAB")
    assert ok("import", "inspect", other, "--store", store).out != first.out
    assert len(ok("runs", "list", "--store", store, "--json").json["runs"]) == 2


def test_several_logs_become_runs_of_their_own_or_none_do(store: Path, tmp_path: Path) -> None:
    logs = [inspect_log(tmp_path / f"{answers}.json", answers) for answers in ("ABB", "AAB")]
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    assert run("import", "inspect", *logs, bad, "--store", store).code == 2
    assert not store.exists()
    ids = ok("import", "inspect", *logs, "--store", store).out.split()
    listed = ok("runs", "list", "--store", store, "--json").json["runs"]
    assert sorted(ids) == sorted(each["id"] for each in listed)
    assert len(set(ids)) == 2
    again = ok("import", "inspect", *logs, "--store", store, "--json").json["runs"]
    assert [(each["run"], each["imported_earlier"]) for each in again] == [
        (each, True) for each in ids
    ]


def test_a_real_log_is_imported_once(shared_data: Path, store: Path) -> None:
    folder = shared_data / "gita4calamita" / "logs" / "gemma-2-9b"
    first = ok("import", "lm-eval", folder, "--store", store)
    assert "571 verdicts" in first.err
    assert ok("import", "lm-eval", folder, "--store", store).out == first.out
    shown = ok("runs", "show", first.out.strip(), "--store", store).out
    for part in ("3-shot", "base prompt", "log-likelihood", "imported 20", "by-type", "seed 1234"):
        assert part in shown


def test_a_run_is_shown_with_how_and_when_it_was_asked(store: Path) -> None:
    run_id = recorded(store)
    shown = ok("runs", "show", run_id, "--store", store)
    for part in ("zero-shot", "base prompt", "log-likelihood", "6 items", "Profiles: all, falling"):
        assert part in shown.out
    assert re.search(r"begun \d{4}-\d\d-\d\d \d\d:\d\d", shown.out)


def test_a_finished_run_is_said_to_be(store: Path) -> None:
    model = f"replay:{recorded(store)}"
    words = ("evaluate", "shapes", "--model", model, "--store", store)
    assert "finished earlier" not in ok(*words).err
    again = ok(*words)
    assert "finished earlier" in again.err
    assert "goes on" not in again.err


def test_a_run_of_repeated_answers_says_how_they_were_given(store: Path) -> None:
    said = "they were given to the prompts of that run"
    name = recorded(store)
    assert said not in ok("runs", "show", name, "--store", store).out
    repeated = ok("evaluate", "shapes", "--model", f"replay:{name}", "--store", store).out
    assert said in repeated


def test_models_lists_records(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    run_id = recorded(store)
    listed = ok("models", "--store", store).out
    assert f"replay:{run_id}" in listed
    assert "org/Hashing 1B" in listed


def test_progress_is_told_in_few_lines_where_there_is_no_terminal(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a busy machine the run may last longer than it goes on without a word.
    monkeypatch.setattr(progress, "SECONDS", 600.0)
    data = tmp_path / "many.json"
    data.write_text(json.dumps(towers(400)))
    model = f"replay:{recorded(store, data)}"
    done = ok("evaluate", "shapes", "--data", data, "--model", model, "--store", store)
    told = [line for line in done.err.splitlines() if "asked, " in line]
    assert len(told) <= 2
    assert "Stands: 400/400 asked" in told[-1]
    assert "Top: " in told[-1]


def test_generated_answers_on_the_command_line(store: Path, demo_model: None) -> None:
    words = ("evaluate", "gita", "--limit", "2", "--store", store)
    written = ok(*words, "--scoring", "generated", "--json")
    scored = ok(*words, "--json").json
    assert written.json["run"] != scored["run"]
    assert (written.json["scoring"], scored["scoring"]) == ("generated", None)
    assert (written.json["scorings"], scored["scorings"]) == (["generated"], ["log-likelihood"])
    assert any("not comparable" in note for note in written.json["notes"])
    with Store(store, create=False) as opened:
        verdicts = opened.verdicts(written.json["run"])
    assert all(verdict.output_tokens for verdict in verdicts)
    listed = ok("ask", "gita", verdicts[0].item, "--scoring", "generated", "--json").json
    first = listed["verdicts"][0]
    assert (first["text"], first["output_tokens"], first["status"]) == (
        verdicts[0].text, verdicts[0].output_tokens, verdicts[0].status.value,
    )  # fmt: skip


def test_ask_prints_the_reply_that_was_read() -> None:
    words = ("ask", "com2", "ring-road:direct", "--scoring", "generated")
    replies = [verdict["text"].strip() for verdict in ok(*words, "--json").json["verdicts"]]
    printed = ok(*words).out
    assert replies
    assert all(f"the reply:\n{reply}\n" in printed for reply in replies)


def test_fewer_worked_examples_than_were_wanted_are_said(store: Path) -> None:
    asked = "evaluate", "gita", "--limit", "4", "--store", store, "--shots"
    said = "“Plausible?”: 4 asked, so no question had more than 3 of the 4 worked examples."
    assert said in ok(*asked, "4").out
    assert "“Plausible?”: 4 asked" not in ok(*asked, "3").out


def test_a_layer_without_right_answers_is_said_to_have_no_worked_examples(store: Path) -> None:
    asked = "evaluate", "abspyramid", "--limit", "3", "--store", store, "--shots"
    said = "“In its own words” was asked without worked examples"
    assert said in ok(*asked, "2").out
    assert said not in ok(*asked, "0").out


def test_no_run_is_recorded_over_items_that_ask_nothing(store: Path, tmp_path: Path) -> None:
    links = tmp_path / "causenet.json"
    link = {"cause": {"concept": "rain"}, "effect": {"concept": "mud"}}
    links.write_text(json.dumps({"causal_relation": link}) + "\n")
    refused = run("evaluate", links, "--store", store)
    assert refused.code == 2
    assert "There is nothing to ask here" in refused.err
    assert not ok("runs", "list", "--store", store).out


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--form", "chat", "takes no turns"),
        ("--scoring", "json-schema", "Only a server can be made to write JSON"),
    ],
)
def test_what_the_model_does_not_take_leaves_no_run_behind(
    option: str, value: str, said: str, store: Path
) -> None:
    ran = run("evaluate", "gita", "--limit", "3", option, value, "--store", store)
    assert ran.code == 2
    assert said in ran.err
    assert "No run is recorded yet" in ok("runs", "list", "--store", store).err


@pytest.mark.parametrize("scoring", ["generate", "inferred"])
def test_a_way_of_reading_that_there_is_not(scoring: str, store: Path) -> None:
    ran = run("evaluate", "shapes", "--model", "replay:x", "--scoring", scoring, "--store", store)
    assert ran.code == 2
    assert "log-likelihood, generated" in ran.err


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE runs SET model = x'00ff'", ("runs", "list")),
        ("UPDATE verdicts SET options = '[]'", ("runs", "show")),
        ("UPDATE verdicts SET gold = 9", ("runs", "show")),
        ("UPDATE verdicts SET answer = -1", ("runs", "show")),
    ],
)
def test_a_store_that_somebody_changed_is_told(
    store: Path, statement: str, words: tuple[str, ...]
) -> None:
    run_id = recorded(store)
    with sqlite3.connect(store) as db:
        db.execute(statement)
    ran = run(*words, *([run_id] if words[-1] == "show" else []), "--store", store)
    assert ran.code == 2
    assert RunError.title in ran.err
    assert "damaged" in ran.err


def test_a_lock_that_leads_nowhere_is_told(store: Path) -> None:
    run_id = recorded(store)
    model = f"replay:{run_id}"
    words = ("evaluate", "shapes", "--model", model, "--store", store)
    ok(*words)
    with Store(store) as opened:
        second = opened.runs()[-1].id
        opened.set_state(second, RunState.RUNNING)
    lock = store.with_name(f"{store.name}.{second}.lock")
    lock.symlink_to(lock)
    assert ok("runs", "list", "--store", store, "--json").json["runs"][-1]["state"] == "paused"
    ran = run(*words)
    assert ran.code == 2
    assert "lock" in ran.err
