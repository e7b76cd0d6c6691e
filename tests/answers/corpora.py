"""Replies in the manner of models, with the reading that a person gives them.

Written for these tests. A line of a corpus is [kind of question, reply, reading]; `questions.json`
has the options of each kind. A reading is the letters of the options where they have letters, else
the option's text, or null where a person would not read an answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from core.answers.scoring import score_answer
from core.benchmarks.abspyramid.benchmark import AbsPyramid
from core.benchmarks.abspyramid.task_layers import GENERATION
from core.contract.question import Answer, Question, Scoring

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Reply:
    """A reply, and how a person and the program read it: indices of options, empty for unread."""

    kind: str
    text: str
    person: tuple[int, ...]
    program: tuple[int, ...]

    @property
    def wrong(self) -> bool:
        """Whether the program reads an answer, and not the one that a person reads."""
        return bool(self.program) and self.program != self.person

    @property
    def unread(self) -> bool:
        """Whether a person reads an answer and the program none."""
        return bool(self.person) and not self.program


def read_corpus(name: str) -> list[Reply]:
    """The replies of a corpus, each read by the program as in a run."""
    kinds = json.loads((_FOLDER / "questions.json").read_text(encoding="utf-8"))
    questions = {kind: question_of(kind, asked) for kind, asked in kinds.items()}
    replies = []
    for line in (_FOLDER / name).read_text(encoding="utf-8").splitlines():
        kind, text, reading = json.loads(line)
        question = questions[kind]
        answer = Answer(text=text, scoring=Scoring.GENERATED)
        verdict = score_answer(question, answer, AbsPyramid().score)
        person = _reading(question, reading)
        replies.append(Reply(kind, text, person, verdict.picked_options))
    return replies


def question_of(kind: str, asked: dict[str, Any]) -> Question:
    shown = asked.get("meanings") or (asked["options"] if asked.get("lettered") else [])
    mark = ": " if "meanings" in asked else ") "
    lines = (letter + mark + text for letter, text in zip(ascii_uppercase, shown, strict=False))
    return Question(
        item=kind,
        layer=GENERATION if asked.get("open") else kind,
        instruction="",
        text="\n".join(lines),
        options=tuple(asked["options"]),
        gold=None,
        multiple=asked.get("multiple", False),
        meanings=tuple(asked.get("meanings", ())),
        open=asked.get("open", False),
    )


def _reading(question: Question, reading: str | None) -> tuple[int, ...]:
    if reading is None:
        return ()
    if reading in question.options:
        return (question.options.index(reading),)
    return tuple(ascii_uppercase.index(letter) for letter in reading)
