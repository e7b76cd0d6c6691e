"""What a collection is: licence, origin, citation, and what was wrong with it."""

from __future__ import annotations

from core.benchmark import Collection

_SHOWN = 40


def about_text(collection: Collection) -> str:
    """The collection's licence and citation, then its repairs and unreadable items."""
    about = collection.about
    parts = [
        about.title,
        "",
        f"Licence   {about.licence}",
        f"Origin    {about.origin or 'unknown'}",
    ]
    if about.citation:
        parts += ["", "Please cite", *(f"  {line}" for line in about.citation)]
    if about.note:
        parts += ["", about.note]
    for title, lines in (
        ("Read with a repair", [f"{repair.where}: {repair.what}" for repair in collection.repairs]),
        ("Could not be read", [str(error) for error in collection.errors]),
    ):
        if lines:
            parts += ["", f"{title} ({len(lines):,})", *(f"  {line}" for line in lines[:_SHOWN])]
            if len(lines) > _SHOWN:
                parts.append(f"  … and {len(lines) - _SHOWN:,} more")
    return "\n".join(parts)
