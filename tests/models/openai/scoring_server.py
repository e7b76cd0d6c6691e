"""A server on loopback with a model that is a formula, so that every sum is known beforehand."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from aiohttp import web

WORDS = (" yes", " no", " it", " is", " red", " the")


def encode(text: str) -> list[str]:
    """Pieces of at most four letters, each with the white space before it."""
    return re.findall(r"\s*\S{1,4}|\s+$", text)


def logprob(before: Sequence[str], token: str) -> float:
    """Of a token after others, of which the last two count."""
    return -(1 + crc32("|".join([*before[-2:], token]).encode()) % 900) / 100


@dataclass
class ScoringServer:
    """What the server offers, how it is wrong, and what it was asked."""

    offers: tuple[str, ...] = ("echo", "prompt_logprobs", "n_probs")
    fault: str = ""
    noise: float = 0.0
    """Added to a figure for each request before."""
    bos: bool = False
    """Whether the tokens of a prompt begin with one that stands for no text."""
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)

    def measured(self, tokens: Sequence[str], at: int) -> float:
        """What the server gives for a token of a prompt."""
        value = logprob(tokens[:at], tokens[at])
        if self.fault == "shifted":
            value = logprob(tokens[: at + 1], tokens[at])
        if self.fault == "length":
            value -= len(tokens) / 10
        return value - self.noise * len(self.asked)

    def written(self, tokens: Sequence[str]) -> tuple[str, float]:
        """What the model writes next."""
        word = max(WORDS, key=lambda word: logprob(tokens, word))
        return word, 0.0 if self.fault == "temperature" else logprob(tokens, word)

    async def models(self, _request: web.Request) -> web.Response:
        """The list of models."""
        return web.json_response({"data": [{"id": "formula"}]})

    async def completions(self, request: web.Request) -> web.Response:
        """The interface of OpenAI, with what vLLM adds."""
        body = await request.json()
        self.asked.append(body)
        for asked in ("echo", "prompt_logprobs"):
            if asked in body and asked not in self.offers:
                return web.json_response({"error": {"message": f"no {asked}"}}, status=400)
        tokens = encode(body["prompt"])
        word, value = self.written(tokens)
        values = [None, *(self.measured(tokens, at) for at in range(1, len(tokens)))]
        if self.bos:
            tokens, values = ["<s>", *tokens], [None, logprob([], tokens[0]), *values[1:]]
        choice: dict[str, Any] = {"text": word}
        if "prompt_logprobs" in body:
            choice["prompt_logprobs"] = [
                None if value is None else {"7": {"logprob": value, "decoded_token": token}}
                for token, value in zip(tokens, values, strict=True)
            ]
        if "logprobs" in body:
            choice["logprobs"] = {"tokens": [word], "token_logprobs": [value]}
        if "echo" in body and self.fault != "ignored":
            choice["text"] = body["prompt"] + word
            choice["logprobs"] = {"tokens": [*tokens, word], "token_logprobs": [*values, value]}
        return web.json_response({"choices": [choice], "usage": {"completion_tokens": 1}})

    async def tokenize(self, request: web.Request) -> web.Response:
        """The tokens of a text, as llama-server gives them."""
        self.vocabulary = getattr(self, "vocabulary", [])
        tokens = encode((await request.json())["content"])
        for token in (*tokens, *WORDS):
            if token not in self.vocabulary:
                self.vocabulary.append(token)
        return web.json_response({"tokens": [self.vocabulary.index(token) for token in tokens]})

    async def completion(self, request: web.Request) -> web.Response:
        """A token that is written, of llama-server, forced by its logit."""
        body = await request.json()
        self.asked.append(body)
        tokens = [self.vocabulary[number] for number in body["prompt"]]
        word, value = self.written(tokens)
        if self.fault != "free":
            for number, _bias in body.get("logit_bias", ()):
                word = self.vocabulary[number]
                value = self.measured([*tokens, word], len(tokens))
        piece = {"id": self.vocabulary.index(word), "token": word, "logprob": value}
        return web.json_response({"content": word, "completion_probabilities": [piece]})


@asynccontextmanager
async def scoring_server(**wanted: Any) -> AsyncIterator[ScoringServer]:
    """Serve on a free port of this machine until the block ends."""
    state = ScoringServer(**wanted)
    app = web.Application()
    app.router.add_get("/v1/models", state.models)
    app.router.add_post("/v1/completions", state.completions)
    if "n_probs" in state.offers:
        app.router.add_post("/tokenize", state.tokenize)
        app.router.add_post("/completion", state.completion)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        state.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield state
    finally:
        await runner.cleanup()
