"""The verdicts of runs as a table, one row each: CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, BinaryIO

import msgspec

from core.exchange.exporters.document import ExportError
from core.runs.records import Run
from core.runs.store import Store
from core.text.errors import RunError

COLUMNS = (
    "run", "model", "benchmark", "item", "layer", "setting", "options", "scores", "picked",
    "golds", "right", "credit", "status", "scoring", "form", "text", "prompt_tokens",
    "output_tokens", "seconds", "settles_at", "digest", "prompt_hash", "tags",
)  # fmt: skip
"""The columns, in order.

`setting` and `tags` map names to texts. `options` are texts; `scores` holds for each option its
log-likelihood (natural logarithm, summed over its tokens); `picked` and `golds` are indices of
options. `seconds` and the numbers of tokens are of this answer, and missing where not known;
`settles_at` is the block from which on the answer stays, counted from 0.
"""
_BATCH = 10_000
"""Rows of a Parquet row group."""
_MAPPINGS = ("setting", "tags")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would run."""

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode

Row = tuple[Any, ...]
"""The values of `COLUMNS`."""


def verdict_rows(store: Store, runs: Iterable[Run]) -> Iterator[Row]:
    """The verdicts of runs, in run order; raises `RunError` for a damaged one."""
    for run in runs:
        head = (run.id, run.plan.model, run.plan.benchmark)
        for recorded in store.recorded_rows(run.id):
            try:
                yield head + _row(*recorded)
            except (ValueError, TypeError, RecursionError) as error:
                raise RunError(
                    f"The verdict on item {recorded[0]}, layer {recorded[1]}, is damaged.",
                    where=store.path,
                    hint="Ask or import the run again.",
                ) from error


def write_csv(handle: BinaryIO, rows: Iterable[Row]) -> None:
    """Write UTF-8 CSV with a header; lists and mappings are JSON, scores that are not finite null.

    A text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    text = io.TextIOWrapper(handle, encoding="utf-8", errors="replace", newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    writer.writerows([_cell(value) for value in row] for row in rows)
    text.flush()
    text.detach()


def write_json_lines(handle: BinaryIO, rows: Iterable[Row]) -> None:
    """Write one JSON object a line; a score that is not finite is null."""
    for row in rows:
        handle.write(_encode(dict(zip(COLUMNS, row, strict=True))) + b"\n")


def write_parquet(handle: BinaryIO, rows: Iterable[Row]) -> None:
    """Write Parquet with typed columns; raises `ExportError` where pyarrow is not installed."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise ExportError(
            "Parquet files need pyarrow, which is not installed.",
            hint="pip install 'commonsense-tui[parquet]', or write .csv or .jsonl.",
        ) from error
    texts, numbers = pa.map_(pa.string(), pa.string()), pa.list_(pa.int32())
    types = {
        **dict.fromkeys(COLUMNS, pa.string()),
        **dict.fromkeys(_MAPPINGS, texts),
        "options": pa.list_(pa.string()),
        "scores": pa.list_(pa.float64()),
        **dict.fromkeys(("picked", "golds"), numbers),
        "right": pa.bool_(),
        **dict.fromkeys(("credit", "seconds"), pa.float64()),
        **dict.fromkeys(("prompt_tokens", "output_tokens", "settles_at"), pa.int32()),
    }
    schema = pa.schema([(name, types[name]) for name in COLUMNS])
    remaining = iter(rows)
    with parquet.ParquetWriter(handle, schema, compression="zstd") as writer:
        while batch := list(islice(remaining, _BATCH)):
            columns = dict(zip(COLUMNS, map(list, zip(*batch, strict=True)), strict=True))
            for name in _MAPPINGS:
                columns[name] = [list(mapping.items()) for mapping in columns[name]]
            writer.write_table(pa.table(columns, schema))


def _row(
    item: str, layer: str, setting: str, options: str, scores: str, answer: int | None,
    gold: int | None, answers: str | None, golds: str | None, right: int | None, *others: Any,
) -> Row:  # fmt: skip
    """The columns from `item` on, from a row of `Store.recorded_rows`."""
    *more, tags = others
    return (
        item,
        layer,
        dict(_decode(setting)),
        _decode(options),
        [float(logprob) for logprob, *_ in _decode(scores)],
        _indices(answer) if answers is None else _decode(answers),
        _indices(gold) if golds is None else _decode(golds),
        None if right is None else bool(right),
        *more,
        dict(_decode(tags)),
    )


def _indices(index: int | None) -> list[int]:
    return [] if index is None else [index]


def defused(text: str) -> str:
    """A text that no spreadsheet runs: with an apostrophe where it looks like a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _cell(value: object) -> object:
    if isinstance(value, str):
        return defused(value)
    if isinstance(value, list | dict):
        return _encode(value).decode()
    return value
