"""The token of a Hugging Face server, and whether the server says it back."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from html import unescape
from urllib.parse import unquote

MARK = "(the token)"
"""What stands in the place of a text with the token in it."""
_SHORTEST = 8
"""Characters of a secret: any text may hold a shorter one."""
_MOST_LAYERS = 4
"""How often a text is read as an escaped one."""


class Token:
    """The token as the environment or `hf auth login` has it; no representation shows it."""

    def __init__(self) -> None:
        """Read it."""
        from huggingface_hub import constants, get_token

        self._token = (not constants.HF_HUB_DISABLE_IMPLICIT_TOKEN and get_token()) or ""
        self._forms = tuple(_forms(self._token)) if len(self._token) >= _SHORTEST else ()

    def headers(self) -> dict[str, str]:
        """The header with the token; none without a token."""
        return {"authorization": f"Bearer {self._token}"} if self._token else {}

    def is_in(self, text: str) -> bool:
        """Whether a text holds the token: as it is, in base64, or escaped for an address or HTML.

        A name of a file may have a slash anywhere in it.
        """
        for _layer in range(_MOST_LAYERS):
            joined = text.replace("/", "").replace("\\", "")
            if any(form in text or form in joined for form in self._forms):
                return True
            text = unescape(unquote(text))
        return False

    def hide(self, text: str) -> str:
        """A text, or the mark where it holds the token."""
        return MARK if self.is_in(text) else text


def _forms(token: str) -> Iterator[str]:
    """The token, and the letters of base64 that it alone decides, wherever in a text it stands."""
    yield token
    for before in range(3):
        for encode in (b64encode, urlsafe_b64encode):
            letters = encode(bytes(before) + token.encode()).decode()
            # A letter holds 6 bits. Those that share bits with the neighbours are left out.
            yield letters[-(-before * 8 // 6) : (before + len(token)) * 8 // 6]
