"""The aggregate trace: what each role of a prompt does to the answer, block by block.

The trace of one pair (`core.blocks.trace`) over all valid pairs of a collection: mean effect in
nats by role and block, with the same copies from another item's prompt as a control.
"""

from __future__ import annotations

from typing import Any

from core.blocks.edits import check_part
from core.models.blocks import Part
from core.studies.cell_report import cell_map, cell_table, finding, method
from core.studies.cells import MeasuredCells, cell_figures, split_figures
from core.studies.conducting import StudyWork
from core.studies.pair_study import MeasuredPairs, pair_work
from core.studies.pairs import Pairs
from core.studies.plan import Study, StudyPlan
from core.studies.report import StudyReport, layer_shown
from core.studies.role_spans import role_name
from core.studies.subject import Subject
from core.studies.traced_pairs import CopyRequest, group_name, trace_parts
from core.text.language import _

PART = "part"
"""The option that names the part of a block that is copied."""


def trace_work(subject: Subject, plan: StudyPlan) -> StudyWork:
    """The work of an aggregate trace; raises `SettingError` for a part that the model lacks."""
    part = Part(plan.option(PART) or Part.RESIDUAL)
    check_part(part, None, subject.access)

    async def measure(request: CopyRequest) -> MeasuredCells:
        return await trace_parts(subject, request, part)

    def figures(measured: MeasuredPairs) -> dict[str, Any]:
        roles, blocks = roles_in_order(measured.pairs), subject.access.blocks
        return (
            {"roles": roles, "blocks": list(range(blocks))}
            | cell_figures(measured.valid, roles, blocks)
            | {"split": split_figures(measured.cases, roles, blocks)}
        )

    return pair_work(subject, plan, measure, figures)


def roles_in_order(pairs: Pairs) -> list[str]:
    """The roles of the valid pairs, or of all where none is, by their mean place in the prompts."""
    places: dict[str, list[float]] = {}
    for pair in pairs.right or pairs.pairs:
        for index, part in enumerate(pair.parts):
            places.setdefault(part.role, []).append(index / len(pair.parts))
    return sorted(places, key=lambda role: sum(places[role]) / len(places[role]))


def trace_report(study: Study) -> StudyReport:
    """What an aggregate trace found, as a map of roles by blocks."""
    result = study.result or {}
    roles = [role_name(role) for role in result["roles"]]
    blocks = [str(block) for block in result["blocks"]]
    part = Part(study.plan.option(PART) or Part.RESIDUAL)
    cell = _("Copying the {part} of “{{row}}” in block {{column}}", part=_(part.value))
    largest = finding(result, roles, blocks, cell)
    copied = _(
        "Copied into the contrast prompt's run: the {part} of each part of the prompt, block by "
        "block; of several parts with one role the mean.",
        part=_(part.value),
    )
    if part is Part.RESIDUAL:
        copied += " " + _(
            "The last part after the last block is where the answer is read, and left out."
        )
    groups = {group_name(study.plan.benchmark, group["group"]): group for group in result["split"]}
    sizes = "; ".join(f"{name}: {group['n']}" for name, group in groups.items())
    how = method(study, result, copied)
    counted = _(
        "All pairs, valid or wrong here, by the first task layer that is wrong: {groups}.",
        groups=sizes or _("none"),
    )
    title = _(
        "{benchmark} · {layer} · effect of the {part} by role and block",
        benchmark=study.plan.benchmark,
        layer=layer_shown(study.plan.benchmark, study.plan.layer),
        part=_(part.value),
    )
    return StudyReport(
        title=title,
        findings=(largest, counted),
        method=how,
        table=cell_table(result, result["roles"], blocks, ("role", "block")),
        picture=cell_map(title, result, roles, blocks, _("block"), (largest, counted, *how)),
        groups=tuple(
            (name, cell_map(title, group, roles, blocks, _("block"), ()))
            for name, group in groups.items()
        ),
    )
