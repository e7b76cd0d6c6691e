"""Repeats as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from core.runs.repeats import RepeatedFigures


def repeats_json(repeated: RepeatedFigures) -> dict[str, Any]:
    """The figures over repeats: their values in the order of `runs`, and their spread."""
    repeats, letters = repeated.repeats, repeated.letters
    return {
        "k": len(repeats.runs),
        "orders": repeats.orders,
        "seeds": repeats.seeds,
        "wordings": repeats.wordings,
        "runs": [
            {
                "run": run.id,
                "seed": run.plan.seed,
                "order": run.plan.order,
                "prompts": {layer: asdict(template) for layer, template in run.plan.prompts},
            }
            for run in repeats.runs
        ],
        "values": repeated.values,
        "spread": {
            name: {
                "k": len(spread.values),
                "mean": spread.mean,
                "sd": spread.sd,
                "min": min(spread.values),
                "max": max(spread.values),
            }
            for name, spread in repeated.spreads.items()
        },
        "letters": {
            letter: {"chosen": letters.chosen[letter], "right": letters.right[letter]}
            for letter in letters.letters
        },
    }
