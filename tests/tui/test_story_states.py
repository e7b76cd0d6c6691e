"""An annotated story drawn as a graph with its states, in the program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.contract.view import Role
from tests.tui.support import opened
from tui.widgets.graph_view import GraphView

SENTENCES = ["Ada chiude il forno.", "Ada spegne la luce.", "Ada mette il pane nel forno."]


def annotation(code: int) -> dict[str, list[list[str | int]]]:
    return {"open": [["forno", code]], "running": [["luce", 0]]}


def drawing(pane: GraphView) -> str:
    return "\n".join(pane.render_line(y).text for y in range(pane.size.height))


def stories(folder: Path) -> Path:
    """A family in the shape of GITA v1: the oven is shut, and then it must be open."""

    def story(key: str, codes: tuple[int, int, int], **fields: object) -> dict[str, object]:
        states = [annotation(code) for code in codes]
        states[1]["running"] = [["luce", 3]]
        return {
            "story_id": 0,
            "actor": "Ada",
            "location": "cucina",
            "objects": "forno, luce, pane",
            "sentences": SENTENCES,
            "length": 3,
            "example_id": key,
            "plausible": True,
            "breakpoint": -1,
            "confl_sents": [],
            "confl_pairs": [],
            "states": states,
            "type": None,
        } | fields

    broken = story(
        "0-C0",
        (3, 0, 2),
        type="cloze",
        plausible=False,
        breakpoint=2,
        confl_sents=[0],
        confl_pairs=[[0, 2]],
    )
    path = folder / "v1.json"
    path.write_text(json.dumps({"0-C0": broken}), encoding="utf-8")
    return path


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_a_story_holds_its_states_as_a_graph(tmp_path: Path, size: tuple[int, int]) -> None:
    async with opened(path=stories(tmp_path), size=size) as there:
        await there.press("ctrl+g")
        pane = there.browse.query_one(GraphView)
        assert pane.graph is not None
        texts = {node.text: node.role for node in pane.graph.nodes}
        assert texts == {
            "0. Ada chiude il forno.": Role.CAUSE,
            "1. Ada spegne la luce.": Role.PLAIN,
            "2. Ada mette il pane nel forno.": Role.BREAK,
            "forno: closed": Role.CAUSE,
            "luce: off": Role.PLAIN,
        }
        assert "●forno: clos" in drawing(pane)
        pane.cursor = "s0:forno"
        await there.press()
        assert str(pane.border_subtitle) == "Sentence 0: open: open → closed"
        placement = pane.placement
        await there.press("ctrl+g")
        assert not there.browse.has_class("-graph")
        await there.press("ctrl+g")
        assert pane.placement == placement
        assert pane.cursor == "s0:forno"
