"""How long a run will take, by what the same model took before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from core.contract.question import Form, Scoring
from core.models.protocol import Model
from core.runs.asking import natural_form, natural_scoring
from core.runs.quick_figures import seconds_per_item
from core.runs.store import Store
from core.text.errors import CommonsenseError
from tui.runs.choices import Choices


class TimePerItem:
    """Looks up, once for each model and way of asking, how long an item took."""

    def __init__(
        self,
        store: Path,
        benchmark: str,
        model: Callable[[], Model | None],
        asked: Mapping[tuple[str, str, Form], float],
    ) -> None:
        """Look in a store, and among the single items that were asked.

        Args:
            store: the file of recorded runs.
            benchmark: the name of the benchmark.
            model: gives the model that would be asked now.
            asked: the seconds that the last single item took, by the model's fingerprint, the
                benchmark and the prompt form. Such an item has no worked examples.
        """
        self._store = store
        self._benchmark = benchmark
        self._model = model
        self._asked = asked
        self._known: dict[tuple[str, int, Form, Scoring | None], float | None] = {}

    def __call__(self, choices: Choices) -> float | None:
        """Seconds for an item; None without a model, or where it was asked nothing of the kind."""
        model = self._model()
        if model is None:
            return None
        form = choices.form or natural_form(model.info)
        usual = natural_scoring(model.info, form)
        scoring = choices.scoring or usual
        key = model.info.fingerprint, choices.shots, form, scoring
        if key not in self._known:
            self._known[key] = self._look_up(*key)
        recorded = self._known[key]
        if recorded is None and not choices.shots and scoring is usual:
            return self._asked.get((model.info.fingerprint, self._benchmark, form))
        return recorded

    def _look_up(
        self, fingerprint: str, shots: int, form: Form, scoring: Scoring | None
    ) -> float | None:
        try:
            with Store(self._store, create=False) as store:
                return seconds_per_item(
                    store, fingerprint, self._benchmark, shots=shots, form=form, scoring=scoring
                )
        except CommonsenseError:
            return None
