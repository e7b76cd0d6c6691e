"""The user's decisions about pairing templates (confirmed, edited or rejected), stored in a file.

A decision is keyed by the text of the question as well as its id: once the question or its choices
change, the template has to be reviewed again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

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
from core.system.typed_values import ready
from core.text.errors import DataError
from core.text.language import _

LIMIT = 2**22
"""Largest file of decisions, in bytes."""

_Key = tuple[str, str, str, End, str]
"""The question's id and digest; skill, end and term of the template that was decided on."""


class Choice(StrEnum):
    """The possible decisions about a template."""

    CONFIRMED = "confirmed"
    EDITED = "edited"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about one template."""

    choice: Choice
    pairing: PairingTemplate | None = None
    """The reviewed template to use; None if it was rejected."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """The latest decision about each template. Immutable: changes return a new object."""

    _by_template: Mapping[_Key, Decision] = field(default_factory=dict)

    def __len__(self) -> int:
        """Number of templates with a decision."""
        return len(self._by_template)

    def of(self, item: QuestionItem, template: PairingTemplate) -> Decision | None:
        """The decision about a template as it was suggested; None if there is none."""
        return self._by_template.get(_key(item, template))

    def changed(
        self, item: QuestionItem, template: PairingTemplate, decision: Decision | None
    ) -> Decisions:
        """These decisions, with another one about a template, or without any if it is None."""
        changed = dict(self._by_template)
        if decision is None:
            changed.pop(_key(item, template), None)
        else:
            changed[_key(item, template)] = decision
        return Decisions(changed)

    def applied(self, item: QuestionItem, skills: Collection[str]) -> QuestionItem:
        """The question with the decisions applied to its templates.

        Raises `PairingError` if the resulting templates are inconsistent.
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
        """Replace the file atomically by these decisions; raises `DataError`."""
        body = "".join(_line(key, decision) for key, decision in self._by_template.items())
        try:
            atomic_write(path, body)
        except OSError as error:
            raise DataError(
                _("The decisions cannot be saved: {why}.", why=error.strerror),
                where=path,
                hint="Is there room, and may you write there?",
            ) from error

    @classmethod
    def read(cls, path: Path) -> Decisions:
        """Read a file written by `save`; no decisions if there is no file.

        Raises `DataError` with the line of the first malformed one. It is not skipped, because the
        next `save` would then delete it.
        """
        try:
            raw = read_regular(path, LIMIT, DataError)
        except FileNotFoundError:
            return cls()
        decisions = {}
        for number, line in enumerate(raw.split(b"\n"), 1):
            if not line.strip():
                continue
            where = f"{path}:{number}"
            try:
                key, decision = _decision(msgspec.json.decode(line, type=ready(_Line)))
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
                what = f"This is no decision: {decoding_problem(error)}."
                raise DataError(what, where=where) from error
            except PairingError as error:
                raise DataError.of(error, where=where) from error
            decisions[key] = decision
        return cls(decisions)


def decisions_file() -> Path:
    """The file of the user's own decisions."""
    return paths.own_folder("accord") / "decisions" / "pairings.jsonl"


class _Suggested(msgspec.Struct, forbid_unknown_fields=True):
    skill: str
    end: End
    term: str


class _Pairing(_Suggested, forbid_unknown_fields=True):
    surface: str


class _Line(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    question: str
    digest: str
    suggested: _Suggested
    choice: Choice
    pairing: _Pairing | None = None


def _key(item: QuestionItem, template: PairingTemplate) -> _Key:
    return item.id, item.digest, template.skill, template.end, folded(template.term)


def _line(key: _Key, decision: Decision) -> str:
    question, digest, skill, end, term = key
    pairing = None
    if (used := decision.pairing) is not None:
        pairing = _Pairing(used.skill, used.end, used.term, used.surface)
    line = _Line(question, digest, _Suggested(skill, end, term), decision.choice, pairing)
    # The standard library escapes lone surrogates, which msgspec cannot encode.
    return json.dumps(msgspec.to_builtins(line)) + "\n"


def _decision(line: _Line) -> tuple[_Key, Decision]:
    suggested, used = line.suggested, line.pairing
    key = line.question, line.digest, suggested.skill, suggested.end, folded(suggested.term)
    if (line.pairing is None) != (line.choice is Choice.REJECTED):
        raise PairingError("Only what was rejected has no pairing template.")
    if used is None:
        return key, Decision(line.choice)
    pairing = PairingTemplate(used.skill, used.end, used.term, used.surface)
    return key, Decision(line.choice, pairing)
