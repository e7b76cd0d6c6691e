"""First tokens of prompts, so that prompts that begin alike evaluate them once."""

from __future__ import annotations

import array
import ctypes
import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from llama_cpp import llama_cpp as c

from core.models.llama.chunks import CHUNK, boundary_after


class Prefixes:
    """Copies of what the KV cache holds of the first tokens of prompts, the last used ones.

    A copy is put back byte for byte and into the same cells, and prompts are split into the same
    batches either way, so that it changes no bit of what is computed after it.
    """

    def __init__(self, context: Any, room: int) -> None:
        """`room` is how many bytes the copies take at most."""
        self._context = context
        self._room = room
        self.copies: OrderedDict[bytes, ctypes.Array[ctypes.c_uint8]] = OrderedDict()
        """By prefix, in the order in which they were last used."""
        self.bytes = 0
        """How many bytes the copies take."""

    def of(self, tokens: Sequence[int], most: int) -> dict[int, bytes]:
        """What identifies the prefixes of a prompt, by their lengths, the shortest first.

        They are up to `most` tokens long, and no longer than a chunk: longer ones that prompts
        share are still in the KV cache where those prompts follow each other.
        """
        digest = hashlib.sha256()
        prefixes = {}
        start, end = 0, boundary_after(0)
        while end <= min(most, CHUNK):
            digest.update(array.array("i", tokens[start:end]).tobytes())
            prefixes[end] = digest.digest()
            start, end = end, boundary_after(end)
        return prefixes

    def __contains__(self, prefix: bytes) -> bool:
        """Whether there is a copy."""
        return prefix in self.copies

    def keep(self, prefix: bytes) -> None:
        """Copy what the KV cache holds of sequence 0, which is this prefix."""
        size = c.llama_state_seq_get_size(self._context, 0)
        if prefix in self.copies or size > self._room:
            return
        copy = (ctypes.c_uint8 * size)()
        if c.llama_state_seq_get_data(self._context, copy, size, 0) != size:
            return
        self.copies[prefix] = copy
        self.bytes += size
        while self.bytes > self._room:
            _, oldest = self.copies.popitem(last=False)
            self.bytes -= len(oldest)

    def restore(self, prefix: bytes) -> bool:
        """Put a copy into the empty KV cache; returns whether it is there."""
        copy = self.copies[prefix]
        self.copies.move_to_end(prefix)
        return bool(c.llama_state_seq_set_data(self._context, copy, len(copy), 0) == len(copy))
