"""The kinds of studies: what each does with a subject, and what it reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.studies.conducting import StudyWork
from core.studies.direction_report import direction_report
from core.studies.direction_study import direction_work
from core.studies.heads import heads_report, heads_work
from core.studies.plan import Study, StudyPlan
from core.studies.probe_study import probe_report, probe_work
from core.studies.report import StudyReport
from core.studies.subject import Subject
from core.studies.trace import PART, PARTS, trace_report, trace_work
from core.text.errors import RunError
from core.text.language import N_, _


@dataclass(frozen=True, slots=True)
class StudyKind:
    """A kind of study."""

    name: str
    """How it is typed, and what its ids begin with."""
    title: str
    work: Callable[[Subject, StudyPlan], StudyWork]
    """The work of a study with this plan."""
    report: Callable[[Study], StudyReport]
    """What a study shows once it has a result."""
    variants: tuple[tuple[str, Mapping[str, str]], ...] = ()
    """Ways of conducting it that a screen offers, each with its options; empty for one without."""


KINDS: Mapping[str, StudyKind] = {
    kind.name: kind
    for kind in (
        StudyKind(
            "trace",
            N_("Trace by role and block"),
            trace_work,
            trace_report,
            tuple((part.value, {PART: part.value}) for part in PARTS),
        ),
        StudyKind("heads", N_("Attention heads"), heads_work, heads_report),
        StudyKind("probe", N_("Probes"), probe_work, probe_report),
        StudyKind("direction", N_("Directions"), direction_work, direction_report),
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
    except (LookupError, TypeError, ValueError) as error:
        raise RunError(
            _("The result of study {study} is damaged.", study=study.id),
            hint=_("Conduct it again with --restart."),
        ) from error
