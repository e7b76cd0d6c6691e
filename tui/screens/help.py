"""The help screen's text: the focused pane first, then every key."""

from __future__ import annotations

from tui.commands import APP, commands

_WELCOME = """
**What this is.** A language model is asked about a short story in layers: is it plausible, which
two sentences conflict, which physical state is at fault. Change the story with a key and ask
again: you see at which layer the model stops understanding.
"""


def help_text(topic: str, where: str) -> str:
    """Markdown: what the focused pane is, then the keys of the screen and of the program."""
    parts = [topic or _WELCOME]
    for title, place in (("Keys here", where), ("Keys everywhere", APP)):
        rows = [f"| `{c.shown_keys}` | {c.help} |" for c in commands(place)]
        parts.append("\n".join([f"## {title}", "", "| key | what it does |", "|---|---|", *rows]))
    return "\n\n".join(parts)
