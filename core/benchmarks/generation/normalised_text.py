"""Texts brought into the form in which they are compared."""

from __future__ import annotations

import re

_WORDS = re.compile(r"\w+")


def normalise(text: str) -> str:
    """Case-fold the words of a text, with a single space around each.

    The outer spaces let `normalise(a) in normalise(b)` match whole words only.
    """
    return f" {' '.join(_WORDS.findall(text.casefold()))} "
