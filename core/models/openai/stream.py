"""Reads the server-sent events of a completion as pieces of text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import msgspec

from core.models.openai.key import Key
from core.models.protocol import Token
from core.text.errors import ModelError
from core.text.language import _

LONGEST_EVENT = 1_000_000
"""Most characters of one event; a server that sends more is not believed."""


async def tokens(lines: AsyncIterator[str], *, where: str, key: Key) -> AsyncIterator[Token]:
    """The pieces of text in a stream of `data:` lines, until `[DONE]`.

    The interface names no logarithm of a probability here, so each is `nan`. Raises
    `ModelError` for what is no completion, and for an error that the server puts in the stream.
    """
    async for line in lines:
        if len(line) > LONGEST_EVENT:
            raise ModelError(_("The server sent an event without end."), where=where)
        if not line.startswith("data:"):
            continue
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            return
        text = _piece(data, where, key)
        if text:
            yield Token(text, float("nan"))


def _piece(data: str, where: str, key: Key) -> str:
    """The text of one event: of a chat completion's delta, or of a plain completion."""
    try:
        event: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ModelError(_("The server sent what is not JSON."), where=where) from error
    if isinstance(event, dict) and "error" in event:
        raise ModelError(_("The server stopped: {said}.", said=error_text(event, key)), where=where)
    choices = event.get("choices") if isinstance(event, dict) else None
    if not isinstance(choices, list):
        raise ModelError(_("The server sent no completion."), where=where)
    first = choices[0] if choices else {}
    delta = first.get("delta", first) if isinstance(first, dict) else {}
    text = (delta.get("content") or delta.get("text")) if isinstance(delta, dict) else None
    return text if isinstance(text, str) else ""


def error_text(body: Any, key: Key) -> str:
    """What a server says of an error, in at most 200 characters without the key.

    Servers disagree on the shape.
    """
    error = body.get("error", body) if isinstance(body, dict) else body
    message = error.get("message", error.get("detail", "")) if isinstance(error, dict) else error
    # Cut off afterwards, or the beginning of a key could be left.
    return " ".join(key.hide(str(message or "no reason given")).split())[:200].rstrip(".")
