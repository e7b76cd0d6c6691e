"""How often a probe reports "encoded, not used" where nothing is planted (target: at most 5 %).

python performance/probe_false_findings.py [--seeds N] [CASE ...]

A case is `noise`, `base rate` or `said`: nothing is encoded; nothing is, and a third of the answers
are of one kind; what the model says is encoded, and nothing else is.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.studies.probe import ProbeVerdict, probe
from tests.studies.planted_states import states

CASES: dict[str, dict[str, float]] = {
    "noise": {},
    "base rate": {"base_rate": 0.33},
    "said": {"said": 1.0},
}


def main() -> None:
    """Print, for each case: findings of the verdict, and of the margin's interval alone."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seeds", type=int, default=200)
    arguments.add_argument("cases", nargs="*", choices=[*CASES, []], default=[])
    given = arguments.parse_args()
    for name in given.cases or CASES:
        found = [probe(states(seed, **CASES[name])) for seed in range(given.seeds)]
        verdicts = sum(one.verdict is ProbeVerdict.ENCODED_NOT_USED for one in found)
        alone = sum(one.over_margin.low > 0 for one in found)
        naive = sum(one.naive.low > 0 for one in found)
        print(
            f"{name}: {verdicts}/{given.seeds} findings; the margin's interval alone {alone}, "
            f"accuracy alone {naive}",
            flush=True,
        )


if __name__ == "__main__":
    main()
