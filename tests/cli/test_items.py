"""`show`, `questions` and `ask`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.contract import registry
from core.contract.question import Form
from core.contract.setting import Setting
from core.files.shipped import samples
from tests.cli.support import in_process_of_its_own, ok, recorded, run


def test_show_draws_the_view_with_its_links() -> None:
    text = ok("show", "shapes", "egg cup").out
    lines = text.splitlines()
    assert lines[:2] == ["egg cup", "on a table"]
    [top] = [line for line in lines if "a ball" in line]
    [bottom] = [line for line in lines if "a cube" in line]
    assert "■" in top
    assert top.rstrip().endswith("╮")
    assert bottom.rstrip().endswith("╯")
    assert "carries" in lines[lines.index(top) + 1]
    assert "\x1b" not in text


def test_show_follows_a_setting() -> None:
    glued = ok("show", "shapes", "egg cup", "--set", "glue=yes").out
    assert "■" not in glued
    assert "△ edited" in glued
    turned = ok("show", "shapes", "egg cup", "--set", "order=1,0", "--set", "ground=boat").out
    assert turned.index("a cube") < turned.index("a ball")
    assert "on a boat" in turned


SWEEP = samples() / "accord" / "sweep.yaml"
STORIES = samples() / "gita" / "stories.json"


@pytest.mark.parametrize(
    ("command", "options"),
    [("show", ["0-O0", "--json"]), ("questions", ["--task-layer", "story_class"]), ("prompts", [])],
)
def test_a_file_in_the_place_of_a_benchmark_is_recognised(command: str, options: list[str]) -> None:
    assert ok(command, STORIES, *options).out == ok(command, "gita", *options).out


def test_a_collection_is_asked_by_the_name_of_its_file(tmp_path: Path) -> None:
    store = ("--store", tmp_path / "runs.sqlite")
    ok("evaluate", STORIES, "--model", "demo", "--limit", "1", *store)
    [listed] = ok("runs", "list", *store, "--json").json["runs"]
    assert listed["benchmark"] == "gita"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((STORIES, "0-O0", "--data", STORIES), "The items are named twice"),
        (("no/such/file.json", "0-O0"), "There is no such file or folder"),
        (("gitta", "0-O0"), "There is no benchmark “gitta”"),
    ],
)
def test_what_is_no_collection_is_said(words: tuple[str | Path, ...], told: str) -> None:
    ran = run("show", *words)
    assert ran.code == 2
    assert told in ran.err


def test_show_as_json_has_switches_and_blocks() -> None:
    shown = ok("show", "shapes", "egg cup", "--set", "copies=2", "--json").json
    assert shown["item"] == "egg cup"
    assert shown["setting"] == {"copies": "2"}
    by_key = {switch["key"]: switch for switch in shown["switches"]}
    assert by_key["copies"]["kind"] == "number"
    assert by_key["copies"]["value"] == "2"
    assert by_key["ground"]["values"] == ["table", "boat"]
    assert [block["kind"] for block in shown["view"]["blocks"]] == ["statements", "grid", "note"]
    assert shown["view"]["blocks"][0]["links"][0] == {
        "source": "0",
        "target": "1",
        "label": "carries",
        "role": "cause",
        "note": "",
        "statement": "",
        "weight": None,
    }


def test_an_item_may_be_a_file_that_holds_one(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps([{"id": "mine", "parts": ["cone", "cube"]}]))
    assert ok("show", "shapes", file).out.startswith("mine\n")
    assert ok("show", "shapes", "mine", "--data", file).out.startswith("mine\n")
    file.write_text(json.dumps([{"id": "a", "parts": ["cone"]}, {"id": "b", "parts": ["cube"]}]))
    refused = run("show", "shapes", file)
    assert refused.code == 2
    assert "2 items" in refused.err


HOSTILE = "\x1b[31mred\x1b]0;title\x07 \x9b2J \u202eright to left \x00 é 日本 🙂 [bold]x[/bold]"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps([{"id": HOSTILE, "parts": [HOSTILE, "cube"]}]))
    return file


@pytest.mark.parametrize(
    "words",
    [("show",), ("show", "--json"), ("questions",), ("questions", "--jsonl")],
    ids=" ".join,
)
def test_text_of_data_never_acts_on_the_terminal(hostile: Path, words: tuple[str, ...]) -> None:
    command, *options = words
    item = [HOSTILE] if command == "show" else []
    ran = ok(command, "shapes", *item, "--data", hostile, *options)
    for acting in "\x1b\x07\x9b\x00\u202e\x08\x7f":
        assert acting not in ran.out + ran.err
    assert "[bold]" in ran.out
    assert "日本" in ran.out
    if "--json" in options:
        assert ran.json["item"] == HOSTILE
    if "--jsonl" in options:
        assert ran.lines[0]["item"] == HOSTILE


def test_questions_give_prompt_options_and_gold() -> None:
    lines = ok("questions", "shapes", "--jsonl").lines
    assert {line["layer"] for line in lines} == {"stands", "culprit", "top"}
    for line in lines:
        assert line["options"][line["gold_index"]] == line["gold"]
    benchmark = registry.load("shapes")
    collection = benchmark.open(benchmark.samples())
    item = collection.item(collection.find(lines[0]["item"]))
    question = benchmark.question(item, Setting(), lines[0]["layer"])
    assert lines[0]["prompt"] == question.base()


def test_questions_of_one_layer_with_worked_examples() -> None:
    words = ("questions", "shapes", "--task-layer", "culprit", "--shots", "2", "--jsonl")
    lines = ok(*words).lines
    assert [line["item"] for line in lines] == ["egg cup", "lighthouse", "snowman", "witch's hat"]
    assert all(line["prompt"].count("Which part is to blame? ") == 2 for line in lines)
    assert ok(*words).lines == lines
    assert ok(*words, "--seed", "5").lines != lines


def test_questions_in_turns() -> None:
    words = ("questions", "shapes", "--task-layer", "stands", "--shots", "1", "--form", "chat")
    with_system = ok(*words, "--jsonl").lines[0]["prompt"]
    assert [turn["role"] for turn in with_system] == ["system", "user", "assistant", "user"]
    without = ok(*words, "--no-system", "--jsonl").lines[0]["prompt"]
    assert [turn["role"] for turn in without] == ["user", "assistant", "user"]
    assert without[0]["content"].startswith(with_system[0]["content"])


def test_survivors_are_the_items_that_were_right_before(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    run_id = recorded(store)
    words = ("questions", "shapes", "--task-layer", "culprit", "--jsonl")
    kept = [q["item"] for q in ok(*words, "--survivors", run_id, "--store", store).lines]
    every = [q["item"] for q in ok(*words).lines]
    shown = ok("runs", "show", run_id, "--store", store, "--json").json
    assert shown["denominators"]["Culprit"] == len(kept) < len(every)
    assert set(kept) < set(every)


@pytest.fixture
def replayed(tmp_path: Path) -> list[str]:
    store = tmp_path / "runs.sqlite"
    return ["--model", f"replay:{recorded(store)}", "--store", str(store)]


def test_ask_gives_scores_answers_and_the_first_failure(replayed: list[str]) -> None:
    asked = ok("ask", "shapes", "lighthouse", *replayed, "--json").json
    assert asked["item"] == "lighthouse"
    assert asked["setting"] == {}
    assert asked["model"] == "org/Hashing 1B"
    failed = [v["layer"] for v in asked["verdicts"] if not v["right"]]
    assert asked["first_failure"] == (failed[0] if failed else None)
    for verdict in asked["verdicts"]:
        assert len(verdict["scores"]) == len(verdict["options"])
        best = verdict["scores"].index(max(verdict["scores"]))
        assert verdict["answer_index"] == best
        assert verdict["answer"] == verdict["options"][best]
        assert verdict["right"] is (verdict["answer"] == verdict["gold"])
        assert verdict["status"] == "ok"
        assert verdict["scores_per_token"] == [score / 2 for score in verdict["scores"]]


def test_ask_does_not_count_what_comes_after_a_failure(replayed: list[str]) -> None:
    counted = {}
    for item in ("egg cup", "lighthouse", "snowman", "witch's hat"):
        asked = ok("ask", "shapes", item, *replayed, "--json").json
        failure = asked["first_failure"]
        layers = [v["layer"] for v in asked["verdicts"]]
        for number, verdict in enumerate(asked["verdicts"]):
            before = failure is None or number <= layers.index(failure)
            assert verdict["counted"] is before
            counted[before] = True
    assert counted == {True: True, False: True}


def test_ask_prints_a_ladder(replayed: list[str]) -> None:
    text = ok("ask", "shapes", "snowman", *replayed).out
    assert "Stands" in text
    assert "◆ gold" in text
    assert "First failure" in text or "Right at every layer" in text


@pytest.mark.parametrize(
    ("words", "last"),
    [
        (("kettle", "--set", "hops=1"), "This model is at chance in: Bare question."),
        (
            ("kettle", "--set", "hops=3"),
            "This model is at chance in: Bare question, Hop 3, Whole tree.",
        ),
        # A suite asks about whole trees alone; this one has four hops.
        (("cc2e93a1e41035fe", "--data", SWEEP), "This model is at chance here."),
        (
            ("b89f4a381bfe6b79", "--data", SWEEP),
            "Answered by the bundled demo model: a demonstration, not a result.",
        ),
    ],
)
def test_ask_ends_with_where_the_bundled_model_is_at_chance(
    words: tuple[str | Path, ...], last: str, demo_model: None
) -> None:
    assert ok("ask", "accord", *words).err.splitlines()[-1] == last


def test_what_a_record_does_not_have_is_work_that_fails(replayed: list[str]) -> None:
    ran = run("ask", "shapes", "snowman", "--set", "foot=a hat", *replayed)
    assert ran.code == 1
    assert "not in the record" in ran.err


def test_data_of_another_benchmark_are_called_that() -> None:
    file = samples() / "abspyramid" / "Detection" / "merged_dataset" / "test.json"
    ran = run("show", "gita", "x", "--data", str(file))
    assert ran.code == 2
    assert "It looks like AbsPyramid: name abspyramid as the benchmark." in ran.err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("show", "shape", "arch"), "Did you mean “shapes”?"),
        (("show", "shapes", "arsch"), "arch"),
        (("show", "shapes", "arch", "--set", "glue"), "no “=”"),
        (
            ("show", "shapes", "arch", "--set", "copies=1", "--set", "copies=2"),
            "It is set twice.",
        ),
        (("show", "shapes", "arch", "--set", "glu=on"), "Did you mean “glue”?"),
        (("show", "shapes", "arch", "--set", "copies=9"), "from 1 to 3"),
        (("show", "shapes", "arch", "--data", "nowhere.json"), "nowhere.json"),
        (("questions", "shapes", "--task-layer", "stads"), "Did you mean “stands”?"),
        (("questions", "shapes", "--form", "chatty"), "base, chat"),
        (("questions", "shapes", "--shots", "1", "--shot-rule", "best"), "random"),
        (("questions", "shapes", "--survivors", "x-1"), "There is no run"),
        (("ask", "shapes", "arch", "--model", "no/such.gguf"), "no/such.gguf"),
        (("ask", "shapes", "arch", "--model", "replay:none"), "There is no run"),
        (("show", "shapes", "x" * 5000), "There is no item"),
        (("show", "shapes", ""), "There is no item"),
        (("show", "", "arch"), "No benchmark is named"),
        (("questions", ""), "No benchmark is named"),
        (("runs", "backup", "--to", "b.sqlite", "--store", "nowhere.sqlite"), "no such store"),
        (("runs", "verify", "--store", "nowhere.sqlite"), "no such store"),
        (("themes", "check", "nowhere.yaml"), "no such file"),
        (("import", "inspect", "."), "Name an .eval or .json file."),
    ],
)
def test_a_mistake_is_one_message_and_exit_code_two(words: tuple[str, ...], named: str) -> None:
    ran = run(*words)
    assert ran.code == 2
    assert ran.out == ""
    assert named in ran.err
    assert len(ran.err.splitlines()) <= 3


def test_an_unknown_id_names_the_nearest_and_the_command_that_lists_all() -> None:
    wrong = run("show", "com2", "attic-fan:dirct")
    assert wrong.code == 2
    assert "Did you mean attic-fan:direct" in wrong.err
    assert "All are listed by: commonsense-tui show com2" in wrong.err
    far = run("show", "com2", "nope", "--data", "samples/com2")
    assert "The first items are attic-fan:direct" in far.err
    assert "commonsense-tui show com2 --data samples/com2" in far.err
    assert " more." not in far.err


def test_show_without_an_id_lists_all_items() -> None:
    listed = ok("show", "com2").out.splitlines()
    assert listed[0] == "attic-fan:direct  The fan in the attic · direct"
    ids = [each["id"] for each in ok("show", "com2", "--json").json]
    assert len(ids) == len(listed)
    assert all(line.startswith(f"{name}  ") for name, line in zip(ids, listed, strict=True))
    assert run("show", "com2", "--set", "mode=on").code == 2


def test_every_prompt_form_is_accepted() -> None:
    for form in Form:
        assert run("questions", "shapes", "--form", form.value, "--jsonl").code == 0


def test_an_ascii_terminal_gets_valid_output() -> None:
    env = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    shown = in_process_of_its_own("show", "shapes", "egg cup", env=env)
    assert shown.code == 0
    assert shown.out.isascii()
    asked = in_process_of_its_own("show", "gita", "0", "--json", env=env)
    assert asked.out.isascii()
    text: Any = asked.json["view"]
    assert text["title"].startswith("0")
