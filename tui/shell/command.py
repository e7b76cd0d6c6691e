"""A command: something a person can do with a key, and on which screen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from textual.keys import key_to_character

from core.text.language import _, pgettext


class Place(StrEnum):
    """Where a command is heard, by the name that a keymap has for it."""

    APP = "app"
    """Everywhere."""
    BROWSE = "browse"
    RUN = "run"
    """The screen on which a whole collection is asked."""
    RUNS = "runs"
    COMPARISON = "comparison"
    UNREAD = "unread"
    """The screen of a run's answers that could not be read."""
    STUDIES = "studies"
    STUDY = "study"
    """The screen of what one study found."""
    ANNOTATE = "annotate"
    """A screen of questions, one after the other."""
    WIZARD = "wizard"
    LESSON = "lesson"
    EDITOR = "answer"
    """What is focused in the wizard: the answer to one step."""


FORMER_PLACES = {"funnel": Place.RUN}
"""Places by the names they had before, under which keymaps may still name them."""


@dataclass(frozen=True, slots=True)
class Command:
    """Something a person can do."""

    id: str
    keys: tuple[str, ...]
    """In Textual's names; the first is the one that is shown."""
    label: str
    """Two or three words, for the footer and the palette."""
    help: str
    """One sentence, for the help screen and the palette."""
    where: Place = Place.APP
    """The place where its keys work; `tui.shell.commands` sets it."""
    feature: str = ""
    """The feature of the item screen (`Feature.NAME`) whose method of the same name as the id does
    it; empty where the method `action_<id>` of the screen or the app does."""
    footer: tuple[str, ...] = ()
    """The panes in whose footer it stands; those of a screen without panes by the screen's name."""
    numbered: bool = False
    """Whether the action is given the number of the key that was pressed, counted from 1."""
    priority: bool = False
    """Whether it comes before what the focused field would do with the key."""
    needs: str = ""
    """What the open item must offer (`BrowseState.offers`) for it to stand in the footer."""
    former: str = ""
    """The id it had before, under which keymaps may still name it."""

    @property
    def name(self) -> str:
        """The name that a keymap and Textual's bindings have for it: "browse.ask"."""
        return f"{self.where}.{self.id}"

    def action(self, number: int | None = None) -> str:
        """Textual's action, with the number of the key for a numbered command."""
        arguments = [repr(self.feature), repr(self.id)] if self.feature else []
        arguments += [] if number is None else [str(number)]
        name = "do" if self.feature else self.id
        return f"{name}({', '.join(arguments)})" if arguments else name

    @property
    def shown_label(self) -> str:
        """The label in the language of the program."""
        return pgettext("command", self.label)

    @property
    def shown_help(self) -> str:
        """The sentence in the language of the program."""
        return _(self.help)

    @property
    def shown_keys(self) -> str:
        """The keys as a person reads them."""
        if self.numbered and self.keys == DIGITS[: len(self.keys)]:
            return f"{self.keys[0]}-{self.keys[-1]}"
        return " ".join(shown_key(key) for key in self.keys)


def shown_key(key: str) -> str:
    """A key in Textual's name as a person reads it."""
    if (name := _spoken_name(key)) or key in READABLE:
        return name or READABLE[key]
    character = key_to_character(key)
    return character if character and character.isprintable() else key


def _spoken_name(key: str) -> str:
    """The name of a key that has a name of its own in every language; else empty."""
    match key:
        case "space":
            return pgettext("key", "space")
        case "enter":
            return pgettext("key", "enter")
        case "home":
            return pgettext("key", "home")
        case "end":
            return pgettext("key", "end")
        case "pageup":
            return pgettext("key", "pageup")
        case "pagedown":
            return pgettext("key", "pagedown")
        case _:
            return ""


DIGITS = ("1", "2", "3", "4", "5", "6", "7", "8", "9")
READABLE = {
    "space": "space",
    "slash": "/",
    "question_mark": "?",
    "comma": ",",
    "plus": "+",
    "equals_sign": "=",
    "minus": "-",
    "underscore": "_",
    "full_stop": ".",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "enter": "enter",
    "escape": "esc",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "shift+up": "shift+↑",
    "shift+down": "shift+↓",
    "shift+left": "shift+←",
    "shift+right": "shift+→",
}
"""How keys are shown whose names in Textual are not how a person would call them."""
