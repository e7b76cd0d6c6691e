"""The study `probe`: is the right answer linearly decodable after a block, and is that news?"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import numpy as np

from core.files.installation import command_to_add_extra
from core.studies.conducting import Report, StudyProgress, StudyWork
from core.studies.items_behind import ITEMS
from core.studies.option_states import OptionStates, capture_options, option_cases
from core.studies.plan import StudyPlan
from core.studies.probe import FEWEST, ProbeFinding, ProbeVerdict, probe
from core.studies.probe_cases import ProbeCases
from core.studies.probe_fits import Features
from core.studies.probe_words import bag_of_words, option_words
from core.studies.probed_options import NUMBERS_OF_OPTIONS, probed_options
from core.studies.probed_questions import probed_questions
from core.studies.state_capture import (
    KEPT,
    LAYERS,
    ONE_LAYER,
    AnswerStates,
    capture_answers,
    two_option_cases,
)
from core.studies.study_store import KeptValues
from core.studies.subject import Case, Subject
from core.text.errors import SettingError
from core.text.language import N_, _

PROBING = N_("probes")
WORDS, EMBEDDINGS = "bag_of_words", "embedding"


def probe_work(subject: Subject, plan: StudyPlan) -> StudyWork:
    """The work of a probe study: states case by case, then the probes."""

    async def work(kept: KeptValues, report: Report) -> dict[str, Any]:
        _check_installed()
        cases, capture = _asked(subject, plan)
        _check_enough(cases)
        states = await capture(subject, cases, kept, report)
        report(StudyProgress(_(PROBING), 0, 1))
        # In a thread, so that a screen goes on meanwhile.
        if isinstance(states, AnswerStates):
            result = await asyncio.to_thread(probe_answers, states, plan.seed)
        else:
            result = await asyncio.to_thread(probe_options, states, plan.seed)
        kept.drop(KEPT)
        report(StudyProgress(_(PROBING), 1, 1))
        return result

    return work


_Capture = Callable[
    [Subject, Sequence[Case], KeptValues, Report], Awaitable[AnswerStates | OptionStates]
]


def _asked(subject: Subject, plan: StudyPlan) -> tuple[list[Case], _Capture]:
    """The cases, and what reads their states: where the answer stands, or where options do."""
    try:
        cases = two_option_cases(subject, alike=plan.option(LAYERS) != ONE_LAYER)
    except SettingError:
        cases = option_cases(subject)
        if not cases:
            raise
        return cases, capture_options
    return cases, capture_answers


def probe_answers(states: AnswerStates, seed: int) -> dict[str, Any]:
    """The result of questions with the same two options; raises `SettingError` for too few."""
    _check_enough(states.cases)
    surfaces: dict[str, Features] = {
        WORDS: bag_of_words([case.question.text for case in states.cases])
    }
    if states.embeddings is not None:
        surfaces[EMBEDDINGS] = states.embeddings.astype(np.float64)
    blocks = [states.states[:, block] for block in range(states.states.shape[1])]
    task = ProbeCases(blocks, states.labels, states.clusters, states.margins, surfaces)
    finding = probe(task, seed=seed)
    return _document(finding, states) | {
        "options": states.cases[0].question.options,
        ITEMS: probed_questions(states, finding, seed),
    }


def probe_options(states: OptionStates, seed: int) -> dict[str, Any]:
    """The result of questions whose options are probed; raises `SettingError` for too few."""
    _check_enough(states.cases)
    task = states.task({WORDS: option_words([case.question for case in states.cases])})
    finding = probe(task, seed=seed)
    return _document(finding, states) | {
        NUMBERS_OF_OPTIONS: sorted(set(states.counts)),
        "chance": task.chance,
        ITEMS: probed_options(states, finding, seed),
    }


def _check_installed() -> None:
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise SettingError(
            _("Probes need scikit-learn."), hint=command_to_add_extra("studies")
        ) from None


def _check_enough(cases: Sequence[Case]) -> None:
    groups = len({case.cluster for case in cases})
    counts = Counter(case.question.gold for case in cases)
    if cases and len(cases[0].question.options) > 2:
        if groups < FEWEST:
            raise SettingError(
                _(
                    "There are {groups} groups of questions; a probe needs {fewest}.",
                    groups=groups,
                    fewest=FEWEST,
                ),
                hint=_("Read a larger collection, or choose another --task-layer."),
            )
    elif groups < FEWEST or min(counts[0], counts[1]) < FEWEST:
        raise SettingError(
            _(
                "There are {groups} groups with {first} right answers of one kind and {second} of "
                "the other; a probe needs {fewest} of each.",
                groups=groups,
                first=counts[0],
                second=counts[1],
                fewest=FEWEST,
            ),
            hint=_("Read a larger collection, or choose another --task-layer."),
        )


def _document(finding: ProbeFinding, states: AnswerStates | OptionStates) -> dict[str, Any]:
    """The figures as JSON; an interval is null where there are too few groups for one."""
    document = {
        "n": finding.questions,
        "groups": finding.clusters,
        "blocks": [
            {
                "block": number,
                "auc": block.auc.value,
                "interval": block.auc.interval,
                "shuffled_auc": block.shuffled,
                "accuracy": block.accuracy,
            }
            for number, block in enumerate(finding.blocks)
        ],
        "chosen_blocks": finding.chosen,
        "selectivity": finding.selectivity,
        "base_rate": finding.base_rate,
        "accuracy": finding.accuracy,
        "own_accuracy": finding.own_accuracy,
        "verdict": finding.verdict.value,
        "encoded_not_used": finding.verdict is ProbeVerdict.ENCODED_NOT_USED,
        "layers": list(dict.fromkeys(case.question.layer for case in states.cases)),
        "left_out": states.left_out,
    }
    document |= finding.probe.named("auc") | finding.margin.named("margin_auc")
    document |= finding.shuffled.named("shuffled_auc")
    document |= finding.over_margin.named("difference")
    document |= finding.over_shuffled.named("over_shuffled")
    document |= finding.naive.named("naive_difference")
    for name, surface in finding.surfaces.items():
        document |= surface.named(f"{name}_auc")
        document |= finding.over_surfaces[name].named(f"over_{name}")
    return document
