"""Decoding and reading speed of a model, beside llama.cpp's own benchmark program.

python performance/decoding.py [--model FILE] [--rounds N]

Without `--model`: a random model of 0.3 billion parameters in Q8_0. llama-bench is built once
from the source that llama-cpp-python brings (needs cmake, ninja and some minutes) and runs on the
libraries that the program loads, with as many threads. In turn, in the same minute, each of

* llama-bench,
* the program's context, as every question is asked,
* the context that is open beside an X-ray pane, with every block's residual stream captured

writes 64 tokens, one by one, and reads a prompt of 512. Printed are the best of `--rounds`; the
targets are 0.90 of llama-bench for plain writing and 0.80 with the pane open.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# Before what it puts on the path for the others.
from blocks import opened
from peer import Peer

from core.models.llama.client import has_matrix_tiles
from core.models.llama.decoder import Decoder
from core.models.llama.inspection import Inspection, WantedRows
from tests.gguf_files import BENCH_300M, write

PROMPT, WRITTEN = 512, 64
"""llama-bench's own prompt, and half of what it writes."""
PLAIN_TARGET, OPEN_TARGET = 0.90, 0.80


def reading(decoder: Decoder) -> Callable[[], object]:
    """Read a prompt from its first token on, another one each time."""
    numbers = count()

    def read() -> None:
        number = next(numbers)
        tokens = [(number + place * 7) % decoder.tokens for place in range(PROMPT)]
        decoder.forget(0)
        with decoder.request():
            decoder.read(tokens, PROMPT - 1)

    return read


def writing(decoder: Decoder) -> Callable[[], object]:
    """Write on, one token after the other."""

    def write_on() -> None:
        decoder.forget(0)
        with decoder.request():
            for place in range(WRITTEN):
                decoder.extend(place * 7 % decoder.tokens, place)

    return write_on


def captured(inspection: Inspection, work: Callable[[], object]) -> Callable[[], object]:
    """The same with every block's residual stream captured."""

    def capturing() -> None:
        kept = WantedRows(inspection.residuals())
        with inspection.watching(kept.watchers()):
            work()

    return capturing


def rate(tokens: int, work: Callable[[], object]) -> float:
    """Tokens per second."""
    started = time.perf_counter()
    work()
    return tokens / (time.perf_counter() - started)


def compare(path: Path, rounds: int) -> None:
    """Print the rates and what share of llama-bench's they are."""
    peer = Peer()
    engine, inspection = opened(path)
    threads, rearranged = engine.threads, not has_matrix_tiles()
    kinds: dict[str, tuple[int, int, Callable[[Decoder], Callable[[], object]]]] = {
        "writing": (0, WRITTEN, writing),
        "reading": (PROMPT, 0, reading),
    }
    for kind, (prompt, written, work_of) in kinds.items():
        found: dict[str, list[float]] = {"llama-bench": [], "program": [], "pane open": []}
        plain, watched = work_of(engine), captured(inspection, work_of(inspection))
        for _ in range(rounds):
            found["llama-bench"].append(
                peer.tokens_per_second(
                    path, prompt=prompt, written=written, threads=threads, rearranged=rearranged
                )
            )
            found["program"].append(rate(prompt + written, plain))
            found["pane open"].append(rate(prompt + written, watched))
        best = {name: max(rates) for name, rates in found.items()}
        rates = "  ".join(f"{name} {each:,.1f}" for name, each in best.items())
        shares = [best[name] / best["llama-bench"] for name in ("program", "pane open")]
        targets = f" (targets {PLAIN_TARGET} and {OPEN_TARGET})" if written else ""
        print(
            f"{path.stem}, {threads} threads, {kind} {prompt + written} tokens: {rates} tokens/s; "
            f"plain {shares[0]:.2f}, with the pane open {shares[1]:.2f} of llama-bench{targets}",
            flush=True,
        )


def main() -> None:
    """Print the figures and their targets."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--model", type=Path)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = given.model or write(Path(folder, "random-300M.gguf"), BENCH_300M)
        compare(model, given.rounds)


if __name__ == "__main__":
    main()
