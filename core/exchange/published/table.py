"""A published table: what its rows and columns are, and the figures in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

NO_FIGURE = "-"
"""The text of a cell in which the source prints no figure."""
LOST = "?"
"""The text of a cell whose figure cannot be read in the text of the source that we have."""


class RowKind(StrEnum):
    """Whose figures a row holds."""

    MODEL = "model"
    HUMAN = "human"
    MAJORITY = "majority"
    """Always the most frequent label."""
    RANDOM = "random"
    """Guessing."""
    DATA = "data"
    """Counts and shares of a data set."""


class Unit(StrEnum):
    """What a figure counts."""

    PERCENT = "percent"
    SHARE = "share"
    """A proportion from 0 to 1."""
    COUNT = "count"
    THOUSANDS = "thousands"
    MEAN = "mean"
    """A mean number of things."""
    KAPPA = "kappa"
    """Agreement beyond chance, from -1 to 1."""


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """One figure with everything that says what it is."""

    benchmark: str
    paper: str
    source: str
    """Where the figure is printed, such as "Table 2"."""
    table: str
    """The name of the table here."""
    row: str
    kind: RowKind
    column: str
    text: str
    """The figure as printed."""
    value: float
    """The figure as a number, in `unit`."""
    unit: Unit
    layer: str | None
    """The id of this program's task layer that asks the same; None where none does."""
    metric: str | None
    """The name of this program's figure that measures the same; None where none does."""
    conditions: Mapping[str, str]
    """Task, split, shots and so on, as far as the source states them."""


@dataclass(frozen=True, slots=True)
class PublishedColumn:
    """A column: a task or a metric."""

    name: str
    unit: Unit
    layer: str | None
    metric: str | None


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row: a model, people, a trivial answer, or a data set."""

    name: str
    variant: str
    """What sets it apart from other rows of this name, as printed; empty where nothing has to."""
    kind: RowKind
    conditions: Mapping[str, str]
    """Conditions of this row and its variant."""
    texts: tuple[str, ...]
    """The cells as printed, one a column; `NO_FIGURE` or `LOST` where there is none."""
    values: tuple[float | None, ...]
    """The cells as numbers; None where there is no figure."""

    @property
    def label(self) -> str:
        """The name with the variant; no other row of the table has the same."""
        return f"{self.name}, {self.variant}" if self.variant else self.name


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of a paper, or of the files that its authors released."""

    name: str
    benchmark: str
    paper: str
    source: str
    title: str
    conditions: Mapping[str, str]
    """Conditions of every figure; those of a row come on top."""
    notes: tuple[str, ...]
    """What a reader has to know before comparing."""
    columns: tuple[PublishedColumn, ...]
    rows: tuple[PublishedRow, ...]

    def figures(self) -> Iterator[PublishedFigure]:
        """Every figure that is printed, row by row."""
        for row in self.rows:
            for column, text, value in zip(self.columns, row.texts, row.values, strict=True):
                if value is not None:
                    yield PublishedFigure(
                        benchmark=self.benchmark,
                        paper=self.paper,
                        source=self.source,
                        table=self.name,
                        row=row.label,
                        kind=row.kind,
                        column=column.name,
                        text=text,
                        value=value,
                        unit=column.unit,
                        layer=column.layer,
                        metric=column.metric,
                        conditions={**self.conditions, **row.conditions},
                    )
