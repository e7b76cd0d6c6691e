"""Runs as rows of the store, and rows as runs.

Anybody can write the file of a store, so every value is checked when it is read: a row that this
program cannot have written raises `RunError`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

import msgspec

from core.contract.prompt_template import PromptTemplate
from core.contract.question import Form, Scoring
from core.contract.summary import Totals
from core.contract.task_layer import MOST_LAYERS
from core.models.protocol import Sampling
from core.runs.columns import DAMAGED, Count, NamedValues, decoded
from core.runs.records import Plan, Run, RunState, SkippedItems, replace_surrogates
from core.system.typed_values import ready
from core.text.errors import RunError

# Tables are drawn with a place for each; llama.cpp takes 512 at most.
MOST_BLOCKS = 4_096
MOST_NOTES = 100_000
_Notes = Annotated[tuple[str, ...], msgspec.Meta(max_length=MOST_NOTES)]
_LayerTotals = Annotated[dict[str, tuple[Count, Count]], msgspec.Meta(max_length=MOST_LAYERS)]


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
    shots: Count
    shot_rule: str
    seed: int
    setting: str
    item_limit: Count | None
    state: RunState
    created: str
    notes: str
    totals: str
    demo: Count
    scoring: str
    blocks: Annotated[int, msgspec.Meta(ge=0, le=MOST_BLOCKS)]
    skipped: str | None
    seeds: str | None
    prompts: str | None
    origin: str | None
    server: str | None
    prior: Count
    engine: str | None
    engine_version: str | None
    items: Count
    """This and what follows is counted, and not a column."""
    verdicts: Count
    layers: Annotated[int, msgspec.Meta(ge=0, le=MOST_LAYERS)]
    scorings: str | None
    """Joined by commas."""


class _Drawn(msgspec.Struct):
    """The column `seeds` of the table `runs`."""

    order: Count = 0
    batch: Count = 0
    gpu: Count = 0
    chosen: tuple[Count, ...] = ()
    temperature: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    max_tokens: Count = 0


RUN_COLUMNS = ", ".join(_RunRow.__struct_fields__[:-4])


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
        row = msgspec.convert(columns, ready(_RunRow))
        drawn = decoded(row.seeds or "{}", _Drawn)
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
            setting=decoded(row.setting, NamedValues),
            limit=row.item_limit,
            demo=bool(row.demo),
            origin=row.origin or "",
            server=row.server or "",
            likelihoods=row.engine or "",
            scoring=Scoring(row.scoring) if row.scoring else None,
            blocks=row.blocks,
            prompts=tuple(
                (layer, PromptTemplate(instruction, text))
                for layer, instruction, text in decoded(
                    row.prompts or "[]", tuple[tuple[str, str, str], ...]
                )
            ),
            skipped=SkippedItems(*decoded(row.skipped, tuple[Count, Count]))
            if row.skipped
            else None,
            order=drawn.order,
            batch=drawn.batch,
            gpu_layers=drawn.gpu,
            chosen=drawn.chosen,
            sampling=Sampling(drawn.temperature, drawn.max_tokens),
        )
        totals = decoded(row.totals, _LayerTotals)
        return Run(
            id=row.id,
            plan=plan,
            state=row.state,
            created=row.created,
            items=row.items,
            verdicts=row.verdicts,
            scorings=tuple(map(Scoring, sorted(row.scorings.split(",")))) if row.scorings else (),
            notes=decoded(row.notes, _Notes),
            prior=bool(row.prior),
            computed_by=row.engine_version or "",
            totals={layer: Totals(right, n) for layer, (right, n) in totals.items()},
        )
    except DAMAGED as error:
        raise RunError(
            f"The record of run {columns[0]} is damaged.",
            where=where,
            hint="Move the store away, or repair it.",
        ) from error
