"""The key of a server: read from the environment, and taken out of whatever the server says.

The names and passwords of proxies are taken out as well: a proxy may say back what it was sent.
"""

from __future__ import annotations

import os
from base64 import b64encode, urlsafe_b64encode
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from core.models.openai.proxies import proxy_passwords
from core.models.openai.spellings import Reading, Spellings
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
        secrets = {key, *proxy_passwords()}
        self._spellings = _spellings(frozenset(each for each in secrets if len(each) >= _SHORTEST))

    def headers(self) -> dict[str, str]:
        """The header with the key; none without a key."""
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    def hide(self, text: str) -> str:
        """A text with the mark in the place of the key, also where it is escaped or in base64."""
        if self._spellings is None:
            return text
        return _hidden(text, Reading(self._spellings).read(text))

    def hide_in(self, tokens: AsyncIterator[Token]) -> AsyncIterator[Token]:
        """As many tokens of the same text without the key; the same ones where there is none."""
        return tokens if self._spellings is None else _hidden_in(tokens, Reading(self._spellings))


async def _hidden_in(tokens: AsyncIterator[Token], reading: Reading) -> AsyncIterator[Token]:
    """As many tokens of the same text, with the mark in the place of the key.

    The key may come in pieces, so what may be its beginning waits for the next token.
    """
    waiting, found, begin = list[Token](), list[tuple[int, int]](), 0
    async for token in tokens:
        waiting.append(token)
        found += reading.read(token.text)
        if not reading.goes_on:
            for hidden in _without(waiting, found, begin):
                yield hidden
            waiting, found, begin = [], [], reading.length
    for hidden in _without(waiting, found, begin):
        yield hidden


def _without(
    tokens: Sequence[Token], places: Sequence[tuple[int, int]], begin: int
) -> Sequence[Token]:
    """Tokens that hold no key; where they held one, the first has all of their text.

    The text of the first begins at `begin`.
    """
    if not places:
        return tokens
    text = "".join(token.text for token in tokens)
    hidden = _hidden(text, [(start - begin, end - begin) for start, end in places])
    return [replace(tokens[0], text=hidden), *(replace(token, text="") for token in tokens[1:])]


def _hidden(text: str, places: Sequence[tuple[int, int]]) -> str:
    """A text with the mark in some places."""
    parts, end = list[str](), 0
    for begin, after in places:
        parts += text[end:begin], MARK
        end = after
    return "".join((*parts, text[end:]))


@lru_cache(maxsize=1)
def _spellings(secrets: frozenset[str]) -> Spellings | None:
    """Those of secrets as they are, and of what they are in base64; none of no secrets."""
    spelled = set(secrets)
    for secret in secrets:
        spelled.update(_in_base64(secret.encode("utf-8", "surrogatepass")))
    return Spellings(spelled) if spelled else None


def _in_base64(secret: bytes) -> Iterator[str]:
    """The letters that a secret alone decides, wherever in a longer text it stands."""
    for before in range(3):
        for encode in (b64encode, urlsafe_b64encode):
            letters = encode(bytes(before) + secret).decode()
            # A letter holds 6 bits. Those that share bits with the neighbours are left out.
            yield letters[-(-before * 8 // 6) : (before + len(secret)) * 8 // 6]
