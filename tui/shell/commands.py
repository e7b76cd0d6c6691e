"""Every action of the program, once.

Key bindings, the command palette, the footer, the help screen and the table of keys in the
documents are made from this list. A command's id is the name of the `action_` method that does it
on the screen (or the app) that `where` names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from textual.binding import Binding, BindingType

from tui.shell.browse_commands import BROWSE_COMMANDS
from tui.shell.command import ANNOTATE, APP, EDITOR, FUNNEL, WIZARD, Command
from tui.shell.lesson_commands import LESSON_COMMANDS

COMMANDS: tuple[Command, ...] = (
    *BROWSE_COMMANDS,
    Command(
        "pause",
        ("space", "p"),
        "start / pause",
        "Start the run, pause it, or go on with it.",
        where=FUNNEL,
        footer=("funnel",),
    ),
    Command(
        "stop",
        ("c",),
        "cancel",
        "Cancel the run; what was answered is kept.",
        where=FUNNEL,
        footer=("funnel",),
    ),
    Command(
        "next_profile",
        ("v",),
        "profile",
        "Show the figures under the next scoring profile.",
        where=FUNNEL,
        footer=("funnel",),
    ),
    Command(
        "anew",
        ("A",),
        "ask again",
        "Ask the whole collection again, into another run; the finished one is kept.",
        where=FUNNEL,
    ),
    Command("copy", ("y",), "copy", "Copy the figures as they stand.", where=FUNNEL),
    Command("cursor_down", ("j", "down"), "down", "Scroll down.", where=FUNNEL),
    Command("cursor_up", ("k", "up"), "up", "Scroll up.", where=FUNNEL),
    Command("first", ("home", "g"), "first", "Scroll to the beginning.", where=FUNNEL),
    Command("last", ("end", "G"), "last", "Scroll to the end.", where=FUNNEL),
    Command("page_up", ("pageup",), "page up", "Scroll a page up.", where=FUNNEL),
    Command(
        "page_down",
        ("pagedown",),
        "page down",
        "Scroll a page down.",
        where=FUNNEL,
        footer=("funnel",),
    ),
    Command(
        "close",
        ("escape", "r"),
        "back",
        "Go back to the items; the run goes on.",
        where=FUNNEL,
        footer=("funnel",),
    ),
    Command(
        "back",
        ("escape",),
        "back",
        "Go one step back, the answer still in its field; from the first step, leave.",
        where=WIZARD,
        footer=("wizard",),
    ),
    Command(
        "leave",
        ("ctrl+g", "q"),
        "leave",
        "Leave; what was typed is kept as a draft, unless it is thrown away.",
        where=WIZARD,
        footer=("wizard",),
    ),
    Command(
        "save",
        ("enter",),
        "save",
        "Save the finished item in your own collection.",
        where=WIZARD,
        footer=("wizard",),
    ),
    Command("cursor_down", ("j", "down"), "down", "Look at the next statement.", where=WIZARD),
    Command("cursor_up", ("k", "up"), "up", "Look at the statement before.", where=WIZARD),
    Command("page_up", ("pageup",), "page up", "Scroll the item up.", where=WIZARD, priority=True),
    Command(
        "page_down",
        ("pagedown",),
        "page down",
        "Scroll the item down.",
        where=WIZARD,
        priority=True,
    ),
    Command(
        "accept", ("enter",), "accept", "Take this answer and go on.", where=EDITOR, priority=True
    ),
    Command(
        "next",
        ("j", "down"),
        "next",
        "Go to the line below; a number becomes one less.",
        where=EDITOR,
    ),
    Command(
        "previous",
        ("k", "up"),
        "previous",
        "Go to the line above; a number becomes one more.",
        where=EDITOR,
    ),
    Command("first", ("home",), "first", "Go to the first line.", where=EDITOR),
    Command("last", ("end", "G"), "last", "Go to the last line.", where=EDITOR),
    Command(
        "nth",
        ("1", "2", "3", "4", "5", "6", "7", "8", "9"),
        "by number",
        "Go to the line with this number.",
        where=EDITOR,
        numbered=True,
    ),
    Command(
        "move_back",
        ("comma", "left_square_bracket"),
        "move up",
        "Move the part under the cursor one place up.",
        where=EDITOR,
    ),
    Command(
        "move_forward",
        ("full_stop", "right_square_bracket"),
        "move down",
        "Move the part under the cursor one place down.",
        where=EDITOR,
    ),
    Command(
        "new_line",
        ("ctrl+j",),
        "new line",
        "Begin a new line in what is typed.",
        where=EDITOR,
        priority=True,
    ),
    Command(
        "pick",
        ("1", "2", "3", "4", "5", "6", "7", "8", "9"),
        "answer",
        "Choose an answer by its number; the letter beside it does the same.",
        where=ANNOTATE,
        footer=("annotate",),
        numbered=True,
    ),
    Command("cursor_down", ("j", "down"), "down", "Go to the answer below.", where=ANNOTATE),
    Command("cursor_up", ("k", "up"), "up", "Go to the answer above.", where=ANNOTATE),
    Command(
        "mark",
        ("space",),
        "mark",
        "Mark the answer under the cursor, or take the mark away, where several may be right.",
        where=ANNOTATE,
    ),
    Command(
        "accept",
        ("enter",),
        "go on",
        "Keep the answer under the cursor, or those that are marked, and go on.",
        where=ANNOTATE,
        footer=("annotate",),
    ),
    Command(
        "back",
        ("backspace", "left"),
        "previous",
        "Go back to the question before, to look at its answer or change it.",
        where=ANNOTATE,
        footer=("annotate",),
    ),
    Command(
        "forward",
        ("right",),
        "next",
        "Leave the answer to this question as it is, and go to the next one.",
        where=ANNOTATE,
    ),
    Command("page_up", ("pageup",), "page up", "Scroll a long question up.", where=ANNOTATE),
    Command("page_down", ("pagedown",), "page down", "Scroll it down.", where=ANNOTATE),
    Command(
        "leave",
        ("escape", "q"),
        "leave",
        "Leave; every answer is saved already, and you can go on later.",
        where=ANNOTATE,
        footer=("annotate",),
    ),
    *LESSON_COMMANDS,
    Command(
        "help",
        ("question_mark", "f1"),
        "help",
        "What is here and which keys there are; f1 where a question mark would be typed.",
        where=APP,
        footer=(
            *("list", "graph", "view", "ladder", "xray", "trace", "live"),
            *("funnel", "annotate", "lesson"),
        ),
    ),
    Command("jump", ("ctrl+o",), "jump", "Jump to a pane or a tab by its letter.", where=APP),
    Command("next_theme", ("t",), "theme", "Use the next theme.", where=APP),
    Command(
        "picture",
        ("f2",),
        "picture",
        "Write the screen as it is, whichever it is, to a file: a picture (SVG) or text.",
        where=APP,
        priority=True,
    ),
    Command(
        "command_palette", ("ctrl+p",), "every action", "Find any action by its name.", where=APP
    ),
    Command(
        "welcome",
        ("I",),
        "welcome",
        "What this is and what to press first, in a few lines.",
        where=APP,
    ),
    Command("quit", ("q",), "quit", "Leave the program.", where=APP),
)


def commands(where: str) -> tuple[Command, ...]:
    """The commands of a screen, or of the app."""
    return tuple(command for command in COMMANDS if command.where == where)


def bindings(where: str, only: Collection[str] | None = None) -> list[BindingType]:
    """Textual bindings for the commands of a screen, of the app, or for those of them named."""
    made: list[BindingType] = []
    for command in commands(where):
        if only is not None and command.id not in only:
            continue
        name = f"{where}.{command.id}"
        if command.numbered:
            made += [
                Binding(key, command.action(n), command.label, show=False, id=f"{name}.{n}")
                for n, key in enumerate(command.keys, 1)
            ]
            continue
        made.append(
            Binding(
                ",".join(command.keys),
                command.action(),
                command.label,
                show=False,
                priority=command.priority,
                id=name,
                tooltip=command.help,
            )
        )
    return made


def keys_table(only: Iterable[Command] = COMMANDS) -> str:
    """The table of keys for the documents, in Markdown."""
    rows = [f"| `{c.shown_keys}` | {c.label} | {c.help} | {_named(c)} |" for c in only]
    return "\n".join(["| keys | action | what it does | name |", "|---|---|---|---|", *rows])


def _named(command: Command) -> str:
    """What a keymap calls a command; a numbered one has a name for each number."""
    name = f"{command.where}.{command.id}"
    return f"`{name}.1` to `.{len(command.keys)}`" if command.numbered else f"`{name}`"
