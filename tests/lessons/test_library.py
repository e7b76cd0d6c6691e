"""Every bundled lesson is true when it is run on the bundled model; the command line says so."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from core.lessons import survey
from core.lessons.bound_lesson import bind
from core.lessons.checker import check
from core.lessons.claim import Asked, Finding
from core.lessons.evidence import Evidence
from core.lessons.lesson import Step
from core.lessons.lesson_reader import read_lesson
from core.lessons.library import bundled, named, own_folder
from core.lessons.survey import count
from core.lessons.typicality import check_typicality
from core.models.demo_figures import demo_figures
from core.models.resolver import load_model
from tests.cli.support import ok, run
from tests.lessons.support import FirstOption, write
from tui.cli.completion import lessons

NAMES = [path.stem for path in bundled()]
READ = [pytest.param(path, "en", id=path.stem) for path in bundled()] + [
    # Others are about the same items in Italian.
    pytest.param(path, "it", id=f"{path.stem}-it")
    for path in bundled()
    if path.stem.startswith("4-")
]

pytestmark = pytest.mark.usefixtures("demo_model")


@pytest.mark.parametrize(("path", "language"), READ)
async def test_a_bundled_lesson_is_true(path: Path, language: str) -> None:
    bound_lesson = bind(read_lesson(path, language))
    model = await load_model("demo")
    try:
        found = [one async for one in check(bound_lesson, model)]
    finally:
        await model.close()
    assert found
    assert [f"{path}:{one.line}: {one.claim}. {one.found}" for one in found if not one.holds] == []


@pytest.mark.slow
@pytest.mark.parametrize(("path", "language"), READ)
async def test_a_bundled_lesson_is_typical_or_says_that_it_is_not(
    path: Path, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "MOST_ITEMS", 500)
    model = await load_model("demo")
    try:
        rows = [one async for one in check_typicality(bind(read_lesson(path, language)), model)]
    finally:
        await model.close()
    told = [f"{path}:{one.line}: {one.claim}. {one.found}" for one in rows if one.surprising]
    assert told == []
    # Where a step counts over the whole collection, there is something to count.
    assert all(one.holds for one in rows)


@pytest.mark.parametrize(("path", "language"), READ)
async def test_facts_and_predictions_do_not_depend_on_the_model(path: Path, language: str) -> None:
    bound_lesson = bind(read_lesson(path, language))
    lines = {
        claim.line
        for step in bound_lesson.lesson.steps
        for claim in step.checks
        if not claim.asks_model
    }
    predictions = {
        step.prediction.line
        for step in bound_lesson.lesson.steps
        if step.prediction is not None and step.prediction.options
    }
    assert lines
    found = [one async for one in check(bound_lesson, FirstOption())]
    told = [one for one in found if one.line in lines | predictions and one.holds is not None]
    assert lines <= {one.line for one in told}
    assert [one for one in told if not one.holds] == []


def layers_asked(step: Step, evidence: Evidence) -> set[str]:
    """The task layers whose answers of the model about its item a step is about."""
    claims = [claim for claim in step.claims if claim.asks_model and not claim.of_all]
    layers = {layer for claim in claims for layer in claim.layers or evidence.asked}
    if step.prediction is not None and step.prediction.layer:
        layers.add(step.prediction.layer)
    return layers


def guessed(layers: Iterable[str], evidence: Evidence) -> set[str]:
    """Those of some layers at which the bundled model is at chance, with what tells them apart."""
    known, found = demo_figures(), set()
    for layer in layers:
        question = evidence.question(layer)
        if known.at_chance(known.fingerprint, evidence.benchmark.name, question):
            tags = question.tags
            size = f"{tags['hops']} hops" if "hops" in tags else ""
            found.add(f"{layer} {tags.get('relation', size)}")
    return found


async def guessed_in(asked: Asked, evidence: Evidence) -> set[str]:
    """What is guessed of what is counted over a collection."""
    found = set()

    async def look(other: Evidence) -> Finding:
        found.update(guessed(asked.claim.layers or other.asked, other))
        return Finding(True, "")

    if asked.claim.asks_model:
        # A text of its own, for counts are kept by it.
        claim = replace(asked.claim, judge=look, text=f"{asked.claim.text} {id(look)}")
        async for _ in count(replace(asked, claim=claim), evidence, most=60):
            pass
    return found


@pytest.mark.parametrize("path", bundled(), ids=NAMES)
def test_what_one_answer_shows_is_also_counted_over_the_whole_collection(path: Path) -> None:
    lesson = bind(read_lesson(path))
    steps = lesson.lesson.steps
    if any(layers_asked(step, lesson.evidence(lesson.bind_step(step))) for step in steps):
        assert any(step.figures is not None for step in steps)


async def test_lessons_rest_on_nothing_that_the_bundled_model_guesses() -> None:
    """Single answers, and counts that a prediction comes true by; tables are below."""
    found = set()
    for path in bundled():
        for language in ("en", "it"):
            lesson = bind(read_lesson(path, language))
            for number, step in enumerate(lesson.lesson.steps, 1):
                evidence = lesson.evidence(lesson.bind_step(step), FirstOption())
                guesses = guessed(layers_asked(step, evidence), evidence)
                for claim in step.claims:
                    for asked in claim.counted:
                        guesses |= await guessed_in(asked, evidence)
                found |= {(path.stem, number, guess) for guess in guesses}
    # The lesson about that.
    assert found == {("7-words-not-events", 3, "rung-1 event")}


async def test_a_table_has_what_the_bundled_model_guesses_only_to_show_it_beside_chance() -> None:
    found = set()
    for path in bundled():
        lesson = bind(read_lesson(path))
        for number, step in enumerate(lesson.lesson.steps, 1):
            if step.figures is None:
                continue
            evidence = lesson.evidence(lesson.bind_step(step), FirstOption())
            for row, cells in zip(step.figures.rows, step.figures.cells, strict=True):
                if any([await guessed_in(asked, evidence) for asked in cells]):
                    found.add((path.stem, number, row.spoken("en")))
                    caption = step.figures.caption
                    assert re.search("chance|coin", caption.spoken("en"))
                    assert re.search("caso|moneta", caption.spoken("it"))
    assert found == {
        ("2-read-or-recite", 4, "3 hops"),
        ("3-hops-and-distractors", 4, "3 hops"),
        ("5-abstraction", 5, "verbs"),
        ("5-abstraction", 5, "whole events"),
        ("7-words-not-events", 4, "verbs"),
        ("7-words-not-events", 4, "whole events"),
    }


def test_every_item_of_an_italian_lesson_is_italian_where_there_are_italian_ones() -> None:
    languages = set()
    for code in ("en", "it"):
        bound_lesson = bind(named("4", code))
        for step in bound_lesson.lesson.steps:
            question = bound_lesson.evidence(bound_lesson.bind_step(step)).question("answer")
            languages.add((code, question.tags["language"]))
    assert languages == {("en", "en"), ("it", "it")}


def test_only_lessons_about_other_items_in_italian_are_checked_in_both_languages() -> None:
    languages = [
        [[(step.item, step.setting) for step in named(name, code).steps] for code in ("en", "it")]
        for name in NAMES
    ]
    assert [name for name, (en, it) in zip(NAMES, languages, strict=True) if en != it] == [
        path.values[0].stem for path in READ if path.values[1] == "it"
    ]


@pytest.mark.parametrize("path", bundled(), ids=NAMES)
def test_the_speaker_has_notes_for_every_step(path: Path) -> None:
    for number, step in enumerate(read_lesson(path).steps, 1):
        assert step.notes is not None, number
        assert step.notes.languages == ("en", "it")


def test_lessons_are_listed() -> None:
    lessons = ok("lesson", "list", "--json").json["lessons"]
    assert [one["name"] for one in lessons] == NAMES
    assert {one["benchmark"] for one in lessons} == {"gita", "accord", "com2", "abspyramid"}
    assert all(one["languages"] == ["en", "it"] and one["steps"] >= 4 for one in lessons)
    assert "Legge o recita" in ok("lesson", "list", "--lang", "it").out


def test_an_own_lesson_that_cannot_be_read_is_told_after_the_others() -> None:
    broken = own_folder() / "broken.yaml"
    broken.parent.mkdir(parents=True)
    broken.write_text("")
    ran = run("lesson", "list")
    assert ran.code != 0
    assert all(name in ran.out for name in NAMES)
    assert str(broken) in ran.err


def test_a_folder_among_the_own_lessons_hides_no_other() -> None:
    (own_folder() / "a.yaml").mkdir(parents=True)
    (own_folder() / "b.yaml").write_text("")
    write(own_folder() / "c.yaml", "- {say: Look., item: 0-O0}")
    ran = run("lesson", "list")
    assert (ran.code, "c" in ran.out.splitlines()) == (2, True)
    assert str(own_folder() / "a.yaml") in ran.err
    assert str(own_folder() / "b.yaml") in ran.err
    ran = run("lesson", "list", "--json")
    assert [one["name"] for one in ran.json["lessons"]] == [*NAMES, "c"]
    assert len(ran.json["problems"]) == 2


def test_a_folder_of_own_lessons_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    own_folder().parent.mkdir(parents=True, exist_ok=True)
    own_folder().write_text("in the way")
    ran = run("lesson", "list")
    assert ran.code == 2
    assert all(name in ran.out for name in NAMES)
    assert str(own_folder()) in ran.err
    assert run("lesson", "check", "nobody").code == 2
    file = write(tmp_path / "one.yaml", "- {say: Look., item: 0-O0}")
    assert named(NAMES[0]).name == NAMES[0]
    assert named(str(file)).name == "one"
    assert lessons("") == sorted(lessons("")) == NAMES


def test_a_name_forges_no_line() -> None:
    own_folder().mkdir(parents=True)
    step = '- {say: Look., item: 0-O0, check: [{gold: {layer: story_class, is: "true"}}]}'
    file = write(own_folder() / "a\n✓ forged: 9 of 9 claims true.yaml", step)
    listed = ok("lesson", "list").out.splitlines()
    assert "a␊✓ forged: 9 of 9 claims true" in listed
    checked = run("lesson", "check", file, "--suggest")
    assert checked.code == 1
    told = (checked.out + checked.err).splitlines()
    assert not [line for line in told if line.startswith("✓ forged")]


BOTH = """
- say: Look.
  item: 0-O0
  check:
    - right: story_class
    - wrong: story_class
"""


@pytest.mark.slow
def test_a_claim_that_does_not_hold_is_named_with_its_line(tmp_path: Path) -> None:
    file = write(tmp_path / "both.yaml", BOTH)
    ran = run("lesson", "check", file, "--suggest")
    assert "step 1: " in ran.out
    assert ran.code == 1
    (line,) = [line for line in ran.out.splitlines() if "does not hold" in line]
    assert line.startswith((f"{file}:10: step 1 does not", f"{file}:11: step 1 does not"))
    assert "1 of 2 claims true" in ran.out
    assert f"{file}:7: in the place of 0-O0: no item would do" in ran.err
    ran = run("lesson", "check", file, "--json")
    assert ran.code == 1
    assert ran.json["broken"] == 1
    told = [one["holds"] for one in ran.json["checks"] if one["count"] is None]
    assert sorted(told) == [False, True]
    (counted,) = [one["count"] for one in ran.json["checks"] if one["count"] is not None]
    assert counted["held"] <= counted["n"]


def test_items_are_suggested_of_which_a_step_is_true(tmp_path: Path) -> None:
    story = '- {say: Look., item: 0-O0, check: [{gold: {layer: story_class, is: "true"}}]}'
    ran = run("lesson", "check", write(tmp_path / "plausible.yaml", story), "--suggest")
    assert ran.code == 1
    assert "in the place of 0-O0: 0, 1, 2, 3, 4" in ran.err


def test_a_broken_file_is_refused_before_any_model_is_asked(tmp_path: Path) -> None:
    file = write(tmp_path / "broken.yaml", "- {say: Look., item: nobody}")
    ran = run("lesson", "check", file, "--model", "there-is-none.gguf")
    assert ran.code == 2
    assert f"{file}:6" in ran.err
    assert run("lesson", "check", "thre-layers").code == 2
    assert "three-layers" in run("lesson", "check", "1-thre-layers").err


def test_a_new_lesson_is_written_once_and_holds(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    assert ok("lesson", "new", file, "--benchmark", "com2").out.strip() == str(file)
    before = file.read_text(encoding="utf-8")
    assert run("lesson", "new", file).code == 2
    blank = run("lesson", "new", tmp_path / " ")
    assert (blank.code, blank.out) == (2, "")
    assert "blank" in blank.err
    assert not (tmp_path / " ").exists()
    assert file.read_text(encoding="utf-8") == before
    ok("lesson", "new", file, "--force")
    assert file.read_text(encoding="utf-8") != before
    ok("lesson", "check", file)


def test_a_lesson_walks_over_another_collection(tmp_path: Path) -> None:
    shipped = json.loads((bind(read_lesson(bundled()[0])).path).read_text(encoding="utf-8"))
    own = tmp_path / "own.json"
    own.write_text(json.dumps({"5": shipped["5"] | {"example_id": "5"}}), encoding="utf-8")
    file = write(tmp_path / "one.yaml", '- {say: Look., item: "5", check: [right: story_class]}')
    assert run("lesson", "check", file, "--data", own).code in {0, 1}
    file = write(tmp_path / "two.yaml", '- {say: Look., item: "6"}')
    assert run("lesson", "check", file, "--data", own).code == 2


def test_a_language_that_no_lesson_speaks() -> None:
    ran = run("lesson", "list", "--lang", "de")
    assert ran.code == 2
    assert "en" in ran.err


def test_a_lesson_needs_a_terminal() -> None:
    ran = run("lesson", "run", "1")
    assert ran.code == 2
    assert "terminal" in ran.err
