"""A question as other engines carry it along, and the verdict on what they record as its answer."""

from __future__ import annotations

from typing import Any

import msgspec

from core.answers.scoring import ReplyNames, reply_names, score_text
from core.contract.benchmark import Benchmark
from core.contract.question import Answer, Question, Scoring, Verdict
from core.contract.setting import Setting
from core.runs.records import replace_surrogates
from core.system.typed_values import ready

VERSION = 1
"""The version of the form in which questions are written."""
MARK = "commonsense_suite"
"""The field that tells a document of a suite from any other; its value is the version."""
UNKNOWN = -100
"""Stands for the right option where nobody knows it: lm-eval warns of it and counts no answer."""
_DIGEST_LENGTH = 16


class SuiteDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a question but for its prompt. Every field is a column of a data set."""

    commonsense_suite: int
    benchmark: str
    layer: str
    item: str
    position: int
    """Of the question in its layer, counted from 0 in the order of the collection."""
    choices: list[str]
    gold: int
    """Index of the right option; `UNKNOWN` also where several are right."""
    golds: list[int]
    multiple: bool
    open: bool
    names: list[str]
    """What a reply may call the options."""
    lettered: bool
    target: str
    """The right options as text."""
    answer_limit: int
    stop: list[str]
    digest: str
    tags: list[tuple[str, str]]
    setting: list[tuple[str, str]]


def document_of(benchmark: Benchmark, question: Question, position: int) -> SuiteDocument:
    """A question, the one at a position of its layer, as a document of a suite."""
    named = reply_names(question)
    return SuiteDocument(
        commonsense_suite=VERSION,
        benchmark=benchmark.name,
        layer=question.layer,
        item=replace_surrogates(question.item),
        position=position,
        choices=[replace_surrogates(option) for option in question.options],
        gold=UNKNOWN if question.gold is None else question.gold,
        golds=list(question.golds),
        multiple=question.multiple,
        open=question.open,
        names=[replace_surrogates(name) for name in named.names],
        lettered=named.lettered,
        target=replace_surrogates(_target(question)),
        answer_limit=question.answer_limit,
        stop=list(question.stop),
        digest=question.digest(),
        tags=[(key, replace_surrogates(value)) for key, value in question.tags.items()],
        setting=list(question.setting.changed),
    )


def document_from(fields: Any) -> SuiteDocument:
    """A document from the values of an engine's log; raises `ValueError` saying what is wrong."""
    try:
        document = msgspec.convert(fields, ready(SuiteDocument))
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error
    if document.commonsense_suite != VERSION:
        raise ValueError(f"it is of version {document.commonsense_suite}, not {VERSION}")
    count = len(document.choices)
    golds = [*document.golds, *([] if document.gold == UNKNOWN else [document.gold])]
    if not count or not all(0 <= gold < count for gold in golds):
        raise ValueError("the right option is none of the options")
    if len(document.names) != count or len(document.digest) != _DIGEST_LENGTH:
        raise ValueError("options or digest are not whole")
    return document


def question_of(document: SuiteDocument) -> Question:
    """The question of a document, without the words in which it was asked."""
    return Question(
        item=replace_surrogates(document.item),
        layer=document.layer,
        instruction="",
        text="",
        options=tuple(document.choices),
        gold=None if document.multiple or document.gold == UNKNOWN else document.gold,
        golds=tuple(document.golds),
        multiple=document.multiple,
        open=document.open,
        setting=Setting(tuple(document.setting)),
        tags=dict(document.tags),
    )


def verdict_of(benchmark: Benchmark, document: SuiteDocument, answer: Answer) -> Verdict:
    """The verdict on an answer, by the rules that the program's own runs are scored by."""
    question = question_of(document)
    if answer.scoring is Scoring.GENERATED and not document.open:
        named = ReplyNames(tuple(document.names), document.lettered)
        verdict = score_text(question, answer, named)
    else:
        verdict = benchmark.score(question, answer)
    shown = range(len(document.choices)) if document.layer in benchmark.lettered_layers else ()
    return verdict._replace(digest=document.digest, order=tuple(shown))


def _target(question: Question) -> str:
    """The right options as text; of an open question its references."""
    if question.open:
        return " | ".join(question.options)
    return ", ".join(question.options[index] for index in question.right_options)
