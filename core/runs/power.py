"""Which difference in accuracy the questions of a run could show against another run."""

from __future__ import annotations

from dataclasses import dataclass

from core.files.installation import command_to_add_extra
from core.runs.comparison import compare
from core.runs.quick_figures import layer_totals
from core.runs.store import Store
from core.statistics.paired import detectable_difference
from core.text.errors import RunError
from core.text.language import _


@dataclass(frozen=True, slots=True)
class LayerPower:
    """What the questions of one task layer could show."""

    layer: str
    n: int
    """Questions whose right answer is known; of two runs those that both answered."""
    discordant: float
    """Share of the questions that one run has right and the other wrong."""
    detectable: float | None
    """The smallest difference that is found with a power of 80 %; None where none is possible with
    so few such questions."""


def assumed_power(store: Store, run_id: str, discordant: float) -> tuple[LayerPower, ...]:
    """By layer, for an assumed share of discordant questions.

    Raises `NotFoundError`, and `RunError` where scipy is not installed.
    """
    _check_scipy()
    totals = layer_totals(store).get(store.run(run_id).id, {})
    return tuple(
        LayerPower(layer, each.n, discordant, detectable_difference(each.n, discordant * each.n))
        for layer, each in totals.items()
        if each.n
    )


def observed_power(store: Store, run_id: str, other_id: str) -> tuple[LayerPower, ...]:
    """By layer, with the share of discordant questions of two runs.

    Raises `NotFoundError` and `RunError` as `compare` does, and where scipy is not installed.
    """
    _check_scipy()
    return tuple(
        LayerPower(
            layer.layer, layer.n, (layer.first_only + layer.second_only) / layer.n, layer.detectable
        )
        for layer in compare(store, run_id, other_id).layers
    )


def _check_scipy() -> None:
    try:
        import scipy.special  # noqa: F401
    except ImportError as error:
        raise RunError(
            _("The power of a test needs scipy."), hint=command_to_add_extra("stats")
        ) from error
