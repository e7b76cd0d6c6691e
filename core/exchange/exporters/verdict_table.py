"""The verdicts of runs as a table, one row each: CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from core.exchange.exporters.document import ExportError
from core.files.installation import command_to_add_extra
from core.runs.records import Run, replace_surrogates
from core.runs.store import Store
from core.runs.verdict_rows import damaged_verdict

COLUMNS = (
    "run", "model", "benchmark", "seed", "order", "item", "layer", "setting", "options", "scores",
    "priors", "picked", "golds", "right", "credit", "status", "scoring", "form", "text",
    "prompt_tokens", "output_tokens", "seconds", "settles_at", "digest", "prompt_hash",
    "permutation", "tags",
)  # fmt: skip
"""The columns, in order.

`setting` and `tags` map names to texts. `options` are texts; `scores` holds for each option its
log-likelihood (natural logarithm, summed over its tokens), and `priors` the same after a
content-free prompt, missing where that was not asked; `picked` and `golds` are indices of options.
`seed` is that of the worked examples (0 without any) and `order` the number of the order of options
(0 for the benchmark's own); `permutation` has the index of the option that was shown at each place,
and is missing for questions without letters. `seconds` and the numbers of tokens are of this
answer, and missing where not known; `settles_at` is the block from which on the answer stays by the
raw lens, counted from 0.
"""
_BATCH = 2_000
"""Verdicts that are held at once: more, and the garbage collector goes through them again and
again."""
_GROUP = 5
"""Batches of a Parquet row group."""
_MAPPINGS = ("setting", "tags")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would run."""

_TEXTS, _NUMBERS, _COUNTS = tuple[str, ...], tuple[float | None, ...], tuple[int | None, ...]
_KINDS = (
    *(_TEXTS, _TEXTS, _NUMBERS, _TEXTS, _TEXTS, tuple[str | None, ...], _TEXTS, _COUNTS, _COUNTS),
    *(_NUMBERS, _COUNTS, _TEXTS, _TEXTS),
)
"""The types of item and layer, and of the columns from `credit` to `prompt_hash`: SQLite may hold
anything."""

_T = TypeVar("_T")
_TextT = TypeVar("_TextT", str, str | None)

_strictly = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_Row = msgspec.defstruct("_Row", COLUMNS, gc=False)


class _Score(msgspec.Struct, array_like=True, gc=False):
    """A score as it is recorded; numbers of tokens and bytes follow."""

    logprob: float | str


_decode_scores = msgspec.json.Decoder(list[list[_Score]]).decode

Columns = list[Sequence[Any]]
"""The values of each of `COLUMNS`, over some verdicts."""


def verdict_columns(store: Store, runs: Iterable[Run]) -> Iterator[Columns]:
    """The verdicts of runs in run order, a batch at a time; raises `RunError` for a damaged one."""
    for run in runs:
        plan = run.plan
        head = (run.id, plan.model, plan.benchmark, plan.seed, plan.order)
        recorded = store.recorded_rows(run.id)
        while batch := list(islice(recorded, _BATCH)):
            yield [*([value] * len(batch) for value in head), *_decoded(batch, store.path)]


def write_csv(handle: BinaryIO, batches: Iterable[Columns]) -> None:
    """Write UTF-8 CSV with a header; lists and mappings are JSON, scores that are not finite null.

    A text that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    text = io.TextIOWrapper(handle, encoding="utf-8", errors="replace", newline="")
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for columns in batches:
        writer.writerows(zip(*map(_cells, columns), strict=True))
    text.flush()
    text.detach()


def write_json_lines(handle: BinaryIO, batches: Iterable[Columns]) -> None:
    """Write one JSON object a line; a score that is not finite is null."""
    for columns in batches:
        for row in zip(*columns, strict=True):
            handle.write(_encode(_Row(*row)) + b"\n")


def parquet_modules(instead: str) -> tuple[Any, Any]:
    """`pyarrow` and `pyarrow.parquet`; raises `ExportError` where they are not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise ExportError(
            "Parquet files need pyarrow, which is not installed.",
            hint=f"{command_to_add_extra('parquet')}, or write {instead}.",
        ) from error
    return pyarrow, parquet


def write_parquet(handle: BinaryIO, batches: Iterable[Columns]) -> None:
    """Write Parquet with typed columns; raises `ExportError` where pyarrow is not installed."""
    pa, parquet = parquet_modules(".csv or .jsonl")
    texts, numbers = pa.map_(pa.string(), pa.string()), pa.list_(pa.int64())
    types = {
        **dict.fromkeys(COLUMNS, pa.string()),
        **dict.fromkeys(_MAPPINGS, texts),
        "options": pa.list_(pa.string()),
        **dict.fromkeys(("scores", "priors"), pa.list_(pa.float64())),
        **dict.fromkeys(("picked", "golds", "permutation"), numbers),
        "right": pa.bool_(),
        **dict.fromkeys(("credit", "seconds"), pa.float64()),
        **dict.fromkeys(("order", "prompt_tokens", "output_tokens", "settles_at"), pa.int64()),
        "seed": pa.int64(),
    }
    schema = pa.schema([(name, types[name]) for name in COLUMNS])

    def table(columns: Columns) -> Any:
        named = dict(zip(COLUMNS, columns, strict=True))
        for name in _MAPPINGS:
            mappings = named[name]
            named[name] = pa.MapArray.from_arrays(
                pa.array(accumulate(map(len, mappings), initial=0), pa.int32()),
                pa.array(chain.from_iterable(mappings), pa.string()),
                pa.array(chain.from_iterable(map(dict.values, mappings)), pa.string()),
            )
        return pa.table(named, schema)

    tables = map(table, batches)
    with parquet.ParquetWriter(handle, schema, compression="zstd") as writer:
        while group := list(islice(tables, _GROUP)):
            writer.write_table(pa.concat_tables(group))


def _decoded(rows: Sequence[tuple[Any, ...]], where: Path) -> Columns:
    """The columns from `item` on, from rows of `Store.recorded_rows`."""
    try:
        (
            items, layers, settings, options, scores, priors, answer, gold, answers, golds, right,
            *more, permutations, tags,
        ) = zip(*rows, strict=True)  # fmt: skip
        items, layers, *more = (
            msgspec.convert(values, kinds)
            for values, kinds in zip((items, layers, *more), _KINDS, strict=True)
        )
        return [
            items,
            layers,
            _of_each(_mapping, settings),
            _of_each(_decode, options),
            _logprobs(scores),
            _of_each(_priors, priors),
            _picks(answer, answers),
            _picks(gold, golds),
            [None if each is None else bool(each) for each in right],
            *more,
            _of_each(_order, permutations),
            _of_each(_mapping, tags),
        ]
    except (ValueError, TypeError, RecursionError) as error:
        if len(rows) > 1:
            for row in rows:
                _decoded([row], where)
        raise damaged_verdict(rows[0][0], rows[0][1], where) from error


def _decode(text: str) -> Any:
    """JSON of a column, with question marks in the place of lone surrogates, as in other texts."""
    try:
        return _strictly(text)
    except ValueError:
        return _strictly(replace_surrogates(json.dumps(json.loads(text), ensure_ascii=False)))


def _of_each(read: Callable[[_TextT], _T], texts: Sequence[_TextT]) -> list[_T]:
    """The results of `read` for each text; equal texts are read once."""
    known = {text: read(text) for text in dict.fromkeys(texts)}
    return [known[text] for text in texts]


def _order(text: str | None) -> list[int] | None:
    return None if text is None else _decode(text)


def _mapping(text: str) -> dict[str, str]:
    known = _decode(text)
    return known if isinstance(known, dict) else dict(known)


def _logprobs(texts: Sequence[str]) -> list[list[float]]:
    rows = _decode_scores(f"[{','.join(texts)}]")
    if len(rows) != len(texts):
        raise ValueError("Scores that are no list of scores.")
    return [[float(score.logprob) for score in row] for row in rows]


def _priors(text: str | None) -> list[float] | None:
    return None if text is None else [float(prior) for prior in _decode(text)]


def _picks(one: Sequence[int | None], several: Sequence[str | None]) -> list[list[int]]:
    """Indices of options: those of multiple select, where there are any."""
    pairs = list(zip(one, several, strict=True))
    known = {
        (index, texts): _decode(texts) if texts is not None else [] if index is None else [index]
        for index, texts in set(pairs)
    }
    return [known[pair] for pair in pairs]


def defused(text: str) -> str:
    """A text that no spreadsheet runs: with an apostrophe where it looks like a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _cells(column: Sequence[Any]) -> Sequence[Any]:
    """The values of a column as a spreadsheet may read them."""
    types = set(map(type, column))
    if types & {list, dict}:
        # Equal values are often the same one.
        known = {id(value): value for value in column if value is not None}
        texts = {key: _encode(value).decode() for key, value in known.items()}
        return [texts.get(id(value)) for value in column]
    if str not in types:
        return column
    risky = {text: defused(text) for text in set(column) if text and text.startswith(_FORMULA)}
    return [risky.get(value, value) for value in column] if risky else column
