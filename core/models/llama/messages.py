"""The messages between the program and its worker: one JSON object a line, in ASCII.

To the worker: `{"id", "op", ...}` with ops load, score, generate, score_together,
generate_together, choose_threads and the names of the requests in `core.models.block_requests`;
`{"op": "cancel", "id"}` stops every request up to that id. From the worker, about a request: any
number of `{"id", "progress"}`, `{"id", "token": [text, cut]}` or, of a trace, `{"id",
"item"}`; then one of `{"id", "result"}`, `{"id", "cancelled": true}` or `{"id", "error": {what,
where, hint}}`. From the worker, unasked: `{"log": line}`. Numbers that are not finite are
sent as NaN and Infinity, which JSON proper does not have.
"""

from __future__ import annotations

import json
import re
from typing import Any

from core.contract.question import Prompt
from core.models.memory import LONGEST_CONTEXT
from core.text.errors import CommonsenseError, LongPromptError, ModelError
from core.text.escaping import LIMIT
from core.text.language import _

MOST_CHARACTERS = 256 * LONGEST_CONTEXT
"""Characters of a prompt, beyond which it fits no context whatever its tokens."""

Wire = dict[str, Any]

_SOURCE_FOLDERS = re.compile(
    r"(?:\b[A-Za-z]:)?[^\s:'\"]*[/\\](?=[\w.-]+\.(?:c|cc|cpp|cu|cuh|h|hpp|m|metal)\b)"
)
"""The folders before a source file's name: where llama.cpp was compiled helps nobody, and may be
private."""


class Interrupted(Exception):
    """Raised in the worker to end a cancelled request.

    It is no `CommonsenseError`, because nothing failed and no handler of failures may catch it.
    """


def encode(message: Wire) -> bytes:
    """The line of a message."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def decode(line: bytes) -> Wire:
    """The message of a line; raises `ValueError` for anything else."""
    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError("not a message")
    return message


def check_prompt(prompt: Prompt) -> None:
    """Raise `LongPromptError` for a prompt that is longer than any context."""
    length = len(prompt) if isinstance(prompt, str) else sum(len(turn.content) for turn in prompt)
    if length > MOST_CHARACTERS:
        raise LongPromptError(
            _(
                "The prompt has {length:,} characters; at most {most_characters:,} can be asked.",
                length=length,
                most_characters=MOST_CHARACTERS,
            ),
            hint=_("Ask a smaller item or with fewer worked examples."),
        )


def pack_error(error: CommonsenseError) -> Wire:
    """An error as a JSON object."""
    packed: Wire = {"what": error.what, "where": error.where, "hint": error.hint}
    if isinstance(error, LongPromptError):
        packed["long"] = True
    return packed


def unpack_error(packed: Wire, where: str) -> ModelError:
    """The reverse of `pack_error`; `where` is used if the worker named no place."""
    what, hint = (_SOURCE_FOLDERS.sub("", packed[part][:LIMIT]) for part in ("what", "hint"))
    kind = LongPromptError if packed.get("long") else ModelError
    return kind(what, where=packed["where"] or where, hint=hint)
