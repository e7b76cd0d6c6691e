"""Edits of a graph: nodes and links added and removed, as text that a setting can hold.

The text is a JSON list of operations, each a list of strings:
`["add", id, text]`, `["remove", id]`, `["link", source, target]`, `["unlink", source, target]`,
`["retext", id, text]`. They are carried out in order. Whether a node that an edit names is there
is for the graph to say, not for this module.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.text.errors import SettingError
from core.text.language import _

MOST = 500
"""Operations in one setting."""
LONGEST = 2000
"""Characters of a node's text."""


class Edit(StrEnum):
    """What an operation does."""

    ADD = "add"
    REMOVE = "remove"
    LINK = "link"
    UNLINK = "unlink"
    RETEXT = "retext"


@dataclass(frozen=True, slots=True)
class Operation:
    """One edit: what it does and the words that go with it."""

    edit: Edit
    first: str
    """The node's id, or the source of the link."""
    second: str = ""
    """The node's text, or the target of the link."""


def operations(text: str, *, where: str = "") -> tuple[Operation, ...]:
    """Read edits; raises `SettingError` for what are none."""
    if not text:
        return ()
    # Imported here because every benchmark imports this module, and few settings hold edits.
    import json

    try:
        listed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingError(_("The edits are not JSON."), where=where, hint=_FORM) from error
    if not isinstance(listed, list) or len(listed) > MOST:
        raise SettingError(
            _("The edits are not a list of at most {most}.", most=MOST),
            where=where,
            hint=_FORM,
        )
    return tuple(_operation(entry, i, where) for i, entry in enumerate(listed, 1))


def written(edits: tuple[Operation, ...]) -> str:
    """The edits as canonical text; empty when there are none."""
    if not edits:
        return ""
    import json

    listed = [
        [op.edit.value, op.first]
        if op.edit is Edit.REMOVE
        else [op.edit.value, op.first, op.second]
        for op in edits
    ]
    return json.dumps(listed, ensure_ascii=False, separators=(",", ":"))


def canonical(text: str, *, where: str = "") -> str:
    """`text` as `written` would write it; raises `SettingError`."""
    return written(operations(text, where=where))


_FORM = 'Write a list such as [["add","e9","It rains"],["link","e9","e2"]].'


def _operation(entry: object, number: int, where: str) -> Operation:
    problem = SettingError(_("Edit {number} is none.", number=number), where=where, hint=_FORM)
    if not isinstance(entry, list) or not all(isinstance(word, str) for word in entry):
        raise problem
    kinds = {edit.value for edit in Edit}
    if not entry or entry[0] not in kinds:
        raise problem
    edit = Edit(entry[0])
    words = entry[1:]
    if len(words) != (1 if edit is Edit.REMOVE else 2):
        raise problem
    if not all(word and len(word) <= LONGEST for word in words):
        raise problem
    return Operation(edit, *words)
