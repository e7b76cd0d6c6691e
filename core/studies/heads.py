"""The head study: what each attention head does to the answer, over all valid pairs."""

from __future__ import annotations

from typing import Any

from core.blocks.edits import check_part
from core.models.blocks import Part
from core.studies.cell_report import (
    cell_map,
    cell_table,
    finding,
    interval_text,
    method,
    p_text,
)
from core.studies.cells import MeasuredCells, cell_figures
from core.studies.conducting import StudyWork
from core.studies.pair_study import MeasuredPairs, pair_work
from core.studies.plan import Study, StudyPlan
from core.studies.report import StudyReport
from core.studies.subject import Subject
from core.studies.traced_pairs import CopyRequest, copy_heads
from core.text.language import _
from core.text.shown_number import ShownNumber

MOST_NAMED = 10
"""Heads that are named with their figures."""


def heads_work(subject: Subject, plan: StudyPlan) -> StudyWork:
    """The work of a head study; raises `SettingError` where heads cannot be changed."""
    check_part(Part.HEAD, 0, subject.access)

    async def measure(request: CopyRequest) -> MeasuredCells:
        return await copy_heads(subject, request)

    def figures(measured: MeasuredPairs) -> dict[str, Any]:
        blocks, heads = subject.access.blocks, subject.access.heads
        cells = cell_figures(measured.valid, [str(block) for block in range(blocks)], heads)
        return (
            {"blocks": list(range(blocks)), "heads": list(range(heads))}
            | cells
            | {"top": _top(cells)}
        )

    return pair_work(subject, plan, measure, figures)


def _top(figures: dict[str, Any]) -> list[dict[str, Any]]:
    """The heads with the largest effects beyond their controls, the largest first."""
    heads = [
        {
            "block": block,
            "head": head,
            "effect": effect,
            "interval": figures["interval"][block][head],
            "control": figures["control"][block][head],
            "difference": figures["difference"][block][head],
            "p": figures["p"][block][head],
        }
        for block, row in enumerate(figures["effect"])
        for head, effect in enumerate(row)
        if effect is not None
    ]
    return sorted(heads, key=_size, reverse=True)[:MOST_NAMED]


def _size(head: dict[str, Any]) -> float:
    """How much a head does beyond its control; by itself where no test of that was made."""
    beyond: float = head["effect"] if head["p"] is None else head["difference"]
    return abs(beyond)


def heads_report(study: Study) -> StudyReport:
    """What a head study found, as a map of blocks by heads."""
    result = study.result or {}
    blocks = [str(block) for block in result["blocks"]]
    heads = [str(head) for head in result["heads"]]
    largest = finding(result, blocks, heads, _("Head {column} of block {row}"))
    top = "; ".join(
        _(
            "head {head} of block {block} {effect:+.2f}{interval}, control {control}, p {p}",
            head=head["head"],
            block=head["block"],
            effect=head["effect"],
            interval=interval_text(head["interval"]),
            control="–" if head["control"] is None else f"{ShownNumber(head['control']):+.2f}",
            p=p_text(head["p"]),
        )
        for head in result["top"]
    )
    findings = (largest, *((_("The heads that do most: {top}.", top=top),) if top else ()))
    copied = _(
        "Copied into the contrast prompt's run: one head's output at every position, before the "
        "output projection."
    )
    how = method(study, result, copied)
    title = _(
        "{benchmark} · {layer} · effect of every head",
        benchmark=study.plan.benchmark,
        layer=study.plan.layer,
    )
    return StudyReport(
        title=title,
        findings=findings,
        method=how,
        table=cell_table(result, blocks, heads, ("block", "head")),
        picture=cell_map(
            title,
            result,
            [_("block {block}", block=block) for block in blocks],
            heads,
            _("head"),
            (*findings, *how),
        ),
    )
