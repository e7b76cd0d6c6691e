"""What every block of a model says of a question's options, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.blocks.heatmaps import lens_map
from core.blocks.lens import LensTable
from core.contract.question import Form
from core.layout.heatmap_drawing import draw_heat_map
from core.layout.plain_text import cells
from core.layout.rows import Row, plain
from core.models.protocol import ModelInfo

_WIDTH = 100
"""Characters of a line of a drawn table."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BlockScores:
    """A question's options scored after every block, as if it were the last. A notebook draws it.

    A reading of a middle block is a projection of the residual stream onto the vocabulary (logit
    lens, nostalgebraist 2020), not a belief.
    """

    table: LensTable
    model: ModelInfo
    form: Form
    tokens: int
    """The length of the prompt."""

    @property
    def options(self) -> tuple[str, ...]:
        """The options, in the order of the columns."""
        return self.table.question.options

    @property
    def scores(self) -> Floats:
        """Log-likelihoods in nats, (blocks, options); the last row is the model's own answer."""
        rows = [[score.logprob for score in row] for row in self.table.reading.scores]
        return np.array(rows, dtype=np.float64)

    @property
    def shares(self) -> Floats:
        """Softmax of the scores over the options, (blocks, options)."""
        return np.array(self.table.shares(), dtype=np.float64)

    @property
    def gold(self) -> int | None:
        """Column of the right option, the first if there are several; None if it is not known."""
        return self.table.gold

    @property
    def prediction_depth(self) -> int | None:
        """The first block from which on the final answer leads, by the raw lens; None for a tie."""
        return self.table.prediction_depth

    def __str__(self) -> str:
        return plain(self._rows())

    def __repr__(self) -> str:
        question = self.table.question
        return f"<{question.item}, {question.layer}: {self.table.outcome()}>"

    def _rows(self) -> list[Row]:
        return draw_heat_map(
            lens_map(self.table, self.model, self.tokens, self.form), _WIDTH, cells
        )

    def _repr_html_(self) -> str:
        from core.exchange.exporters.rows_html import rows_html

        return rows_html(self._rows())
