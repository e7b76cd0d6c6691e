"""Verdicts as rows of the store, and rows as verdicts; checked as `core.runs.run_rows` says."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from sys import intern
from typing import Any

import msgspec

from core.contract.question import (
    MOST_OPTIONS,
    UNREAD,
    Form,
    OptionScore,
    Scoring,
    Status,
    Tags,
    Verdict,
)
from core.contract.setting import Setting
from core.models.blocks import OptionRows
from core.runs.blocks import verdict_depth
from core.runs.columns import DAMAGED, Count, NamedValues, decoded, reader
from core.runs.garbage import gc_paused
from core.runs.records import RecordedBlocks, replace_surrogates
from core.system.typed_values import ready
from core.text.errors import RunError

_read_indices = reader(tuple[Count, ...])
_read_scores = msgspec.json.Decoder(tuple[OptionScore, ...]).decode
_read_written_scores = reader(tuple[tuple[float | str, Count, Count], ...])
"""For scores such as NaN and infinity, which JSON has no numbers for."""
_read_priors = reader(tuple[float | str, ...])
_read_block_scores = reader(tuple[tuple[float | str, ...], ...])
_read_tags = reader(dict[str, str])


def unread_sql(table: str = "verdicts") -> str:
    """Whether a row of a table of verdicts is a written answer that could not be read, in SQL.

    No for a damaged row that has neither.
    """
    statuses, ways = (
        ", ".join(f"'{each.value}'" for each in those)
        for those in (UNREAD, [each for each in Scoring if each.written])
    )
    return f"ifnull({table}.status IN ({statuses}) AND {table}.scoring IN ({ways}), 0)"


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """A verdict with all that is recorded of it."""

    seq: int
    """Its position in run order."""
    verdict: Verdict
    blocks: RecordedBlocks | None
    measured: Mapping[str, object]
    """The columns `MEASURED_COLUMNS`."""


class _VerdictRow(msgspec.Struct, array_like=True):
    """The columns of the table `verdicts` that are read back."""

    item: str
    layer: str
    setting: str
    options: str
    scores: str
    answer: Count | None
    gold: Count | None
    status: Status
    scoring: Scoring
    text: str
    tags: str
    digest: str
    answers: str | None
    """Of multiple select alone."""
    golds: str | None
    output_tokens: Count
    priors: str | None
    permutation: str | None


class _MeasuredRow(msgspec.Struct, array_like=True):
    """The columns of the table `verdicts` that say how an answer was got."""

    prompt_hash: str
    seconds: float | None
    form: Form | None
    prompt_tokens: Count | None
    batch: Count | None


MEASURED_COLUMNS = _MeasuredRow.__struct_fields__
VERDICT_COLUMNS = ", ".join(_VerdictRow.__struct_fields__)


def verdict_row(verdict: Verdict, blocks: RecordedBlocks | None = None) -> dict[str, object]:
    """A verdict and what blocks said, where they were read, as columns of the table `verdicts`.

    `right`, `credit`, `settles_at` and `class` are for those who read the file with SQL, and are
    never read back; the last two are of the raw lens.
    """
    right, several = verdict.right, verdict.multiple
    row: dict[str, object] = {
        "item": replace_surrogates(verdict.item),
        "layer": verdict.layer,
        "setting": json.dumps(verdict.setting.changed),
        "options": json.dumps(verdict.options),
        "scores": json.dumps([[_written(s.logprob), s.tokens, s.bytes] for s in verdict.scores]),
        "answer": verdict.answer,
        "gold": verdict.gold,
        "right": None if right is None else int(right),
        "status": verdict.status.value,
        "scoring": verdict.scoring.value,
        "text": replace_surrogates(verdict.text),
        "tags": json.dumps(dict(verdict.tags)),
        "digest": verdict.digest,
        "answers": json.dumps(verdict.answers) if several else None,
        "golds": json.dumps(verdict.golds) if several else None,
        "credit": verdict.credit,
        "output_tokens": verdict.output_tokens,
        "priors": priors_text(verdict.priors),
        "permutation": json.dumps(verdict.order) if verdict.order else None,
    }
    if blocks is None:
        return row
    depth = verdict_depth(verdict, blocks.answers)
    trajectory = None if depth.trajectory is None else depth.trajectory.value
    return row | {
        "block_answers": json.dumps(blocks.answers),
        "block_scores": _rows_text(blocks.scores),
        "settles_at": depth.prediction_depth,
        "class": trajectory,
    }


def priors_text(priors: Sequence[float]) -> str | None:
    """Priors of options as the column of the table `verdicts`."""
    return json.dumps([_written(prior) for prior in priors]) if priors else None


def _rows_text(rows: OptionRows) -> str | None:
    # Without blanks: a large model has hundreds of scores for a question.
    written = [[_written(score) for score in row] for row in rows]
    return json.dumps(written, separators=(",", ":")) if rows else None


def verdict_of(columns: Sequence[object], where: str) -> Verdict:
    """The verdict in `VERDICT_COLUMNS`.

    Raises `RunError` naming the store `where` for a row that `verdict_row` cannot have written.
    """
    try:
        row = msgspec.convert(columns, ready(_VerdictRow))
        options = _options(row.options)
        scores = _scores(row.scores)
        priors = _read_priors(row.priors) if row.priors else ()
        count = len(options)
        if (scores and len(scores) != count) or (priors and len(priors) != count):
            raise ValueError("not a score for each option")
        answers = _read_indices(row.answers) if row.answers else ()
        golds = _read_indices(row.golds) if row.golds else ()
        if answers or golds:
            _check_picks(answers, options)
            _check_picks(golds, options)
        if (row.answer or 0) >= count or (row.gold or 0) >= count:
            raise ValueError("no index of an option")
        order = _read_indices(row.permutation) if row.permutation else ()
        if order and sorted(order) != list(range(count)):
            raise ValueError("no order of the options")
        # In the order of the fields: their names would take a fifth of the time of all this.
        return Verdict(
            row.item,
            intern(row.layer),
            _setting(row.setting),
            options,
            scores,
            row.answer,
            row.gold,
            row.status,
            row.scoring,
            row.text,
            _tags(row.tags),
            row.digest,
            row.answers is not None,
            answers,
            golds,
            row.output_tokens,
            tuple(map(float, priors)) if priors else (),
            order,
        )
    except DAMAGED as error:
        raise damaged_verdict(columns[0], columns[1], where) from error


def damaged_verdict(item: object, layer: object, where: str | Path) -> RunError:
    """The error for a verdict that this program cannot have written."""
    return RunError(
        f"The verdict on item {item}, layer {layer}, is damaged.",
        where=where,
        hint="Ask or import the run again.",
    )


@gc_paused()
def verdicts_of(rows: Iterable[Sequence[object]], where: str) -> list[Verdict]:
    """Verdicts from rows of `VERDICT_COLUMNS`; raises `RunError`."""
    return [verdict_of(row, where) for row in rows]


@gc_paused()
def placed_verdicts_of(rows: Iterable[Sequence[Any]], where: str) -> dict[int, Verdict]:
    """Verdicts by their positions, from rows of `seq` and `VERDICT_COLUMNS`; raises `RunError`."""
    placed = {}
    for seq, *row in rows:
        # SQLite keeps a text in a column of integers, too.
        if not isinstance(seq, int):
            raise damaged_verdict(row[0], row[1], where)
        placed[seq] = verdict_of(row, where)
    return placed


def measured_row(columns: Sequence[object], where: str) -> dict[str, object]:
    """The values of `MEASURED_COLUMNS` by name.

    Raises `RunError` naming the store `where` for values that this program cannot have written.
    """
    try:
        row = msgspec.convert(columns, ready(_MeasuredRow))
    except DAMAGED as error:
        raise RunError(
            "How an answer of this run was got is damaged.",
            where=where,
            hint="Ask or import the run again.",
        ) from error
    return {name: getattr(row, name) for name in MEASURED_COLUMNS}


def blocks_of_row(
    answers_text: object, scores_text: object, verdict: Verdict, blocks: int, where: str
) -> RecordedBlocks:
    """What blocks said, as `verdict_row` wrote it in the columns `block_answers`, `block_scores`.

    Raises `RunError` naming the store `where` for a text that it cannot have written.
    """
    try:
        answers = decoded(msgspec.convert(answers_text, str), tuple[tuple[Count, ...], ...])
        for picks in answers:
            _check_picks(picks, verdict.options)
            if len(picks) > 1 and not verdict.multiple:
                raise ValueError("several answers where one can be")
        if len(answers) != blocks:
            raise ValueError("not an answer for each block")
        scores = _block_scores(scores_text, blocks, len(verdict.options))
    except DAMAGED as error:
        raise RunError(
            f"What the blocks said of item {verdict.item}, layer {verdict.layer}, is damaged.",
            where=where,
            hint="Ask the run again.",
        ) from error
    return RecordedBlocks(answers, scores)


def _block_scores(text: object, blocks: int, options: int) -> OptionRows:
    """Scores of options after blocks; empty where none are recorded, or one of `DAMAGED`."""
    if text is None:
        return ()
    rows = _read_block_scores(msgspec.convert(text, str))
    if [len(row) for row in rows] != [options] * blocks:
        raise ValueError("not a score for each option after each block")
    return tuple(tuple(map(float, row)) for row in rows)


def _scores(text: str) -> tuple[OptionScore, ...]:
    """Scores of options; raises one of `DAMAGED`."""
    try:
        scores = _read_scores(text)
    except DAMAGED:
        written = _read_written_scores(text)
        return tuple([OptionScore(float(sum_), tokens, size) for sum_, tokens, size in written])
    for _logprob, tokens, size in scores:
        if tokens < 0 or size < 0:
            raise ValueError("a negative length")
    return scores


# Most verdicts of a run share these, so they are read and held once.
@lru_cache(maxsize=256)
def _setting(text: str) -> Setting:
    return Setting(decoded(text, NamedValues))


@lru_cache(maxsize=256)
def _options(text: str) -> tuple[str, ...]:
    options = decoded(text, tuple[str, ...])
    if not 0 < len(options) <= MOST_OPTIONS:
        raise ValueError("no options, or too many")
    return options


# Verdicts about the same case share these, in any order.
@lru_cache(maxsize=20_000)
def _tags(text: str) -> Tags:
    return Tags(_read_tags(text))


def _check_picks(picks: Sequence[int], options: Sequence[str]) -> None:
    """Raise `ValueError` unless the indices ascend and are those of options."""
    if list(picks) != sorted(set(picks)) or (picks and picks[-1] >= len(options)):
        raise ValueError("no indices of options")


def _written(logprob: float) -> float | str:
    """A number as JSON has it, or the name of one that JSON lacks ("nan", "-inf")."""
    return logprob if math.isfinite(logprob) else str(logprob)
