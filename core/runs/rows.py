"""Runs and verdicts as rows of the store, and back.

Anybody can write the file of a store, so every value is checked when it is read: a row that this
program cannot have written raises `RunError`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, TypeVar

import msgspec

from core.contract.prompt_template import PromptTemplate
from core.contract.question import Form, OptionScore, Scoring, Status, Tags, Verdict
from core.contract.setting import Setting
from core.contract.summary import Totals
from core.models.protocol import Sampling
from core.runs.blocks import verdict_depth
from core.runs.garbage import without_collection
from core.runs.records import BlockAnswers, Plan, Run, RunState, SkippedItems, replace_surrogates
from core.text.errors import RunError

_T = TypeVar("_T")
_Count = Annotated[int, msgspec.Meta(ge=0)]
_Pairs = tuple[tuple[str, str], ...]
_DAMAGED = (ValueError, RecursionError, OverflowError)


def _reader(kind: type[_T]) -> Callable[[str], _T]:
    """A function that reads JSON of one type, or raises one of `_DAMAGED`."""
    decode = msgspec.json.Decoder(kind).decode

    def read(text: str) -> _T:
        try:
            return decode(text)
        except ValueError:
            return _decoded(text, kind)

    return read


def _decoded(text: str, kind: type[_T]) -> _T:
    # `msgspec.json` refuses lone surrogates, which a text may hold.
    return msgspec.convert(json.loads(text), kind)


_read_indices = _reader(tuple[_Count, ...])
_read_scores = _reader(tuple[tuple[float | str, _Count, _Count], ...])
_read_priors = _reader(tuple[float | str, ...])
_read_tags = _reader(dict[str, str])


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """A verdict with all that is recorded of it."""

    seq: int
    """Its position in run order."""
    verdict: Verdict
    blocks: BlockAnswers | None
    measured: Mapping[str, object]
    """The columns `MEASURED_COLUMNS`."""


class _RunRow(msgspec.Struct, array_like=True):
    """Columns of the table `runs`."""

    id: Annotated[str, msgspec.Meta(pattern=r"\A[a-z0-9-]+\Z")]
    """Safe as a part of a file name."""
    model: str
    fingerprint: str
    benchmark: str
    collection: str
    collection_hash: str
    form: Form
    shots: _Count
    shot_rule: str
    seed: int
    setting: str
    item_limit: _Count | None
    state: RunState
    created: str
    notes: str
    totals: str
    demo: _Count
    scoring: str
    blocks: _Count
    skipped: str | None
    seeds: str | None
    prompts: str | None
    origin: str | None
    server: str | None
    prior: _Count
    engine: str | None
    items: _Count
    """This and what follows is counted, and not a column."""
    verdicts: _Count
    scorings: str | None
    """Joined by commas."""


class _Drawn(msgspec.Struct):
    """The column `seeds` of the table `runs`."""

    order: _Count = 0
    batch: _Count = 0
    gpu: _Count = 0
    chosen: tuple[_Count, ...] = ()
    temperature: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    max_tokens: _Count = 0


class _VerdictRow(msgspec.Struct, array_like=True):
    """The columns of the table `verdicts` that are read back."""

    item: str
    layer: str
    setting: str
    options: str
    scores: str
    answer: _Count | None
    gold: _Count | None
    status: Status
    scoring: Scoring
    text: str
    tags: str
    digest: str
    answers: str | None
    """Of multiple select alone."""
    golds: str | None
    output_tokens: _Count
    priors: str | None
    permutation: str | None


class _MeasuredRow(msgspec.Struct, array_like=True):
    """The columns of the table `verdicts` that say how an answer was got."""

    prompt_hash: str
    seconds: float | None
    form: Form | None
    prompt_tokens: _Count | None
    batch: _Count | None


MEASURED_COLUMNS = _MeasuredRow.__struct_fields__
RUN_COLUMNS = ", ".join(_RunRow.__struct_fields__[:-3])
VERDICT_COLUMNS = ", ".join(_VerdictRow.__struct_fields__)


def plan_row(plan: Plan) -> dict[str, object]:
    """The columns that make two plans equal."""
    return {
        "fingerprint": replace_surrogates(plan.fingerprint),
        "benchmark": plan.benchmark,
        "collection_hash": plan.collection_hash,
        "form": plan.form.value,
        "shots": plan.shots,
        "shot_rule": plan.shot_rule,
        "seed": plan.seed,
        "setting": json.dumps(plan.setting),
        "item_limit": plan.limit,
        "scoring": plan.scoring.value if plan.scoring else "",
        "blocks": plan.blocks,
        "seeds": json.dumps(drawn) if (drawn := _drawn(plan)) else None,
        "prompts": json.dumps([[layer, t.instruction, t.text] for layer, t in plan.prompts])
        if plan.prompts
        else None,
    }


def _drawn(plan: Plan) -> dict[str, float | tuple[int, ...]]:
    """What else identifies how questions are asked, as far as it is not the usual."""
    sampling = plan.sampling
    drawn: dict[str, float | tuple[int, ...]] = {
        "order": plan.order,
        "batch": plan.batch,
        "gpu": plan.gpu_layers,
        "chosen": plan.chosen,
        "temperature": sampling.temperature,
        "max_tokens": sampling.max_tokens,
    }
    return {name: value for name, value in drawn.items() if value}


def run_row(run: Run) -> dict[str, object]:
    """A run as columns of the table `runs`."""
    skipped = run.plan.skipped
    return plan_row(run.plan) | {
        "id": run.id,
        "model": replace_surrogates(run.plan.model),
        "collection": replace_surrogates(run.plan.collection),
        "state": run.state.value,
        "created": run.created,
        "notes": json.dumps(list(run.notes)),
        "totals": json.dumps({layer: [t.right, t.n] for layer, t in run.totals.items()}),
        "demo": int(run.plan.demo),
        "origin": replace_surrogates(run.plan.origin) or None,
        "server": replace_surrogates(run.plan.server) or None,
        "prior": int(run.prior),
        "engine": run.plan.likelihoods or None,
        "skipped": json.dumps([skipped.items, skipped.of]) if skipped else None,
    }


def run_of(columns: Sequence[object], where: str) -> Run:
    """The run in `RUN_COLUMNS`, its numbers of items and verdicts, and its scorings.

    Raises `RunError` naming the store `where` for a row that `run_row` cannot have written.
    """
    try:
        row = msgspec.convert(columns, _RunRow)
        drawn = _decoded(row.seeds or "{}", _Drawn)
        plan = Plan(
            model=row.model,
            fingerprint=row.fingerprint,
            benchmark=row.benchmark,
            collection=row.collection,
            collection_hash=row.collection_hash,
            form=row.form,
            shots=row.shots,
            shot_rule=row.shot_rule,
            seed=row.seed,
            setting=_decoded(row.setting, _Pairs),
            limit=row.item_limit,
            demo=bool(row.demo),
            origin=row.origin or "",
            server=row.server or "",
            likelihoods=row.engine or "",
            scoring=Scoring(row.scoring) if row.scoring else None,
            blocks=row.blocks,
            prompts=tuple(
                (layer, PromptTemplate(instruction, text))
                for layer, instruction, text in _decoded(
                    row.prompts or "[]", tuple[tuple[str, str, str], ...]
                )
            ),
            skipped=SkippedItems(*_decoded(row.skipped, tuple[_Count, _Count]))
            if row.skipped
            else None,
            order=drawn.order,
            batch=drawn.batch,
            gpu_layers=drawn.gpu,
            chosen=drawn.chosen,
            sampling=Sampling(drawn.temperature, drawn.max_tokens),
        )
        totals = _decoded(row.totals, dict[str, tuple[_Count, _Count]])
        return Run(
            id=row.id,
            plan=plan,
            state=row.state,
            created=row.created,
            items=row.items,
            verdicts=row.verdicts,
            scorings=tuple(map(Scoring, sorted(row.scorings.split(",")))) if row.scorings else (),
            notes=_decoded(row.notes, tuple[str, ...]),
            prior=bool(row.prior),
            totals={layer: Totals(right, n) for layer, (right, n) in totals.items()},
        )
    except _DAMAGED as error:
        raise RunError(
            f"The record of run {columns[0]} is damaged.",
            where=where,
            hint="Move the store away, or repair it.",
        ) from error


def verdict_row(verdict: Verdict, answers: BlockAnswers | None = None) -> dict[str, object]:
    """A verdict and its block answers, where blocks were read, as columns of the table `verdicts`.

    `right`, `credit`, `settles_at` and `class` are for those who read the file with SQL, and are
    never read back.
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
    if answers is None:
        return row
    depth = verdict_depth(verdict, answers)
    trajectory = None if depth.trajectory is None else depth.trajectory.value
    return row | {
        "block_answers": json.dumps(answers),
        "settles_at": depth.prediction_depth,
        "class": trajectory,
    }


def priors_text(priors: Sequence[float]) -> str | None:
    """Priors of options as the column of the table `verdicts`."""
    return json.dumps([_written(prior) for prior in priors]) if priors else None


def verdict_of(columns: Sequence[object], where: str) -> Verdict:
    """The verdict in `VERDICT_COLUMNS`.

    Raises `RunError` naming the store `where` for a row that `verdict_row` cannot have written.
    """
    try:
        row = msgspec.convert(columns, _VerdictRow)
        options = _options(row.options)
        scores = _read_scores(row.scores)
        priors = _read_priors(row.priors) if row.priors else ()
        if {len(scores), len(priors)} - {0, len(options)}:
            raise ValueError("not a score for each option")
        answers = _read_indices(row.answers) if row.answers else ()
        golds = _read_indices(row.golds) if row.golds else ()
        for picks in (answers, golds):
            _check_picks(picks, options)
        if max(row.answer or 0, row.gold or 0) >= len(options):
            raise ValueError("no index of an option")
        order = _read_indices(row.permutation) if row.permutation else ()
        if order and sorted(order) != list(range(len(options))):
            raise ValueError("no order of the options")
        return Verdict(
            item=row.item,
            layer=row.layer,
            setting=_setting(row.setting),
            options=options,
            scores=tuple(OptionScore(float(sum_), n, size) for sum_, n, size in scores),
            answer=row.answer,
            gold=row.gold,
            status=row.status,
            scoring=row.scoring,
            text=row.text,
            tags=Tags(_read_tags(row.tags)),
            digest=row.digest,
            multiple=row.answers is not None,
            answers=answers,
            golds=golds,
            output_tokens=row.output_tokens,
            priors=tuple(map(float, priors)),
            order=order,
        )
    except _DAMAGED as error:
        raise RunError(
            f"The verdict on item {columns[0]}, layer {columns[1]}, is damaged.",
            where=where,
            hint="Ask or import the run again.",
        ) from error


@without_collection()
def verdicts_of(rows: Iterable[Sequence[Any]], where: str) -> dict[int, Verdict]:
    """Verdicts by their positions, from rows of `seq` and `VERDICT_COLUMNS`; raises `RunError`."""
    return {seq: verdict_of(row, where) for seq, *row in rows}


def measured_row(columns: Sequence[object], where: str) -> dict[str, object]:
    """The values of `MEASURED_COLUMNS` by name.

    Raises `RunError` naming the store `where` for values that this program cannot have written.
    """
    try:
        row = msgspec.convert(columns, _MeasuredRow)
    except _DAMAGED as error:
        raise RunError(
            "How an answer of this run was got is damaged.",
            where=where,
            hint="Ask or import the run again.",
        ) from error
    return {name: getattr(row, name) for name in MEASURED_COLUMNS}


def block_answers_of(text: object, verdict: Verdict, blocks: int, where: str) -> BlockAnswers:
    """The block answers that `verdict_row` wrote.

    Raises `RunError` naming the store `where` for a text that it cannot have written.
    """
    try:
        answers = _decoded(msgspec.convert(text, str), tuple[tuple[_Count, ...], ...])
        for picks in answers:
            _check_picks(picks, verdict.options)
            if len(picks) > 1 and not verdict.multiple:
                raise ValueError("several answers where one can be")
        if len(answers) != blocks:
            raise ValueError("not an answer for each block")
    except _DAMAGED as error:
        raise RunError(
            f"What the blocks said of item {verdict.item}, layer {verdict.layer}, is damaged.",
            where=where,
            hint="Ask the run again.",
        ) from error
    return answers


# Most verdicts of a run share these, so they are read and held once.
@lru_cache(maxsize=256)
def _setting(text: str) -> Setting:
    return Setting(_decoded(text, _Pairs))


@lru_cache(maxsize=256)
def _options(text: str) -> tuple[str, ...]:
    options = _decoded(text, tuple[str, ...])
    if not options:
        raise ValueError("no options")
    return options


def _check_picks(picks: Sequence[int], options: Sequence[str]) -> None:
    """Raise `ValueError` unless the indices ascend and are those of options."""
    if list(picks) != sorted(set(picks)) or (picks and picks[-1] >= len(options)):
        raise ValueError("no indices of options")


def _written(logprob: float) -> float | str:
    """A number as JSON has it, or the name of one that JSON lacks ("nan", "-inf")."""
    return logprob if math.isfinite(logprob) else str(logprob)
