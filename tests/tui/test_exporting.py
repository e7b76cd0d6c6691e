"""An export takes along what the open pane shows of the model's blocks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx
from textual.widgets import Input, OptionList

from core.exchange.exporters.document import notes_above
from core.exchange.exporters.labels import link_label
from core.layout.graph.as_graph import first_graph
from core.layout.graph.weights import percent
from tests.mostly_slow import mostly_slow
from tests.pilots import notices
from tests.tui.support import Opened, opened
from tests.tui.xray_panes import look, ready
from tui.blocks.xray_pane import XrayPane
from tui.browse.export import HasHeatMaps
from tui.browse.export_dialogue import ExportScreen


async def exported(program: Opened, place: int, path: Path) -> None:
    """Export with the format at a place of the dialogue."""
    await program.press("e")
    await program.until(lambda: isinstance(program.app.screen, ExportScreen))
    await program.until(lambda: bool(program.app.screen.query(OptionList)))
    program.app.screen.query_one(OptionList).highlighted = place
    await program.pilot.pause()
    program.app.screen.query_one(Input).value = str(path)
    await program.press("enter")
    await program.until(lambda: not isinstance(program.app.screen, ExportScreen))


def readings(path: Path) -> Any:
    return json.loads(path.read_text())["readings"]


def answers(path: Path) -> list[Any]:
    blocks = json.loads(path.read_text())["sheets"][0]["view"]["blocks"]
    return [block for block in blocks if block.get("title") == "The model's answers"]


HTML, SVG, MARKDOWN, JSON, GRAPHML = 0, 1, 2, 4, 5


async def test_an_open_pane_goes_along_and_a_closed_one_does_not(
    tmp_path: Path,
) -> None:
    async with opened() as program:
        await exported(program, JSON, tmp_path / "closed.json")
        await program.press("x")
        pane = program.browse.query_one(XrayPane)
        assert isinstance(pane, HasHeatMaps)
        await program.until(lambda: bool(pane.readings()))
        shown = pane.readings()
        await exported(program, JSON, tmp_path / "open.json")
        await exported(program, SVG, tmp_path / "open.svg")
        told = notices(program.app)
        await program.press("x")
        await exported(program, JSON, tmp_path / "again.json")
    assert readings(tmp_path / "closed.json") == readings(tmp_path / "again.json") == []
    found = readings(tmp_path / "open.json")
    assert [one["title"] for one in found] == [heat.title for heat in shown]
    assert found[0]["rows"][0]["values"] == list(shown[0].rows[0].values)
    assert any("svg has no place for it" in words for words in told)


@mostly_slow("benchmark", ["com2", "accord"])
async def test_the_attention_that_is_drawn_goes_along(tmp_path: Path, benchmark: str) -> None:
    async with opened(benchmark=benchmark) as program:
        if benchmark == "accord":
            await program.press("plus", "plus")
            program.browse.enter_pane("ladder")
            await program.press("G")
        await exported(program, HTML, tmp_path / "before.html")
        xray = await look(program)
        await program.press("number_sign")
        await ready(program)
        pane = program.browse.query_one(XrayPane)
        state = program.browse.state
        assert state is not None
        for place, name in ((HTML, "on.html"), (JSON, "on.json"), (GRAPHML, "on.graphml")):
            await exported(program, place, tmp_path / name)
        await exported(program, SVG, tmp_path / "on.svg")
        block, head = pane.position.block, pane.position.head
        read = xray.attended[block]
        weights = read.by_link(head, state.view())
        parts = read.by_part(head, state.view())
        shown = first_graph(pane.with_attention(state.view()))
        said = [note.text for note in notes_above(pane.with_attention(state.view()))]
        model = xray.subject.model.info.name
        await program.press("x")
        await exported(program, HTML, tmp_path / "after.html")
    assert weights
    assert shown is not None
    # The figures of the model, as they are.
    sheet, *others = json.loads((tmp_path / "on.json").read_text())["sheets"]
    links = {(k["source"], k["target"]): k["weight"] for k in sheet["graph"]["links"]}
    assert {ends: weight for ends, weight in links.items() if weight is not None} == weights
    assert all(k["weight"] is None for other in others for k in other["graph"]["links"])
    edges = networkx.read_graphml(tmp_path / "on.graphml", force_multigraph=True).edges(data=True)
    assert {(s, t): d["weight"] for s, t, d in edges if "weight" in d} == weights
    blocks = sheet["view"]["blocks"]
    texts = [
        one for block in blocks for one in (*block.get("statements", ()), *block.get("nodes", ()))
    ]
    found = {one["id"]: one["weight"] for one in texts if one["weight"]}
    assert found == {part: percent(weight) for part, weight in parts.items()}
    # And as a person reads them: at the links, and above the picture what they are.
    page = (tmp_path / "on.html").read_text()
    picture = (tmp_path / "on.svg").read_text()
    for link in shown.links:
        if link.weight is not None:
            label = link_label(link).replace("<", "&lt;")
            assert f"{label}</text>" in picture
            assert json.dumps(link_label(link)).replace("<", "\\u003c") in page
    assert f"the share of attention that head 0 of block {block} of {model} gives it" in said[0]
    assert [block["text"] for block in blocks if block["kind"] == "note"][: len(said)] == said
    # Before and after it, nothing of it is in the page.
    assert (tmp_path / "after.html").read_bytes() == (tmp_path / "before.html").read_bytes()
    assert "the share of attention" not in (tmp_path / "after.html").read_text()


async def test_what_the_model_answered_goes_along(tmp_path: Path) -> None:
    async with opened() as program:
        await exported(program, JSON, tmp_path / "before.json")
        await program.press("j")
        await program.ask()
        rungs = program.browse.state.rungs()
        for place, name in ((JSON, "after.json"), (HTML, "after.html"), (MARKDOWN, "after.md")):
            await exported(program, place, tmp_path / name)
    assert answers(tmp_path / "before.json") == []
    (table,) = answers(tmp_path / "after.json")
    answered = [rung.verdict for rung in rungs if rung.verdict is not None]
    assert len(table["rows"]) == len(answered) == 3
    for row, verdict in zip(table["rows"], answered, strict=True):
        question, answer, gold, status, _shares = (cell["text"] for cell in row)
        assert answer == verdict.options[verdict.answer].strip()
        assert gold == verdict.options[verdict.gold].strip()
        assert status.startswith("right" if verdict.right else "wrong"), question
    assert "zero-shot" in table["note"]
    assert "not a result" in table["note"]
    for name in ("after.html", "after.md"):
        assert "answers" in (tmp_path / name).read_text()
        assert "zero" in (tmp_path / name).read_text()
