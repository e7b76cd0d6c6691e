"""How long a run will take, by what the same model took before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.models.protocol import Model
from core.runs.quick_figures import seconds_per_item
from core.runs.store import Store
from core.text.errors import CommonsenseError


class TimePerItem:
    """Looks up, once for each model and number of worked examples, how long an item took."""

    def __init__(self, store: Path, benchmark: str, model: Callable[[], Model | None]) -> None:
        """`model` gives the model that would be asked now."""
        self._store = store
        self._benchmark = benchmark
        self._model = model
        self._known: dict[tuple[str, int], float | None] = {}

    def __call__(self, shots: int) -> float | None:
        """Seconds for an item; None where there is no model, or none such run is recorded."""
        model = self._model()
        if model is None:
            return None
        key = model.info.fingerprint, shots
        if key not in self._known:
            self._known[key] = self._look_up(*key)
        return self._known[key]

    def _look_up(self, fingerprint: str, shots: int) -> float | None:
        try:
            with Store(self._store, create=False) as store:
                return seconds_per_item(store, fingerprint, self._benchmark, shots)
        except CommonsenseError:
            return None
