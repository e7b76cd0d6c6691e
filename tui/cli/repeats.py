"""What `evaluate` checks before it repeats a run, and repeats as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from core.contract.benchmark import Benchmark
from core.models.protocol import ModelInfo
from core.runs.questions import QuestionSource
from core.runs.repeats import RepeatedFigures
from core.text.errors import ModelError, SettingError


def check_repeats(benchmark: Benchmark, *, permute: int, seeds: int, shots: int) -> None:
    """Raise `SettingError` where repeats would all be alike."""
    if permute > 1 and not benchmark.lettered_layers:
        raise SettingError(
            f"{benchmark.title} shows no options with letters, so there is no order to change.",
            where="--permute",
            hint="Leave --permute out. For repeats with other worked examples write --shots N "
            "--seeds K.",
        )
    if seeds > 1 and not shots:
        raise SettingError(
            "Without worked examples, repeats with other seeds are all alike.",
            where="--seeds",
            hint="Add --shots N, or write --permute K for other orders of the options.",
        )


def check_asked_again(model: ModelInfo) -> None:
    """Raise `ModelError` for a record, which answers in one way only."""
    if model.recorded:
        raise ModelError(
            "A record answers as it was asked then, so it cannot be asked in other ways.",
            where=model.source,
            hint="Leave --permute and --seeds out, or choose a model that is loaded.",
        )


def check_order(source: QuestionSource) -> None:
    """Raise `SettingError` where the first question of a layer cannot be shown in another order."""
    for _number, layer in source.layers:
        next(source.questions(layer, None), None)


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
