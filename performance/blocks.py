"""What reading and changing blocks costs, next to plain decoding in the same minute.

python performance/blocks.py [--model FILE] [--rounds N]

Without `--model`: the bundled model and a random one of 0.3 billion parameters. For each it
prints the best of `--rounds` alternating measurements of

* prompt tokens per second, without and with every block's residual stream captured (target for
  real models: 0.80 of plain);
* the projection of every block at the answer position, against decoding a batch of as many
  tokens (target: at most 1.5 times that);
* a trace of five spans in every block (target for the bundled model: one second).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from core.models.llama.chunks import CHUNK
from core.models.llama.client import LlamaModel, has_matrix_tiles
from core.models.llama.engine import Engine
from core.models.llama.inspection import Inspection, WantedRows
from core.models.llama.log import Log
from core.models.resolver import demo_file
from tests.gguf_files import BENCH_300M, write

PROMPT = 4 * CHUNK
"""Tokens of the prompt that is decoded: llama-bench's default, and whole chunks."""
_QUIET = Log(lambda line: None)
"""Referenced for as long as C code calls it."""
STORY = (
    "Tom opened the box. Tom took the cup. Tom closed the box. Tom filled the cup. Tom drank it."
)


def seconds(work: Callable[[], object]) -> float:
    """How long something takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def opened(path: Path) -> tuple[Engine, Inspection]:
    """A model with both of its contexts; ends the program where its blocks cannot be read."""
    engine = Engine(
        str(path),
        2048,
        extra_buffers=not has_matrix_tiles(),
        progress=lambda _: None,
        cancelled=lambda: False,
    )
    inspection = Inspection(engine, lambda: False)
    access = inspection.check(engine)
    if access.unreadable is not None:
        sys.exit(f"{path}: {access.reason}")
    return engine, inspection


def decoding(label: str, path: Path, rounds: int) -> None:
    """Print the rates and the cost of the projection."""
    engine, inspection = opened(path)
    tokens = [place * 7 % engine.tokens for place in range(PROMPT)]
    residuals = np.ones((engine.blocks, inspection.width), np.float32)

    def plain() -> None:
        engine.forget(0)
        with engine.request():
            engine.keep_prefixes()
            engine.read(tokens, PROMPT - 1)

    def capturing() -> None:
        inspection.forget(0)
        kept = WantedRows(inspection.residuals())
        with inspection.watching(kept.watchers()), inspection.request():
            inspection.read(tokens, PROMPT - 1)

    def projecting() -> None:
        for _ in inspection.project(residuals):
            pass

    def batch() -> None:
        engine.forget(0)
        with engine.request():
            engine.read(tokens[: engine.blocks], 0)

    rates: dict[str, list[float]] = {"plain": [], "capturing": []}
    costs: dict[str, list[float]] = {"projecting": [], "batch": []}
    for _ in range(rounds):
        rates["plain"].append(PROMPT / seconds(plain))
        rates["capturing"].append(PROMPT / seconds(capturing))
        costs["projecting"].append(seconds(projecting))
        costs["batch"].append(seconds(batch))
    best = {name: max(found) for name, found in rates.items()}
    line = "  ".join(f"{name} {rate:,.0f} tokens/s" for name, rate in best.items())
    print(f"{label}: {line}; capturing is {best['capturing'] / best['plain']:.2f} of plain")
    projected, decoded = (min(costs[name]) for name in ("projecting", "batch"))
    print(
        f"{label}: all {engine.blocks} blocks projected in {projected * 1000:.1f} ms, "
        f"{projected / decoded:.2f} of decoding {engine.blocks} tokens (target 1.5)",
        flush=True,
    )


async def tracing(label: str, path: Path, rounds: int) -> None:
    """Print the time of a trace, through the worker, and of a reading."""
    model = await LlamaModel.load(path)
    contrast = STORY.replace("closed", "opened")
    tokens = len(await model.blocks.tokens(STORY, [" yes", " no"]))
    ends = [round(tokens * part / 5) for part in range(6)]
    spans = list(pairwise(ends))
    opened = time.perf_counter()
    await model.blocks.access()
    opened = time.perf_counter() - opened
    traces, readings = [], []
    for _ in range(rounds):
        started = time.perf_counter()
        trace = model.blocks.trace(STORY, contrast, [" yes", " no"], spans)
        cells = len([cell async for cell in trace]) - 1
        traces.append(time.perf_counter() - started)
        started = time.perf_counter()
        await model.blocks.read(STORY, [" yes", " no"])
        readings.append(time.perf_counter() - started)
    await model.close()
    print(
        f"{label}: opened in {opened:.2f} s; {cells} cells over {tokens} tokens traced in "
        f"{min(traces):.2f} s; every block read in {min(readings):.2f} s",
        flush=True,
    )


def main() -> None:
    """Print the figures and their targets."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--model", type=Path)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = [given.model or demo_file()]
        if given.model is None:
            paths.append(write(Path(folder, "random-300M.gguf"), BENCH_300M))
        for path in paths:
            decoding(path.stem, path, given.rounds)
            asyncio.run(tracing(path.stem, path, 2 if path != paths[0] else given.rounds))


if __name__ == "__main__":
    main()
