"""How often a probe reports "encoded, not used" where nothing is planted (target: at most 5 %).

python performance/probe_false_findings.py [--seeds N] [CASE ...]

A case is `noise`, `base rate` or `said`: nothing is encoded; nothing is, and a third of the answers
are of one kind; what the model says is encoded, and nothing else is. `options` and `options place`
are of questions with five options: nothing is encoded; nothing but the place of an option, where
most right ones stand at one place.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from core.studies.probe import ProbeTask, ProbeVerdict, probe
from tests.studies.planted_options import option_states
from tests.studies.planted_states import states

CASES: dict[str, Callable[[int], ProbeTask]] = {
    "noise": states,
    "base rate": partial(states, base_rate=0.33),
    "said": partial(states, said=1.0),
    "options": option_states,
    "options place": partial(option_states, favourite=0.6),
}


def main() -> None:
    """Print, for each case: findings of the verdict, and of the margin's interval alone."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--seeds", type=int, default=200)
    arguments.add_argument("cases", nargs="*", choices=[*CASES, []], default=[])
    given = arguments.parse_args()
    for name in given.cases or CASES:
        found = [probe(CASES[name](seed)) for seed in range(given.seeds)]
        verdicts = sum(one.verdict is ProbeVerdict.ENCODED_NOT_USED for one in found)
        alone = sum(one.over_margin.low > 0 for one in found)
        shuffled = sum(one.shuffled.value for one in found) / len(found)
        naive = sum(one.naive.low > 0 for one in found)
        print(
            f"{name}: {verdicts}/{given.seeds} findings; the margin's interval alone {alone}, "
            f"accuracy alone {naive}; AUC of shuffled labels {shuffled:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
