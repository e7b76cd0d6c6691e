"""Reasoning trees: counting, enumerating and sampling them from the command line.

python performance/accord_trees.py [--no-size-6]

Every figure is a process of its own, from its start to its end; its memory is the most it had.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PROGRAM = str(Path(sys.executable).with_name("commonsense-tui"))
BLOCK = 2**20


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command took."""

    seconds: float
    processor: float
    """Seconds, of the user and of the system."""
    megabytes: float
    lines: int


def run(words: Sequence[str]) -> Ran:
    """Run a command, read all it prints and keep none of it."""
    started, lines = time.perf_counter(), 0
    with subprocess.Popen([PROGRAM, "accord", *words], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while block := process.stdout.read(BLOCK):
            lines += block.count(b"\n")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {process.returncode}")
    seconds = time.perf_counter() - started
    return Ran(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, lines)


def report(name: str, words: Sequence[str], target: str, lines: int | None = None) -> None:
    """Print what a command took beside what it may take."""
    ran = run(words)
    figures = f"{ran.seconds:6.2f} s, {ran.processor:6.2f} s of processor, {ran.megabytes:4.0f} MB"
    right = "" if lines is None else f", {ran.lines:,} of {lines:,} lines"
    print(f"{name:34} {figures}  (target {target}){right}", flush=True)


def main() -> None:
    """Print the figures and the targets beside them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-size-6", action="store_true", help="leave out the longest")
    options = parser.parse_args()
    report("counts, free, size 8", ["count", "--max-size", "8", "--json"], "1 s")
    every = ["count", "--max-size", "5", "--rule", "free,cover,grow", "--json"]
    report("counts, every rule, size 5", every, "5 s")
    trees = ["trees", "--jsonl", "--size"]
    report("all trees of size 5", [*trees, "5"], "8 s", 477_768)
    drawn = [*trees, "12", "--sample", "1000", "--rule"]
    for rule in ("free", "cover", "grow"):
        report(f"1,000 trees of size 12, {rule}", [*drawn, rule], "none", 1000)
    if not options.no_size_6:
        report("all trees of size 6", [*trees, "6"], "100 MB", 10_654_204)


if __name__ == "__main__":
    main()
