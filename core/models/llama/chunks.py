"""Where prompts are split into the batches that are evaluated."""

from __future__ import annotations

CHUNK = 128
"""Most tokens in a batch, and the most rows of logits in one.

Prompts are split after 16, 32, 64 and 128 tokens, and from there on at multiples of 128. The KV
cache keeps only whole chunks between requests. So a token is always evaluated in a batch of the
same shape, whatever was asked before, and a score depends on the request alone: llama.cpp may round
differently in batches of other shapes. The first chunks are short because prompts share their first
tokens: an instruction, the beginning of a story.
"""
SHORTEST = 16
"""Tokens of the first chunk."""


def boundary_at(position: int) -> int:
    """The last chunk boundary at or before a position."""
    if position >= CHUNK:
        return position // CHUNK * CHUNK
    return 1 << position.bit_length() - 1 if position >= SHORTEST else 0


def boundary_after(position: int) -> int:
    """The first chunk boundary after a position."""
    if position >= CHUNK:
        return boundary_at(position) + CHUNK
    return max(SHORTEST, 2 * boundary_at(position))
