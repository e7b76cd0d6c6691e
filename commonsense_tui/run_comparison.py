"""Two recorded runs beside each other, question by question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from commonsense_tui.recorded_runs import RecordedRun, common_store, data_frame
from core.contract.view import Grid, Note, Role, Section
from core.layout.plain_text import cells
from core.layout.rows import Row, plain
from core.layout.sections import draw_section
from core.runs import comparison
from core.runs.comparison import Comparison
from core.runs.comparison_tables import conditions_and_left_out, counts_table, layers_table
from core.runs.replay import conditions
from core.runs.store import Store

if TYPE_CHECKING:
    from pandas import DataFrame

_WIDTH = 110
"""Characters of a line of a drawn table."""
_COLUMNS = (
    "layer", "n", "clusters", "first", "second", "difference", "low", "high", "first_only",
    "second_only", "p", "detectable",
)  # fmt: skip


def compare(first: RecordedRun, second: RecordedRun) -> RunComparison:
    """Compare two runs of one store over the questions that both answered.

    Raises `RunError` for runs of two stores or benchmarks, or without a common question.
    """
    with Store(common_store((first, second)), create=False) as opened:
        return RunComparison(comparison.compare(opened, first.id, second.id))


@dataclass(frozen=True, slots=True)
class RunComparison:
    """The second run minus the first, layer by layer. A notebook draws it."""

    result: Comparison
    """Everything that was compared, with the questions that flipped and the first wrong layers."""

    def layers(self) -> list[dict[str, Any]]:
        """A record for every task layer.

        `first` and `second` are shares of right answers among `n` questions, `low` and `high` the
        95 % interval of the difference over `clusters`, missing where there is none. `p` is that
        of the exact McNemar test, missing without the extra `stats`; `detectable` the smallest
        difference that would be found with a power of 80 %.
        """
        return [
            dict(
                zip(
                    _COLUMNS,
                    (
                        layer.layer,
                        layer.n,
                        layer.difference.clusters,
                        layer.difference.first,
                        layer.difference.second,
                        layer.difference.difference,
                        *(layer.difference.interval or (None, None)),
                        layer.first_only,
                        layer.second_only,
                        layer.p,
                        layer.detectable,
                    ),
                    strict=True,
                )
            )
            for layer in self.result.layers
        ]

    def to_pandas(self) -> DataFrame:
        """The layers as a data frame; needs the extra `notebook`."""
        types = dict.fromkeys(("low", "high", "p", "detectable"), "Float64")
        return data_frame(self.layers(), _COLUMNS).astype(types)

    def __str__(self) -> str:
        return plain(self._rows())

    def __repr__(self) -> str:
        return f"<{self.result.second.id} minus {self.result.first.id}>"

    def _rows(self) -> list[Row]:
        rows: list[Row] = []
        for section in self._sections():
            rows += [()] if isinstance(section, Grid) else []
            rows += draw_section(section, _WIDTH, cells)
        return rows

    def _sections(self) -> Iterator[Section]:
        runs = self.result.first, self.result.second
        for letter, run in zip("AB", runs, strict=True):
            yield Note(f"{letter}  {run.id}: {run.plan.model}, {conditions(run.plan)}", Role.PLAIN)
        for text, role in conditions_and_left_out(self.result):
            yield Note(text, role)
        yield layers_table(self.result)
        yield counts_table(self.result)

    def _repr_html_(self) -> str:
        from core.exchange.exporters.rows_html import rows_html

        return rows_html(self._rows())
