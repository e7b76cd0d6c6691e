"""The kinds of studies: what each does with a subject, and what it reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.blocks.trace import TRACED
from core.runs.questions import QuestionSource
from core.studies.conducting import StudyWork
from core.studies.direction_report import direction_report
from core.studies.direction_study import direction_work
from core.studies.heads import heads_report, heads_work
from core.studies.items_behind import ItemsBehind, Place, items_of_cell
from core.studies.moved_questions import items_of_direction
from core.studies.option_states import lacks_probed_options
from core.studies.plan import Study, StudyPlan
from core.studies.probe_report import items_of_probe, probe_report
from core.studies.probe_study import probe_work
from core.studies.report import StudyReport
from core.studies.state_capture import LAYERS, ONE_LAYER
from core.studies.subject import Subject
from core.studies.trace import PART, trace_report, trace_work
from core.studies.world_cases import CONTRAST, EITHER_ANSWER, WORLDS, lacks_contrasts
from core.text.errors import RunError
from core.text.language import N_, _


@dataclass(frozen=True, slots=True)
class StudyKind:
    """A kind of study."""

    name: str
    """How it is typed, and what its ids begin with."""
    title: str
    asks: str
    """What it asks, as a question."""
    needs: str
    """How it finds that out and what it needs, in a sentence."""
    work: Callable[[Subject, StudyPlan], StudyWork]
    """The work of a study with this plan."""
    report: Callable[[Study], StudyReport]
    """What a study shows once it has a result."""
    items: Callable[[Study, StudyReport, Place], ItemsBehind]
    """The items behind a figure of its result."""
    obstacle: Callable[[QuestionSource, str | None], str] = lambda _source, _layer: ""
    """Why the questions of a task layer, None for the usual one, cannot have such a study, in a
    sentence; empty where they can."""
    one_layer: Mapping[str, str] = field(default_factory=dict)
    """Options that a study gets where a person names a task layer."""
    variants: tuple[tuple[str, Mapping[str, str]], ...] = ()
    """Ways of conducting it that a screen offers, each with its options; empty for one without."""


_COPIES = N_(
    "Each is copied in all valid pairs, against a control; it needs items that the model gets "
    "right."
)
_DAMAGED = (LookupError, TypeError, ValueError)
"""The errors of reading a result that this program cannot have written."""
KINDS: Mapping[str, StudyKind] = {
    kind.name: kind
    for kind in (
        StudyKind(
            "trace",
            N_("Trace by role and block"),
            N_("Which part of the prompt carries the answer, and at which block?"),
            _COPIES,
            trace_work,
            trace_report,
            items_of_cell,
            variants=tuple((part.value, {PART: part.value}) for part in TRACED),
        ),
        StudyKind(
            "heads",
            N_("Attention heads"),
            N_("Which attention head brings the answer?"),
            _COPIES,
            heads_work,
            heads_report,
            items_of_cell,
        ),
        StudyKind(
            "probe",
            N_("Probes"),
            N_("Does the model hold the right answer and not say it?"),
            N_(
                "A linear probe reads every block; it needs questions with the same two options, "
                "or with more that the prompt shows, of 10 groups or more, and scikit-learn."
            ),
            probe_work,
            probe_report,
            items_of_probe,
            lacks_probed_options,
            {LAYERS: ONE_LAYER},
        ),
        StudyKind(
            "direction",
            N_("Directions"),
            N_("Does a learned direction move the answer, and what else does it do?"),
            N_(
                "It is learned on half of the groups and added on the others; it needs 10 groups "
                "that have questions with either right answer, or that the benchmark also asks "
                "about in a changed world."
            ),
            direction_work,
            direction_report,
            items_of_direction,
            lacks_contrasts,
            {LAYERS: ONE_LAYER},
            variants=((EITHER_ANSWER, {}), (WORLDS, {CONTRAST: WORLDS})),
        ),
    )
}


def report_of(study: Study) -> StudyReport:
    """What a study found; raises `RunError` for one without a result, and for a damaged one."""
    if study.result is None or study.plan.kind not in KINDS:
        raise RunError(
            _("Study {study} has no result yet.", study=study.id),
            hint=_("Start it again: what was measured is kept."),
        )
    try:
        return KINDS[study.plan.kind].report(study)
    except _DAMAGED as error:
        raise _damaged(study) from error


def items_behind(study: Study, report: StudyReport, place: Place) -> ItemsBehind:
    """The items behind a figure of a study's report; raises `RunError` for a damaged study."""
    try:
        return KINDS[study.plan.kind].items(study, report, place)
    except _DAMAGED as error:
        raise _damaged(study) from error


def _damaged(study: Study) -> RunError:
    return RunError(
        _("The result of study {study} is damaged.", study=study.id),
        hint=_("Conduct it again with --restart."),
    )
