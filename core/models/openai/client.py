"""A server that speaks the OpenAI-compatible interface, behind the `Model` protocol.

The key is read from the environment for every request and kept nowhere: not in the model, not in
a record, not in a message. A server may say back what it was sent, so the key is taken out of
whatever it says. Redirections are not followed, so it goes to the named server only.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from core.contract.question import OptionScore, Prompt
from core.models.openai.connections import Connections, is_address
from core.models.openai.failures import BadRequestError, LaterError, NotThereError, late
from core.models.openai.key import KEY_VARIABLE, Key
from core.models.openai.likelihoods import Likelihoods
from core.models.openai.proof import proved
from core.models.openai.requests import Limits, Requests
from core.models.openai.stream import UnfinishedError, model_names, tokens
from core.models.protocol import (
    REPEATED,
    Ability,
    InterruptedAnswerError,
    ModelInfo,
    NoSystemTurnError,
    Token,
    Traffic,
    turns_are_not_scored,
)
from core.text.addresses import shown_address
from core.text.errors import ModelError
from core.text.language import _

logger = logging.getLogger(__name__)

_LIST_SECONDS = 60.0
"""Most seconds in which a server names its models."""
_OF_ROLES = re.compile(r"\broles?\b", re.IGNORECASE)
"""What chat templates say that take no system turn: "System role not supported", "Conversation
roles must alternate", "Only user and assistant roles are supported"."""


class OpenAIModel:
    """A model on a server. Made by `connect`. Requests run side by side, as many as are made."""

    def __init__(self, connections: Connections, name: str, info: ModelInfo, limits: Limits):
        self.info = info
        """What is known of it."""
        self._connections = connections
        self._requests = Requests(connections, info.source, limits)
        self._name = name
        self._streams = True
        self._likelihoods: Likelihoods | None = None
        self._proving = asyncio.Lock()

    @classmethod
    async def connect(
        cls, url: str, *, limits: Limits | None = None, prices: tuple[float, float] | None = None
    ) -> OpenAIModel:
        """Ask the server at `url` which model it has.

        `url` is that of the interface, with or without the final `/v1`; after `#` it may name
        one of several models. `prices` are those of a million tokens of prompts, and of answers.
        Raises `ModelError` when nobody answers there, and where several models are and none is
        named: which is first may change, and with it whose answers a run records.
        """
        limits = limits or Limits()
        if (hidden := Key().hide(url)) != url:
            raise ModelError(
                _("An address with the key in it would be stored with every run."),
                where=shown_address(hidden),
                hint=_("Leave it out: it is sent from {variable}.", variable=KEY_VARIABLE),
            )
        base, wanted = _base(url)
        connections = Connections(base, timeout=limits.timeout)
        model = cls(connections, wanted, _info(base, wanted), limits)
        try:
            served = await model._served()
            if not wanted and len(served) > 1:
                raise _none_named(base, served)
            name = wanted or (served[0] if served else "")
            if not name or (served and name not in served):
                raise ModelError(
                    _("The server has no model “{wanted}”.", wanted=wanted)
                    if wanted
                    else _("The server has no model."),
                    where=base,
                    hint=_("It has: {names}.", names=", ".join(served[:10])) if served else "",
                )
        except BaseException:
            await connections.close()
            raise
        connected = cls(connections, name, _info(base, name), limits)
        connected.traffic.prices = prices
        return connected

    async def prove_likelihoods(self) -> None:
        """Prove that the server scores options, and in which way; `info` then says so.

        Raises `ModelError`, with a reason for each way, where it is not proved.
        """
        async with self._proving:
            if self._likelihoods is None:
                proof = await proved(self._requests, self._name)
                abilities = self.info.abilities | {Ability.SCORE}
                self.info = replace(self.info, abilities=abilities, likelihoods=str(proof))
                self._likelihoods = proof.likelihoods

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        """Log-likelihood of each continuation after a prompt of plain text; see the protocol.

        Raises `ModelError` for turns, and where the server does not score options.
        """
        if not isinstance(prompt, str):
            raise turns_are_not_scored(self.info)
        if self._likelihoods is None:
            await self.prove_likelihoods()
        assert self._likelihoods is not None
        bare = prompt.rstrip()
        moved = prompt[len(bare) :]
        scores = []
        for option in options:
            scored = await self._likelihoods.option(bare, moved + option)
            scores.append(scored._replace(bytes=len(option.encode("utf-8", "replace"))))
        return tuple(scores)

    def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        """Continuation of the prompt at temperature 0, piece by piece. Raises `ModelError`."""
        return self.write(prompt, max_tokens=max_tokens, stop=stop)

    async def write(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        stop: Sequence[str] = (),
        temperature: float = 0.0,
        seed: int = 0,
        schema: Mapping[str, object] | None = None,
    ) -> AsyncGenerator[Token, None]:
        """Continuation of the prompt, piece by piece; see the protocol. Raises `ModelError`.

        A request is tried again as long as nothing of its answer has come. Raises
        `NoSystemTurnError` where the server's chat template takes no system turn.
        """
        body: dict[str, Any] = {
            "model": self._name,
            "max_tokens": max_tokens,
            "temperature": temperature,
        }
        if temperature:
            body["seed"] = seed
        if schema is not None:
            wanted = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        if stop:
            body["stop"] = list(stop)
        if isinstance(prompt, str):
            path, body["prompt"] = "completions", prompt
        else:
            path = "chat/completions"
            body["messages"] = [{"role": turn.role, "content": turn.content} for turn in prompt]
        begun, failed = False, None
        async for attempt in self._requests.tries():
            if failed is not None:
                logger.warning(REPEATED, failed)
            with attempt:
                try:
                    async with aclosing(self._stream(path, body, max_tokens)) as pieces:
                        async for token in pieces:
                            begun = True
                            yield token
                except LaterError as error:
                    failed = error
                    if begun:
                        raise InterruptedAnswerError.of(error) from None
                    raise
                except BadRequestError as error:
                    if not _has_system_turn(prompt) or not _OF_ROLES.search(error.what):
                        raise
                    self.info = replace(self.info, system_turn=False)
                    raise NoSystemTurnError.of(error) from None
                except TimeoutError:
                    too_late = late(self._requests.limits.deadline, self.info.source)
                    raise (ModelError.of(too_late) if begun else too_late) from None

    @property
    def traffic(self) -> Traffic:
        """How its requests fare."""
        return self._requests.traffic

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.close()

    async def _stream(
        self, path: str, body: dict[str, Any], max_tokens: int
    ) -> AsyncGenerator[Token, None]:
        """What the server answers to one try.

        Some servers end the stream of one request when another comes (llama-cpp-python's). Such a
        server is asked for whole answers from then on, this one included.
        """
        deadline, streams = self._requests.limits.deadline, self._streams
        body = body | {"stream": streams}
        if streams and self.traffic.prices is not None:
            body["stream_options"] = {"include_usage": True}
        async with self._requests.open("POST", path, deadline, body) as (response, key):
            pieces = tokens(
                response,
                max_tokens=max_tokens,
                where=self.info.source,
                key=key,
                traffic=self.traffic,
            )
            try:
                async for token in key.hide_in(pieces):
                    yield token
            except UnfinishedError:
                self._streams = False
                if streams:
                    raise

    async def _served(self) -> list[str]:
        """The models that the server names; empty where it has no such list."""
        try:
            body, key = await self._requests.read("GET", "models", seconds=_LIST_SECONDS)
        except NotThereError:
            return []
        return model_names(body, key, self.info.source)


def _none_named(base: str, served: Sequence[str]) -> ModelError:
    """A server has several models, and the person named none."""
    return ModelError(
        _("This server has {count} models, and none is named.", count=len(served)),
        where=base,
        hint=_(
            "Name one after the address, as in {example}. It has: {names}.",
            example=f"{base.rstrip('/')}#{served[0]}",
            names=", ".join(served[:10]),
        ),
    )


def _has_system_turn(prompt: Prompt) -> bool:
    return not isinstance(prompt, str) and any(turn.role == "system" for turn in prompt)


def _base(url: str) -> tuple[str, str]:
    """The interface's address ending in `/v1/`, and the model named after `#`."""
    # No server has a model with a question mark in its name; a key may be behind it.
    if not is_address(url) or "@" in urlsplit(url).netloc or "?" in urlsplit(url).fragment:
        raise ModelError(
            _("This is not the address of a server."),
            where=shown_address(url),
            hint=_("Write http://…"),
        )
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    path = path if path.endswith("/v1") else f"{path}/v1"
    return urlunsplit((parts.scheme, parts.netloc, f"{path}/", "", "")), parts.fragment


def _info(base: str, name: str) -> ModelInfo:
    """What can be known of a model on a server: its name and where, but not its weights."""
    source = f"{base.rstrip('/')}#{name}"
    return ModelInfo(
        name=name,
        source=source,
        fingerprint="server:" + sha256(source.encode()).hexdigest()[:16],
        abilities=frozenset({Ability.GENERATE, Ability.CHAT}),
        system_turn=True,
    )
