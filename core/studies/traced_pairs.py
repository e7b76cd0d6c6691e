"""Measures the pairs of a study: what copying does in a contrast run, cell by cell."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial

from core.contract.question import Prompt
from core.models.blocks import Part, TraceBase, TraceCell, margin
from core.studies.cells import MeasuredCase, MeasuredCells
from core.studies.conducting import Report, StudyProgress
from core.studies.pairs import Donors, Pair, Pairs
from core.studies.report import layer_shown
from core.studies.study_store import KeptValues
from core.studies.subject import Case, Subject
from core.text.language import N_, _

TRACING, CONTROLLING = N_("traces"), N_("controls")
RIGHT, WRONG = N_("right in every layer"), N_("wrong here")
"""What the items are split by, beside the first task layer that fails."""


@dataclass(frozen=True, slots=True)
class CopyRequest:
    """What is copied from one prompt's run into another's."""

    source: Prompt
    target: Prompt
    options: tuple[str, ...]
    pair: Pair


Measure = Callable[[CopyRequest], Awaitable[MeasuredCells]]
"""Measures every cell of a copy."""


async def measure_pairs(
    subject: Subject,
    cases: Sequence[Case],
    pairs: Pairs,
    kept: KeptValues,
    seed: int,
    measure: Measure,
    report: Report,
) -> list[MeasuredCase]:
    """Measure every pair and its control; what is in `kept` is not measured again."""
    effects: dict[str, MeasuredCells] = {}
    controls: dict[str, MeasuredCells] = {}
    for phase, prefix, measured in (
        (TRACING, "effects", effects),
        (CONTROLLING, "control", controls),
    ):
        # A control copies from the prompt of any other item.
        donors = Donors(cases, pairs, seed) if measured is controls else None
        for number, pair in enumerate(pairs.pairs, 1):
            item = pair.case.item.id
            donor = None if donors is None else donors.of(pair)
            if donors is None or donor is not None:
                source = pair.case.question if donor is None else donor.question
                request = CopyRequest(
                    subject.prompt(source),
                    subject.prompt(pair.contrast),
                    pair.case.question.continuations(),
                    pair,
                )
                cells = await kept.measured(
                    f"{prefix}/{item}", MeasuredCells, item, partial(measure, request)
                )
                if cells is not None:
                    measured[item] = cells
            report(StudyProgress(_(phase), number, len(pairs.pairs)))
        kept.check_complete()
    return [
        MeasuredCase(
            pair.case.item.id,
            pair.case.cluster,
            effects[pair.case.item.id].rows,
            controls[pair.case.item.id].rows if pair.case.item.id in controls else None,
            group_of(pair),
        )
        for pair in pairs.pairs
    ]


def group_of(pair: Pair) -> str:
    """The group of a pair: wrong here, or by the first task layer that the model gets wrong."""
    if not pair.kept.right:
        return WRONG
    return pair.kept.first_failure or RIGHT


def group_name(benchmark: str, group: str) -> str:
    """A group in words, in the language of the screens."""
    if group in (RIGHT, WRONG):
        return _(group)
    return _("first wrong in “{layer}”", layer=layer_shown(benchmark, group))


async def trace_parts(subject: Subject, request: CopyRequest, part: Part) -> MeasuredCells:
    """The effect of copying each part of the prompt, by role and block, in nats.

    Of several parts with one role it is their mean. The cell that is the readout itself, the last
    part of the residual stream after the last block, is left out.
    """
    parts, blocks = request.pair.parts, subject.access.blocks
    last = max(range(len(parts)), key=lambda index: parts[index].stop)
    sums: dict[str, list[list[float]]] = {p.role: [[] for _ in range(blocks)] for p in parts}
    ranges = [(p.start, p.stop) for p in parts]
    async for span, block, effect in _effects(subject, request, ranges, part, None):
        if part is Part.RESIDUAL and (span, block) == (last, blocks - 1):
            continue
        sums[parts[span].role][block].append(effect)
    return MeasuredCells(
        {
            role: [sum(values) / len(values) if values else None for values in columns]
            for role, columns in sums.items()
        }
    )


async def copy_heads(subject: Subject, request: CopyRequest) -> MeasuredCells:
    """The effect of copying each head's output at every position, by block and head, in nats."""
    blocks, heads = subject.access.blocks, subject.access.heads
    everything = [(0, request.pair.kept.tokens)]
    rows: dict[str, list[float | None]] = {str(block): [None] * heads for block in range(blocks)}
    for head in range(heads):
        async for _span, block, effect in _effects(subject, request, everything, Part.HEAD, head):
            rows[str(block)][head] = effect
    return MeasuredCells(rows)


async def _effects(
    subject: Subject,
    request: CopyRequest,
    ranges: Sequence[tuple[int, int]],
    part: Part,
    head: int | None,
) -> AsyncIterator[tuple[int, int, float]]:
    """What each copy adds to the margin in the target's run: span, block, nats."""
    options = request.pair.kept.options
    plain = 0.0
    cells = subject.blocks.trace(
        request.source, request.target, request.options, ranges, part, head
    )
    async with aclosing(cells):
        async for cell in cells:
            if isinstance(cell, TraceBase):
                plain = margin(cell.contrast, *options)
            elif isinstance(cell, TraceCell):
                yield cell.span, cell.block, margin(cell.scores, *options) - plain
