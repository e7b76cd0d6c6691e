"""How often a probe reports "encoded, not used" where nothing is planted: 200 seeds a case.

Usage: python performance/probe_false_findings.py [CASE ...]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.studies.probe import Verdict, probed
from tests.studies.planted_states import states

SEEDS = 200
CASES: dict[str, dict[str, float]] = {
    "noise": {},
    "base rate": {"base_rate": 0.33},
    "said": {"said": 1.0},
}


def main() -> None:
    """Print, for each case: findings of the verdict, and of the margin's interval alone."""
    for name in sys.argv[1:] or CASES:
        settings = CASES[name]
        found = [probed(states(seed, **settings)) for seed in range(SEEDS)]
        verdicts = sum(one.verdict is Verdict.ENCODED_NOT_USED for one in found)
        alone = sum(one.over_margin.low > 0 for one in found)
        print(f"{name}: {verdicts}/{SEEDS} findings; margin's interval alone {alone}", flush=True)


if __name__ == "__main__":
    main()
