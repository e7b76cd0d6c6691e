"""Edits of a graph: nodes and links added and removed, as text that a setting can hold.

The text is a JSON list of operations, each a list of strings:
`["add", id, text]`, `["remove", id]`, `["link", source, target]`, `["unlink", source, target]`,
`["retext", id, text]`. They are carried out in order. The graph checks whether the nodes exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.text.errors import SettingError
from core.text.language import _

MAX_OPERATIONS = 500
"""Maximal number of operations in one setting."""
MAX_TEXT = 2000
"""Maximal number of characters in an id or a text."""


class Edit(StrEnum):
    """Kinds of operations."""

    ADD = "add"
    REMOVE = "remove"
    LINK = "link"
    UNLINK = "unlink"
    RETEXT = "retext"


@dataclass(frozen=True, slots=True)
class Operation:
    """One edit with its arguments."""

    edit: Edit
    first: str
    """The node's id, or the source of the link."""
    second: str = ""
    """The node's text, or the target of the link."""


def parse_edits(text: str, *, where: str = "") -> tuple[Operation, ...]:
    """Read edits from text; raises `SettingError`."""
    if not text:
        return ()
    # Imported late: every benchmark imports this module, and few settings hold edits.
    import json

    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingError(_("The edits are not JSON."), where=where, hint=_FORM) from error
    if not isinstance(rows, list) or len(rows) > MAX_OPERATIONS:
        raise SettingError(
            _("The edits are not a list of at most {most}.", most=MAX_OPERATIONS),
            where=where,
            hint=_FORM,
        )
    return tuple(_operation(entry, i, where) for i, entry in enumerate(rows, 1))


def format_edits(edits: tuple[Operation, ...]) -> str:
    """The edits as canonical text; empty when there are none."""
    if not edits:
        return ""
    import json

    rows = [[op.edit, op.first, *([] if op.edit is Edit.REMOVE else [op.second])] for op in edits]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def canonical_edits(text: str, *, where: str = "") -> str:
    """The canonical form of edits in text; raises `SettingError`."""
    return format_edits(parse_edits(text, where=where))


_FORM = 'Write a list such as [["add","e9","It rains"],["link","e9","e2"]].'


def _operation(entry: object, number: int, where: str) -> Operation:
    match entry:
        case [str(kind), *words] if kind in set(Edit):
            edit = Edit(kind)
            texts = [word for word in words if isinstance(word, str) and 0 < len(word) <= MAX_TEXT]
            if len(texts) == len(words) == (1 if edit is Edit.REMOVE else 2):
                return Operation(edit, *texts)
    raise SettingError(_("Edit {number} is not an edit.", number=number), where=where, hint=_FORM)
