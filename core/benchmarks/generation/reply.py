"""What a model replied to a prompt, and the digest under which the prompt is known again."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

import msgspec

from core.contract.question import Prompt


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model wrote after a prompt."""

    text: str
    tokens: int
    complete: bool
    """Whether the model ended by itself, rather than at the limit of tokens."""


def prompt_digest(prompt: Prompt) -> str:
    """SHA-256 in hexadecimal of a prompt as the model gets it, turns as JSON."""
    turns = prompt if isinstance(prompt, str) else [[turn.role, turn.content] for turn in prompt]
    return sha256(msgspec.json.encode(turns)).hexdigest()
