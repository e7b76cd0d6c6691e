"""At 80 columns: what the ladder asks about is beside it, and graphs use the room."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.geometry import Region

from core.contract.view import Graph, Link, Node, Section, Statements
from core.layout.graph.placement import place_graph
from core.layout.ladder import answered_ladder
from core.layout.rows import Row
from tests.mostly_slow import mostly_slow
from tests.tui.support import opened, widget_text
from tui.browse.ladder_pane import LadderPane
from tui.widgets.rows_view import RowsView

SIZES = pytest.mark.parametrize("size", [(80, 24), (100, 30)], ids=["80x24", "100x30"])


@SIZES
async def test_question_options_tree_and_ladder_of_accord_are_in_sight_without_a_key(
    size: tuple[int, int],
) -> None:
    async with opened(benchmark="accord", size=size) as program:
        browse = program.browse
        panes = [browse.query_one("#list-box"), browse.graph, browse.item_text, browse.ladder]
        boxes = [pane.region for pane in panes]
        assert all(box.width >= 20 and box.height >= 5 for box in boxes)
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
        shown = " ".join(program.story.split())
        question = browse.state.item.question
        assert all(text in shown for _, text in question.choices)
        assert "In which room is the kettle" in shown
        await program.ask()
        assert [pane.region for pane in panes] == boxes
        for key in ("tab", "tab", "tab"):
            await program.press(key)
            assert [pane.region for pane in panes] == boxes


@SIZES
async def test_a_story_stands_whole_beside_its_ladder(size: tuple[int, int]) -> None:
    async with opened(size=size) as program:
        story = " ".join(program.story.split())
        for statement in program.browse.item_text.view.sections[0].statements:
            assert statement.text.split()[-1] in story
        assert program.browse.ladder.region.x >= program.browse.item_text.region.right


@SIZES
@pytest.mark.parametrize("name", ["abspyramid", "accord", "com2", "gita"])
async def test_what_the_layer_under_the_cursor_asks_is_in_sight_with_the_ladder(
    name: str, size: tuple[int, int]
) -> None:
    async with opened(benchmark=name, size=size) as program:
        browse = program.browse
        assert browse.ladder.region.width >= 20
        browse.enter_pane("ladder")
        for rung in browse.ladder.rungs:
            browse.ladder.cursor = rung.layer.id
            await program.pilot.pause()
            story = " ".join(program.story.split())
            if rung.question is None or rung.question.about:
                asked = [rung.question.text] if rung.question else []
            else:
                section = next(s for s in browse.item_text.view.sections if not is_drawn(s))
                statements = section.statements
                # An open question of AbsPyramid is about the event itself.
                asked = [s.text for s in statements[: 1 if name == "abspyramid" else None]]
            for text in asked:
                assert " ".join(text.split()) in story, (rung.layer.id, text)


def is_drawn(section: Section) -> bool:
    """Whether a section is not told in statements."""
    return not isinstance(section, Statements)


async def test_the_ladder_scrolls_to_the_rung_that_was_just_answered() -> None:
    async with opened(benchmark="accord", size=(80, 24)) as program:
        ladder = program.browse.ladder
        assert ladder.virtual_size.height > ladder.size.height
        asked = ladder.rungs
        await program.ask()
        answered = ladder.rungs
        ladder.show(asked, source="", hint="")
        for at, rung in enumerate(answered[:-1], 1):
            ladder.show((*answered[:at], *asked[at:]), source="", hint="")
            assert any(rung.layer.shown in row for row in program.ladder.splitlines()[1:])
            assert "ayer" in widget_text(ladder).splitlines()[0], "the outcome stays above"


@SIZES
@mostly_slow("name", ["com2", "abspyramid", "accord"])
async def test_the_first_failure_is_in_sight_when_all_is_answered(
    name: str, size: tuple[int, int]
) -> None:
    async with opened(benchmark=name, size=size) as program:
        for _item in range(3):
            await program.ask()
            ladder = program.browse.ladder
            failure = answered_ladder(ladder.rungs).first_failure
            if failure is not None:
                break
            await program.press("down")
        assert failure is not None
        layer = next(rung.layer for rung in ladder.rungs if rung.layer.id == failure)
        await program.until(lambda: any(layer.shown in r for r in program.ladder.splitlines()[1:]))


async def test_the_text_keeps_the_cursor_of_its_pane_when_the_screen_grows() -> None:
    async with opened(benchmark="accord", size=(80, 24)) as program:
        program.browse.enter_pane("view")
        await program.pilot.pause()
        assert program.browse.focused is program.browse.query_one("#beside")
        await program.pilot.resize_terminal(140, 40)
        await program.until(lambda: program.browse.focused is program.browse.query_one("#view"))
        assert isinstance(program.browse.ladder, LadderPane)


def test_a_node_alone_in_its_row_says_all_that_there_is_room_for() -> None:
    text = "The visitors lead by three goals at half-time of the match"
    nodes = (Node("a", text), Node("b", text), Node("c", text))
    links = (Link("a", "c"), Link("b", "c"))
    placed = place_graph(Graph("", nodes, links), cell_len, room=72)
    assert placed.lines["c"] == (text,)
    assert placed.lines["a"] != (text,)
    assert placed.width <= 72
    boxes = [Region(r.x, r.y, r.width, r.height) for r in placed.nodes.values()]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    for route in placed.routes:
        assert any(box.contains(route.last[0], route.last[1] + 1) for box in boxes)


async def test_a_sentence_that_a_key_moves_comes_into_sight() -> None:
    async with opened(size=(60, 14)) as program:
        browse, text = program.browse, program.browse.item_text
        browse.enter_pane("view")
        await program.pilot.pause()
        statements = next(s for s in text.view.sections if isinstance(s, Statements)).statements
        text.cursor = statements[1].id
        browse.enter_pane("ladder")
        await program.pilot.pause()
        assert not text.is_on_screen
        await program.press("full_stop")
        await program.until(lambda: browse.pane == "view")
        moved = " ".join(statements[1].text.split()[:3])
        await program.until(lambda: moved in program.story)
        text.scroll_to(y=0 if text.scroll_offset.y else text.max_scroll_y, animate=False)
        await program.press("comma")
        await program.until(lambda: text.cursor in {s.ref for row in visible(text) for s in row})


def visible(pane: RowsView) -> tuple[Row, ...]:
    """The rows of a pane that are in sight."""
    top = pane.scroll_offset.y
    return pane.rows[top : top + pane.size.height]
