"""The help screen's text: the focused pane first, then every key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

from textual.binding import ActiveBinding
from textual.screen import Screen

from core.text.language import N_, _
from tui.shell.command import APP, BROWSE, EDITOR, LESSON, WIZARD, shown_key
from tui.shell.keymap import Keymap, rebound_commands

_WELCOME = N_("""
**What this is.** A language model is asked about an item in layers, each question building on the
one before. Change the item with a key and ask again: you see at which layer the model stops
understanding.
""")

_TEXTUAL = (N_("Focus Next"), N_("Focus Previous"), N_("Copy selected text"))
"""Descriptions of Textual's own keys, marked for translation."""
Row = tuple[str, str]
"""A key as a person reads it, and what it does."""


@runtime_checkable
class Helping(Protocol):
    """A screen with help of its own."""

    def help_topic(self) -> str:
        """Help on what is in front, in Markdown."""
        ...


def help_on(screen: Screen[Any], keys: Keymap) -> str:
    """Markdown on a screen: what is focused in it, then its keys and those of the program."""
    topic = screen.help_topic() if isinstance(screen, Helping) else _(screen.HELP or "")
    where = getattr(screen, "WHERE", "")
    if not where:
        return _text(topic, [(_("Keys here"), _own(screen))])
    return help_text(topic, where, keys, getattr(screen, "offers", frozenset()))


def help_text(
    topic: str, where: str, keys: Keymap | None = None, offers: frozenset[str] = frozenset()
) -> str:
    """Help in Markdown: on the focused pane, then the keys of the screen and of the program.

    Args:
        topic: help on the focused pane, in Markdown; where empty, what the program is.
        where: the place whose commands are listed.
        keys: a person's own keys.
        offers: what the open item offers (`Command.needs`); commands that need something else are
            left out. Empty where no item is open.
    """
    here, everywhere = _("Keys here"), _("Keys everywhere")
    places = {where: here, APP: everywhere}
    if where == WIZARD:
        places = {WIZARD: here, EDITOR: _("Keys in an answer"), APP: everywhere}
    if where == LESSON:
        others = _("Keys in the panes, where the lesson has no other")
        places = {LESSON: here, BROWSE: others, APP: everywhere}
    tables = []
    for place, title in places.items():
        commands = rebound_commands(place, keys or {})
        if place == BROWSE and offers:
            commands = tuple(c for c in commands if not c.needs or c.needs in offers)
        tables.append((title, [(c.shown_keys, c.shown_help) for c in commands]))
    return _text(topic, tables)


def _text(topic: str, tables: Iterable[tuple[str, Iterable[Row]]]) -> str:
    parts = [topic or _(_WELCOME)]
    for title, each in tables:
        rows = [f"| `{key}` | {what} |" for key, what in each]
        head = _("| key | what it does |")
        parts.append("\n".join([f"## {title}", "", head, "|---|---|", *rows]))
    return "\n\n".join(parts)


def _own(screen: Screen[Any]) -> list[Row]:
    """The keys that a dialogue binds itself, the keys for the same thing together."""
    keys_of: dict[str, list[str]] = {}
    # The keys of every dialogue come after those of this one.
    bound = sorted(screen.active_bindings.items(), key=_is_shared)
    for key, active in bound:
        held = key.startswith("super+")
        if active.node is screen and not active.binding.system and not held:
            binding = active.binding
            sentence = _(binding.tooltip or "") or f"{_(binding.description).capitalize()}."
            keys_of.setdefault(sentence, []).append(shown_key(key))
    return [(" ".join(keys), sentence) for sentence, keys in keys_of.items()]


def _is_shared(bound: tuple[str, ActiveBinding]) -> bool:
    return bound[1].binding.action.startswith(("app.", "screen."))
