"""Seeds and ids as hashes of what they belong to, so that the order of work changes neither.

Both are the first 64 bits of one SHA-256 over the parts, each with its length in front of it.
"""

from __future__ import annotations

from hashlib import sha256


def seed_of(*parts: str | int) -> int:
    """A seed of 64 bits: equal parts give the same on every machine, different ones different."""
    return int(content_id(*parts), 16)


def content_id(*parts: str | int) -> str:
    """The same hash as an id of 16 hexadecimal digits."""
    content = sha256()
    for part in parts:
        raw = str(part).encode("utf-8", "surrogatepass")
        content.update(b"%d:" % len(raw) + raw)
    return content.hexdigest()[:16]
