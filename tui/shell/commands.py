"""Every command of the program, by the screen on which it is heard.

Key bindings, the command palette, the footer, the help screen and the tables of keys in the
documents are made from these tables.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from textual.binding import Binding, BindingType

from tui.shell.browse_commands import BROWSE_COMMANDS
from tui.shell.command import DIGITS, Command, Place
from tui.shell.graph_commands import GRAPH_COMMANDS
from tui.shell.pane_commands import PANE_COMMANDS
from tui.shell.run_commands import COMPARISON_COMMANDS, RUN_COMMANDS, RUNS_COMMANDS, UNREAD_COMMANDS
from tui.shell.study_commands import STUDIES_COMMANDS, STUDY_COMMANDS

_WIZARD = (
    Command(
        "back",
        ("escape",),
        "back",
        "Go one step back, the answer still in its field; from the first step, leave.",
        footer=("wizard",),
    ),
    Command(
        "leave",
        ("ctrl+g", "q"),
        "leave",
        "Leave; what was typed is kept as a draft, unless it is thrown away.",
        footer=("wizard",),
    ),
    Command(
        "save",
        ("enter",),
        "save",
        "Save the finished item in your own collection.",
        footer=("wizard",),
    ),
    Command("cursor_down", ("j", "down"), "down", "Look at the next statement."),
    Command("cursor_up", ("k", "up"), "up", "Look at the statement before."),
    Command("page_up", ("pageup",), "page up", "Scroll the item up.", priority=True),
    Command("page_down", ("pagedown",), "page down", "Scroll the item down.", priority=True),
)
_EDITOR = (
    Command("accept", ("enter",), "accept", "Take this answer and go on.", priority=True),
    Command("next", ("j", "down"), "next", "Go to the line below; a number becomes one less."),
    Command(
        "previous", ("k", "up"), "previous", "Go to the line above; a number becomes one more."
    ),
    Command("first", ("home",), "first", "Go to the first line."),
    Command("last", ("end", "G"), "last", "Go to the last line."),
    Command("nth", DIGITS, "by number", "Go to the line with this number.", numbered=True),
    Command(
        "move_back",
        ("comma", "left_square_bracket"),
        "move up",
        "Move the part under the cursor one place up.",
    ),
    Command(
        "move_forward",
        ("full_stop", "right_square_bracket"),
        "move down",
        "Move the part under the cursor one place down.",
    ),
    Command(
        "new_line", ("ctrl+j",), "new line", "Begin a new line in what is typed.", priority=True
    ),
)
_ANNOTATE = (
    Command(
        "pick",
        DIGITS,
        "answer",
        "Choose an answer by its number; the letter beside it does the same.",
        footer=("annotate",),
        numbered=True,
    ),
    Command("cursor_down", ("j", "down"), "down", "Go to the answer below."),
    Command("cursor_up", ("k", "up"), "up", "Go to the answer above."),
    Command(
        "mark",
        ("space",),
        "mark",
        "Mark the answer under the cursor, or take the mark away, where several may be right.",
    ),
    Command(
        "accept",
        ("enter",),
        "go on",
        "Keep the answer under the cursor, or those that are marked, and go on.",
        footer=("annotate",),
    ),
    Command(
        "back",
        ("backspace", "left"),
        "back",
        "Go back to the question before, to look at its answer or change it.",
        footer=("annotate",),
    ),
    Command(
        "forward",
        ("right",),
        "next",
        "Leave the answer to this question as it is, and go to the next one.",
    ),
    Command("page_up", ("pageup",), "page up", "Scroll a long question up."),
    Command("page_down", ("pagedown",), "page down", "Scroll it down."),
    Command(
        "leave",
        ("escape", "q"),
        "leave",
        "Leave; every answer is saved already, and you can go on later.",
        footer=("annotate",),
    ),
)
_LESSON = (
    Command(
        "next_step",
        ("space",),
        "next",
        "Scroll to what stands below, else go to the next step. So does enter, except on a trace, "
        "where it patches.",
        footer=("lesson",),
    ),
    Command(
        "previous_step",
        ("backspace",),
        "back",
        "Go to the step before; what was counted and revealed is kept. So does ← in the text.",
        footer=("lesson",),
    ),
    Command(
        "reveal",
        ("r",),
        "reveal",
        "Ask the model what the audience was asked, and show the answer beside the hands.",
        footer=("lesson",),
        needs="prediction",
    ),
    Command(
        "count_hand",
        DIGITS,
        "count hands",
        "Count one hand for the prediction with this number, before the answer is shown.",
        footer=("lesson",),
        numbered=True,
        needs="prediction",
    ),
    Command(
        "take_hand_back",
        ("minus",),
        "one less",
        "Take back the hand that was counted last.",
    ),
    Command(
        "room",
        ("f8",),
        "votes",
        "Show the code by which phones vote, where `commonsense-tui serve --room` is open.",
    ),
    Command(
        "present",
        ("P",),
        "present",
        "Present to a room: one pane at a time, wide margins, the theme for projectors; or stop.",
    ),
    Command(
        "take_away",
        ("f4",),
        "as a page",
        "Write the lesson with the model's answers as one page that needs no program.",
    ),
    Command(
        "leave",
        ("escape", "q"),
        "leave",
        "Leave the lesson; the counted hands are not kept.",
        footer=("lesson",),
    ),
)
_APP = (
    Command(
        "help",
        ("question_mark", "f1"),
        "help",
        "Explain what is here and which keys work; f1 where a question mark would be typed.",
        footer=(
            "list",
            "graph",
            "view",
            "ladder",
            "xray",
            "trace",
            "live",
            "run",
            "runs",
            "comparison",
            "studies",
            "study",
            "annotate",
            "lesson",
        ),
    ),
    Command("jump", ("ctrl+o",), "jump", "Jump to a pane or a tab by its letter."),
    Command(
        "runs",
        ("f3",),
        "runs",
        "See every recorded run with its figure; open, compare or delete runs. Again to go back.",
    ),
    Command("next_theme", ("f6",), "theme", "Use the next theme."),
    Command(
        "picture",
        ("f2",),
        "picture",
        "Write the screen as it is, whichever it is, to a file: a picture (SVG) or text.",
        priority=True,
    ),
    Command("command_palette", ("ctrl+p",), "every action", "Find any action by its name."),
    Command(
        "menu",
        ("f10",),
        "menu",
        "Open the menu of every command; so does a click on the title above.",
    ),
    Command("welcome", ("f9",), "welcome", "What this is and what to press first, in a few lines."),
    Command("quit", ("q",), "quit", "Leave the program."),
)

OUTSIDE_LESSONS = frozenset(
    {"filter", "collections", "new_item", "lessons", "run_all", "answer_all", "review", "studies"}
)
"""Commands of the browsing screen that would leave a lesson, or that keys of the lesson replace."""

_BY_PLACE = {
    place: tuple(replace(command, where=place) for command in table)
    for place, table in (
        (Place.BROWSE, (*BROWSE_COMMANDS, *GRAPH_COMMANDS, *PANE_COMMANDS)),
        (Place.RUN, RUN_COMMANDS),
        (Place.RUNS, RUNS_COMMANDS),
        (Place.COMPARISON, COMPARISON_COMMANDS),
        (Place.UNREAD, UNREAD_COMMANDS),
        (Place.STUDIES, STUDIES_COMMANDS),
        (Place.STUDY, STUDY_COMMANDS),
        (Place.WIZARD, _WIZARD),
        (Place.EDITOR, _EDITOR),
        (Place.ANNOTATE, _ANNOTATE),
        (Place.LESSON, _LESSON),
        (Place.APP, _APP),
    )
}
COMMANDS = tuple(command for table in _BY_PLACE.values() for command in table)


def commands(where: Place) -> tuple[Command, ...]:
    """The commands of a screen, or of the app."""
    return _BY_PLACE[where]


def bindings(where: Place, only: Collection[str] | None = None) -> list[BindingType]:
    """Textual bindings for the commands of a place, or for those of them whose ids are given."""
    all_bindings: list[BindingType] = []
    for command in commands(where):
        if only is not None and command.id not in only:
            continue
        if command.numbered:
            all_bindings += [
                Binding(key, command.action(n), command.label, show=False, id=f"{command.name}.{n}")
                for n, key in enumerate(command.keys, 1)
            ]
            continue
        all_bindings.append(
            Binding(
                ",".join(command.keys),
                command.action(),
                command.label,
                show=False,
                priority=command.priority,
                id=command.name,
                tooltip=command.help,
            )
        )
    return all_bindings
