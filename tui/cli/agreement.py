"""Prints how far several runs agree, layer by layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.runs.agreement import Agreement, LayerAgreement
from core.runs.records import Run
from tui.cli.figures import kappa_text, print_table
from tui.cli.output import out

_NO_POOLED_KAPPA = (
    "There is no kappa over several task layers: their options are not the same, and chance agrees "
    "less often where there are more of them."
)


def agreement_json(runs: Sequence[Run], agreement: Agreement) -> dict[str, Any]:
    """Agreement as a JSON document."""
    return {
        "runs": [{"id": run.id, "model": run.plan.model} for run in runs],
        "n": agreement.n,
        "observed": agreement.observed,
        "majority_right": agreement.majority_right,
        "with_gold": agreement.with_gold,
        "other_options": agreement.other_options,
        "statistic": _statistic(runs).lower(),
        "layers": {layer.layer: _layer_json(layer) for layer in agreement.layers},
        "notes": [_NO_POOLED_KAPPA],
    }


def print_agreement(runs: Sequence[Run], agreement: Agreement) -> None:
    """Print a table with a row for each layer and number of options."""
    out(f"Answerers: {', '.join(f'{run.id} ({run.plan.model})' for run in runs)}")
    rows = [
        (
            layer.layer,
            str(each.options),
            str(each.ratings.items),
            f"{each.ratings.observed:.3f}",
            f"{each.ratings.expected:.3f}",
            kappa_text(each.ratings.kappa, each.ratings.interval, "answer"),
        )
        for layer in agreement.layers
        for each in layer.by_options
    ]
    kappa = f"{_statistic(runs)}' kappa" if len(runs) > 2 else f"{_statistic(runs)}'s kappa"
    print_table("Agreement", ("layer", "options", "n", "observed", "by chance", kappa), rows)
    out(f" Questions that all answered: {agreement.n}, observed agreement {agreement.observed:.3f}")
    if agreement.other_options:
        out(f" Left out, with other options or in another order: {agreement.other_options}")
    out(f" Most frequent answer right: {agreement.majority_right} of {agreement.with_gold}")
    out(f" {_NO_POOLED_KAPPA}")


def _statistic(runs: Sequence[Run]) -> str:
    return "Cohen" if len(runs) == 2 else "Fleiss"


def _layer_json(layer: LayerAgreement) -> dict[str, Any]:
    """A layer; its kappa is null where its questions have different numbers of options."""
    parts = [
        {
            "options": each.options,
            "n": each.ratings.items,
            "observed": each.ratings.observed,
            "expected": each.ratings.expected,
            "kappa": each.ratings.kappa,
            "kappa_interval": each.ratings.interval,
        }
        for each in layer.by_options
    ]
    whole = parts[0] if len(parts) == 1 else {"options": None, "expected": None, "kappa": None}
    return {
        **whole,
        "n": layer.n,
        "observed": layer.observed,
        "kappa_interval": whole.get("kappa_interval"),
        "by_options": parts,
    }
