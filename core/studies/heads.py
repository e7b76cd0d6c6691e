"""The head study: what each attention head does to the answer, over all valid pairs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
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
from core.studies.cells import MeasuredCase, MeasuredCells, cell_figures
from core.studies.conducting import StudyProgress, StudyResult, StudyWork
from core.studies.pairs import Pairs, find_pairs
from core.studies.plan import Study, StudyPlan
from core.studies.report import StudyReport
from core.studies.study_store import KeptValues
from core.studies.subject import Subject
from core.studies.trace import pairs_document, valid
from core.studies.traced_pairs import CopyRequest, copy_heads, measure_pairs
from core.text.language import _

MOST_NAMED = 10
"""Heads that are named with their figures."""


def heads_work(subject: Subject, plan: StudyPlan) -> StudyWork:
    """The work of a head study; raises `SettingError` where heads cannot be changed."""
    check_part(Part.HEAD, 0, subject.access)

    async def measure(request: CopyRequest) -> MeasuredCells:
        return await copy_heads(subject, request)

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
        blocks, heads = subject.access.blocks, subject.access.heads
        figures = cell_figures(valid(measured), [str(block) for block in range(blocks)], heads)
        yield StudyResult(
            pairs_document(cases_count=len(cases), pairs=pairs, measured=measured)
            | {"blocks": list(range(blocks)), "heads": list(range(heads))}
            | figures
            | {"top": _top(figures)}
        )

    return work


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
    found = finding(result, blocks, heads, _("Head {column} of block {row}"))
    top = "; ".join(
        _(
            "head {head} of block {block} {effect:+.2f}{interval}, control {control}, p {p}",
            head=each["head"],
            block=each["block"],
            effect=each["effect"],
            interval=interval_text(each["interval"]),
            control="–" if each["control"] is None else f"{each['control']:+.2f}",
            p=p_text(each["p"]),
        )
        for each in result["top"]
    )
    findings = (found, *((_("The heads that do most: {top}.", top=top),) if top else ()))
    copied = _(
        "Copied into the contrast prompt's run: one head's output at every position, before the "
        "output projection."
    )
    said = method(study, result, copied)
    title = _(
        "{benchmark} · {layer} · effect of every head",
        benchmark=study.plan.benchmark,
        layer=study.plan.layer,
    )
    return StudyReport(
        title=title,
        findings=findings,
        method=said,
        table=cell_table(result, blocks, heads, ("block", "head")),
        picture=cell_map(
            title,
            result,
            [_("block {block}", block=block) for block in blocks],
            heads,
            _("head"),
            (*findings, *said),
        ),
    )
