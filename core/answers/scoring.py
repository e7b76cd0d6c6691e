"""Scores an answer: by likelihoods, or by the text that the model wrote."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from string import ascii_uppercase

from core.answers.answer_objects import score_object
from core.answers.cleaner import normalised
from core.contract.question import (
    Answer,
    Question,
    Scoring,
    Verdict,
    score_by_likelihood,
    verdict_on,
)

READER = "5"
"""The number of the rules by which written answers are read, which runs record. It is raised
whenever a reply may be read otherwise than before."""


def score_answer(
    question: Question,
    answer: Answer,
    otherwise: Callable[[Question, Answer], Verdict] = score_by_likelihood,
) -> Verdict:
    """Score a generated answer to a question with options by its text, any other by `otherwise`.

    `otherwise` is the benchmark's own `score`.
    """
    if answer.scoring is Scoring.SCHEMA:
        return score_object(question, answer)
    if answer.scoring is Scoring.GENERATED and not question.open:
        return score_text(question, answer)
    return otherwise(question, answer)


@dataclass(frozen=True, slots=True)
class ReplyNames:
    """What a reply may call the options of a question."""

    names: tuple[str, ...]
    lettered: bool
    """Whether a letter names an option too."""


def reply_names(question: Question) -> ReplyNames:
    """What a reply may call the options of a question."""
    # Where the options are letters, a reply may restate the text beside the letter.
    labels = tuple(ascii_uppercase[: len(question.options)])
    restated = question.options == labels and len(question.meanings) == len(labels)
    names = question.meanings if restated else question.options
    return ReplyNames(names, restated or shows_letters(question))


def score_text(question: Question, answer: Answer, named: ReplyNames | None = None) -> Verdict:
    """Score an answer by the options that `core.answers.reader` reads in its text.

    `named` is what a reply may call them, where the text of the question is not at hand.
    """
    # The reader's patterns take a while to compile, which would delay the first screen.
    from core.answers.reader import read

    named = named or reply_names(question)
    reading = read(
        answer.text,
        named.names,
        multiple=question.multiple,
        complete=answer.complete,
        lettered=named.lettered,
    )
    return verdict_on(question, answer, reading.status, reading.picked)


def shows_letters(question: Question) -> bool:
    """Whether the question offers its options by letters: "A)" or "(A)", "A.", "A:" and so on."""
    prompt = normalised(f"{question.instruction}\n{question.text}")
    letters = ascii_uppercase[: len(question.options)]
    return bool(letters) and all(
        re.search(rf"(?<![^\W_]){letter}\s?[).:,]", prompt) for letter in letters
    )
