"""Abstraction pyramids on the main screen: climb, change component and context, ask."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.content import Content

from core.contract.rungs import Phase
from core.contract.view import Role
from tests.tui.support import Opened, opened
from tui.browse.ladder_pane import LadderPane
from tui.widgets.graph_view import GraphView

CHASE = "a <cat> chased a mouse into its burrow"
ROWS = [
    (CHASE, "feline", 1, "noun"),
    (CHASE, "animal", 1, "noun"),
    (CHASE, "furniture", 0, "noun"),
    ("a cat <chased> a mouse into its burrow", "pursued", 1, "verb"),
    ("a cat <chased> a mouse into its burrow", "moved", 1, "verb"),
    ("<a cat chased a mouse into its burrow>", "a hunt", 1, "event"),
    ("the <feline> slept", "animal", 1, "noun"),
    ("PersonX types <cat> into the shell", "command", 1, "noun"),
]


class Pyramids(Opened):
    """The program on pyramids."""

    @property
    def graph(self) -> GraphView:
        return self.browse.query_one(GraphView)

    @property
    def nodes(self) -> dict[str, Role]:
        assert self.graph.graph is not None
        return {node.text: node.role for node in self.graph.graph.nodes}

    @property
    def titles(self) -> list[str]:
        assert self.browse.state is not None
        return [getattr(block, "title", "") for block in self.browse.state.view().sections]

    @property
    def tail(self) -> str:
        """The tail event, in the cells of the pane that shows it; empty below the first step."""
        lines = [line.strip() for line in self.story.splitlines()]
        if "The tail event" not in lines:
            return ""
        at = lines.index("The tail event") + 1
        return " ".join(" ".join(lines[at : at + 4]).partition("The climb")[0].split())


@asynccontextmanager
async def pyramids(
    path: Path | None, *, size: tuple[int, int] = (140, 40)
) -> AsyncIterator[Pyramids]:
    async with opened(benchmark="abspyramid", path=path, size=size) as program:
        yield Pyramids(program.app, program.pilot)


@pytest.fixture
def cat(tmp_path: Path) -> Path:
    rows = [
        {"event": event, "concept": concept, "label": label, "type": kind}
        for event, concept, label, kind in ROWS
    ]
    path = tmp_path / "cat.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 20)])
async def test_climbing_rewrites_the_tail_event(cat: Path, size: tuple[int, int]) -> None:
    async with pyramids(cat, size=size) as there:
        there.browse.enter_pane("view")
        await there.pilot.pause()
        assert there.tail == ""
        await there.press("+")
        assert "a feline chased a mouse into its burrow" in there.tail
        await there.press("+")
        assert "a animal chased a mouse into its burrow" in there.tail
        await there.press("+")
        assert "a animal chased" in there.tail
        await there.press("-")
        assert "a feline chased" in there.tail
        await there.press("-")
        assert there.tail == ""


async def test_all_components_stand_side_by_side_and_one_is_climbed(cat: Path) -> None:
    async with pyramids(cat) as there:
        assert {"cat", "chased", "the whole event", "animal", "moved", "a hunt"} <= set(there.nodes)
        assert there.nodes["cat"] is Role.FORCED
        await there.press("+")
        assert there.nodes["feline"] is Role.EVIDENCE
        await there.press("v")
        assert there.nodes["chased"] is Role.FORCED
        assert there.nodes["feline"] is Role.MUTED
        assert "a cat pursued a mouse" in there.tail or "a cat moved a mouse" in there.tail
        await there.press("v")
        assert there.nodes["the whole event"] is Role.FORCED
        assert "a hunt" in there.tail
        await there.press("v")
        assert there.nodes["cat"] is Role.FORCED


async def test_what_a_concept_covers_elsewhere_is_shown_where_one_stands(cat: Path) -> None:
    async with pyramids(cat) as there:
        assert not [title for title in there.titles if "covers also" in title]
        await there.press("+", "+")
        assert "“animal” covers also" in there.titles


async def test_the_same_word_in_another_event_is_another_pyramid(cat: Path) -> None:
    async with pyramids(cat) as there:
        state = there.browse.state
        assert state is not None
        there.browse.enter_pane("view")
        state.set(state.switch("context"), "1")
        there.browse.refresh_item()
        await there.press("+")
        assert "PersonX types command into the shell" in there.tail
        assert "command" in there.nodes
        # The item's own pyramid stays beside it, to compare.
        assert there.nodes["animal"] is Role.MUTED


async def test_the_ladder_asks_a_rung_for_each_concept(cat: Path) -> None:
    async with pyramids(cat) as there:
        await there.ask()
        rungs = there.browse.query_one(LadderPane).rungs
        assert [rung.question.about for rung in rungs if rung.question] == [
            "feline", "animal", "furniture",
        ]  # fmt: skip
        assert {rung.phase for rung in rungs} == {Phase.ANSWERED}
        for concept in ("feline", "animal", "furniture"):
            assert concept in there.ladder
        assert there.ladder.count("Yes") >= 3


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ((140, 40), "with a very long and winding tail of words "),
        ((80, 24), "长长的句子"),
        ((60, 20), "with a very long and winding tail of words "),
    ],
)
async def test_the_badges_of_a_long_head_event_stay_in_the_border(
    size: tuple[int, int], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "long.jsonl"
    row = {"event": f"a <cat> {words * 8}", "concept": "animal", "label": 1, "type": "noun"}
    path.write_text(json.dumps(row), encoding="utf-8")
    async with pyramids(path, size=size) as program:
        if size[0] == 60:
            await program.pilot.press("tab")
            await program.pilot.pause()
        assert program.browse.state is not None
        (badge, *_) = program.browse.state.view().badges
        title = Content.from_markup(str(program.graph.border_title)).plain
        shown, _, badges = title.partition("…")
        assert shown.startswith("a cat")
        assert badge.text in badges
        # Six cells are the corners and what stands beside a title.
        assert cell_len(title) <= program.graph.outer_size.width - 6


async def test_what_a_layer_writes_begins_a_line_of_its_own() -> None:
    async with opened(benchmark="abspyramid") as program:
        await program.ask()
        lines = program.browse.live.tab("live").text.split("\n")
        assert sum("writes:" in line for line in lines) == 1
        assert not any("(not scored)" in line and "writes:" in line for line in lines)
