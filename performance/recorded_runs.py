"""How long showing, comparing and exporting two large recorded runs take.

Two runs of 100,000 verdicts each, of which 14,000 clusters are resampled 10,000 times. Prints the
processor time of the fastest of three tries, and the target; of `runs show`, which is a process of
its own, also the most memory that it held.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from core.contract.question import OptionScore, Scoring, Status, Verdict
from core.contract.setting import Setting
from core.exchange.exporters import files, verdict_table
from core.runs.comparison import compare
from core.runs.listing import contains, list_runs
from core.runs.records import Plan
from core.runs.store import Store

VERDICTS = 100_000
CLUSTERS = 14_000
LISTED = 1_000
"""Runs of a list that is filtered."""
PLAN = Plan("first", "f" * 64, "abspyramid", "/data/tuples", "c" * 64)


def verdict(number: int, generator: random.Random) -> Verdict:
    """A made-up verdict on one of the questions."""
    scores = (OptionScore(-generator.random() * 9, 1, 3), OptionScore(-1.0, 1, 4))
    return Verdict(
        f"item {number}",
        "entails",
        Setting(),
        ("no", "yes"),
        scores,
        int(scores[1].logprob > scores[0].logprob),
        number % 2,
        Status.OK,
        Scoring.LOGLIKELIHOOD,
        tags={"head": f"head {number % CLUSTERS}", "relation": "noun"},
        digest=f"{number:016x}",
    )


def fastest(work: Callable[[], object]) -> float:
    """Processor seconds of the fastest of three calls."""
    times = []
    for _ in range(3):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


SHOW = """
import resource, sys
from tui.cli.start import main
sys.argv[0] = "commonsense-tui"
try:
    main()
finally:
    used = resource.getrusage(resource.RUSAGE_SELF)
    with open("/proc/self/status") as status:
        # Not `ru_maxrss`, which begins with what the parent of a process held.
        most = next(line.split()[1] for line in status if line.startswith("VmHWM"))
    print(used.ru_utime + used.ru_stime, most, file=sys.stderr)
"""


def show(store: Path, run_id: str) -> tuple[float, float]:
    """Processor seconds of the fastest of three `runs show`, and the most megabytes held."""
    command = [sys.executable, "-c", SHOW, "runs", "show", run_id, "--store", str(store), "--json"]
    times, most = [], 0.0
    for _ in range(3):
        shown = subprocess.run(command, capture_output=True, check=True, text=True)
        seconds, kilobytes = map(float, shown.stderr.split()[-2:])
        times.append(seconds)
        most = max(most, kilobytes / 1024)
    return min(times), most


def main() -> None:
    """Print each time beside its target."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "runs.sqlite") as store:
        runs = [
            store.add(
                replace(PLAN, model=name, fingerprint=name),
                [verdict(number, random.Random(f"{name} {number}")) for number in range(VERDICTS)],
                {},
            )
            for name in ("first", "second")
        ]

        def export(ending: str) -> None:
            write = {
                "csv": verdict_table.write_csv,
                "jsonl": verdict_table.write_json_lines,
                "parquet": verdict_table.write_parquet,
            }[ending]
            with files.draft(Path(folder) / f"verdicts.{ending}", force=True) as handle:
                write(handle, verdict_table.verdict_columns(store, runs[:1]))

        listed = list_runs(store) * (LISTED // len(runs))
        for name, target, work in (
            ("list the runs", 0.5, lambda: list_runs(store)),
            (
                "filter 1,000 runs by a key",
                0.1,
                lambda: [contains(each, "firs") for each in listed],
            ),
            ("compare them", 2.0, lambda: compare(store, runs[0].id, runs[1].id)),
            ("export one as CSV", 2.0, lambda: export("csv")),
            ("export one as Parquet", 1.0, lambda: export("parquet")),
            ("export one as JSON lines", 2.0, lambda: export("jsonl")),
        ):
            print(f"{name:28} {fastest(work):6.2f} s   (target {target:.1f} s)")
        seconds, memory = show(Path(folder) / "runs.sqlite", runs[0].id)
        print(f"{'show one':28} {seconds:6.2f} s   (target 1.5 s)")
        print(f"{'show one, memory':28} {memory:6.0f} MB  (target 150 MB)")


if __name__ == "__main__":
    main()
