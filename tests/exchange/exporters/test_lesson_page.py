"""A lesson as a page in a real browser without a network: it opens, reveals, prints, and obeys."""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.question import Form
from core.exchange.exporters.lesson_page import lesson_page
from core.lessons import survey
from core.lessons.bound_lesson import bind
from core.lessons.lesson_reader import read_lesson
from core.lessons.library import bundled
from core.lessons.survey import last_count
from core.lessons.typicality import count_like, figures_of, revealed_claim
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.store import Store
from tests.cli.support import ok, run
from tests.exchange.exporters.chromium import Page, quiet
from tests.exchange.exporters.lesson_pages import OPEN_ALL, TEXT, Shows, transcript
from tests.lessons.support import FirstOption, lesson
from tests.mostly_slow import mostly_slow
from tests.runs.models import HashingModel

EVERY = [(path, ("en", "it")[index % 2]) for index, path in enumerate(bundled())]
"""Every lesson, in one of the languages."""
WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


Exported = Callable[[str, str], Path]
"""The page of a lesson in a language."""


@pytest.fixture
def exported(
    tmp_path_factory: pytest.TempPathFactory, demo_model: None, monkeypatch: pytest.MonkeyPatch
) -> Exported:
    """Exports a lesson, once for all tests of a process."""
    monkeypatch.setattr(survey, "MOST_ITEMS", 8)

    def export(name: str, language: str) -> Path:
        file = tmp_path_factory.getbasetemp() / "lessons" / f"{name}-{language}.html"
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            ok("lesson", "export", name, "--lang", language, "--out", file)
        return file

    return export


def press_enter(page: Page) -> None:
    """Press enter as a keyboard does, which sends a character too."""
    for kind, more in (("keyDown", {"text": "\r"}), ("keyUp", {})):
        page.send(
            "Input.dispatchKeyEvent", type=kind, key="Enter", windowsVirtualKeyCode=13, **more
        )


def plain(markdown: str) -> list[str]:
    """The longer words of a Markdown text."""
    return re.findall(r"[^\W\d_]{6,}", re.sub(r"`[^`]*`", "", markdown))


@mostly_slow(("path", "language"), EVERY, ids=lambda one: getattr(one, "stem", one), quick=2)
def test_every_lesson_is_told_on_its_page(
    path: Path, language: str, exported: Exported, shows: Shows
) -> None:
    told = read_lesson(path)
    page = shows(exported(path.stem, language))
    assert page.js("document.documentElement.lang") == language
    assert page.js("document.title") == told.title.spoken(language)
    assert page.js("document.querySelectorAll('h1').length") == 1
    assert page.js("document.scripts.length") == 0
    closed = str(page.js(TEXT))
    for step in told.steps:
        for word in plain(step.say.spoken(language)):
            assert word in closed, word
        notes = step.notes.spoken(language) if step.notes else ""
        assert not notes or notes.split("\n")[0] not in closed
    predicted = [step for step in told.steps if step.prediction is not None]
    assert page.js("document.querySelectorAll('details.reveal').length") == len(predicted)
    assert page.js("document.querySelectorAll('details.reveal[open]').length") == 0
    assert page.js("document.querySelectorAll('fieldset').length") == len(predicted)
    after = [step.after.spoken(language) for step in predicted if step.after is not None]
    page.js(OPEN_ALL)
    opened = str(page.js(TEXT))
    for words in after:
        assert all(word in opened for word in plain(words))
    came = page.js("[...document.querySelectorAll('.came')].map(one => one.innerText)")
    assert len(came) >= len(predicted)
    assert all(one.startswith("▸") for one in came)
    asked = page.js("[...document.querySelectorAll('.reveal td')].map(one => one.innerText)")
    asks = any(
        step.prediction.layer or any(c.asks_model for c in step.claims) for step in predicted
    )
    assert any("✓" in one or "✗" in one for one in asked) == asks
    assert not page.js(WIDER)
    assert quiet(page), page.said + page.requests


def test_the_verdicts_are_those_of_the_model(exported: Exported, shows: Shows) -> None:
    told = ok("ask", "gita", "1-O0", "--json").json
    layers = {one["layer"]: one for one in told["verdicts"]}
    file = exported("1-three-layers", "en")
    written = date.fromtimestamp(file.stat().st_mtime)
    days = {written.isoformat(), (written - timedelta(days=1)).isoformat()}
    page = shows(file)
    page.js(OPEN_ALL)
    rows = page.js(
        "[...document.querySelectorAll('#step-2 .reveal tbody tr')]"
        ".map(row => [...row.cells].map(cell => cell.innerText))"
    )
    (row,) = rows
    verdict = layers["story_class"]
    assert row[1] == verdict["answer"]
    assert row[2] == "false"
    assert ("✓" in row[3]) is verdict["right"]
    assert f"{int(verdict['right'])} of 1 right" in page.js(
        "document.querySelector('#step-2').innerText"
    )
    said = str(page.js("document.querySelector('dl').innerText"))
    assert "log-likelihood of the options, base prompt, zero-shot" in said
    assert any(day in said for day in days)
    assert re.search(r"\d of the \d whose right answer is known; questions asked: \d", said)
    assert "demonstration" in page.js(TEXT)


def test_a_figure_to_be_predicted_is_hidden_until_revealed(
    exported: Exported, shows: Shows
) -> None:
    page = shows(exported("4-see-do-imagine", "it"))
    seeing = "document.querySelector('#step-2').innerText"
    assert "p=0" in page.js("document.querySelector('#step-1 svg').textContent")
    assert "p=0" not in page.js(seeing)
    assert "p=0" not in page.js("document.querySelector('#step-2 .item').textContent")
    page.js(OPEN_ALL)
    assert "p=0" in page.js("document.querySelector('#step-2 .reveal svg').textContent")


def test_the_keyboard_alone_reveals(exported: Exported, shows: Shows) -> None:
    page = shows(exported("1-three-layers", "en"))
    for _ in range(40):
        page.press("Tab")
        if page.js("document.activeElement.parentElement.className") == "reveal":
            break
    assert page.js("document.activeElement.tagName") == "SUMMARY"
    press_enter(page)
    page.until("document.querySelectorAll('details.reveal[open]').length === 1")
    page.js("document.querySelector('nav a').focus()")
    press_enter(page)
    page.until("location.hash === '#step-1'")
    assert quiet(page)


@mostly_slow(("path", "language"), EVERY, ids=lambda one: getattr(one, "stem", one), quick=2)
def test_it_is_readable_on_a_phone_and_on_paper(
    path: Path, language: str, exported: Exported, shows: Shows
) -> None:
    file = exported(path.stem, language)
    page = shows(file)
    page.send(
        "Emulation.setDeviceMetricsOverride",
        width=320,
        height=640,
        deviceScaleFactor=1,
        mobile=False,
    )
    page.js(OPEN_ALL)
    page.settle()
    assert not page.js(WIDER)
    page.open(file.as_uri())
    came = "[...document.querySelectorAll('.came')].every(one => one.checkVisibility())"
    page.send("Emulation.setEmulatedMedia", media="print")
    page.settle()
    assert page.js("document.querySelectorAll('details[open]').length") == 0
    heights = "[...document.querySelectorAll('.came')].map(one => one.clientHeight)"
    assert page.js(came)
    assert min(page.js(heights)) > 0
    paper = base64.b64decode(page.send("Page.printToPDF")["data"])
    assert paper.startswith(b"%PDF")


def test_graphs_fit_a_phone(exported: Exported, shows: Shows) -> None:
    page = shows(exported("4-see-do-imagine", "en"))
    visible = "[...document.querySelectorAll('.drawing')].filter(one => one.checkVisibility())"
    wide = page.js(f"{visible}.map(one => one.className)")
    assert set(wide) == {"drawing wide"}
    page.send(
        "Emulation.setDeviceMetricsOverride",
        width=390,
        height=844,
        deviceScaleFactor=1,
        mobile=False,
    )
    page.settle()
    assert page.js(f"{visible}.map(one => one.className)") == ["drawing narrow"] * len(wide)
    assert page.js(f"{visible}.every(one => one.scrollWidth <= one.clientWidth)")


def test_nothing_of_a_step_is_on_paper_twice(exported: Exported, shows: Shows) -> None:
    page = shows(exported("4-see-do-imagine", "en"))
    page.send("Emulation.setEmulatedMedia", media="print")
    drawings = page.js(
        "[...document.querySelectorAll('section.step')].map(step =>"
        " [...step.querySelectorAll('.drawing')].filter(one => one.checkVisibility()).length)"
    )
    page.send("Emulation.setEmulatedMedia", media="")
    assert max(drawings) == 1
    # Where probabilities are predicted, the drawing that has them is the one on paper.
    assert drawings[1] == 1


def test_it_follows_the_readers_preference_for_dark(exported: Exported, shows: Shows) -> None:
    page = shows(exported("4-see-do-imagine", "it"))
    ground = "getComputedStyle(document.body).backgroundColor"
    letters = "getComputedStyle(document.querySelector('svg text')).fill"
    light = page.js(ground), page.js(letters)
    page.prefer(prefers_color_scheme="dark")
    dark = page.js(ground), page.js(letters)
    assert light[0] != dark[0]
    assert light[1] != dark[1]
    assert dark[0] == "rgb(20, 25, 36)"


def test_notes_are_there_only_where_they_are_wanted(exported: Exported, tmp_path: Path) -> None:
    with_notes, without = tmp_path / "speaker.html", exported("1-three-layers", "en")
    ok("lesson", "export", "1", "--out", with_notes, "--notes")
    assert "Let somebody read the story aloud" in with_notes.read_text(encoding="utf-8")
    assert "Let somebody read the story aloud" not in without.read_text(encoding="utf-8")


def test_an_existing_file_is_refused_before_the_model_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "mine.html"
    file.write_text("mine")
    ran = run("lesson", "export", "1", "--out", file, "--model", "there-is-none.gguf")
    assert ran.code == 2
    assert "--force" in ran.err
    assert file.read_text() == "mine"
    assert [one.name for one in tmp_path.iterdir()] == ["mine.html"]


def test_an_existing_file_is_overwritten_with_force(tmp_path: Path, demo_model: None) -> None:
    file = tmp_path / "mine.html"
    file.write_text("mine")
    assert ok("lesson", "export", "1", "--out", file, "--force").out.strip() == str(file)
    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [one.name for one in tmp_path.iterdir()] == ["mine.html"]


async def recorded(store: Path) -> str:
    """The name of a recorded run of a model of a test over the bundled stories."""
    benchmark = registry.load("gita")
    model, path = HashingModel(), benchmark.samples()
    collection = registry.open_collection(benchmark, path)
    source = QuestionSource(benchmark, collection)
    plan = plan_for(model, source, path, form=Form.BASE)
    with Store(store) as opened:
        evaluation = Evaluation(opened, plan, model, source)
        async for _ in evaluation.steps():
            pass
        return f"replay:{evaluation.run.id}"


def test_the_page_of_a_recording_is_reproducible_and_says_so(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    name = asyncio.run(recorded(store))
    with Store(store) as opened:
        day = opened.runs()[0].created[:10]
    files = [tmp_path / f"{i}.html" for i in range(2)]
    for file in files:
        ok("lesson", "export", "1", "--out", file, "--model", name, "--store", store)
    first, second = (file.read_bytes() for file in files)
    assert first == second
    text = first.decode()
    assert f"{day}; recorded then (run " in text
    assert HashingModel().info.name in text
    ok("lesson", "export", "6", "--out", files[0], "--model", name, "--store", store, "--force")
    text = files[0].read_text(encoding="utf-8")
    assert "The recording has no answer to this." in text
    assert "The blocks of this model cannot be read" in text


FAILING = """
- say: Look.
  item: 1-O0
  predict:
    ask: Which
    options:
      - {text: right, when: {right: conflict_detec}}
      - {text: wrong, when: {wrong: conflict_detec}}
- say: Look again.
  predict:
    ask: Which
    options:
      - {text: right, when: {right: physical_state}}
      - {text: wrong, when: {wrong: physical_state}}
- say: And elsewhere.
  set: {variant: plausible}
  predict: {ask: What is it, layer: story_class}
"""


async def test_an_answer_after_the_first_failure_is_called_not_counted(tmp_path: Path) -> None:
    told = await transcript(lesson(tmp_path, FAILING))
    assert [one.again for one in told.steps] == [False, True, False]
    found = [(one.verdict.right, one.counted) for step in told.steps for one in step.answers]
    assert found == [(False, True), (False, False), (False, True)]
    assert lesson_page(told).count("not counted") == 1


async def test_a_text_that_is_a_sign_gets_no_second_sign() -> None:
    """The checks of a tree's soundness are signs themselves."""
    path = next(path for path in bundled() if path.stem.startswith("3-"))
    page = lesson_page(await transcript(read_lesson(path)))
    assert '<bdi lang="">✓</bdi>' in page
    assert '✓</b> <bdi lang="">✓</bdi>' not in page


HIDDEN = """
- say: Where does it break?
  item: 1-O0
  hide: [marks, why]
  predict:
    ask: It breaks at
    options:
      - {text: one, when: {statement: {is: s1, role: break}}}
      - {text: two, when: {statement: {is: s2, role: break}}}
- say: Is it so?
  predict: {ask: It is, layer: story_class}
  notes: Wait for the room.
  count:
    caption: All of them
    when: {right: story_class}
    rows: [{text: impossible ones, of: [{gold: {layer: story_class, is: "false"}}]}]
  check: [{gold: {layer: story_class, is: "false"}}]
"""


async def test_what_a_step_hides_is_behind_its_reveal(tmp_path: Path) -> None:
    page = lesson_page(await transcript(lesson(tmp_path, HIDDEN)))
    before, _, after = page.partition('<details class="reveal">')
    assert "Davide ha appeso il cappotto" in before
    assert "breakpoint" not in before
    assert "no longer wearing" not in before
    assert "breakpoint" in after
    assert "no longer wearing" in after


async def test_counts_of_before_and_minutes_for_the_speaker_are_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "MOST_ITEMS", 9)
    told = lesson(tmp_path, HIDDEN)
    assert "items like this one" not in lesson_page(await transcript(told))
    step = told.steps[1]
    bound = bind(told)
    evidence = bound.evidence(bound.bind_step(step), FirstOption())
    claim = await revealed_claim(step, evidence)
    assert claim is not None
    for asked in (await count_like(step, claim, evidence), *figures_of(step)):
        assert (await last_count(asked, evidence)).n > 1
    counted = lesson_page(await transcript(told), notes=True)
    assert "items like this one" in counted
    assert "All of them" in counted
    assert "Minutes 0:30 to 1:00 of about 1" in counted
    assert "Minutes" not in lesson_page(await transcript(told))
