"""Seeds made of what they are for: neither order nor parallel work changes what is drawn."""

from __future__ import annotations

from hashlib import sha256


def derived(*parts: str | int) -> int:
    """A seed of 64 bits: the same for the same parts on every machine, another for any others."""
    content = sha256()
    for part in parts:
        raw = str(part).encode("utf-8", "surrogatepass")
        content.update(b"%d:" % len(raw) + raw)
    return int.from_bytes(content.digest()[:8], "big")
