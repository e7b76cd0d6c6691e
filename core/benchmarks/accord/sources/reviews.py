"""Reviews of pairing templates while browsing: decisions are applied and saved at once."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

from core.benchmarks.accord.sources.pairing_decisions import Choice, Decision, Decisions
from core.benchmarks.accord.sources.pairings import PairingError, PairingTemplate
from core.benchmarks.accord.sources.qa import QuestionItem
from core.contract.review import Review, Suggestion
from core.text.language import _

_EDITED = re.compile(r"(?P<skill>\w+)\((?P<term>[^()]+), (?P<end>source|target)\): (?P<surface>.+)")
EDITED_AS = "skill(term, source or target): surface with {} twice and one [[positive|negative]]"


@dataclass(slots=True, eq=False)
class Reviews:
    """The decisions in one file, which is read when the first question is opened."""

    path: Path
    _decisions: Decisions | None = None
    _lock: Lock = field(default_factory=Lock)

    @property
    def decisions(self) -> Decisions:
        """All decisions so far; raises `DataError` if the file is malformed."""
        with self._lock:
            if self._decisions is None:
                self._decisions = Decisions.read(self.path)
            return self._decisions

    def applied(
        self, item: QuestionItem, skills: Collection[str]
    ) -> tuple[QuestionItem, PairingError | None]:
        """The question with the decisions applied, and None.

        If they are inconsistent with its templates, which may have changed since: the question as
        it is, and the error. Raises `DataError` if the file is malformed.
        """
        decisions = self.decisions
        try:
            return decisions.applied(item, skills), None
        except PairingError as error:
            return item, error

    def suggestions(self, item: QuestionItem) -> tuple[Suggestion, ...]:
        """Every template of a question, as suggested or as edited by the user."""
        listed = []
        for number, template in enumerate(item.pairings):
            decision = self.decisions.of(item, template)
            state = "reviewed" if template.reviewed else "unreviewed"
            shown = template
            if decision is not None:
                state, shown = decision.choice.value, decision.pairing or template
            listed.append(Suggestion(str(number), written(shown), state, decision is not None))
        return tuple(listed)

    def review(
        self, item: QuestionItem, number: int, review: Review, text: str, skills: Collection[str]
    ) -> None:
        """Save a decision about one of the question's templates.

        Raises `PairingError` for an invalid template and `DataError` if the file cannot be
        written; the decisions are then unchanged.
        """
        # Another running program may have saved decisions since.
        template, before = item.pairings[number], Decisions.read(self.path)
        decision = None
        match review:
            case Review.CONFIRM:
                decision = Decision(Choice.CONFIRMED, replace(template, reviewed=True))
            case Review.REJECT:
                decision = Decision(Choice.REJECTED)
            case Review.EDIT:
                pairing = replace(read(text, template), reviewed=True)
                decision = Decision(Choice.EDITED, pairing)
        after = before.changed(item, template, decision)
        if review is Review.EDIT:
            after.applied(item, skills)
        after.save(self.path)
        with self._lock:
            self._decisions = after


def written(template: PairingTemplate) -> str:
    """A pairing template as one line, in the form that `read` parses."""
    return f"{template.skill}({template.term}, {template.end.value}): {template.surface}"


def read(text: str, template: PairingTemplate) -> PairingTemplate:
    """Parse the user's version of `template`; raises `PairingError`."""
    match = _EDITED.fullmatch(" ".join(text.split()))
    if match is None:
        raise PairingError(
            _("This is not a pairing template."),
            hint=_("Write {form}.", form=EDITED_AS),
        )
    return replace(
        template,
        skill=match["skill"],
        term=match["term"].strip(),
        end=type(template.end)(match["end"]),
        surface=match["surface"],
    )
