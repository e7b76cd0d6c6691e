"""The name under which a person answers or annotates."""

from __future__ import annotations

import unicodedata

LONGEST = 40
"""Most characters of a name."""


def shown_name(name: str) -> str:
    """The name as it is shown, the same however it was typed; empty where it is none."""
    shown = " ".join(unicodedata.normalize("NFC", name).split())
    return shown if len(shown) <= LONGEST and shown.isprintable() else ""
