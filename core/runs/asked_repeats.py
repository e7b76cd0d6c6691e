"""The repeats in which a run is asked: other orders of options, other wordings, other seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.models.protocol import ModelInfo
from core.runs.common_setting import common_setting
from core.runs.planning import LARGEST, check_number
from core.runs.questions import QuestionSource
from core.runs.wordings import Wording, own_templates, read_wordings
from core.text.errors import ModelError, SettingError

MOST_ORDERS = 24
"""Most orders of options in which a run is asked."""
MOST_SEEDS = 100
"""Most seeds with which a run is asked."""


@dataclass(frozen=True, slots=True)
class AskedRepeats:
    """How often a run is repeated, and in what the repeats differ."""

    orders: int = 1
    """Orders of the options: the benchmark's own and drawn ones."""
    seeds: int = 1
    """Seeds of the worked examples: the first and those after it."""
    prompts: Path | None = None
    """A file with wordings of the prompts; None for the benchmark's own."""
    option_names: Mapping[str, str] = field(
        default_factory=lambda: {each: each for each in ("permute", "seeds", "shots")}
    )
    """What a person calls `permute`, `seeds` and `shots`, for messages."""

    def check(self, benchmark: Benchmark, shots: int, seed: int, *, drawn: bool = False) -> None:
        """Raise `SettingError` where repeats would all be alike, or are too many.

        `seed` is the first one; `drawn` says whether the answers are drawn, which makes repeats
        unlike too.
        """
        permute, seeds = self.option_names["permute"], self.option_names["seeds"]
        numbers = ((permute, self.orders, MOST_ORDERS), (seeds, self.seeds, MOST_SEEDS))
        for name, number, most in numbers:
            if not 1 <= number <= most:
                raise SettingError(
                    f"{number} repeats cannot be asked.",
                    where=name,
                    hint=f"Write a number from 1 to {most}.",
                )
        check_number("seed", seed + self.seeds - 1, -LARGEST)
        if self.orders > 1 and not benchmark.lettered_layers:
            raise SettingError(
                f"{benchmark.title} shows no options with letters, so there is no order to change.",
                where=permute,
                hint=f"Leave {permute} out. For repeats with other worked examples give "
                f"{self.option_names['shots']} and {seeds}.",
            )
        if self.seeds > 1 and not shots and not drawn:
            raise SettingError(
                "Without worked examples, repeats with other seeds are all alike.",
                where=seeds,
                hint=f"Give {self.option_names['shots']} too, or {permute} for other orders of the "
                "options.",
            )

    def check_model(self, model: ModelInfo) -> None:
        """Raise `ModelError` for a record, which answers in one way only."""
        if model.recorded and self.orders * self.seeds > 1:
            raise ModelError(
                "A record answers as it was asked then, so it cannot be asked in other ways.",
                where=model.source,
                hint="Leave {permute} and {seeds} out, or choose a model that is loaded.".format(
                    **self.option_names
                ),
            )

    def sources(
        self,
        benchmark: Benchmark,
        collection: Collection,
        values: Mapping[str, str] | None,
        limit: int | None,
    ) -> list[QuestionSource]:
        """The questions of every wording in every order; the first is that of the run itself.

        Raises `ConfigError` for a file of prompts that cannot be used, and `SettingError` where the
        setting fits no item or fixes the order of the options.
        """
        wordings: Sequence[Wording] = [{}]
        if self.prompts is not None:
            own = QuestionSource(benchmark, collection, values, limit)
            common_setting(own)
            layers = [layer.id for layer in benchmark.layers]
            wordings = read_wordings(self.prompts, layers, own_templates(own))
        sources = [
            QuestionSource(benchmark, collection, values, limit, order, wording)
            for wording in wordings
            for order in range(self.orders)
        ]
        if self.orders > 1 and values:
            for _number, layer in sources[1].layers:
                next(sources[1].questions(layer, None), None)
        return sources

    def each(
        self, sources: list[QuestionSource], seed: int
    ) -> Iterator[tuple[QuestionSource, int]]:
        """The questions and the seed of each repeat, in the order in which they are asked."""
        return product(sources, range(seed, seed + self.seeds))
