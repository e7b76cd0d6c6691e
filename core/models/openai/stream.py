"""Reads a completion, streamed as server-sent events or whole, as pieces of text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from typing import Any, TypeVar

import msgspec

from core.models.openai.key import Key
from core.models.openai.response import Response
from core.models.protocol import Token, Traffic
from core.system.typed_values import ready
from core.text.errors import ModelError
from core.text.language import _

_T = TypeVar("_T")
PIECES_PER_TOKEN = 4
"""Most pieces of text for each token that a server may write; a longer stream is refused."""
SHOWN = 300
"""Most characters of a server's error message."""
LONGEST_NAME = 1_000
"""Most characters of the name of a model."""


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
        """The reasoning before the answer, where the server sends it in a field of its own."""
        part = self.delta or self.message
        text = (part.reasoning_content or part.reasoning) if part else ""
        return text if isinstance(text, str) else ""


class Usage(msgspec.Struct):
    """How many tokens a request took, as the server says."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    def count(self, traffic: Traffic) -> None:
        """Add these tokens to those of other requests."""
        traffic.prompt_tokens += max(0, self.prompt_tokens or 0)
        traffic.answer_tokens += max(0, self.completion_tokens or 0)

    def answer_tokens(self, most: int) -> int:
        """The tokens of the answer; 0 where the server says none, or more than `most`."""
        count = self.completion_tokens or 0
        return count if 0 < count <= most else 0


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
    """A stream ended without an error, but without the reason for which the answer ended."""


class _Joined:
    """Joins reasoning from a field of its own with the answer, as `<think>…</think>` before it."""

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
        """The closing tag of the reasoning; empty where none is open."""
        ends, self._thinking = self._thinking, False
        return "</think>\n" if ends else ""


async def tokens(
    response: Response, *, max_tokens: int, where: str, key: Key, traffic: Traffic
) -> AsyncIterator[Token]:
    """The pieces of text of a completion without the key; the last says whether a limit cut it.

    Reasoning in a field of its own comes before the answer, as `<think>…</think>`. The token counts
    that the server reports are added to `traffic` at the end, where a last piece says that of the
    answer.

    Raises:
        ModelError: for anything but a completion, for too many pieces, and for an error that the
            server reports within the stream.
        BrokenOffError: where the stream breaks off in the middle of the answer.
        UnfinishedError: where it ends without a reason.
    """
    pieces, ended, finished, streamed, whole = 0, False, False, False, bytearray()
    joined, cut, usage, most = _Joined(), False, Usage(), PIECES_PER_TOKEN * max_tokens
    # One that is left behind would be closed by a task of its own, which takes time.
    async with aclosing(response.lines()) as lines:
        async for line in lines:
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
                if pieces > most:
                    raise ModelError(
                        _("The server writes on and on, beyond the tokens it was asked for."),
                        where=where,
                    )
                yield Token(text, cut)
    if whole:
        choice, usage = _choice(whole, usage, where, key)
        cut = choice.finish_reason == "length"
        yield Token(joined.add(choice), cut)
    elif not streamed:
        raise _other_interface(where)
    elif not ended:
        raise BrokenOffError
    usage.count(traffic)
    if streamed and not finished:
        raise UnfinishedError
    end, count = "" if cut else joined.end(), usage.answer_tokens(most)
    if end or count:
        yield Token(end, cut, count)


def _choice(data: bytes | bytearray, usage: Usage, where: str, key: Key) -> tuple[_Choice, Usage]:
    """The text of one event or of a whole completion, with the number of tokens so far."""
    event = _decoded(data, _Event)
    if event is None:
        raise ModelError(_("The server sent what is not a completion."), where=where)
    if event.error is not None:
        reason = error_text(event.error, key)
        raise ModelError(_("The server stopped: {reason}.", reason=reason), where=where)
    if event.choices is None:
        raise ModelError(_("The server sent no completion."), where=where)
    if event.usage is not None:
        with suppress(msgspec.ValidationError):
            usage = msgspec.convert(event.usage, ready(Usage))
    return event.choices[0] if event.choices else _Choice(), usage


def model_names(body: bytes, key: Key, where: str) -> list[str]:
    """The names in a list of models, each on one line and without the key.

    Raises `ModelError` where it is no such list, and for a name that is too long: it would be asked
    for in every request, and recorded with every run.
    """
    models = _decoded(body, _Models)
    if models is None:
        raise _other_interface(where)
    longest = max((len(model.id) for model in models.data), default=0)
    if longest > LONGEST_NAME:
        raise ModelError(
            _(
                "The server has a model whose name has {count:,} characters; at most {most:,} are "
                "taken.",
                count=longest,
                most=LONGEST_NAME,
            ),
            where=where,
        )
    return [" ".join(key.hide(model.id).split()) for model in models.data]


def error_text(body: Any, key: Key) -> str:
    """A server's error message, in at most 300 characters without the key.

    Servers disagree on the shape.
    """
    error = body.get("error", body) if isinstance(body, dict) else body
    message = error.get("message", error.get("detail", "")) if isinstance(error, dict) else error
    # Shortened after the key is hidden: the beginning of a key that was cut would not be found.
    return " ".join(key.hide(str(message or "no reason given")).split())[:SHOWN].rstrip(" .")


def error_of(body: bytes, key: Key) -> str:
    """The error message in the body of a refusal, JSON or not."""
    try:
        return error_text(msgspec.json.decode(body), key)
    except (ValueError, RecursionError):
        return error_text(body.decode("utf-8", "replace"), key)


def _decoded(data: bytes | bytearray, kind: type[_T]) -> _T | None:
    try:
        return msgspec.json.decode(data, type=ready(kind))
    except (ValueError, RecursionError):
        return None


def _other_interface(where: str) -> ModelError:
    return ModelError(
        _("What answers there does not speak the OpenAI-compatible interface."), where=where
    )
