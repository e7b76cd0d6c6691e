"""Asks a model for a reply, and the digest by which a prompt is recognised again."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from hashlib import sha256

import msgspec

from core.contract.question import Prompt
from core.models.protocol import Model


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model wrote after a prompt."""

    text: str
    tokens: int
    complete: bool
    """Whether the model ended by itself, rather than at the limit of tokens."""


async def generate(
    model: Model, prompt: Prompt, *, max_tokens: int, stop: tuple[str, ...]
) -> Reply:
    """The reply of a model up to a stop text; raises `ModelError`."""
    pieces: list[str] = []
    complete = True
    async with aclosing(model.generate(prompt, max_tokens=max_tokens, stop=stop)) as tokens:
        async for token in tokens:
            pieces.append(token.text)
            complete = not token.cut
    return Reply("".join(pieces), len(pieces), complete)


def prompt_digest(prompt: Prompt) -> str:
    """SHA-256 in hexadecimal of a prompt as the model gets it, turns as JSON."""
    turns = prompt if isinstance(prompt, str) else [[turn.role, turn.content] for turn in prompt]
    return sha256(msgspec.json.encode(turns)).hexdigest()
