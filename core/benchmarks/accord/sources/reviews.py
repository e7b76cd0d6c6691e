"""What a person decides about pairing templates while they browse, applied and kept at once."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

from core.benchmarks.accord.sources.pairing_decisions import Decisions
from core.benchmarks.accord.sources.pairings import PairingError, PairingTemplate
from core.benchmarks.accord.sources.qa import QuestionItem
from core.contract.review import Review, Suggestion
from core.text.errors import DataError
from core.text.language import _

_EDITED = re.compile(r"(?P<skill>\w+)\((?P<term>[^()]+), (?P<end>source|target)\): (?P<surface>.+)")
EDITED_AS = "skill(term, source or target): surface with {} twice and one [[positive|negative]]"


@dataclass(slots=True, eq=False)
class Reviews:
    """The decisions in one file. They are read when the first question is opened."""

    path: Path
    _decisions: Decisions | None = None
    _lock: Lock = field(default_factory=Lock)

    @property
    def decisions(self) -> Decisions:
        """What was decided so far; raises `DataError` where the file is malformed."""
        with self._lock:
            if self._decisions is None:
                self._decisions = Decisions.read(self.path)
            return self._decisions

    def applied(
        self, item: QuestionItem, skills: Collection[str]
    ) -> tuple[QuestionItem, PairingError | None]:
        """The question with its templates as decided.

        With its templates as they came, and why, where what was decided cannot stand together
        with them: they may have changed since. Raises `DataError` where the file is malformed.
        """
        decisions = self.decisions
        try:
            return decisions.applied(item, skills), None
        except PairingError as error:
            return item, error

    def suggestions(self, item: QuestionItem) -> tuple[Suggestion, ...]:
        """Every template of a question as it was suggested, or as a person edited it."""
        found = []
        for number, template in enumerate(item.pairings):
            decision = self.decisions.of(item, template)
            state = "reviewed" if template.reviewed else "unreviewed"
            shown = template
            if decision is not None:
                state, shown = decision.choice.value, decision.pairing or template
            found.append(Suggestion(str(number), written(shown), state, decision is not None))
        return tuple(found)

    def review(
        self, item: QuestionItem, number: int, review: Review, text: str, skills: Collection[str]
    ) -> None:
        """Keep a decision about one of the question's templates.

        Raises `PairingError` for a template that cannot stand, `DataError` where the file cannot
        be written; nothing is decided then.
        """
        # Another program that is open may have decided since.
        template, before = item.pairings[number], Decisions.read(self.path)
        match review:
            case Review.CONFIRM:
                after = before.confirmed(item, template)
            case Review.REJECT:
                after = before.rejected(item, template)
            case Review.UNDO:
                after = before.undone(item, template)
            case Review.EDIT:
                after = before.edited(item, template, read(text, template), skills)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(
                _("The decisions cannot be saved: {why}.", why=error.strerror),
                where=str(self.path),
            ) from error
        after.save(self.path)
        with self._lock:
            self._decisions = after


def written(template: PairingTemplate) -> str:
    """A pairing template in a line, as `read` takes it."""
    return f"{template.skill}({template.term}, {template.end.value}): {template.surface}"


def read(text: str, template: PairingTemplate) -> PairingTemplate:
    """The pairing template that a person made of `template`; raises `PairingError`."""
    found = _EDITED.fullmatch(" ".join(text.split()))
    if found is None:
        raise PairingError(
            _("This is no pairing template."),
            hint=_("Write {form}.", form=EDITED_AS),
        )
    return replace(
        template,
        skill=found["skill"],
        term=found["term"].strip(),
        end=type(template.end)(found["end"]),
        surface=found["surface"],
    )
