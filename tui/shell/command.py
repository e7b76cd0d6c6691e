"""What a command is: something a person can do with a key, and where."""

from __future__ import annotations

from dataclasses import dataclass

from core.text.language import _, pgettext

APP = "app"
BROWSE = "browse"
FUNNEL = "funnel"
ANNOTATE = "annotate"
"""A screen of questions, one after the other."""
WIZARD = "wizard"
LESSON = "lesson"
EDITOR = "answer"
"""What is focused in the wizard: the answer to one step."""


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
    where: str = BROWSE
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

    does: str = ""
    """The feature of an item screen, a dot, and its method that does it ("editing.undo"); empty
    where an `action_` method of the screen does it, whose name is the id."""

    def action(self, number: int | None = None) -> str:
        """What Textual is to do for it, with the number of its key where it is numbered."""
        if self.does:
            return f"do({self.does!r})" if number is None else f"do({self.does!r}, {number})"
        return self.id if number is None else f"{self.id}({number})"

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
        if self.numbered and self.keys == _DIGITS[: len(self.keys)]:
            return f"{self.keys[0]}-{self.keys[-1]}"
        return " ".join(shown_key(key) for key in self.keys)


def shown_key(key: str) -> str:
    """A key in Textual's name as a person reads it."""
    if key in READABLE:
        return READABLE[key]
    # Not needed for the keys of the program itself.
    from textual.keys import key_to_character

    character = key_to_character(key)
    return character if character and character.isprintable() else key


_DIGITS = ("1", "2", "3", "4", "5", "6", "7", "8", "9")
READABLE = {
    "space": "space",
    "slash": "/",
    "question_mark": "?",
    "comma": ",",
    "plus": "+",
    "equals_sign": "=",
    "minus": "-",
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
