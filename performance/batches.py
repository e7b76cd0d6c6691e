"""Several questions in one forward pass: what is gained, and what of the time is llama.cpp's.

python performance/batches.py [--model FILE] [--batch N] [--rounds N]

In turn, in the same minute, the same prompts are continued, and their options scored,

* one after the other, as a run does that is exact,
* `--batch` at a time, as `evaluate --batch` does.

Printed are the medians, their ratio (target 1.6 for writing), and for both the share of the time
that passes inside llama.cpp's own decoding of these tokens (target 0.90). Without `--model`: a
random model of 0.3 billion parameters in Q8_0.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.models.llama.batches import Continuation, generate_together, score_together
from core.models.llama.client import has_matrix_tiles
from core.models.llama.completion import generate_greedily, score_options
from core.models.llama.engine import Engine
from core.models.llama.log import Log
from tests.gguf_files import BENCH_300M, write

QUESTIONS, PROMPT, WRITTEN = 16, 48, 32
GAIN, SHARE = 1.6, 0.90


class TimedEngine(Engine):
    """Counts the time that passes inside llama.cpp's decoding."""

    inside = 0.0

    def _decode(self, *given: object) -> None:
        started = time.perf_counter()
        super()._decode(*given)  # type: ignore[arg-type]
        self.inside += time.perf_counter() - started


def prompts(engine: Engine) -> list[list[int]]:
    """Prompts that differ from the first token on, so that nothing is reused."""
    return [
        [(number * 31 + place * 7) % engine.tokens for place in range(PROMPT)]
        for number in range(QUESTIONS)
    ]


def compare(path: Path, batch: int, rounds: int) -> None:
    """Print the figures of one model."""
    engine = TimedEngine(
        str(path),
        2048,
        extra_buffers=not has_matrix_tiles(),
        progress=lambda _: None,
        cancelled=lambda: False,
    )
    asked = prompts(engine)
    options = [
        (PROMPT, [[*prompt, number % engine.tokens, 5, 9] for number in (11, 23, 37, 41)])
        for prompt in asked
    ]
    continuations = [Continuation(prompt, WRITTEN, ()) for prompt in asked]
    kinds: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "writing": (
            lambda: [list(generate_greedily(engine, each, WRITTEN, ())) for each in asked],
            lambda: generate_together(engine, continuations, batch),
        ),
        "scoring": (
            lambda: [score_options(engine, *question) for question in options],
            lambda: score_together(engine, options, batch),
        ),
    }
    for kind, (alone, together) in kinds.items():
        times: tuple[list[float], list[float]] = ([], [])
        shares: tuple[list[float], list[float]] = ([], [])
        for _ in range(rounds):
            for number, work in enumerate((alone, together)):
                engine.forget(0)
                engine.keep_prefixes()
                engine.inside, started = 0.0, time.perf_counter()
                work()
                seconds = time.perf_counter() - started
                times[number].append(seconds)
                shares[number].append(engine.inside / seconds)
        one, several = map(statistics.median, times)
        print(
            f"{path.stem}, {engine.threads} threads, {kind} {QUESTIONS} questions: "
            f"alone {one:.2f} s, {batch} at a time {several:.2f} s, ratio {one / several:.2f}"
            f"{f' (target {GAIN})' if kind == 'writing' else ''}; inside llama.cpp "
            f"{statistics.median(shares[0]):.2f} and {statistics.median(shares[1]):.2f} "
            f"of the time (target {SHARE})",
            flush=True,
        )


def main() -> None:
    """Print the figures and their targets."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--model", type=Path)
    arguments.add_argument("--batch", type=int, default=8)
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    _log = Log(lambda _: None)
    with tempfile.TemporaryDirectory() as folder:
        model = given.model or write(Path(folder, "random-300M.gguf"), BENCH_300M)
        compare(model, given.batch, given.rounds)


if __name__ == "__main__":
    main()
