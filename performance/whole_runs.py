"""Whole runs of the bundled collections by this tree and by an earlier checkout, in turn.

python performance/whole_runs.py [--rounds N] [CHECKOUT [BENCH...]]

Both ask the same model, this tree's bundled one, the same questions, those of the checkout's
collections, each in a process and a store of its own, with the packages of this environment.
Printed are medians of the processor's seconds, start included, and the median of the ratios
(target 1.3 over all collections).
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
MODEL = HERE / "samples" / "models" / "demo-q8_0.gguf"
BENCHMARKS = ("gita", "accord", "com2", "abspyramid")
PROGRAM = "from tui.cli.start import main; main()"
TARGET = 1.3


def processor_seconds(tree: Path, benchmark: str, data: Path, home: Path) -> float:
    """Of one run by the program in `tree`, and of the processes that it starts."""
    store = home / "runs.sqlite"
    command = ("evaluate", benchmark, "--data", data, "--model", MODEL, "--store", store)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, command)],
        cwd=tree,
        env=os.environ
        | {"PYTHONPATH": str(tree), "HOME": str(home), "XDG_DATA_HOME": str(home)}
        | {"XDG_STATE_HOME": str(home), "XDG_CACHE_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    store.unlink()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print a line a collection, and one for all of them together."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("checkout", type=Path, nargs="?")
    arguments.add_argument("benchmarks", nargs="*", default=BENCHMARKS, metavar="BENCH")
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    if given.checkout is None:
        print("Name an earlier checkout to compare with (git worktree add FOLDER COMMIT).")
        return
    earlier = given.checkout.resolve()
    every = [(0.0, 0.0)] * given.rounds
    with tempfile.TemporaryDirectory() as folder:
        for benchmark in given.benchmarks:
            data, home = earlier / "samples" / benchmark, Path(folder)
            pairs = [
                (
                    processor_seconds(earlier, benchmark, data, home),
                    processor_seconds(HERE, benchmark, data, home),
                )
                for _ in range(given.rounds)
            ]
            report(benchmark, pairs)
            every = [(a + c, b + d) for (a, b), (c, d) in zip(every, pairs, strict=True)]
    report("together", every, f" (target {TARGET})")


def report(name: str, pairs: list[tuple[float, float]], target: str = "") -> None:
    """Print the medians of pairs of the earlier tree's and this tree's seconds."""
    earlier, now = (statistics.median(seconds) for seconds in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"{name}: {earlier:.2f} s before, {now:.2f} s now, ratio {ratio:.2f}{target}", flush=True)


if __name__ == "__main__":
    main()
