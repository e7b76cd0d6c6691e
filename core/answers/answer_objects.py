"""Answers that a server is made to write as a JSON object: their schema, and their scoring."""

from __future__ import annotations

from typing import Any

import msgspec

from core.answers.cleaner import thinking_of
from core.contract.question import Answer, Question, Status, Verdict, verdict_on
from core.system.typed_values import ready


class _AnswerObject(msgspec.Struct):
    answer: str | list[str]


def answer_schema(question: Question) -> dict[str, Any]:
    """The JSON schema of an answer: one of the options, or several where several may be right."""
    option: dict[str, Any] = {"type": "string", "enum": list(dict.fromkeys(question.options))}
    answer = {"type": "array", "items": option} if question.multiple else option
    return {
        "type": "object",
        "properties": {"answer": answer},
        "required": ["answer"],
        "additionalProperties": False,
    }


def score_object(question: Question, answer: Answer) -> Verdict:
    """Score what was written in answer to `answer_schema`: it has to be that, to the letter."""
    written = answer.text.removeprefix(thinking_of(answer.text))
    try:
        answered = msgspec.json.decode(written, type=ready(_AnswerObject)).answer
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        status = Status.NO_ANSWER if answer.complete else Status.TRUNCATED
        return verdict_on(question, answer, status, ())
    names = [answered] if isinstance(answered, str) else answered
    if not set(names) <= set(question.options):
        return verdict_on(question, answer, Status.OUT_OF_RANGE, ())
    if len(names) != 1 and not question.multiple:
        return verdict_on(question, answer, Status.AMBIGUOUS, ())
    picks = tuple(question.options.index(name) for name in names)
    return verdict_on(question, answer, Status.OK if picks else Status.NO_ANSWER, picks)
