"""Log-likelihoods of options on a server, in each of the ways in which servers offer them.

A prompt is plain text, and what follows its tokens is the option, as in lm-evaluation-harness:
`TemplateLM._encode_pair`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import msgspec

from core.contract.question import OptionScore
from core.models.openai.requests import Requests
from core.models.openai.response import STREAM_BYTES
from core.models.openai.stream import Usage
from core.system.typed_values import ready
from core.text.errors import ModelError
from core.text.language import _

_T = TypeVar("_T")
_FORCING = 1e6
"""Added to the logit of a token that is to be written; the server measures before it adds."""
_UNDERFLOW = -1e30
"""Below it stands what a server writes for the logarithm of 0."""


class Likelihoods(Protocol):
    """A way to have options scored by a server."""

    name: str
    """What the server is asked for."""

    async def option(self, prompt: str, option: str) -> OptionScore:
        """The log-likelihood of an option after a prompt; raises `ModelError`."""
        ...

    async def written(self, prompt: str) -> tuple[str, float]:
        """The token that the model writes after a prompt, with its log-probability.

        The text is empty where it writes none. Raises `ModelError`.
        """
        ...


class _Piece(msgspec.Struct):
    logprob: float
    token: str = ""
    id: int = -1


class _Logprobs(msgspec.Struct):
    tokens: list[str] | None = None
    token_logprobs: list[float | None] | None = None
    content: list[_Piece] | None = None


class _Choice(msgspec.Struct):
    text: str = ""
    logprobs: _Logprobs | None = None
    prompt_logprobs: list[dict[str, _Piece] | None] | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    usage: Usage | None = None


class _Tokenised(msgspec.Struct):
    tokens: list[int]


class _Forced(msgspec.Struct):
    content: str = ""
    completion_probabilities: list[_Piece] = []


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The tokens of a text that was sent."""

    texts: Sequence[str]
    logprobs: Sequence[float | None]
    """None where nothing stands before a token."""


class PromptTokens:
    """Scores the tokens of a text that is sent as a prompt."""

    name = ""

    def __init__(self, requests: Requests, model: str) -> None:
        self._requests = requests
        self._model = model

    async def option(self, prompt: str, option: str) -> OptionScore:
        """One request, or two where the texts of tokens do not show where the option begins."""
        whole = await self._tokens(prompt + option)
        start = option_start(whole.texts, option)
        if start is None:
            start = len((await self._tokens(prompt)).texts)
        scored = [logprob for logprob in whole.logprobs[start:] if logprob is not None]
        if not scored or len(scored) < len(whole.logprobs) - start:
            raise self._error(_("it gives no log-probability of a token"))
        return OptionScore(math.fsum(scored), len(scored))

    async def written(self, prompt: str) -> tuple[str, float]:
        """The token that the model writes."""
        choice = (await self._completion(prompt, {"logprobs": 1})).choices[0]
        logprobs = choice.logprobs or _Logprobs()
        if logprobs.content:
            return choice.text, logprobs.content[0].logprob
        measured = (logprobs.token_logprobs or [None])[0]
        return ("", 0.0) if measured is None else (choice.text, measured)

    async def _tokens(self, text: str) -> _Tokens:
        raise NotImplementedError

    async def _completion(self, prompt: str, wanted: dict[str, Any]) -> _Completion:
        # No server scores a prompt without writing a token after it.
        body = {"model": self._model, "prompt": prompt, "max_tokens": 1, "temperature": 0}
        completion = await _asked(self._requests, "completions", body | wanted, _Completion)
        if completion.usage is not None:
            completion.usage.count(self._requests.traffic)
        if not completion.choices:
            raise self._error(_("it sends no completion"))
        return completion

    def _error(self, why: str) -> ModelError:
        return ModelError(
            _("The server does not score what it was sent: {why}.", why=why),
            where=self._requests.where,
        )


class EchoedPrompt(PromptTokens):
    """`echo` with `logprobs`, as lm-evaluation-harness asks: vLLM, SGLang, llama-cpp-python."""

    name = "echo"

    async def _tokens(self, text: str) -> _Tokens:
        completion = await self._completion(text, {"logprobs": 1, "echo": True})
        choice, usage = completion.choices[0], completion.usage
        if not choice.text.startswith(text):
            raise self._error(_("it does not echo the prompt"))
        logprobs = choice.logprobs or _Logprobs()
        texts, values = logprobs.tokens or [], logprobs.token_logprobs or []
        added = 1 if usage is None or usage.completion_tokens is None else usage.completion_tokens
        end = len(values) - added
        if len(texts) != len(values) or end < 1:
            raise self._error(_("it gives no log-probabilities of the prompt"))
        return _Tokens(texts[:end], values[:end])


class PromptLogprobs(PromptTokens):
    """`prompt_logprobs`, as vLLM offers them beside `echo`."""

    name = "prompt_logprobs"

    async def _tokens(self, text: str) -> _Tokens:
        completion = await self._completion(text, {"prompt_logprobs": 0})
        entries = completion.choices[0].prompt_logprobs or []
        if not entries or any(entry is None or len(entry) != 1 for entry in entries[1:]):
            raise self._error(_("it gives no log-probabilities of the prompt"))
        pieces = [next(iter((entry or {}).values()), None) for entry in entries]
        # vLLM calls the text of a token otherwise, and counting tokens is as good.
        return _Tokens(
            [""] * len(pieces), [None if piece is None else piece.logprob for piece in pieces]
        )


class ForcedTokens:
    """`n_probs` of llama-server, which scores what it writes: it is made to write the option.

    Each token takes a request; the server keeps the prompt, so only that token is computed.
    """

    name = "n_probs"

    def __init__(self, requests: Requests, model: str) -> None:
        self._requests = requests
        self._model = model

    async def option(self, prompt: str, option: str) -> OptionScore:
        """A request for each token, and two for where the option begins."""
        start, tokens = len(await self._tokens(prompt)), await self._tokens(prompt + option)
        if len(tokens) <= start:
            raise ModelError(
                _("The option {option} adds no token to the prompt.", option=repr(option)),
                where=self._requests.where,
            )
        logprobs = []
        for end in range(start, len(tokens)):
            forced = await self._next(tokens[:end], {"logit_bias": [[tokens[end], _FORCING]]})
            piece = forced.completion_probabilities[0]
            if piece.id != tokens[end]:
                raise ModelError(
                    _("The server wrote another token than it was made to write."),
                    where=self._requests.where,
                )
            logprobs.append(piece.logprob if piece.logprob > _UNDERFLOW else -math.inf)
        return OptionScore(math.fsum(logprobs), len(logprobs))

    async def written(self, prompt: str) -> tuple[str, float]:
        """The token that the model writes."""
        forced = await self._next(await self._tokens(prompt), {})
        return forced.content, forced.completion_probabilities[0].logprob

    async def _tokens(self, text: str) -> list[int]:
        body = {"model": self._model, "content": text, "add_special": True, "parse_special": False}
        return (await _asked(self._requests, "../tokenize", body, _Tokenised)).tokens

    async def _next(self, tokens: Sequence[int], wanted: dict[str, Any]) -> _Forced:
        body = {"model": self._model, "prompt": list(tokens), "n_predict": 1, "n_probs": 1}
        body |= {"temperature": 0, "cache_prompt": True}
        forced = await _asked(self._requests, "../completion", body | wanted, _Forced)
        if not forced.completion_probabilities:
            raise ModelError(
                _("The server gives no log-probability of what it writes."),
                where=self._requests.where,
            )
        return forced


WAYS: tuple[type[EchoedPrompt | PromptLogprobs | ForcedTokens], ...] = (
    EchoedPrompt,
    PromptLogprobs,
    ForcedTokens,
)
"""The ways, in the order in which they are tried."""


def option_start(texts: Sequence[str], option: str) -> int | None:
    """Which token an option begins with, by the texts of tokens that end with it.

    None where they do not show it: where a token stands across the border or is a part of a
    character.
    """
    read = ""
    for start in range(len(texts) - 1, -1, -1):
        read = texts[start] + read
        if len(read) >= len(option):
            return start if read == option and all(texts[start - 1 :]) else None
    return None


async def _asked(requests: Requests, path: str, body: dict[str, Any], kind: type[_T]) -> _T:
    """What the server answers, as a structure. Raises `ModelError`."""
    answer, _key = await requests.read("POST", path, body, most=STREAM_BYTES)
    try:
        return msgspec.json.decode(answer, type=ready(kind))
    except (ValueError, RecursionError):
        raise ModelError(
            _("The server sent what is not a completion."), where=requests.where
        ) from None
