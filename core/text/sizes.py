"""Sizes as a person reads them."""

from __future__ import annotations


def human_bytes(count: int) -> str:
    """Bytes in decimal units, such as "4.1 GB"."""
    size = float(count)
    for unit in ("B", "kB", "MB"):
        if size < 999.5:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 9.95 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.0f} GB" if size >= 99.5 else f"{size:.1f} GB"
