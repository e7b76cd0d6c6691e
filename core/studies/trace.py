"""The aggregate trace: what each role of a prompt does to the answer, block by block.

The trace of one pair (`core.blocks.trace`) over all valid pairs of a collection: mean effect in
nats by role and block, with the same copies from another item's prompt as a control.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable

from core.blocks.edits import check_part
from core.models.blocks import Part
from core.studies.cell_report import cell_map, cell_table, finding, method
from core.studies.cells import MeasuredCase, MeasuredCells, cell_figures, split_figures
from core.studies.conducting import StudyProgress, StudyResult, StudyWork
from core.studies.pairs import Pairs, find_pairs
from core.studies.plan import Study, StudyPlan
from core.studies.report import StudyReport
from core.studies.role_spans import role_name
from core.studies.study_store import KeptValues
from core.studies.subject import Subject
from core.studies.traced_pairs import (
    WRONG,
    CopyRequest,
    group_name,
    measure_pairs,
    trace_parts,
)
from core.text.language import _

PART = "part"
"""The option that names the part of a block that is copied."""
PARTS = (Part.RESIDUAL, Part.ATTENTION, Part.FEED_FORWARD)
"""The parts that can be averaged by role."""


def trace_work(subject: Subject, plan: StudyPlan) -> StudyWork:
    """The work of an aggregate trace; raises `SettingError` for a part that the model lacks."""
    part = Part(plan.option(PART) or Part.RESIDUAL)
    check_part(part, None, subject.access)

    async def measure(request: CopyRequest) -> MeasuredCells:
        return await trace_parts(subject, request, part)

    async def work(kept: KeptValues) -> AsyncGenerator[StudyProgress | StudyResult, None]:
        # Reading a large collection must not hold up a screen.
        cases = await asyncio.to_thread(subject.cases)
        pairs = Pairs((), {}, {})
        async for step in find_pairs(subject, cases, kept):
            if isinstance(step, Pairs):
                pairs = step
            else:
                yield step
        measured: list[MeasuredCase] = []
        async for each in measure_pairs(subject, cases, pairs, kept, plan.seed, measure):
            if isinstance(each, StudyProgress):
                yield each
            else:
                measured = each
        roles = roles_in_order(pairs)
        yield StudyResult(
            pairs_document(cases_count=len(cases), pairs=pairs, measured=measured)
            | {"roles": roles, "blocks": list(range(subject.access.blocks))}
            | cell_figures(valid(measured), roles, subject.access.blocks)
            | {"split": split_figures(measured, roles, subject.access.blocks)}
        )

    return work


def valid(measured: Iterable[MeasuredCase]) -> list[MeasuredCase]:
    """The cases that the model is right about."""
    return [case for case in measured if case.group != WRONG]


def roles_in_order(pairs: Pairs) -> list[str]:
    """The roles of the valid pairs, by where they stand in the prompts on the average."""
    places: dict[str, list[float]] = {}
    for pair in pairs.right:
        for index, part in enumerate(pair.parts):
            places.setdefault(part.role, []).append(index / len(pair.parts))
    return sorted(places, key=lambda role: sum(places[role]) / len(places[role]))


def pairs_document(
    *, cases_count: int, pairs: Pairs, measured: list[MeasuredCase]
) -> dict[str, object]:
    """How many cases have a valid pair, why the others have none, and the items by themselves."""
    margins = {pair.case.item.id: pair.kept.margins for pair in pairs.pairs}
    return {
        "n": len(valid(measured)),
        "of": cases_count,
        "clusters": len({case.cluster for case in valid(measured)}),
        "excluded": pairs.excluded,
        "items": [
            {
                "item": case.item,
                "cluster": case.cluster,
                "group": case.group,
                "valid": case.group != WRONG,
                "margins": margins[case.item],
                "effects": case.effects,
                "control": case.control,
            }
            for case in measured
        ],
    }


def trace_report(study: Study) -> StudyReport:
    """What an aggregate trace found, as a map of roles by blocks."""
    result = study.result or {}
    roles = [role_name(role) for role in result["roles"]]
    blocks = [str(block) for block in result["blocks"]]
    part = Part(study.plan.option(PART) or Part.RESIDUAL)
    found = finding(
        result, roles, blocks, _("{part} of “{{row}}” in block {{column}}", part=_(part.value))
    )
    copied = _(
        "Copied into the contrast prompt's run: the {part} of each part of the prompt, block by "
        "block; of several parts with one role the mean.",
        part=_(part.value),
    )
    if part is Part.RESIDUAL:
        copied += " " + _("The last part after the last block is the readout itself and left out.")
    groups = "; ".join(
        _("{group}: {n}", group=group_name(group["group"]), n=group["n"])
        for group in result["split"]
    )
    said = method(study, result, copied)
    counted = _(
        "Pairs by the first task layer that is wrong: {groups}.", groups=groups or _("none")
    )
    title = _(
        "{benchmark} · {layer} · effect of the {part} by role and block",
        benchmark=study.plan.benchmark,
        layer=study.plan.layer,
        part=_(part.value),
    )
    return StudyReport(
        title=title,
        findings=(found, counted),
        method=said,
        table=cell_table(result, result["roles"], blocks, ("role", "block")),
        picture=cell_map(title, result, roles, blocks, _("block"), (found, counted, *said)),
        groups=tuple(
            (
                group_name(group["group"]),
                cell_map(title, group, roles, blocks, _("block"), ()),
            )
            for group in result["split"]
        ),
    )
