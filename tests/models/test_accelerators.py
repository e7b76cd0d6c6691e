"""Layers on an accelerator, as far as that can be tested where there is none.

The processor stands in for the card: it is asked for its memory in the same way, and what is
watched is made to differ for real, by another cache, other weights or a shift. No kernel of a card
runs here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.models.blocks import SELF_TEST_TOLERANCE, Part, Unreadable
from core.models.llama import block_memory, engine
from core.models.llama.client import _Source
from core.models.llama.decoder import Row
from core.models.llama.devices import BUFFERS, Device, Kind, check_room, devices, main
from core.models.llama.engine import Engine
from core.models.llama.graph import find_parts
from core.models.llama.inspection import Inspection
from core.models.llama.tap import Node
from core.models.memory import on_accelerator
from core.text.errors import ModelError
from tests.models.blocks import ARCHITECTURES, Opened, changed, spec_of, write

GIB = 2**30
FUSION = ("GGML_CUDA_DISABLE_FUSION", "GGML_VK_DISABLE_FUSION", "GGML_METAL_FUSION_DISABLE")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("models") / "m.gguf", spec_of("llama"))


def engine_of(path: Path, *, exact: bool = False, layers: int = 0) -> Engine:
    """A model on the processor; with `layers` it claims that an accelerator has some."""
    loaded = Engine(
        str(path),
        2048,
        extra_buffers=False,
        progress=lambda _: None,
        cancelled=lambda: False,
        exact=exact,
    )
    loaded.gpu_layers = layers
    return loaded


# -- the self-test -----------------------------------------------------------------------------


def test_on_a_processor_the_self_test_finds_no_difference(path: Path) -> None:
    loaded = engine_of(path)
    access = Inspection(loaded, lambda: False).check(loaded)
    assert (access.unreadable, access.deviation) == (None, 0.0)


@pytest.mark.parametrize("layers", [0, 4])
def test_a_cache_that_rounds_differently_is_allowed_on_an_accelerator_only(
    path: Path, layers: int
) -> None:
    loaded = engine_of(path, exact=True, layers=layers)
    loaded.exact = False  # The second context keeps 16 bits, the first has 32.
    inspection = Inspection(loaded, lambda: False)
    access = inspection.check(loaded)
    if not layers:
        assert access.unreadable is Unreadable.CAPTURE
        assert access.reason == "Reading along changes what this model computes."
        assert access.deviation == 0
        return
    assert access.unreadable is None
    assert Part.HEAD in access.parts
    probe = [index * 7 % loaded.tokens for index in range(1, 13)]
    apart = np.abs(inspection.read(probe, 11)[11] - loaded.read(probe, 11)[11]).max()
    assert 0 < apart <= access.deviation <= SELF_TEST_TOLERANCE


@pytest.mark.parametrize(("factor", "allowed"), [(1.0001, True), (1.5, False)])
def test_the_self_test_says_how_far_apart_the_numbers_are(
    path: Path, tmp_path: Path, factor: float, allowed: bool
) -> None:
    loaded = engine_of(path, layers=4)
    names = ["output.weight"]
    other = changed(tmp_path / "m.gguf", spec_of("llama"), names, lambda _, drawn: drawn * factor)
    access = Inspection(loaded, lambda: False).check(engine_of(other))
    assert access.unreadable is Unreadable.CAPTURE  # That engine is on the processor.
    access = Inspection(loaded, lambda: False).check(engine_of(other, layers=4))
    assert (access.unreadable is None) is allowed
    if allowed:
        assert 0 < access.deviation <= SELF_TEST_TOLERANCE
    else:
        assert access.unreadable is Unreadable.CAPTURE
        assert "apart, allowed are 0.05)" in access.reason


class Shifted(Inspection):
    """Projects every residual stream too high by a constant."""

    shift = 0.0

    def project(self, residuals: Any, **how: Any) -> Iterator[Row]:
        for row in super().project(residuals, **how):
            yield row + np.float32(self.shift)


@pytest.mark.parametrize(
    ("layers", "shift", "unreadable"),
    [(0, 0.01, Unreadable.LENS), (4, 0.01, None), (4, 0.2, Unreadable.LENS), (4, np.nan, "lens")],
)
def test_a_projection_that_differs_is_allowed_up_to_the_tolerance(
    path: Path, layers: int, shift: float, unreadable: Unreadable | None
) -> None:
    loaded = engine_of(path, layers=layers)
    inspection = Shifted(loaded, lambda: False)
    inspection.shift = shift
    access = inspection.check(loaded)
    assert access.unreadable == unreadable
    assert access.deviation == pytest.approx(0 if unreadable else shift, abs=1e-5)


# -- the graph over several devices ------------------------------------------------------------


def divided(nodes: list[Node], last: int) -> list[Node]:
    """The nodes as they are where another device computes what follows the node `last`.

    What that device needs of the first one is copied: the sources are the copies, and no nodes.
    """
    before = {node.pointer: number for number, node in enumerate(nodes[: last + 1])}
    moved = list(nodes[: last + 1])
    for node in nodes[last + 1 :]:
        copied = [source in before for source in node.sources]
        pairs = zip(node.sources, node.source_names, copied, strict=True)
        sources, names = zip(
            *(
                (-1 - before[source], f"CUDA0#{name}#0") if copy else (source, name)
                for source, name, copy in pairs
            ),
            strict=True,
        )
        moved.append(replace(node, sources=sources, source_names=names))
    return moved


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_parts_are_found_wherever_another_device_goes_on(architecture: str, tmp_path: Path) -> None:
    opened = Opened(write(tmp_path / "m.gguf", spec_of(architecture)))
    nodes, whole = opened.inspection.nodes(), opened.inspection.graph
    assert whole.embedding is not None
    for last in (whole.embedding, *(block.residual for block in whole.blocks[:-1])):
        parts = divided(nodes, last)
        assert any("#" in name for node in parts for name in node.source_names)
        assert find_parts(parts, len(whole.blocks)) == whole


# -- memory ------------------------------------------------------------------------------------


def test_the_processor_is_a_device_with_its_memory() -> None:
    [processor] = devices(Kind.CPU)
    assert processor.name == "CPU"
    assert processor.total == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < processor.free <= processor.total


def test_what_needs_more_than_is_free_is_refused_and_the_device_is_named() -> None:
    found = devices(Kind.CPU)
    check_room(found[0].free // 2, found)
    with pytest.raises(ModelError, match=r"on CPU.* needs about .* are free") as caught:
        check_room(2 * found[0].total, found)
    assert "--gpu" in caught.value.hint


def test_cards_share_what_is_needed_and_one_that_tells_nothing_refuses_nothing() -> None:
    cards = [Device("CUDA0", "one", 2 * GIB, 4 * GIB), Device("CUDA1", "", GIB, GIB)]
    check_room(3 * GIB - BUFFERS, cards)
    with pytest.raises(ModelError, match=r"CUDA0 \(one\) and CUDA1"):
        check_room(3 * GIB - BUFFERS + 1, cards)
    check_room(3 * GIB + 1, [*cards, Device("Metal", "", 0, 0)])
    check_room(GIB, [])


@given(st.integers(0, 2**45), st.integers(0, 1000), st.integers(0, 200))
def test_layers_take_their_part_of_the_memory(memory: int, layers: int, blocks: int) -> None:
    part = on_accelerator(memory, layers, blocks)
    assert 0 <= part <= memory
    assert part <= on_accelerator(memory, layers + 1, blocks)
    if layers > blocks:
        assert part == memory


def test_a_model_is_not_loaded_where_its_layers_have_no_room(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.c, "llama_supports_gpu_offload", lambda: True)
    monkeypatch.setattr(engine, "accelerators", lambda: devices(Kind.CPU))
    heard: list[float] = []
    how: dict[str, Any] = {"progress": heard.append, "cancelled": lambda: False}
    with pytest.raises(ModelError, match="on CPU"):
        Engine(str(path), 99, extra_buffers=False, gpu_layers=3, gpu_bytes=2**50, **how)
    assert not heard
    Engine(str(path), 99, extra_buffers=False, gpu_layers=3, gpu_bytes=2**20, **how)


def test_a_second_context_is_not_opened_where_its_part_has_no_room(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = engine_of(path, layers=2)
    needed = BUFFERS + on_accelerator(block_memory.needs_of(loaded).context, 2, loaded.blocks)
    for free in (needed, needed - 1):
        card = Device("CUDA0", "a card", free, GIB)
        monkeypatch.setattr(block_memory, "accelerators", lambda card=card: [card])
        if free == needed:
            Inspection(loaded, lambda: False).close()
            continue
        with pytest.raises(ModelError, match=r"CUDA0 \(a card\) needs about"):
            Inspection(loaded, lambda: False)


def test_the_accelerators_are_printed_with_their_free_memory(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    main()
    if not devices(Kind.GPU) and not devices(Kind.INTEGRATED):
        assert capsys.readouterr().out == ""
    card = Device("CUDA0", "a card", 3_000_000_000, 4_000_000_000)
    monkeypatch.setattr("core.models.llama.devices.accelerators", lambda: [card])
    capsys.readouterr()
    main()
    assert capsys.readouterr().out == "CUDA0 (a card), 3.0 GB of 4.0 GB free\n"


# -- the worker --------------------------------------------------------------------------------


@pytest.mark.parametrize("layers", [0, 3])
async def test_kernels_are_not_fused_where_an_accelerator_has_layers(
    path: Path, layers: int
) -> None:
    source = _Source(path, (0, 0), 99, layers, 0, 0, False, None, None)
    worker = await source.start()
    try:
        seen = Path(f"/proc/{worker.pid}/environ")
        if not seen.exists():
            pytest.skip("the system does not show the environment of a process")
        lines = seen.read_text(encoding="utf-8").split("\0")
    finally:
        await worker.stop()
    assert [f"{name}=1" in lines for name in FUSION] == [layers > 0] * len(FUSION)
