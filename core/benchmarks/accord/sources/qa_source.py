"""Opens questions from a file or a folder: JSON lines, a JSON array, or our own YAML."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.benchmarks.accord.sources import qa_yaml
from core.benchmarks.accord.sources.pairings import PairingError, PairingTemplate
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.sources.qa_schemas import question_item, with_pairings
from core.files.json_values import EXPECTED_LINES
from core.files.regular_file import read_regular
from core.files.row_file import rows
from core.files.rows import at_line, decoded, first_character, lines
from core.files.unreadable import CappedErrors, too_many_failures, unreadable_file_error
from core.text.errors import DataError
from core.text.escaping import quoted
from core.text.language import _

LIMIT = 2**26
"""Most bytes of a file."""
_OWN = "questions.yaml"


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions of a source that could be read, in the order of its files, with unique ids."""

    items: tuple[QuestionItem, ...]
    errors: tuple[DataError, ...]
    """One error for each question or template that could not be read, with file and line."""
    content_hash: str
    """SHA-256 over names and bytes of the files that were opened."""

    def paired(
        self, pairings: Mapping[str, Sequence[PairingTemplate]], skills: Collection[str]
    ) -> Questions:
        """The questions with these templates, by id, instead of their own.

        Templates that a question cannot have, or whose question does not exist, are one more
        error; the question keeps those that it had.
        """
        errors = list(self.errors)
        items = []
        for item in self.items:
            templates = pairings.get(item.id)
            try:
                items.append(item if templates is None else with_pairings(item, templates, skills))
            except PairingError as error:
                what = _(
                    "The pairings given for {quoted} are left out: {what}",
                    quoted=quoted(item.id),
                    what=error.what,
                )
                errors.append(DataError(what, where=item.origin, hint=error.hint))
                items.append(item)
        known = {item.id for item in self.items}
        for absent in (question for question in pairings if question not in known):
            what = _("A pairing is for {quoted}, which is no question here.", quoted=quoted(absent))
            errors.append(DataError(what))
        return replace(self, items=tuple(items), errors=tuple(errors))


def open_questions(path: Path, skills: Collection[str]) -> Questions:
    """Open a file of questions, or a folder with `questions.yaml` or files of JSON lines.

    `skills` are the names of the skills that pairing templates may have. Raises `DataError` when
    no question can be read; errors of single questions are in `errors`.
    """
    items: dict[str, QuestionItem] = {}
    errors: list[DataError] = []
    digest = hashlib.sha256()
    for file in _files(path):
        try:
            raw = read_regular(file, LIMIT, DataError)
        except FileNotFoundError:
            raise DataError(_("There is no such file or folder."), where=path) from None
        digest.update(file.name.encode("utf-8", "surrogateescape") + b"\0")
        digest.update(hashlib.sha256(raw).digest())
        for item in _read(file, raw, skills, errors):
            first = items.setdefault(item.id, item)
            if first is not item:
                errors.append(
                    DataError(
                        _("The id {quoted} is that of another question.", quoted=quoted(item.id)),
                        where=item.origin,
                        hint=_(
                            "The first stands at {origin}; this one is left out.",
                            origin=first.origin,
                        ),
                    )
                )
    if not items:
        if errors:
            raise errors[0]
        raise DataError(_("There is no question in it."), where=path)
    return Questions(tuple(items.values()), tuple(errors), digest.hexdigest())


def _files(path: Path) -> Sequence[Path]:
    try:
        if not path.is_dir():
            return (path,)
        own = path / _OWN
        files = (own,) if own.is_file() else tuple(sorted(path.glob("*.jsonl")))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise DataError(_("This cannot be read: {why}.", why=why), where=path) from error
    if not files:
        raise DataError(
            _("No questions were found in this folder."),
            where=path,
            hint=_("Looked for {own} and *.jsonl.", own=_OWN),
        )
    return files


def _read(
    file: Path, raw: bytes, skills: Collection[str], errors: list[DataError]
) -> Iterator[QuestionItem]:
    if file.suffix.lower() in qa_yaml.SUFFIXES:
        items, faults = qa_yaml.read_questions(file, skills)
        errors += faults
        yield from items
        return
    failures = CappedErrors()
    read = 0
    handle, name = io.BytesIO(raw), str(file)
    if first_character(handle) == b"[":
        rows_of_file = rows(handle, name, failures, _(EXPECTED_LINES))
    else:
        rows_of_file = lines(handle, name, failures)
    for row in rows_of_file:
        origin = at_line(file, row.line)
        try:
            record = decoded(row.raw, origin, _(EXPECTED_LINES))
            item, pairing_faults = question_item(record, skills, origin=origin)
        except DataError as error:
            failures.append(type(error).of(error, where=error.where or origin))
        else:
            failures.extend(pairing_faults)
            read += 1
            yield item
        if too_many_failures(read, failures.total):
            errors.append(unreadable_file_error(failures[0]))
            return
    errors += failures.listed(name)
