"""The key of a server: read from the environment, and taken out of whatever the server says."""

from __future__ import annotations

import os
from base64 import b64encode, urlsafe_b64encode
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

import regex

from core.models.protocol import Token
from core.text.errors import ModelError
from core.text.language import _

KEY_VARIABLE = "COMMONSENSE_API_KEY"
"""The environment variable that holds the key, where the server wants one."""
MARK = "(the key)"
"""What stands in the place of the key."""
_SHORTEST = 8
"""Characters of a secret. Shorter keys are stand-ins ("EMPTY", "x") for a server that wants none,
and taking them out would change answers."""
_BACKSLASHES = r"(?:\\|(?:%(?:25){0,8}|u00|x)5[cC]|&\#(?:0{0,8}92|[xX]0{0,8}5[cC]);?)*"
"""Texts within texts, as in JSON, have any number of backslashes before a character."""


class Key:
    """The key as the environment holds it now; it never appears in a representation."""

    def __init__(self) -> None:
        """Read it; raises `ModelError` for what no header can hold."""
        key = os.environ.get(KEY_VARIABLE, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise ModelError(
                _("The key holds a character that no key can have."),
                where=KEY_VARIABLE,
                hint=_("Was it pasted whole?"),
            )
        self._key = key
        self._pattern = _pattern(key) if len(key) >= _SHORTEST else None

    def headers(self) -> dict[str, str]:
        """The header with the key; none without a key."""
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    def hide(self, text: str) -> str:
        """A text with the mark in the place of the key, also where it is escaped or in base64."""
        return self._pattern.sub(MARK, text) if self._pattern else text

    def hide_in(self, tokens: AsyncIterator[Token]) -> AsyncIterator[Token]:
        """As many tokens of the same text without the key; the same ones where there is none."""
        return tokens if self._pattern is None else self._hidden_in(tokens)

    async def _hidden_in(self, tokens: AsyncIterator[Token]) -> AsyncIterator[Token]:
        """As many tokens of the same text, with the mark in the place of the key.

        The key may come in pieces, so what may be its beginning waits for the next token.
        """
        waiting: list[Token] = []
        async for token in tokens:
            waiting.append(token)
            if not self._may_go_on("".join(token.text for token in waiting)):
                for hidden in self._hidden(waiting):
                    yield hidden
                waiting = []
        for hidden in self._hidden(waiting):
            yield hidden

    def _may_go_on(self, text: str) -> bool:
        """Whether a text ends with a part of the key that more text may complete."""
        if self._pattern is None:
            return False
        match = self._pattern.search(self.hide(text), partial=True)
        return bool(match and match.partial and match[0])

    def _hidden(self, tokens: Sequence[Token]) -> Sequence[Token]:
        """Tokens that hold no key; where they held one, the first has all of their text."""
        text = "".join(token.text for token in tokens)
        hidden = self.hide(text)
        if hidden == text:
            return tokens
        return [replace(tokens[0], text=hidden), *(replace(token, text="") for token in tokens[1:])]


@lru_cache(maxsize=1)
def _pattern(key: str) -> regex.Pattern[str]:
    """Finds a key as it is, in base64, and either of them escaped for an address, JSON or HTML."""
    return regex.compile("|".join(map(_escaped, dict.fromkeys((key, *_in_base64(key))))))


def _escaped(text: str) -> str:
    """A pattern of a text whose characters may be escaped as in an address, JSON or HTML."""
    return _BACKSLASHES.join(
        rf"(?:{regex.escape(letter)}|(?:%(?:25){{0,8}}|u00|x)(?i:{ord(letter):02x})"
        rf"|&\#(?:0{{0,8}}{ord(letter)}|(?i:x0{{0,8}}{ord(letter):x}));?)"
        for letter in text.replace("\\", "")
    )


def _in_base64(key: str) -> Iterator[str]:
    """The letters that the key alone decides, wherever in a longer text it stands."""
    for before in range(3):
        for encode in (b64encode, urlsafe_b64encode):
            letters = encode(bytes(before) + key.encode()).decode()
            # A letter holds 6 bits. Those that share bits with the neighbours are left out.
            yield letters[-(-before * 8 // 6) : (before + len(key)) * 8 // 6]
