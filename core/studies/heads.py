"""The head study: what each attention head does to the answer, over all valid pairs.

Beside the effect of copying a head stands its direct attribution: what it adds by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.blocks.edits import check_part
from core.layout.figures import p_text
from core.models.blocks import Part
from core.studies.cell_report import cell_map, cell_table, finding, interval_text, method
from core.studies.cells import MeasuredCells, cell_figures
from core.studies.conducting import StudyWork
from core.studies.head_attribution import ATTRIBUTION, attribution_figures
from core.studies.pair_study import MeasuredPairs, pair_work
from core.studies.plan import Study, StudyPlan
from core.studies.report import StudyReport, StudyTable, layer_shown
from core.studies.subject import Subject
from core.studies.traced_pairs import CopyRequest, copy_heads
from core.text.language import _, fill
from core.text.quantities import items_in_words
from core.text.shown_number import ShownNumber

COLUMNS = (ATTRIBUTION, "attribution_low", "attribution_high", "n_attribution")
"""The columns of attribution, after those of the effect."""
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
        cells |= attribution_figures(measured.valid, measured.attributions, blocks, heads)
        return (
            {"blocks": list(range(blocks)), "heads": list(range(heads))}
            | cells
            | {"top": _top(cells)}
        )

    return pair_work(subject, plan, measure, figures, attributes=subject.access.attribution)


def _top(figures: dict[str, Any]) -> list[dict[str, Any]]:
    """The heads with the largest effects beyond their controls, the largest first.

    A head whose control does as much is not among them.
    """
    heads = [
        {
            "block": block,
            "head": head,
            "effect": effect,
            "interval": figures["interval"][block][head],
            "control": figures["control"][block][head],
            "difference": figures["difference"][block][head],
            "p": figures["p"][block][head],
            ATTRIBUTION: figures[ATTRIBUTION][block][head],
            "attribution_interval": figures["attribution_interval"][block][head],
        }
        for block, row in enumerate(figures["effect"])
        for head, effect in enumerate(row)
        if effect is not None
    ]
    beyond = [head for head in heads if _size(head) > 0]
    return sorted(beyond, key=_size, reverse=True)[:MOST_NAMED]


def _size(head: dict[str, Any]) -> float:
    """How much a head does beyond its control, below 0 where the control does more of the same.

    By itself where it has no control.
    """
    effect: float = head["effect"]
    beyond: float | None = head["difference"]
    if beyond is None:
        return abs(effect)
    return beyond if effect >= 0 else -beyond


def heads_report(study: Study) -> StudyReport:
    """What a head study found, as a map of blocks by heads."""
    result = study.result or {}
    blocks = [str(block) for block in result["blocks"]]
    heads = [str(head) for head in result["heads"]]
    largest = finding(result, blocks, heads, _("Head {column} of block {row}"))
    top = [
        _(
            "Head {head} of block {block}: {effect:+.2f}{interval}, control {control}, p {p}"
            "{attribution}.",
            head=head["head"],
            block=head["block"],
            effect=head["effect"],
            interval=interval_text(head["interval"]),
            control="–" if head["control"] is None else f"{ShownNumber(head['control']):+.2f}",
            p=p_text(head["p"]),
            attribution=_added(head),
        )
        for head in result["top"]
    ]
    most = _("The heads that do most:")
    if result.get("n_attribution"):
        most = _("The heads that do most, and what each adds by itself in logits:")
    findings = (
        largest,
        *((most, *top) if top else ()),
        *_largest_attribution(result),
    )
    copied = _(
        "Copied into the contrast prompt's run: one head's output at every position, before the "
        "output projection."
    )
    how = method(study, result, copied, *_how_attributed(result))
    title = _(
        "{benchmark} · {layer} · effect of every head",
        benchmark=study.plan.benchmark,
        layer=layer_shown(study.plan.benchmark, study.plan.layer),
    )
    return StudyReport(
        title=title,
        findings=findings,
        method=how,
        table=_with_attribution(cell_table(result, blocks, heads, ("block", "head")), result),
        picture=cell_map(
            title,
            result,
            [_("block {block}", block=block) for block in blocks],
            heads,
            _("head"),
            (*findings, *how),
        ),
    )


def _added(head: Mapping[str, Any]) -> str:
    """What a head adds by itself, behind its effect; empty where that is not known."""
    if head.get(ATTRIBUTION) is None:
        return ""
    return _(
        ", adds {attribution:+.2f}{interval}",
        attribution=head[ATTRIBUTION],
        interval=interval_text(head["attribution_interval"]),
    )


def _largest_attribution(result: Mapping[str, Any]) -> tuple[str, ...]:
    """A sentence on the head with the largest attribution, for or against the right option."""
    known = [
        (abs(value), block, head)
        for block, row in enumerate(result.get(ATTRIBUTION, ()))
        for head, value in enumerate(row)
        if value is not None
    ]
    if not known:
        return ()
    _size, block, head = max(known)
    value = result[ATTRIBUTION][block][head]
    sentence = _(
        "Attribution: head {head} of block {block} adds most by itself for the right option, "
        "{value:.2f} logits{interval} (n {n})."
    )
    if value < 0:
        sentence = _(
            "Attribution: head {head} of block {block} adds most by itself, against the right "
            "option, {value:.2f} logits{interval} (n {n})."
        )
    sign = -1 if value < 0 else 1
    return (
        fill(
            sentence,
            head=head,
            block=block,
            value=abs(value),
            interval=interval_text(result["attribution_interval"][block][head], sign),
            n=result["n_attribution"],
        ),
    )


def _how_attributed(result: Mapping[str, Any]) -> tuple[str, ...]:
    """What attribution is, and of how many items, in a sentence; none for an earlier result."""
    if "n_attribution" not in result:
        return ()
    if result["n"] and not result["n_attribution"]:
        return (_("This model's heads have no attribution: its parts cannot be told apart."),)
    return (
        _(
            "Attribution, known for {items}: what the head's own output adds to the right "
            "option's logit less the other's at the answer position of the item's prompt, the last "
            "norm's scale being fixed; mean and interval as above. It is no effect: nothing is "
            "changed, what the head does by way of later blocks is counted there, and there is no "
            "control.",
            items=items_in_words(result["n_attribution"]),
        ),
    )


def _with_attribution(table: StudyTable, result: Mapping[str, Any]) -> StudyTable:
    """The table with a head's attribution in each row; as it is for an earlier result."""
    if ATTRIBUTION not in result:
        return table
    added = [
        (value, *(interval or (None, None)), result["n_attribution"])
        for values, intervals in zip(
            result[ATTRIBUTION], result["attribution_interval"], strict=True
        )
        for value, interval in zip(values, intervals, strict=True)
    ]
    return StudyTable(
        (*table.columns, *COLUMNS),
        tuple((*row, *own) for row, own in zip(table.rows, added, strict=True)),
        table.title,
    )
