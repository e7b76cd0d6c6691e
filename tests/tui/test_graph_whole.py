"""The whole graph in sight: what fits, what its numbers mean, and what another world changed."""

from __future__ import annotations

from textual.geometry import Region

from core.files.shipped import samples
from core.layout.graph.drawing_options import Zoom
from tests.tui.support import opened
from tests.tui.test_com2_screen import Graphs, graphs

COUNTERFACTUAL = "4"
HARBOUR = samples() / "com2" / "harbour-fog.yaml"
"""A story whose whole graph has room on a wide screen."""


def in_sight(there: Graphs, node: str) -> bool:
    """Whether all of a node is drawn in the pane."""
    placement = there.view.placement
    assert placement is not None
    rect = placement.nodes[node]
    window = Region(*map(int, there.view.scroll_offset), *there.view.size)
    return Region(rect.x, rect.y, rect.width, rect.height) in window


def imagined(there: Graphs) -> list[str]:
    """What is imagined to happen and what follows from it."""
    return [name for name, node in there.nodes.items() if node.sign in ("imagined", "changed")]


async def test_both_chains_of_a_counterfactual_are_in_sight_on_a_wide_screen() -> None:
    async with graphs(HARBOUR) as there:
        await there.press(COUNTERFACTUAL)
        assert there.view.placement is not None
        assert there.view.placement.zoom is Zoom.LABELS
        assert len(imagined(there)) > 2
        assert all(in_sight(there, node) for node in there.nodes)


async def test_what_comes_to_happen_in_another_world_is_scrolled_to() -> None:
    async with graphs(HARBOUR, size=(80, 24)) as there:
        assert in_sight(there, there.view.cursor)
        await there.press(COUNTERFACTUAL)
        happening = [node for node in imagined(there) if there.nodes[node].happens]
        assert len(happening) > 2
        assert all(in_sight(there, node) for node in happening[:3])
        assert not all(in_sight(there, node) for node in there.nodes)


async def test_fit_shows_the_whole_as_numbers_and_says_what_they_mean() -> None:
    async with graphs(HARBOUR, size=(80, 24)) as there:
        await there.press(COUNTERFACTUAL, "0")
        assert there.view.placement is not None
        assert there.view.placement.zoom is Zoom.GLYPHS
        assert all(in_sight(there, node) for node in there.nodes)
        for place, (name, node) in enumerate(there.nodes.items(), 1):
            await there.stand_on(name)
            assert there.view.number == str(place)
            assert there.why == f"{place} {node.text}"
        await there.press("z")
        assert there.view.number == ""
        assert there.why == there.nodes[there.view.cursor].note


async def test_the_pane_of_the_cursor_says_the_number() -> None:
    async with graphs() as there:
        before = there.story.splitlines()[0]
        await there.press("Z")
        while there.view.placement is None or there.view.placement.zoom is not Zoom.GLYPHS:
            await there.press("Z")
        assert there.story.splitlines()[0].split() == ["1", *before.split()]


async def test_the_trees_and_pyramids_of_other_benchmarks_fit_as_before() -> None:
    async with opened(benchmark="accord") as program:
        there = Graphs(program.app, program.pilot)
        assert there.view.placement is not None
        assert there.view.placement.zoom is Zoom.BOXES
        assert all(in_sight(there, node) for node in there.nodes)
