"""A person's own keys, checked before use.

Entries that cannot be used are reported with their lines and left out. Keys are named as the
program shows them ("/", "esc", "↓") or as Textual names them ("slash", "escape", "down").
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from textual.binding import Binding
from textual.keys import key_to_character

from core.files.config import Config
from core.text.errors import ConfigError
from core.text.escaping import quoted
from core.text.language import N_, _
from core.text.suggestions import nearest
from tui.shell.command import FORMER_PLACES, READABLE, Command, Place, shown_key
from tui.shell.commands import COMMANDS, OUTSIDE_LESSONS, commands

Keymap = Mapping[str, tuple[str, ...]]
"""The keys of each command, or of each number of a numbered one, by its id with its place."""

MOST_KEYS = 20
"""Most keys of a command."""
_TAKEN = {
    "ctrl+h": N_("Terminals send backspace for it."),
    "ctrl+i": N_("Terminals send tab for it."),
    "ctrl+m": N_("Terminals send enter for it."),
    "ctrl+left_square_bracket": N_("Terminals send esc for it."),
    "ctrl+c": N_("It ends or copies in every program of a terminal."),
    "ctrl+z": N_("It puts the program into the background."),
    "ctrl+q": N_("It always leaves the program."),
}
"""Keys that cannot be bound, and why."""
_NAMED = frozenset(
    f"{held}{key}"
    for held in ("", "shift+", "ctrl+", "ctrl+shift+")
    for key in ("up", "down", "left", "right", "home", "end", "pageup", "pagedown")
) | frozenset(
    (
        *("enter", "escape", "tab", "shift+tab", "space", "backspace", "insert", "delete"),
        *(f"f{number}" for number in range(1, 25)),
    )
)
_SPOKEN = (
    {shown: key for key, shown in READABLE.items() if len(shown) > 1}
    | {
        "return": "enter",
        "esc": "escape",
        "del": "delete",
        "page up": "pageup",
        "page down": "pagedown",
    }
    | {
        f"{held}{arrow}": f"{held}{key}"
        for held in ("", "shift+", "ctrl+", "ctrl+shift+")
        for arrow, key in (("↑", "up"), ("↓", "down"), ("←", "left"), ("→", "right"))
    }
)


@dataclass(frozen=True, slots=True)
class CheckedKeymap:
    """The valid entries of a person's keymap, and the errors in the others."""

    keys: Keymap
    problems: tuple[ConfigError, ...] = ()


def check(config: Config) -> CheckedKeymap:
    """Check the keymap of a configuration.

    A name that no command has, a key that a terminal cannot send, and a key that two commands of
    the same place would share are problems, each with the nearest right name or both commands.
    """
    problems: list[ConfigError] = []
    keys: dict[str, tuple[str, ...]] = {}
    known = _defaults()
    renamed = {f"{c.where}.{c.former}": c.name for c in COMMANDS if c.former}
    for former, place in FORMER_PLACES.items():
        renamed |= {f"{former}.{c.id}": c.name for c in COMMANDS if c.where == place}
    for written_name, written in config.keymap.items():
        where = config.origins.get(f"keymap.{written_name}", "keymap")
        name = renamed.get(written_name, written_name)
        if name not in known:
            problems.append(_unknown(name, where))
            continue
        try:
            keys[name] = _keys(written)
        except ValueError as error:
            what, hint = error.args
            problems.append(ConfigError(f"{name}: {what}", where=where, hint=hint))
    for name, other, key in _remove_clashes(keys):
        problems.append(
            ConfigError(
                _(
                    "{name} and {other} would both have the key “{key}”.",
                    name=name,
                    other=other,
                    key=shown_key(key),
                ),
                where=config.origins.get(f"keymap.{name}", "keymap"),
                hint=_(
                    "Give {other} another key too, or choose another one for {name}.",
                    name=name,
                    other=other,
                ),
            )
        )
    return CheckedKeymap(keys, tuple(problems))


def rebound(command: Command, keys: Keymap) -> Command:
    """The command with the keys that a person gave it."""
    name = command.name
    if not command.numbered:
        return replace(command, keys=keys[name]) if name in keys else command
    each = (keys.get(f"{name}.{n}", (key,))[0] for n, key in enumerate(command.keys, 1))
    return replace(command, keys=tuple(each))


def rebound_commands(where: Place, keys: Keymap) -> tuple[Command, ...]:
    """The commands of a place, with a person's own keys."""
    every = commands(where)
    return tuple(rebound(command, keys) for command in every) if keys else every


def first_key(name: str, keys: Keymap) -> str:
    """The first key of the command with this name ("browse.ask"), as a person reads it."""
    return shown_key((keys.get(name) or _defaults()[name])[0])


@cache
def _defaults() -> Mapping[str, tuple[str, ...]]:
    """The program's own keys by the ids that a keymap may name."""
    defaults: dict[str, tuple[str, ...]] = {}
    for command in COMMANDS:
        if command.numbered:
            defaults |= {f"{command.name}.{n}": (key,) for n, key in enumerate(command.keys, 1)}
        else:
            defaults[command.name] = command.keys
    return defaults


def _unknown(name: str, where: str) -> ConfigError:
    near = nearest(name, _defaults())
    numbered = [known for known in _defaults() if known.startswith(f"{name}.")]
    if numbered:
        hint = _(
            "It has a key for each number: {first} to {last}.", first=numbered[0], last=numbered[-1]
        )
    elif near:
        hint = _("Did you mean “{name}”?", name=near[0])
    else:
        hint = _(
            "docs/keys.md names every command; a command's name is its place, a dot and its id."
        )
    what = _("There is no command {name} to bind.", name=quoted(name))
    return ConfigError(what, where=where, hint=hint)


def _keys(written: str) -> tuple[str, ...]:
    """The keys of a text in which they are parted by commas, in Textual's names.

    Raises `ValueError` with what is wrong and what to do.
    """
    parts = written.split(",")
    if len(parts) > MOST_KEYS:
        raise ValueError(
            _(
                "these are {n:,} keys, and a command has at most {most}.",
                n=len(parts),
                most=MOST_KEYS,
            ),
            _("Name those that you use."),
        )
    return tuple(dict.fromkeys(_key(part.strip()) for part in parts))


def _key(text: str) -> str:
    if not text:
        raise ValueError(
            _("a key is missing."), _("Separate keys by commas; the comma itself is “comma”.")
        )
    key = _SPOKEN.get(text.lower() if len(text) > 1 else text, text)
    if len(key) == 1:
        if not key.isprintable() or key.isspace():
            raise ValueError(
                _("{text} is not a key.", text=quoted(text)),
                _("Its name is “space”, for instance."),
            )
        return _name_of(key)
    key = key.lower()
    held, _plus, last = key.rpartition("+")
    if len(last) == 1 and held:
        key = f"{held}+{_name_of(last)}"
    if key in _TAKEN:
        raise ValueError(_("{text} cannot be bound.", text=quoted(text)), _(_TAKEN[key]))
    if key in _NAMED or key in READABLE or _by_name(key):
        return key
    if held == "ctrl" and last in string.ascii_lowercase + "]\\_^@":
        return key
    if held == "alt" and (len(last) == 1 or last in _NAMED):
        return key
    if held == "shift" and len(last) == 1:
        raise ValueError(
            _("{text} is written another way.", text=quoted(text)),
            _("Write “{key}”.", key=last.upper()),
        )
    if held:
        raise ValueError(
            _("{text} is a key that not every terminal can send.", text=quoted(text)),
            _("Use a letter, ctrl+letter, alt+letter, a function key or a key with a name."),
        )
    near = nearest(key, [*_NAMED, *_SPOKEN, *READABLE])
    raise ValueError(
        _("{text} is not a key.", text=quoted(text)),
        _("Did you mean “{name}”?", name=near[0]) if near else _(_WRITE),
    )


_WRITE = N_("Write one character, or a name such as enter, ctrl+r, f5 or pagedown.")


def _name_of(character: str) -> str:
    """Textual's name of the key that types a character."""
    return next(iter(Binding.make_bindings([Binding(character, "")]))).key


def _by_name(key: str) -> bool:
    """Whether it is Textual's name of a key that types one character, such as asterisk."""
    character = key_to_character(key)
    return character is not None and character.isprintable() and _name_of(character) == key


def _remove_clashes(keys: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, str, str]]:
    """Remove the entries of `keys` that give a command a key of another one.

    Yields both names and the key.
    """
    # A removed entry gives its command the default keys back, which another may have taken.
    while clash := next(_clashes({**_defaults(), **keys}, keys), None):
        del keys[clash[0]]
        yield clash


def _clashes(present: Keymap, own: Keymap) -> Iterator[tuple[str, str, str]]:
    defaults = _defaults()
    commands_with: dict[str, list[str]] = {}
    for name, keys in present.items():
        for key in keys:
            commands_with.setdefault(key, []).append(name)
    for name in reversed(list(own)):
        for key in present[name]:
            for other in commands_with[key]:
                # The program itself gives some keys to two commands: that of the inner place acts.
                shared = key in defaults[name] and key in defaults[other]
                if other != name and not shared and _heard_together(name, other):
                    yield name, other, key


def _heard_together(name: str, other: str) -> bool:
    """Whether two commands are heard at the same time, on one screen or another."""
    places = {name.partition(".")[0], other.partition(".")[0]}
    if places == {Place.LESSON, Place.BROWSE}:
        # A lesson runs on the browsing screen, without the commands that lead out of it.
        return not {name, other} & {f"{Place.BROWSE}.{command}" for command in OUTSIDE_LESSONS}
    return len(places) == 1 or Place.APP in places or places == {Place.WIZARD, Place.EDITOR}


def textual_keymap(keys: Keymap) -> dict[str, str]:
    """The keymap as Textual takes it, with the keys of lessons.

    A command that leads out of a lesson, where it does nothing, may have a key of the lesson's: it
    must not take that key away there.
    """
    lesson = {c.name: _defaults()[c.name] for c in commands(Place.LESSON) if not c.numbered}
    return {name: ",".join(each) for name, each in {**lesson, **keys}.items()} if keys else {}
