"""A word-level vocabulary that llama.cpp reads as a GPT-2 byte-pair vocabulary.

With the pre-tokeniser "llama-bpe" a piece of text that is in the vocabulary becomes one token
without any merge; every other piece falls back to its bytes. So a word list is enough.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache

BOS, EOS, PAD = "<|bos|>", "<|eos|>", "<|pad|>"
SPECIALS = (BOS, EOS, PAD)

# The llama-bpe splitting rule; [^\W\d_] stands for letters, which `re` has no class for.
_PIECE = re.compile(
    r"'(?:[sS]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])"
    r"|(?:[^\r\n\w]|_)?[^\W\d_]+"
    r"|\d{1,3}"
    r"| ?(?:[^\s\w]|_)+[\r\n]*"
    r"|\s*[\r\n]+"
    r"|\s+(?!\S)"
    r"|\s+"
)


def pieces(text: str) -> list[str]:
    """Split text the way llama.cpp's "llama-bpe" pre-tokeniser does."""
    return _PIECE.findall(text)


@cache
def _byte_letters() -> tuple[str, ...]:
    """GPT-2's printable letter for each byte."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    spare = iter(range(256, 512))
    return tuple(chr(byte if byte in printable else next(spare)) for byte in range(256))


def as_letters(piece: str) -> str:
    """A piece of text in the byte letters that vocabulary files use."""
    letters = _byte_letters()
    return "".join(letters[byte] for byte in piece.encode("utf-8"))


@dataclass(frozen=True)
class Tokenizer:
    """Token strings in id order: specials, the 256 bytes, then words."""

    tokens: tuple[str, ...]
    ids: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        ids = {token: number for number, token in enumerate(self.tokens)}
        # llama.cpp aborts the whole process on a duplicate.
        if len(ids) != len(self.tokens):
            twice = [token for token, count in Counter(self.tokens).items() if count > 1]
            raise ValueError(f"tokens occur twice: {twice[:5]}")
        object.__setattr__(self, "ids", ids)

    @classmethod
    def from_pieces(cls, words: Iterable[str]) -> Tokenizer:
        """Build the vocabulary from pieces of text as `pieces` gives them."""
        letters = _byte_letters()
        known = sorted({as_letters(word) for word in words} - set(letters))
        return cls((*SPECIALS, *letters, *known))

    def parts(self) -> tuple[list[int], list[int]]:
        """By token: the number of its word, and of how that is spelled.

        Tokens that differ in a blank in front or in capitals are one word.
        """
        blank = as_letters(" ")
        numbers: dict[str, int] = {}
        words, spellings = [], []
        for token in self.tokens:
            bare = token.removeprefix(blank) or token
            words.append(numbers.setdefault(bare.casefold(), len(numbers)))
            spellings.append(2 * (bare != token) + (bare != bare.casefold()))
        return words, spellings

    @property
    def bos(self) -> int:
        return self.ids[BOS]

    @property
    def eos(self) -> int:
        return self.ids[EOS]

    @property
    def pad(self) -> int:
        return self.ids[PAD]

    def id_of(self, piece: str, otherwise: int) -> int:
        """The token of a whole piece, or `otherwise` when it has none."""
        return self.ids.get(as_letters(piece), otherwise) if piece else otherwise

    def encode(self, text: str, spelled: str = "") -> list[int]:
        """Token ids without BOS. The word `spelled` is written byte by byte, as if unknown."""
        return [number for piece in pieces(text) for number in self.encode_piece(piece, spelled)]

    def encode_piece(self, piece: str, spelled: str = "") -> Iterable[int]:
        letters = as_letters(piece)
        if letters in self.ids and not (spelled and piece.strip(" '").casefold() == spelled):
            return (self.ids[letters],)
        return _spell(letters, self.ids)


def _spell(letters: str, ids: dict[str, int]) -> Iterator[int]:
    return (ids[letter] for letter in letters)
