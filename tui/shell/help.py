"""The help screen's text: the keys that matter, the focused pane, then every key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, runtime_checkable

from textual.binding import ActiveBinding
from textual.screen import Screen

from core.text.language import N_, _
from tui.shell.command import Command, Place, shown_key
from tui.shell.command_groups import grouped, that_matter
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
    where: Place | None = getattr(screen, "WHERE", None)
    if where is None:
        return _text(topic, (_("Keys here"), _own(screen)))
    offers: frozenset[str] = getattr(screen, "offers", frozenset())
    pane: str = getattr(screen, "pane", "")
    return help_text(topic, where, keys, offers, pane)


def help_text(
    topic: str,
    where: Place,
    keys: Keymap | None = None,
    offers: frozenset[str] = frozenset(),
    pane: str = "",
) -> str:
    """Help in Markdown: the keys that matter most here, the focused pane, then all other keys.

    Args:
        topic: help on the focused pane, in Markdown; where empty, what the program is.
        where: the place whose commands are listed.
        keys: a person's own keys.
        offers: what the open item offers (`Command.needs`); commands that need something else are
            left out. Empty where no item is open.
        pane: the name of the pane in front.
    """
    here, everywhere = _("Keys here"), _("Keys everywhere")
    commands = _there(where, keys or {}, offers)
    program = rebound_commands(Place.APP, keys or {})
    if where != Place.APP:
        taken = {key for command in commands for key in command.keys}
        program = tuple(command for command in program if not taken.issuperset(command.keys))
    first = that_matter((*commands, *program) if where == Place.BROWSE else commands, pane or where)
    more = list(grouped(commands)) if where == Place.BROWSE else []
    if where not in {Place.BROWSE, Place.APP}:
        rest = [command for command in commands if command not in first]
        more.append((N_("More keys here"), rest))
    if where == Place.WIZARD:
        more.append((N_("Keys in an answer"), list(rebound_commands(Place.EDITOR, keys or {}))))
    if where == Place.LESSON:
        # The keys of the panes, where the lesson has no other.
        more += grouped(_there(Place.BROWSE, keys or {}, offers))
    tables = [(_(title), _rows(each)) for title, each in more if each]
    if where != Place.APP:
        tables.append((everywhere, _rows(program)))
    return _text(topic, (here, _rows(program if where == Place.APP else first)), tables)


def _there(where: Place, keys: Keymap, offers: frozenset[str]) -> tuple[Command, ...]:
    """The commands of a place that the open item does not make idle."""
    commands = rebound_commands(where, keys)
    if where != Place.BROWSE or not offers:
        return commands
    return tuple(c for c in commands if not c.needs or c.needs in offers)


def _rows(commands: Iterable[Command]) -> list[Row]:
    return [(command.shown_keys, command.shown_help) for command in commands]


def _text(
    topic: str, first: tuple[str, Iterable[Row]], more: Iterable[tuple[str, Iterable[Row]]] = ()
) -> str:
    """Help: the keys that matter, the topic, then tables of further keys."""
    tables = [_table(*each) for each in more]
    return "\n\n".join([_table(*first), topic or _(_WELCOME), *tables])


def _table(title: str, keys: Iterable[Row]) -> str:
    rows = [f"| `{key}` | {what} |" for key, what in keys]
    return "\n".join([f"## {title}", "", _("| key | what it does |"), "|---|---|", *rows])


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
