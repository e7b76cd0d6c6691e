"""Runs and verdicts as rows of the store, and back.

Anybody can write the file of a store, so every value is checked when it is read: a row that this
program cannot have written raises `RunError`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from core.contract.question import Form, OptionScore, Scoring, Status, Verdict
from core.contract.setting import Setting
from core.contract.summary import Totals
from core.runs.blocks import BlockAnswers, verdict_depth
from core.runs.records import Plan, Run, RunState, replace_surrogates
from core.text.errors import RunError

RUN_COLUMNS = (
    "id, model, fingerprint, benchmark, collection, collection_hash, form, shots, shot_rule, seed, "
    "setting, item_limit, state, created, notes, totals, demo, scoring, blocks"
)
VERDICT_COLUMNS = (
    'item, layer, setting, options, scores, answer, gold, "right", status, scoring, text, tags, '
    "digest, answers, golds, credit, output_tokens"
)
BLOCK_COLUMNS = "block_answers, settles_at, class"
_DAMAGED = (ValueError, TypeError, AttributeError, RecursionError, OverflowError)


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
    }


def run_row(run: Run) -> dict[str, object]:
    """A run as the columns of the table `runs`."""
    return plan_row(run.plan) | {
        "id": run.id,
        "model": replace_surrogates(run.plan.model),
        "collection": replace_surrogates(run.plan.collection),
        "state": run.state.value,
        "created": run.created,
        "notes": json.dumps(list(run.notes)),
        "totals": json.dumps({layer: [t.right, t.n] for layer, t in run.totals.items()}),
        "demo": int(run.plan.demo),
    }


def run_of(row: Sequence[Any], where: str) -> Run:
    """The run in a row: `RUN_COLUMNS`, then its numbers of items and verdicts and its scorings.

    The scorings are joined by commas. Raises `RunError` naming the store `where` for a row that
    `run_row` cannot have written.
    """
    (
        run_id, model, fingerprint, benchmark, collection, collection_hash, form, shots, shot_rule,
        seed, setting, limit, state, created, notes, totals, demo, scoring, blocks, items, verdicts,
        scorings,
    ) = row  # fmt: skip
    try:
        plan = Plan(
            model=_text(model),
            fingerprint=_text(fingerprint),
            benchmark=_text(benchmark),
            collection=_text(collection),
            collection_hash=_text(collection_hash),
            form=Form(form),
            shots=_count(shots),
            shot_rule=_text(shot_rule),
            seed=_whole(seed),
            setting=_pairs(_text(setting)),
            limit=None if limit is None else _count(limit),
            demo=bool(_count(demo)),
            scoring=Scoring(scoring) if scoring else None,
            blocks=_count(blocks),
        )
        return Run(
            id=_id(run_id),
            plan=plan,
            state=RunState(state),
            created=_text(created),
            items=_count(items),
            verdicts=_count(verdicts),
            scorings=tuple(map(Scoring, sorted(scorings.split(",")))) if scorings else (),
            notes=_texts(_text(notes)),
            totals=_totals(_text(totals)),
        )
    except _DAMAGED as error:
        name = run_id if isinstance(run_id, str) else repr(run_id)
        raise RunError(
            f"The record of run {name} is damaged.",
            where=where,
            hint="Move the store away, or repair it.",
        ) from error


def verdict_row(verdict: Verdict) -> tuple[object, ...]:
    """A verdict as `VERDICT_COLUMNS` of the table `verdicts`.

    `answers` and `golds` are there for multiple select alone; "right" and `credit` are for
    those who read the file with SQL, and are never read back.
    """
    right, several = verdict.right, verdict.multiple
    return (
        replace_surrogates(verdict.item),
        verdict.layer,
        json.dumps(verdict.setting.changed),
        json.dumps(verdict.options),
        json.dumps([[_written(s.logprob), s.tokens, s.bytes] for s in verdict.scores]),
        verdict.answer,
        verdict.gold,
        None if right is None else int(right),
        verdict.status.value,
        verdict.scoring.value,
        replace_surrogates(verdict.text),
        json.dumps(dict(verdict.tags)),
        verdict.digest,
        json.dumps(verdict.answers) if several else None,
        json.dumps(verdict.golds) if several else None,
        verdict.credit,
        verdict.output_tokens,
    )


def verdict_of(row: Sequence[Any], where: str) -> Verdict:
    """The verdict that `verdict_row` wrote.

    Raises `RunError` naming the store `where` for a row that it cannot have written.
    """
    (
        item, layer, setting, options, scores, answer, gold, _right, status, scoring, text, tags,
        digest, answers, golds, _credit, output_tokens,
    ) = row  # fmt: skip
    try:
        known = _options(_text(options))
        numbers = json.loads(_text(scores))
        if len(numbers) not in {0, len(known)}:
            raise ValueError("not a score for each option")
        return Verdict(
            item=_text(item),
            layer=_text(layer),
            setting=_setting(_text(setting)),
            options=known,
            scores=tuple(
                OptionScore(float(logprob), _count(tokens), _count(size))
                for logprob, tokens, size in numbers
            ),
            answer=None if answer is None else _index(answer, known),
            gold=None if gold is None else _index(gold, known),
            status=Status(status),
            scoring=Scoring(scoring),
            text=_text(text),
            tags=_tags(_text(tags)),
            digest=_text(digest),
            multiple=answers is not None,
            answers=_indices(answers, known),
            golds=_indices(golds, known),
            output_tokens=_count(output_tokens),
        )
    except _DAMAGED as error:
        raise RunError(
            f"The verdict on item {item}, layer {layer}, is damaged.",
            where=where,
            hint="Ask or import the run again.",
        ) from error


def block_row(verdict: Verdict, answers: BlockAnswers | None) -> tuple[object, ...]:
    """The block answers of a verdict as `BLOCK_COLUMNS`; NULL where no block was read.

    `settles_at` and `class` are for those who read the file with SQL, and are never read back.
    """
    if answers is None:
        return (None, None, None)
    found = verdict_depth(verdict, answers)
    trajectory = None if found.trajectory is None else found.trajectory.value
    return (json.dumps(answers), found.prediction_depth, trajectory)


def block_answers_of(text: object, verdict: Verdict, blocks: int, where: str) -> BlockAnswers:
    """The block answers that `block_row` wrote.

    Raises `RunError` naming the store `where` for a text that it cannot have written.
    """
    try:
        found = tuple(
            tuple(_index(place, verdict.options) for place in pick)
            for pick in json.loads(_text(text))
        )
        if any(len(pick) > 1 for pick in found) and not verdict.multiple:
            raise ValueError("several answers where one can be")
        if len(found) != blocks:
            raise ValueError("not an answer for each block")
    except _DAMAGED as error:
        raise RunError(
            f"What the blocks said of item {verdict.item}, layer {verdict.layer}, is damaged.",
            where=where,
            hint="Ask the run again.",
        ) from error
    return found


# Most verdicts of a run share these, so they are read and held once.
@lru_cache(maxsize=256)
def _setting(text: str) -> Setting:
    return Setting(_pairs(text))


@lru_cache(maxsize=256)
def _options(text: str) -> tuple[str, ...]:
    found = _texts(text)
    if not found:
        raise ValueError("no options")
    return found


def _id(value: object) -> str:
    """An id as the store makes them, safe as a part of a file name."""
    run_id = _text(value)
    if not re.fullmatch(r"[a-z0-9-]+", run_id):
        raise ValueError("no id of a run")
    return run_id


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((_text(key), _text(value)) for key, value in json.loads(text))


def _texts(text: str) -> tuple[str, ...]:
    found = json.loads(text)
    if not isinstance(found, list):
        raise TypeError("no list")
    return tuple(map(_text, found))


def _tags(text: str) -> Mapping[str, str]:
    return {key: _text(value) for key, value in json.loads(text).items()}


def _totals(text: str) -> Mapping[str, Totals]:
    found = json.loads(text).items()
    return {layer: Totals(_count(right), _count(n)) for layer, (right, n) in found}


def _indices(value: object, options: Sequence[str]) -> tuple[int, ...]:
    if value is None:
        return ()
    found = tuple(_index(index, options) for index in json.loads(_text(value)))
    if list(found) != sorted(set(found)):
        raise ValueError("not ascending")
    return found


def _index(value: object, options: Sequence[str]) -> int:
    index = _count(value)
    if index >= len(options):
        raise ValueError(f"there is no option {index}")
    return index


def _count(value: object) -> int:
    number = _whole(value)
    if number < 0:
        raise ValueError(f"{number} is below 0")
    return number


def _whole(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise TypeError(f"{type(value)} is no whole number")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise TypeError(f"{type(value)} is no text")


def _written(logprob: float) -> float | str:
    """A number as JSON has it, or the name of one that JSON lacks ("nan", "-inf")."""
    return logprob if math.isfinite(logprob) else str(logprob)
