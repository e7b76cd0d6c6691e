"""Plots of blocks: what they say, valid files, and texts from elsewhere as mere text."""

from __future__ import annotations

import re
import struct
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from core.blocks.contrast_prompts import ContrastPrompt
from core.blocks.heatmaps import lens_map, trace_map
from core.blocks.lens import LensTable
from core.blocks.pairing import Pairing
from core.blocks.spans import PromptSpan, SpanKind
from core.blocks.trace import TraceTable
from core.contract.question import Form, OptionScore, Question
from core.contract.setting import Setting
from core.exchange.exporters.document import FileExistsAlreadyError
from core.exchange.plots.plot import PlotError
from core.exchange.plots.writing import ENDINGS, check, write_block_plot
from core.models.blocks import BlockReading, TraceBase, TraceCell
from core.models.protocol import ModelInfo
from tests.cli.support import ok

HOSTILE = "$\\frac{<script>\x1b[31m --><b>"
INFO = ModelInfo("m", "m.gguf", "f", frozenset(), blocks=3)
DEMO = ModelInfo("m", "m.gguf", "f", frozenset(), blocks=3, demo=True)
LEVEL = (0.0, 0.0, -9.0)
FIRST = (0.0, -4.0, -9.0)
SECOND = (-4.0, 0.0, -9.0)


def scores(row: tuple[float, ...]) -> tuple[OptionScore, ...]:
    return tuple(OptionScore(value, tokens=1) for value in row)


def lens(*rows: tuple[float, ...], options: tuple[str, ...] = ("yes", "no", "maybe")) -> LensTable:
    read = tuple(map(scores, rows))
    question = Question("item 7", "layer", "", "Is it?", options, 0)
    return LensTable(question, BlockReading(read, (), 0.0), read[-1])


def trace(blocks: int, *, text: str = "It rains.", margin: float = 8.0) -> TraceTable:
    """A trace whose first span can be compared and raises the margin more with every block."""
    question = Question("item 7", "layer", "", "Is it?", ("yes", "no"), 0)
    other = Question("item 7", "layer", "", "Is it?", ("yes", "no"), 1)
    span = PromptSpan(SpanKind.SENTENCE, text, (0, 1))
    lost = PromptSpan(SpanKind.SENTENCE, text, None)
    pairing = Pairing((span, lost), (PromptSpan(SpanKind.SENTENCE, "Else.", (0, 1)), None))
    table = TraceTable(question, ContrastPrompt("its twin", Setting(), other), pairing, blocks)
    table.add(TraceBase(scores((0.0, -margin / 2)), scores((-margin / 2, 0.0))))
    for block in range(blocks):
        effect = -0.5 + 2 * block / max(1, blocks - 1)
        table.add(TraceCell(block, 0, scores((effect - margin / 2, 0.0))))
    return table


def valid_trace() -> TraceTable:
    """A trace of a pair with shares; its last cell is the readout."""
    table = trace(3)
    spans = table.pairing.spans[:1]
    table.pairing = Pairing(spans, table.pairing.contrast[:1])
    return table


def drawn(table: LensTable | TraceTable, to: Path, info: ModelInfo = INFO) -> Path:
    if isinstance(table, LensTable):
        heat = lens_map(table, info, 5, Form.BASE)
    else:
        heat = trace_map(table, info, 5, Form.BASE)
    return write_block_plot("GITA", info, table, heat, to)


def texts(path: Path) -> list[str]:
    """The texts of an SVG, which matplotlib repeats as comments beside their outlines."""
    return re.findall(r"<!-- (.*?) -->", path.read_text())


def test_the_right_option_and_where_the_answer_settles_are_named(tmp_path: Path) -> None:
    found = texts(drawn(lens(SECOND, FIRST, FIRST), tmp_path / "a.svg"))
    assert {"◆ yes", "no", "maybe", "settles at block 1 (raw lens)", "equal shares"} <= set(found)
    caption = " ".join(found)
    assert "Item item 7, layer layer" in caption
    assert "Settles at block 1, right." in caption
    assert "Model m (3 blocks) on 5 tokens. Zero-shot, base prompt" in caption
    tied = texts(drawn(lens(FIRST, LEVEL), tmp_path / "tie.svg"))
    assert not [text for text in tied if text.startswith("settles")]


def test_more_options_than_colours_leave_the_right_one_its_own(tmp_path: Path) -> None:
    options = tuple(f"option {number}" for number in range(11))
    rows = [tuple(float(number) for number in range(11))] * 2
    found = texts(drawn(lens(*rows, options=options), tmp_path / "a.svg"))
    assert "◆ option 0" in found
    assert "3 other options" in found
    assert "option 10" in found
    assert "option 1" not in found


def test_every_cell_has_its_figure_and_what_cannot_be_compared_its_hatch(tmp_path: Path) -> None:
    svg = drawn(trace(5), tmp_path / "a.svg")
    found = texts(svg)
    assert "−0.5 0 0.5 1.0 1.5" in " ".join(found)
    assert "not comparable" in found
    assert "△ 0 It rains." in found
    assert "1 It rains." in found
    assert "<pattern" in svg.read_text()
    assert "compared with its twin" in " ".join(found)
    assert "Colours end at −1 and 1." in " ".join(found)


def test_a_pair_without_shares_has_its_effects_in_nats_and_one_with_them_its_readout_hatched(
    tmp_path: Path,
) -> None:
    without = " ".join(texts(drawn(trace(3), tmp_path / "a.svg")))
    assert "Rise of the margin in nats" in without
    assert "by construction" not in without
    valid = " ".join(texts(drawn(valid_trace(), tmp_path / "b.svg")))
    assert "Share of the margin restored" in valid
    assert "by construction" in valid
    assert "Effects in nats" not in valid


def test_many_blocks_have_signs_instead_of_figures(tmp_path: Path) -> None:
    found = texts(drawn(trace(40), tmp_path / "a.svg"))
    assert found.count("−") == sum(-0.5 + 2 * block / 39 <= -0.1 for block in range(40))
    assert "− in a cell: −0.1 or less." in " ".join(found)


def test_margins_that_hardly_differ_are_said_so(tmp_path: Path) -> None:
    found = " ".join(texts(drawn(trace(3, margin=0.01), tmp_path / "a.svg")))
    assert "the margins differ by less than 1 nat" in found


@pytest.mark.parametrize("table", [lens(SECOND, FIRST), trace(2)], ids=["lens", "trace"])
def test_both_are_valid_files_of_every_format_one_column_wide(
    table: LensTable | TraceTable, tmp_path: Path
) -> None:
    paths = {ending: drawn(table, tmp_path / f"a{ending}") for ending in ENDINGS}
    width, height = struct.unpack(">II", paths[".png"].read_bytes()[16:24])
    assert width == 3.4 * 300
    assert 300 < height < 3000
    elements = list(ElementTree.fromstring(paths[".svg"].read_text()).iter())
    tags = {element.tag.rpartition("}")[2] for element in elements}
    assert not tags & {"script", "image", "foreignObject", "text", "a"}
    pdf = paths[".pdf"].read_bytes()
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    again = drawn(table, tmp_path / "again.pdf")
    assert again.read_bytes() == pdf


def test_hostile_texts_are_drawn_as_text(tmp_path: Path) -> None:
    for table in (lens(SECOND, FIRST, options=(HOSTILE, "b", "c")), trace(2, text=HOSTILE)):
        path = tmp_path / f"{type(table).__name__}.svg"
        svg = drawn(table, path).read_text()
        ElementTree.fromstring(svg)
        assert "\x1b" not in svg
        assert "<script" not in svg
        assert any("$\\frac{" in text for text in texts(path))


def test_the_demonstration_model_is_marked(tmp_path: Path) -> None:
    for table in (lens(FIRST, FIRST), trace(2)):
        path = tmp_path / f"{type(table).__name__}.svg"
        found = " ".join(texts(drawn(table, path, DEMO)))
        assert "(demonstration)" in found
        assert "its figures are no results" in found


def test_what_could_not_be_written_is_refused_before_the_model_is_asked(tmp_path: Path) -> None:
    with pytest.raises(PlotError, match=r"\.jpg"):
        check(tmp_path / "a.jpg", force=False)
    there = tmp_path / "a.svg"
    there.write_text("mine")
    with pytest.raises(FileExistsAlreadyError):
        check(there, force=False)
    check(there, force=True)


def test_a_trace_of_the_bundled_model_hatches_just_the_spans_that_cannot_be_compared(
    tmp_path: Path, demo_model: None
) -> None:
    words = ("trace", "gita", "0-C0", "--contrast", "variant=0")
    found = ok(*words, "--json").json
    assert {*found["comparable"]} == {True, False}
    svg = tmp_path / "trace.svg"
    ok(*words, "--to", svg)
    text = svg.read_text(encoding="utf-8")
    hatched = Counter(re.findall(r'style="fill: url\(#(\w+)\)', text))
    readout = 1
    cells = [found["comparable"].count(False), readout]
    assert sorted(hatched.values()) == sorted(count + 1 for count in cells), "one in the legend"
    shown = " ".join(texts(svg))
    assert "-0.00" not in shown
    assert "△" not in shown, "no span that can be compared differs"
