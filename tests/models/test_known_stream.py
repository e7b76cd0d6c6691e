"""Blocks before an edit are passed over, and no bit of what is computed behind it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.models.blocks import Action, Edit, Part
from core.models.llama.graph import Graph
from core.models.llama.known_stream import KnownStream, stream_bytes
from core.models.llama.patcher import change_heads, score_each
from core.models.llama.tracer import trace
from tests.gguf_files import Tiny, write
from tests.models.blocks import ARCHITECTURES, BESIDE, CONTRAST, STORY, Opened, spec_of

BLOCKS = 3


def opened(folder: Path, architecture: str) -> Opened:
    spec = Tiny(blocks=BLOCKS, architecture="mamba") if architecture == "mamba" else None
    return Opened(write(folder / "m.gguf", spec or spec_of(architecture, BLOCKS)))


@pytest.mark.parametrize("architecture", [*ARCHITECTURES, *BESIDE, "gpt2"])
def test_edits_behind_what_is_passed_over_score_as_if_all_were_computed(
    tmp_path: Path, architecture: str
) -> None:
    model = opened(tmp_path, architecture)
    graph = model.inspection.graph
    prompt, contrast = model.pairs(STORY), model.pairs(CONTRAST)
    start, stop = contrast[0] - 3, contrast[0]
    for part in sorted(model.access.parts - {Part.HEAD}):
        cells = list(trace(model.inspection, prompt, contrast, [(start, stop)], part))[2:]
        for block, _span, scores in cells:
            edit = Edit(Action.COPY, part, block, start, stop)
            assert scores == model.patched(CONTRAST, [edit], STORY)
    edits = [
        Edit(action, part, block, start, stop)
        for action, part in ((Action.ZERO, Part.RESIDUAL), (Action.SKIP, Part.RESIDUAL))
        for block in range(BLOCKS)
    ]
    plain, each = score_each(model.inspection, *contrast, edits)
    assert plain == model.plain(CONTRAST)
    assert each == [model.patched(CONTRAST, [edit]) for edit in edits]
    assert model.inspection.passing_proved
    # Nearly all of the first two blocks is passed over.
    assert len(graph.idle(1)) > 0.9 * graph.blocks[1].residual


def test_heads_that_are_changed_score_as_if_all_were_computed(tmp_path: Path) -> None:
    model = opened(tmp_path, "qwen3")
    prompt, contrast = model.pairs(STORY), model.pairs(CONTRAST)
    places = [(0, contrast[0])]
    _plain, heads = change_heads(model.inspection, *contrast, Action.COPY, places, prompt)
    for (block, head), scores in heads:
        edit = Edit(Action.COPY, Part.HEAD, block, *places[0], head)
        assert scores == model.patched(CONTRAST, [edit], STORY)
    assert model.inspection.passing_proved


def test_where_it_would_change_a_bit_nothing_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = opened(tmp_path, "llama")
    prompt, contrast = model.pairs(STORY), model.pairs(CONTRAST)
    spans = [(contrast[0] - 3, contrast[0])]
    right = list(trace(model.inspection, prompt, contrast, spans, Part.RESIDUAL))
    model.inspection.passing_proved = False
    # As if what later blocks are computed from were not seen.
    too_many = frozenset(range(model.inspection.graph.blocks[-1].residual))
    monkeypatch.setattr(Graph, "idle", lambda _graph, _block: too_many)
    assert list(trace(model.inspection, prompt, contrast, spans, Part.RESIDUAL)) == right
    assert not model.inspection.passes_over


def test_what_is_not_on_a_processor_or_has_a_state_is_computed_whole(tmp_path: Path) -> None:
    assert not opened(tmp_path, "mamba").inspection.passes_over
    model = opened(tmp_path, "llama")
    prompt = model.pairs(STORY)
    assert stream_bytes(model.inspection, prompt, 0) == 4 * BLOCKS * prompt[0] * 64
    # The second token of an option is evaluated behind the prompt, by every block.
    longer = model.pairs(STORY, (" yes", " the cup"))
    assert stream_bytes(model.inspection, longer, 0) == 0
    model.inspection.passes_over = False
    assert stream_bytes(model.inspection, prompt, 0) == 0


def test_a_batch_that_failed_leaves_nothing_uncomputed(tmp_path: Path) -> None:
    model = opened(tmp_path, "llama")
    prompt = model.pairs(STORY)
    plain = model.plain(STORY)
    known = KnownStream(model.inspection, prompt, 0)

    def fail(*_arguments: object) -> None:
        raise ValueError("a watcher failed")

    def read() -> None:
        watchers = {model.inspection.graph.blocks[2].residual: [fail]}
        model.inspection.forget(0)
        with model.inspection.watching(watchers, idle=known.idle(1)), model.inspection.request():
            model.inspection.read(prompt[1][0][: prompt[0]], prompt[0] - 1)

    with pytest.raises(ValueError, match="a watcher failed"):
        read()
    assert model.patched(STORY, []) == plain
