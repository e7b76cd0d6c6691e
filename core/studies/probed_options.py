"""What a probe of options keeps of every question, and the questions behind a block's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from core.studies.items_behind import (
    ItemsBehind,
    ListedItem,
    Place,
    kept_questions,
    not_kept,
    right_option,
)
from core.studies.option_states import OptionStates, shown_options
from core.studies.probe import ProbeFinding
from core.studies.probed_questions import agreement, kept_note, kept_rows
from core.studies.ranking import DECIMALS
from core.text.language import _

NUMBERS_OF_OPTIONS = "numbers_of_options"
"""What a result of options has, and one of questions with the same two options has not."""


class ProbedOptions(msgspec.Struct, frozen=True):
    """A question's options as the probes saw them that were not fitted on it."""

    item: str
    layer: str
    group: str
    """Questions of one group are never on both sides of a fold."""
    fold: int
    """The fold that held it out; `chosen_blocks` has the block that the fold's training part chose
    at this index."""
    options: list[str]
    """As the prompt shows them, in that order."""
    gold: int
    """The index of the right one."""
    logprobs: list[float]
    """The model's own log-likelihoods, in nats."""
    model_right: bool
    probe_right: bool
    """Whether the right option alone has the highest score in the block that its fold chose."""
    scores: list[list[float]]
    """The log-odds of each option's being right, (blocks, options). Only differences between the
    options of a question mean anything."""


def probed_options(states: OptionStates, finding: ProbeFinding, seed: int) -> list[ProbedOptions]:
    """Every question with its held-out scores; a draw of them where they are very many."""
    scores = np.stack(finding.scores)
    folds = np.unique(finding.folds, return_inverse=True)[1]
    starts = np.cumsum([0, *states.counts])
    questions = []
    for number in kept_rows(len(states.cases), scores.size, seed):
        case, rows = states.cases[number], slice(starts[number], starts[number + 1])
        fold, gold = int(folds[starts[number]]), case.question.gold
        assert gold is not None
        own = states.logprobs[rows].tolist()
        shown = scores[:, rows].tolist()
        questions.append(
            ProbedOptions(
                item=case.item.id,
                layer=case.question.layer,
                group=case.cluster,
                fold=fold,
                options=list(shown_options(case.question)),
                gold=gold,
                logprobs=[round(number, DECIMALS) for number in own],
                model_right=_lead(own, gold) > 0,
                probe_right=_lead(shown[finding.chosen[fold]], gold) > 0,
                scores=shown,
            )
        )
    return questions


def items_of_options(result: Mapping[str, Any], place: Place) -> ItemsBehind:
    """The questions behind a row of the table: first where probe and model disagree.

    Raises LookupError, TypeError or ValueError for a damaged result.
    """
    block = result["blocks"][place.row]["block"]
    questions = kept_questions(result, ProbedOptions)
    if questions is None:
        return not_kept(_("Probe of block {block}", block=block))
    rows = []
    for question in questions:
        lead = _lead(question.scores[place.row], question.gold)
        agree = (lead > 0) == question.model_right
        note = agreement(lead > 0, question.model_right)
        note += " · " + right_option(result, question.options[question.gold], question.layer)
        own = _lead(question.logprobs, question.gold)
        rows.append(((agree, lead <= 0, -abs(lead)), ListedItem(question.item, (lead, own), note)))
    rows.sort(key=lambda row: row[0])
    return ItemsBehind(
        _(
            "Probe of block {block}: {n} questions, the right option's held-out log-odds less the "
            "best other one's, and the model's log-likelihoods likewise, in nats",
            block=block,
            n=len(questions),
        ),
        (_("score"), _("margin")),
        tuple(item for _key, item in rows),
        kept_note(len(questions), result["n"]),
    )


def _lead(figures: Sequence[float], gold: int) -> float:
    """The figure of the right option less the highest of the others."""
    return figures[gold] - max(figure for index, figure in enumerate(figures) if index != gold)
