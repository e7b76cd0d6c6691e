"""The key of a server: read from the environment, and taken out of whatever the server says."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

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
        if not key.isascii() or not all(character.isprintable() for character in key):
            raise ModelError(
                _("The key holds a character that no key can have."),
                where=KEY_VARIABLE,
                hint=_("Was it pasted whole?"),
            )
        self._key = key
        self._letters = key.replace("\\", "") if len(key) >= _SHORTEST else ""
        # Texts within texts, as in JSON, have any number of backslashes before a character.
        self._pattern = re.compile(r"\\*".join(map(re.escape, self._letters)))

    def headers(self) -> dict[str, str]:
        """The header with the key; none without a key."""
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    def hide(self, text: str) -> str:
        """A text with the mark in the place of the key."""
        return self._pattern.sub(MARK, text) if self._letters else text

    async def hide_in(self, tokens: AsyncIterator[Token]) -> AsyncIterator[Token]:
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
        letters, end = self._letters, text.replace("\\", "")
        return any(end.endswith(letters[:size]) for size in range(1, len(letters)))

    def _hidden(self, tokens: Sequence[Token]) -> Sequence[Token]:
        """Tokens that hold no key; where they held one, the first has all of their text."""
        text = "".join(token.text for token in tokens)
        hidden = self.hide(text)
        if hidden == text:
            return tokens
        return [replace(tokens[0], text=hidden), *(replace(token, text="") for token in tokens[1:])]
