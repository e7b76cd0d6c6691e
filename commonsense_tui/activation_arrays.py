"""The residual stream about a collection as an array, with what each row is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from commonsense_tui.opened_items import OpenedCollection
from core.contract.question import Form
from core.exchange.exporters.activation_file import ActivationFile, read_index
from core.files import paths
from core.files.tensor_file import read_header
from core.models.protocol import Model
from core.runs.planning import check_number
from core.runs.questions import QuestionSource
from core.studies.activations import (
    activations,
    index_record,
    metadata_of,
    parse_blocks,
    parse_positions,
)
from core.studies.subject import Subject, task_layer
from core.text.errors import DataError, NotFoundError

if TYPE_CHECKING:
    import pandas as pd

_TYPES = {"F16": "<f2", "F32": "<f4"}


@dataclass(frozen=True, slots=True, eq=False)
class Activations:
    """The residual stream of a model after some blocks, at positions of every question."""

    states: NDArray[np.float32] | NDArray[np.float16]
    """(rows, blocks, width); mapped, not read, where it comes from a file."""
    blocks: tuple[int, ...]
    """The blocks after which it was read, counted from 0."""
    index: list[dict[str, Any]]
    """For each row: `item`, `layer`, `group`, `position` (the token), `span`, `role` and `text` of
    the part, `options`, their `scores` in nats, `gold` and whether the model is `right`."""

    def to_pandas(self) -> pd.DataFrame:
        """The index as a data frame; needs the extra `notebook`."""
        import pandas as pd

        return pd.DataFrame(self.index)

    def __repr__(self) -> str:
        rows, blocks, width = self.states.shape
        return f"<activations: {rows} rows, {blocks} blocks, width {width}>"


def read_activations(path: str | Path) -> Activations:
    """The activations in a file that the command of this name, or `LoadedModel.activations`, wrote.

    Raises `NotFoundError`, and `DataError` for a file that was not written so.
    """
    file = paths.expanded(path)
    try:
        header = read_header(file)
        index = read_index(file)
        states = np.memmap(file, _TYPES[header.kind], "r", header.start, header.shape)
    except FileNotFoundError:
        raise NotFoundError("There is no such file.", where=file) from None
    except (OSError, ValueError) as error:
        raise DataError(f"This file cannot be read: {error}.", where=file) from error
    blocks = header.metadata.get("blocks", "")
    numbers = tuple(int(each) for each in blocks.split(",") if each.isdecimal())
    if len(index) != header.shape[0] or header.shape[1:2] != (len(numbers),):
        raise DataError("The file and its index do not belong together.", where=file)
    return Activations(states, numbers, index)


async def collect_activations(
    model: Model,
    collection: OpenedCollection,
    layer: str | None,
    positions: str,
    blocks: str | Sequence[int],
    form: Form | None,
    limit: int | None,
    to: str | Path | None,
    *,
    half: bool,
) -> Activations:
    """See `LoadedModel.activations`."""
    if limit is not None:
        check_number("limit", limit, 1)
    where = parse_positions(positions)
    source = QuestionSource(collection.benchmark, collection.collection, limit=limit)
    asked = task_layer(source, layer)
    subject = await Subject.of(model, source, collection.path, asked, form)
    named = blocks if isinstance(blocks, str) else ",".join(map(str, blocks))
    numbers, width = parse_blocks(named, subject.access.blocks), subject.access.width
    cases = subject.cases()
    if to is None:
        parts = [part async for part in activations(subject, cases, where, numbers)]
        states = [np.empty((0, len(numbers), width), np.float32), *(each.states for each in parts)]
        index = [index_record(row) for part in parts for row in part.index]
        return Activations(np.concatenate(states), numbers, index)
    metadata = metadata_of(subject, where, numbers)
    with ActivationFile(Path(to), metadata, len(numbers), width, half=half) as file:
        left = cases[file.questions :]
        async for part in activations(subject, left, where, numbers, file.rows):
            file.add(part)
        file.finish()
    return read_activations(to)
