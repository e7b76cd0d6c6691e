"""What a probe study keeps of every question, and the questions behind a block's figures."""

from __future__ import annotations

from collections.abc import Mapping
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
from core.studies.probe import ProbeFinding
from core.studies.ranking import DECIMALS
from core.studies.state_capture import AnswerStates
from core.text.language import _

MOST_SCORES = 500_000
"""Most scores that are kept, over all questions and blocks: some five megabytes of JSON."""
_RIGHT, _WRONG = "✓", "✗"


class ProbedQuestion(msgspec.Struct, frozen=True):
    """A question as the probes saw it that were not fitted on it."""

    item: str
    layer: str
    group: str
    """Questions of one group are never on both sides of a fold."""
    fold: int
    """The fold that held it out; `chosen_blocks` has the block that the fold's training part chose
    at this index."""
    gold: int
    """The index of the right option in `options`."""
    margin: float
    """The model's own: log-likelihood of the second option less that of the first, in nats."""
    model_right: bool
    score: float
    """Log-odds of the second option, from the probe of the block that its fold chose."""
    probe_right: bool
    """Whether `score` is above 0 just where the second option is right."""
    scores: list[float]
    """Log-odds of the second option from the probe of every block, (blocks,)."""


def probed_questions(
    states: AnswerStates, finding: ProbeFinding, seed: int
) -> list[ProbedQuestion]:
    """Every question with its held-out scores; a draw of them where they are very many."""
    scores = np.stack(finding.scores, axis=1)
    folds = np.unique(finding.folds, return_inverse=True)[1]
    questions = []
    for row in kept_rows(len(scores), scores.size, seed):
        case, fold = states.cases[row], int(folds[row])
        second = int(states.labels[row]) == 1
        score = float(scores[row, finding.chosen[fold]])
        questions.append(
            ProbedQuestion(
                item=case.item.id,
                layer=case.question.layer,
                group=case.cluster,
                fold=fold,
                gold=int(second),
                margin=round(float(states.margins[row]), DECIMALS),
                model_right=bool((states.margins[row] > 0) == second),
                score=score,
                probe_right=(score > 0) == second,
                scores=scores[row].tolist(),
            )
        )
    return questions


def kept_rows(questions: int, scores: int, seed: int) -> list[int]:
    """The questions that are kept, in order: a draw where all have more than `MOST_SCORES`."""
    most = max(1, MOST_SCORES * questions // scores)
    if questions <= most:
        return list(range(questions))
    drawn: list[int] = np.sort(np.random.default_rng(seed).permutation(questions)[:most]).tolist()
    return drawn


def items_of_questions(result: Mapping[str, Any], place: Place) -> ItemsBehind:
    """The questions behind a row of the table: first where probe and model disagree.

    Raises LookupError, TypeError or ValueError for a damaged result.
    """
    block = result["blocks"][place.row]["block"]
    first, second = result["options"]
    questions = kept_questions(result, ProbedQuestion)
    if questions is None:
        return not_kept(_("Probe of block {block}", block=block))
    rows = []
    for question in questions:
        score = question.scores[place.row]
        right = (score > 0) == (question.gold == 1)
        agree = right == question.model_right
        note = agreement(right, question.model_right)
        note += " · " + right_option(result, (first, second)[question.gold], question.layer)
        item = ListedItem(question.item, (score, question.margin), note)
        # What the probe says and the model does not is what such a study asks about.
        rows.append(((agree, not right, -abs(score)), item))
    rows.sort(key=lambda row: row[0])
    return ItemsBehind(
        _(
            "Probe of block {block}: {n} questions, held-out log-odds of “{second}” and the "
            "model's margin for it in nats",
            block=block,
            n=len(questions),
            second=second,
        ),
        (_("score"), _("margin")),
        tuple(item for _key, item in rows),
        kept_note(len(questions), result["n"]),
    )


def agreement(probe_right: bool, model_right: bool) -> str:
    """Who is right about a question: "probe ✓ model ✗"."""
    return _(
        "probe {probe} model {model}",
        probe=_RIGHT if probe_right else _WRONG,
        model=_RIGHT if model_right else _WRONG,
    )


def kept_note(kept: int, of: int) -> str:
    """In which order questions stand, and how many of them are kept."""
    order = _(
        "Where probe and model disagree first; then the scores farthest from 0. ✓ is right, ✗ "
        "wrong."
    )
    if kept < of:
        order += " " + _(
            "Kept are {kept:,} of {n:,} questions, drawn with the seed.", kept=kept, n=of
        )
    return order
