"""The screen that compares runs: its tables, and the items that it opens."""

from __future__ import annotations

import pytest

from core.contract.question import Answer, OptionScore, Question
from core.files import paths
from core.runs.comparison import ALL_RIGHT, compare
from core.runs.store import Store
from core.text import language
from tests.mostly_slow import mostly_slow
from tests.tui.support import Opened, idle, opened, widget_text
from tests.tui.test_runs_screen import (
    NO_MODEL,
    SIZES,
    always,
    ids,
    open_runs,
    record,
    recorded_story_run,
    runs_of,
)
from tui.runs.comparison_pane import ComparisonPane
from tui.runs.comparison_screen import ComparisonScreen

pytestmark = pytest.mark.usefixtures("demo_model")


def every_other(question: Question) -> Answer:
    """Scores of a model that says “true” and takes first options."""
    return Answer(tuple(OptionScore(-1.0 - index) for index in range(len(question.options))))


async def compared(program: Opened, *run_ids: str) -> ComparisonScreen:
    """Mark runs in this order, and compare them."""
    screen = await open_runs(program)
    for run_id in run_ids:
        screen.runs.cursor = run_id
        await program.press("space")
    await program.press("c")
    await program.until(lambda: isinstance(program.app.screen, ComparisonScreen))
    await idle(program.pilot)
    front = program.app.screen
    assert isinstance(front, ComparisonScreen)
    return front


def whole(screen: ComparisonScreen) -> str:
    """All rows, also those out of sight."""
    return screen.pane.copy_text()[1]


@SIZES
async def test_the_tables_say_what_the_comparison_came_to(size: tuple[int, int]) -> None:
    first = recorded_story_run("First", every_other)
    second = recorded_story_run("Second", always(True))
    with Store(paths.runs(), create=False) as store:
        expected = compare(store, first.id, second.id)
    async with opened(model=NO_MODEL, size=size) as program:
        screen = await compared(program, first.id, second.id)
        [shown] = screen.pane.comparisons
        assert shown == expected
        text = whole(screen)
        assert "A  First" in text
        assert "B  Second" in text
        cells = [line.split() for line in text.split("\n")]
        for layer in expected.layers:
            counts = layer.both_right, layer.first_only, layer.second_only, layer.both_wrong
            row = [f"{count:,}" for count in counts]
            assert any(" ".join(row) in " ".join(line) for line in cells), layer.layer
        assert f"{len(expected.flips)} questions are right in one run and wrong" in text
        assert "Accuracy" in text
        assert "all right" in " ".join(text.split())
        top = widget_text(program.app.screen.query_one(ComparisonPane)).split("\n")[0]
        assert top.strip().startswith("A  First"), "it begins at the top"


@SIZES
async def test_an_item_opens_with_the_answers_of_both_runs_and_f3_comes_back(
    size: tuple[int, int],
) -> None:
    first = recorded_story_run("First", every_other)
    second = recorded_story_run("Second", always(True))
    async with opened(model=NO_MODEL, benchmark="accord", size=size) as program:
        screen = await compared(program, first.id, second.id)
        await program.press("end")
        screen.pane.cursor = f"0/{len(screen.pane.comparisons[0].flips) - 1}"
        flip = screen.pane.flip
        assert flip is not None
        pair, place = flip[1], screen.pane.cursor
        await program.press("enter")
        await program.until(lambda: program.app.screen is program.browse)
        await program.until(lambda: program.app.model_state.name == f"replay:{second.id}")
        await program.until(lambda: program.browse.state and program.browse.state.run)
        await idle(program.pilot)
        state = program.browse.state
        assert state is not None
        assert state.item.id == pair.item
        [rung] = [e for e in program.browse.ladder.rungs if e.layer.id == pair.layer]
        assert rung.verdict is not None
        assert rung.verdict.picked_options == pair.second.picks
        assert rung.compared is not None
        assert rung.compared.verdict is not None
        assert rung.compared.verdict.picked_options == pair.first.picks
        _what, text = (
            "",
            "\n".join("".join(span.text for span in row) for row in program.browse.ladder.rows),
        )
        assert "A ✗" in text
        assert "B ✓" in text
        [gold] = [line for line in text.split("\n") if line.startswith("    B ") and "◆" in line][
            :1
        ]
        assert gold
        assert any(line.startswith("  A   ") and "◆" not in line for line in text.split("\n"))
        await open_runs(program)
        assert runs_of(program).memory.marked == [first.id, second.id]
        await program.press("c")
        await program.until(lambda: isinstance(program.app.screen, ComparisonScreen))
        await idle(program.pilot)
        back = program.app.screen
        assert isinstance(back, ComparisonScreen)
        assert back.pane.cursor == place
        await program.press("escape", "home", "enter")
        await program.until(lambda: program.app.screen is program.browse)
        await idle(program.pilot)
        assert all(each.compared is None for each in program.browse.ladder.rungs)


async def test_keys_before_an_item_is_reached_open_nothing() -> None:
    first = recorded_story_run("First", every_other)
    second = recorded_story_run("Second", always(True))
    async with opened(model=NO_MODEL, size=(80, 24)) as program:
        screen = await compared(program, first.id, second.id)
        await program.press("enter", "enter")
        assert program.app.screen is screen
        headings = set()
        for _ in range(7):
            headings.add(screen.pane.cursor)
            await program.press("n")
        assert headings == {
            f"0/{part}" for part in ("heading", "layers", "cells", "figures", "first", "flips")
        } | {"map/heading"}
        assert screen.pane.cursor == "0/heading"
        await program.press("escape")
        assert runs_of(program)


async def test_more_runs_stand_below_each_other_each_against_the_first() -> None:
    runs = [record(name, right, 12) for name, right in (("One", 3), ("Two", 6), ("Three", 9))]
    async with opened(model=NO_MODEL) as program:
        screen = await compared(program, *(run.id for run in runs))
        assert [each.second.id for each in screen.pane.comparisons] == [runs[1].id, runs[2].id]
        text = whole(screen)
        assert text.index("B  Two") < text.index("C  Three")
        assert "C minus A" in text
        assert text.count("A  One") == 2


@pytest.mark.parametrize(("size", "whole_ids"), [((140, 40), True), ((80, 24), False)])
async def test_long_ids_of_items_are_told_apart(size: tuple[int, int], whole_ids: bool) -> None:
    names = [f"a-sentence-about-towers-that-many-items-share-{kind}" for kind in ("noun", "verb")]
    first, second = record("One", 0, 3), record("Two", 3, 3)
    with Store(paths.runs()) as store:
        for run, right in ((first, 0), (second, 1)):
            verdict = store.verdicts(run.id)[0]
            for seq, name in enumerate(names, 99):
                asked = verdict._replace(item=name, answer=right, gold=1)
                store.record(run.id, seq, asked, "", 0.0)
    async with opened(model=NO_MODEL, size=size) as program:
        screen = await compared(program, first.id, second.id)
        lines = [line for line in whole(screen).split("\n") if " a-sent" in line]
        ids = {line.split()[0] for line in lines if "A ✗" in line}
        assert (ids == set(names)) is whole_ids
        assert len(ids) == 2
        assert {name[-4:] for name in ids} == {"noun", "verb"}
        mapped = {line.split()[0] for line in lines if "A ✗" not in line}
        assert len(mapped) == 2


async def test_what_else_makes_runs_unlike_is_told() -> None:
    first, second = record("One", 3, 12), record("Two", 6, 12, shots=3, shot_rule="random")
    async with opened(model=NO_MODEL) as program:
        screen = await compared(program, first.id, second.id)
        assert "The runs differ in more than the model: worked examples: 0 / 3" in whole(screen)


async def test_figures_that_cannot_be_compared_are_missing_with_the_reason() -> None:
    first, second = record("One", 3, 12), record("Two", 6, 12)
    with Store(paths.runs()) as store:
        untagged = store.verdicts(first.id)[0]._replace(item="extra", tags={})
        for run in (first, second):
            store.record(run.id, 99, untagged, "", 0.0)
    async with opened(model=NO_MODEL) as program:
        screen = await compared(program, first.id, second.id)
        words = " ".join(whole(screen).split())
        assert "own figures are not compared: they need the “" in words


async def test_runs_that_cannot_be_compared_are_an_error_in_the_pane() -> None:
    first, second = record("One", 3, 12), record("Two", 6, 12, benchmark="accord")
    third = record("Three", 6, 12)
    async with opened(model=NO_MODEL, size=(60, 20)) as program:
        screen = await compared(program, first.id, second.id, third.id)
        [comparison] = screen.pane.comparisons
        assert comparison.second.id == third.id
        words = " ".join(whole(screen).split())
        assert f"B {second.id}: These are runs of two benchmarks: gita and accord" in words
        assert "C − A" in words, "the letters are those of the list"
        assert {len(row.first_wrong) for row in screen.pane.heat_map} == {2}
        await program.press("escape")
        assert len(ids(runs_of(program))) == 3


async def test_why_runs_cannot_be_compared_is_said_in_italian() -> None:
    first, second = record("One", 3, 12), record("Two", 6, 12, benchmark="accord")
    third = record("Three", 6, 12)
    language.speak("it")
    async with opened(model=NO_MODEL, size=(60, 20)) as program:
        screen = await compared(program, first.id, second.id, third.id)
        words = " ".join(whole(screen).split())
        assert "Sono esecuzioni di due benchmark: gita e accord" in words


async def test_hostile_text_of_items_and_models_is_never_obeyed() -> None:
    name = "m\x1b[31m[b]\u202e"
    first, second = record(name, 1, 3), record("Two", 3, 3)
    with Store(paths.runs()) as store:
        for run, right in ((first, 0), (second, 1)):
            verdict = store.verdicts(run.id)[0]
            hostile = verdict._replace(
                item="i\x1b]0;x\x07", options=("\x1b[2Ja", "[red]b"), answer=0, gold=right
            )
            store.record(run.id, 99, hostile, "", 0.0)
    async with opened(model=NO_MODEL) as program:
        screen = await compared(program, first.id, second.id)
        text = whole(screen)
        assert "\x1b" not in text
        assert "␛[2Ja" in text
        assert "i␛]0;x␇" in text


@pytest.mark.parametrize("size", [(40, 12), (60, 20), (140, 40)], ids=lambda size: size[0])
@mostly_slow("count", [2, 10])
async def test_every_item_stands_with_the_first_wrong_layer_of_each_run(
    size: tuple[int, int], count: int
) -> None:
    runs = [recorded_story_run("Knows", always(True)), recorded_story_run("No", always(False))]
    runs += [recorded_story_run(f"No {number}", always(False)) for number in range(2, count)]
    with Store(paths.runs()) as store:
        known = store.verdicts(runs[1].id)
    async with opened(model=NO_MODEL, size=size) as program:
        screen = await compared(program, *(run.id for run in runs))
        rows = {row.item: row.first_wrong for row in screen.pane.heat_map}
        assert set(rows) == {verdict.item for verdict in known}
        assert set(rows.values()) == {(ALL_RIGHT, *["story_class"] * (count - 1))}
        text = whole(screen)
        assert f"{next(iter(rows))} " in text
        lines = [line.split()[-count:] for line in text.split("\n")]
        assert lines.count(["✓", *["✗1"] * (count - 1)]) == len(rows)
        await program.press("end")
        assert screen.pane.cursor == f"map/{len(rows) - 1}"
        assert screen.pane.scroll_offset.y > 0
        last = screen.pane.heat_map[-1].item
        await program.press("enter")
        await program.until(lambda: program.app.screen is program.browse)
        await idle(program.pilot)
        state = program.browse.state
        assert state is not None
        assert state.item.id == last
