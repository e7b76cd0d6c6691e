"""Items by runs: at which task layer each run first failed at each item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from core.contract.benchmark import Benchmark
from core.runs.comparison import ALL_RIGHT, without_failure
from core.runs.records import Run
from core.runs.store import Store


class HeatMapRow(NamedTuple):
    """How the runs did at one item."""

    item: str
    first_wrong: tuple[str | None, ...]
    """For each run the id of the first wrong layer, or what `without_failure` says of the run; None
    where it was not asked, or nobody knows what is right."""

    @property
    def right(self) -> int:
        """How many runs have every answer right."""
        return self.first_wrong.count(ALL_RIGHT)


def heat_map(store: Store, runs: Sequence[Run], benchmark: Benchmark | None) -> list[HeatMapRow]:
    """A row for every item that a run was asked about, first those that the fewest have right.

    Items that as many runs have right stand in run order. Layers that are asked beside the ladder
    do not count.
    """
    layers = [layer for layer in benchmark.layers if not layer.aside] if benchmark else []
    order = {layer.id: place for place, layer in enumerate(layers)}
    columns = []
    for run in runs:
        column: dict[str, str] = {}
        none_wrong = without_failure(run)
        for (layer, item), right in store.answered(run.id).items():
            if right is None or (order and layer not in order):
                continue
            before = column.get(item, none_wrong)
            if right:
                column[item] = before
            elif before == none_wrong or order.get(layer, 0) < order.get(before, 0):
                column[item] = layer
        columns.append(column)
    items = dict.fromkeys(item for column in columns for item in column)
    rows = [HeatMapRow(item, tuple(column.get(item) for column in columns)) for item in items]
    return sorted(rows, key=lambda row: row.right)
