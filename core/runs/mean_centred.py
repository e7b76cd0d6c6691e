"""The lens of a run's questions less their mean: what a block says of one and not of all."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from core.blocks.calibration import CalibratedLens, clear_leader, mean_rows
from core.contract.question import Verdict
from core.runs.option_order import scored_texts
from core.runs.records import RecordedBlocks
from core.text.language import N_

LEAST_QUESTIONS = 10
"""Over fewer questions a mean says more about each of them than about what they share."""


class NotCentred(StrEnum):
    """Why the questions of a task layer are not compared with their mean."""

    MULTIPLE = N_("several options may be right at once")
    OPTIONS_DIFFER = N_("the options differ from question to question")
    OTHER_SCORING = N_("the answer is not the option with the highest log-likelihood")
    NOT_RECORDED = N_("scores after each block were not recorded for every answer")
    FEW = N_("fewer than 10 questions have scores after each block")


def mean_centred(
    read: Sequence[tuple[Verdict, RecordedBlocks]],
) -> list[CalibratedLens] | NotCentred:
    """The lens of each question of a task layer less the mean of all, or why there is none.

    Means are taken block by block and option by option, over the questions whose scores are all
    finite. An option is the text that was scored: of letters the one that was shown at its place.
    So the options of a lens stand in the order of their texts, and `gold` is an index of them.
    """
    if any(verdict.multiple for verdict, _ in read):
        return NotCentred.MULTIPLE
    texts = [scored_texts(verdict) for verdict, _ in read]
    if len({tuple(sorted(asked)) for asked in texts}) > 1:
        return NotCentred.OPTIONS_DIFFER
    if not all(blocks.scores for _, blocks in read):
        return NotCentred.NOT_RECORDED
    orders = [sorted(range(len(asked)), key=asked.__getitem__) for asked in texts]
    rows = [
        tuple(tuple(row[option] for option in order) for row in blocks.scores)
        for order, (_, blocks) in zip(orders, read, strict=True)
    ]
    mean = mean_rows(rows, LEAST_QUESTIONS)
    if mean is None:
        return NotCentred.FEW
    lenses = []
    for (verdict, _), order, scores in zip(read, orders, rows, strict=True):
        answer = clear_leader(scores[-1])
        if answer is not None and order[answer] != verdict.answer:
            return NotCentred.OTHER_SCORING
        gold = None if verdict.gold is None else order.index(verdict.gold)
        lenses.append(CalibratedLens(scores, mean, gold))
    return lenses
