"""Numbers as a person reads them: what is not 0 is not written as 0, and 0 has no sign."""

from __future__ import annotations

import re

_LEAST = 1e-9
"""Smaller numbers are what arithmetic leaves of 0."""
_DIGITS = re.compile(r"\.\d+(?=f$)")


class ShownNumber(float):
    """A float whose fixed-point formats keep a first digit: -0.004 by ".2f", and never -0.00.

    Widths, signs and all other formats are those of a float.
    """

    def __format__(self, spec: str) -> str:
        text = super().__format__(spec)
        if not spec.endswith("f") or self != self or re.search("[1-9]|inf", text):
            return text
        if abs(self) < _LEAST:
            return format(0.0, spec)
        return super().__format__(_DIGITS.sub(".1", spec)[:-1] + "g")
