"""What a patch did is legible in a narrow terminal, whatever the options say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.blocks.heatmaps import patch_map
from core.blocks.patches import Patched
from core.contract.question import OptionScore, Question
from core.layout.heatmap_drawing import draw_heat_map
from core.layout.rows import plain
from core.models.blocks import PatchResult
from core.models.protocol import ModelInfo
from core.text.shown_number import ShownNumber

INFO = ModelInfo("m", "m.gguf", "f", frozenset(), blocks=2)
NUMBER = st.floats(-999, 0)


@pytest.mark.parametrize("width", [80, 120])
@given(st.lists(st.tuples(st.text(max_size=300), NUMBER, NUMBER), min_size=2, max_size=6))
def test_every_figure_is_in_sight(width: int, options: list[tuple[str, float, float]]) -> None:
    names = tuple(f"{place} {text}" for place, (text, _, _) in enumerate(options))
    question = Question("item", "layer", "", "Is it?", names, 0)
    runs = (tuple(OptionScore(one[run]) for one in options) for run in (1, 2))
    patched = Patched(question, None, (), None, (), PatchResult(*runs))
    lines = plain(draw_heat_map(patch_map(patched, INFO, 9), width, cell_len)).splitlines()
    assert all(cell_len(line) <= width for line in lines)
    told = [line for line in lines if " → " in line][: len(options)]
    for place, (line, (_, without, changed)) in enumerate(zip(told, options, strict=True)):
        assert f"{ShownNumber(without):.3f} →" in line
        assert f"{ShownNumber(changed):.3f}  {place}" in line
    assert len({line.index(" → ") for line in told}) == 1
