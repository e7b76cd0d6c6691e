"""What a person decided about pairing templates: confirmed, edited or rejected, kept in a file.

A decision belongs to a question as it is asked, not only to its id: once the question or its
choices read otherwise, the template is to be looked at again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec

from core.benchmarks.accord.sources.pairings import (
    PairingError,
    PairingTemplate,
    check_pairings,
    folded,
)
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.trees.skills import End
from core.files import paths
from core.files.atomic import atomic_write
from core.files.regular_file import read_regular
from core.files.rows import decoding_problem
from core.text.errors import DataError
from core.text.escaping import escape_control_characters

LIMIT = 2**26
"""Most bytes of a file of decisions."""

_Key = tuple[str, str, str, End, str]
"""The question's id and digest; skill, end and term of the template that was decided on."""


class Choice(StrEnum):
    """What a person can say of a template."""

    CONFIRMED = "confirmed"
    EDITED = "edited"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one template."""

    choice: Choice
    pairing: PairingTemplate | None
    """The template to use, reviewed; None for one that was rejected."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """Every decision of a person, the latest about each template. It is never changed in place."""

    _made: Mapping[_Key, Decision]

    @classmethod
    def none(cls) -> Decisions:
        """Nothing decided yet."""
        return cls({})

    def __len__(self) -> int:
        """How many templates were decided on."""
        return len(self._made)

    def of(self, item: QuestionItem, template: PairingTemplate) -> Decision | None:
        """What was decided about a template of a question, as it was suggested; None if nothing."""
        return self._made.get(_key(item, template))

    def confirmed(self, item: QuestionItem, template: PairingTemplate) -> Decisions:
        """With a template taken as it is."""
        pairing = replace(template, reviewed=True)
        return self._with(item, template, Decision(Choice.CONFIRMED, pairing))

    def edited(
        self,
        item: QuestionItem,
        template: PairingTemplate,
        instead: PairingTemplate,
        skills: Collection[str],
    ) -> Decisions:
        """With another template in place of one; raises `PairingError` if it cannot stand there.

        Args:
            item: the question, with its templates as they were suggested.
            template: one of these.
            instead: what the person makes of it.
            skills: the names of the skills that there are.
        """
        pairing = replace(instead, reviewed=True)
        changed = self._with(item, template, Decision(Choice.EDITED, pairing))
        changed.applied(item, skills)
        return changed

    def rejected(self, item: QuestionItem, template: PairingTemplate) -> Decisions:
        """With a template left out."""
        return self._with(item, template, Decision(Choice.REJECTED, None))

    def undone(self, item: QuestionItem, template: PairingTemplate) -> Decisions:
        """Without a decision about a template; the same where there is none."""
        key = _key(item, template)
        return Decisions({known: made for known, made in self._made.items() if known != key})

    def applied(self, item: QuestionItem, skills: Collection[str]) -> QuestionItem:
        """The question with its templates as decided; those not decided on stay as they are.

        Raises `PairingError` where the templates that result cannot stand together.
        """
        pairings = []
        for template in item.pairings:
            decision = self.of(item, template)
            pairing = template if decision is None else decision.pairing
            if pairing is not None:
                pairings.append(pairing)
        check_pairings(pairings, item.texts, skills)
        return replace(item, pairings=tuple(pairings))

    def save(self, path: Path) -> None:
        """Put the decisions in place of the file, whole or not at all; raises `DataError`."""
        body = "".join(_line(key, decision) for key, decision in self._made.items())
        try:
            atomic_write(path, body)
        except OSError as error:
            raise DataError(
                f"The decisions cannot be saved: {error.strerror}.",
                where=escape_control_characters(str(path)),
                hint="Is there room, and may you write there?",
            ) from error

    @classmethod
    def read(cls, path: Path) -> Decisions:
        """Read what `save` wrote; none where there is no file.

        Raises `DataError` with the line for the first that is malformed: leaving it out would
        lose it with the next decision.
        """
        try:
            raw = read_regular(path, LIMIT, DataError)
        except FileNotFoundError:
            return cls.none()
        made = {}
        for number, line in enumerate(raw.split(b"\n"), 1):
            if not line.strip():
                continue
            try:
                key, decision = _decision(msgspec.json.decode(line, type=_Line))
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
                raise DataError(
                    f"This is no decision: {decoding_problem(error)}.",
                    where=escape_control_characters(f"{path}:{number}"),
                ) from error
            except PairingError as error:
                where = escape_control_characters(f"{path}:{number}")
                raise DataError(error.what, where=where, hint=error.hint) from error
            made[key] = decision
        return cls(made)

    def _with(self, item: QuestionItem, template: PairingTemplate, decision: Decision) -> Decisions:
        return Decisions({**self._made, _key(item, template): decision})


def decisions_file() -> Path:
    """Where a person's own decisions are kept."""
    return paths.own_folder("accord") / "decisions" / "pairings.jsonl"


class _Suggested(msgspec.Struct, forbid_unknown_fields=True):
    skill: str
    end: End
    term: str


class _Pairing(msgspec.Struct, forbid_unknown_fields=True):
    skill: str
    end: End
    term: str
    surface: str


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    question: str
    digest: str
    suggested: _Suggested
    choice: Choice
    pairing: _Pairing | None = None


def _key(item: QuestionItem, template: PairingTemplate) -> _Key:
    return item.id, item.digest, template.skill, template.end, folded(template.term)


def _line(key: _Key, decision: Decision) -> str:
    question, digest, skill, end, term = key
    fields: dict[str, Any] = {
        "question": question,
        "digest": digest,
        "suggested": {"skill": skill, "end": end, "term": term},
        "choice": decision.choice,
    }
    if (pairing := decision.pairing) is not None:
        fields["pairing"] = {
            "skill": pairing.skill,
            "end": pairing.end,
            "term": pairing.term,
            "surface": pairing.surface,
        }
    return json.dumps(fields) + "\n"


def _decision(line: _Line) -> tuple[_Key, Decision]:
    asked = line.suggested
    key = line.question, line.digest, asked.skill, asked.end, folded(asked.term)
    if (line.pairing is None) != (line.choice is Choice.REJECTED):
        raise PairingError("Only what was rejected has no pairing template.")
    pairing = None
    if line.pairing is not None:
        given = line.pairing
        pairing = PairingTemplate(given.skill, given.end, given.term, given.surface)
    return key, Decision(line.choice, pairing)
