"""Reads a completion, streamed as server-sent events or whole, as pieces of text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, TypeVar

import msgspec

from core.models.openai.key import Key
from core.models.openai.response import Response
from core.models.protocol import Token, Traffic
from core.text.errors import ModelError
from core.text.language import _

_T = TypeVar("_T")
PIECES_PER_TOKEN = 4
"""A server that writes more pieces than so many times the tokens it may write is not believed."""
SHOWN = 300
"""Most characters of what a server says of an error."""


class _Text(msgspec.Struct):
    content: Any = None
    text: Any = None
    reasoning_content: Any = None
    reasoning: Any = None


class _Choice(msgspec.Struct):
    delta: _Text | None = None
    message: _Text | None = None
    text: Any = None
    finish_reason: str | None = None

    @property
    def written(self) -> str:
        part = self.delta or self.message
        text = (part.content or part.text) if part else self.text
        return text if isinstance(text, str) else ""

    @property
    def thought(self) -> str:
        """What a reasoning model writes before its answer, where the server keeps it apart."""
        part = self.delta or self.message
        text = (part.reasoning_content or part.reasoning) if part else ""
        return text if isinstance(text, str) else ""


class Usage(msgspec.Struct):
    """How many tokens a request took, as the server says."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    def count(self, traffic: Traffic) -> None:
        """Add them to those of other requests."""
        traffic.prompt_tokens += max(0, self.prompt_tokens or 0)
        traffic.answer_tokens += max(0, self.completion_tokens or 0)


class _Event(msgspec.Struct):
    choices: list[_Choice] | None = None
    error: Any = None
    usage: Any = None


class _Model(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: list[_Model]


class BrokenOffError(Exception):
    """An answer ended in the middle."""


class UnfinishedError(BrokenOffError):
    """A stream ended in good order, but never said that the answer does."""


class _Joined:
    """Puts thinking that comes apart before the answer, between the marks of models that do so."""

    def __init__(self) -> None:
        self._thinking = False

    def add(self, choice: _Choice) -> str:
        """The text that a piece adds."""
        text = ""
        if choice.thought:
            text = choice.thought if self._thinking else f"<think>{choice.thought}"
            self._thinking = True
        return text + self.end() + choice.written if choice.written else text

    def end(self) -> str:
        """What ends the thinking, if it goes on."""
        ends, self._thinking = self._thinking, False
        return "</think>\n" if ends else ""


async def tokens(
    response: Response, *, max_tokens: int, where: str, key: Key, traffic: Traffic
) -> AsyncIterator[Token]:
    """The pieces of text of a completion without the key; the last says whether a limit cut it.

    Thinking that the server keeps apart stands before the answer, as `<think>…</think>`.
    What the server says that it charges is added to the traffic, at the end.
    The interface names no logarithm of a probability here, so each is `nan`. Raises `ModelError`
    for what is no completion, for one of too many pieces and for an error that the server puts in
    its stream, `BrokenOffError` where it ends before its end, and `UnfinishedError` where a stream
    does not say why.
    """
    pieces, ended, finished, streamed, whole = 0, False, False, False, bytearray()
    joined, cut, usage = _Joined(), False, Usage()
    async for line in response.lines():
        if whole or (not streamed and line.lstrip().startswith(b"{")):
            whole += line + b"\n"
            continue
        if not line.startswith(b"data:"):
            continue
        streamed = True
        data = line.removeprefix(b"data:").strip()
        if data == b"[DONE]":
            ended = True
            await response.read_on()
            break
        choice, usage = _choice(data, usage, where, key)
        cut = cut or choice.finish_reason == "length"
        ended = finished = finished or choice.finish_reason is not None
        text = joined.add(choice)
        if text or cut:
            pieces += bool(text)
            if pieces > PIECES_PER_TOKEN * max_tokens:
                raise ModelError(
                    _("The server writes on and on, beyond the tokens it was asked for."),
                    where=where,
                )
            yield Token(text, float("nan"), cut)
    if whole:
        choice, usage = _choice(whole, usage, where, key)
        cut = choice.finish_reason == "length"
        yield Token(joined.add(choice), float("nan"), cut)
    elif not streamed:
        raise _other_interface(where)
    elif not ended:
        raise BrokenOffError
    usage.count(traffic)
    if streamed and not finished:
        raise UnfinishedError
    if not cut and (end := joined.end()):
        yield Token(end, float("nan"))


def _choice(data: bytes | bytearray, usage: Usage, where: str, key: Key) -> tuple[_Choice, Usage]:
    """The text of one event or of a whole completion, with the number of tokens so far."""
    event = _decoded(data, _Event)
    if event is None:
        raise ModelError(_("The server sent what is not a completion."), where=where)
    if event.error is not None:
        said = error_text(event.error, key)
        raise ModelError(_("The server stopped: {said}.", said=said), where=where)
    if event.choices is None:
        raise ModelError(_("The server sent no completion."), where=where)
    if event.usage is not None:
        with suppress(msgspec.ValidationError):
            usage = msgspec.convert(event.usage, Usage)
    return event.choices[0] if event.choices else _Choice(), usage


def model_names(body: bytes, key: Key, where: str) -> list[str]:
    """The names in a list of models, without the key; raises `ModelError` where it is none."""
    models = _decoded(body, _Models)
    if models is None:
        raise _other_interface(where)
    return [key.hide(model.id) for model in models.data]


def error_text(body: Any, key: Key) -> str:
    """What a server says of an error, in at most 300 characters without the key.

    Servers disagree on the shape.
    """
    error = body.get("error", body) if isinstance(body, dict) else body
    message = error.get("message", error.get("detail", "")) if isinstance(error, dict) else error
    # Cut off afterwards, or the beginning of a key could be left.
    return " ".join(key.hide(str(message or "no reason given")).split())[:SHOWN].rstrip(" .")


def error_of(body: bytes, key: Key) -> str:
    """What the body of a refusal says, JSON or not."""
    try:
        return error_text(msgspec.json.decode(body), key)
    except (msgspec.DecodeError, RecursionError):
        return error_text(body.decode("utf-8", "replace"), key)


def _decoded(data: bytes | bytearray, kind: type[_T]) -> _T | None:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, RecursionError):
        return None


def _other_interface(where: str) -> ModelError:
    return ModelError(
        _("What answers there does not speak the OpenAI-compatible interface."), where=where
    )
