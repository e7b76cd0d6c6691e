"""The commands of the screens about studies: the list of them, and one."""

from __future__ import annotations

from tui.shell.command import Command

STUDIES_COMMANDS = (
    Command("open", ("enter",), "open", "Open what the study found.", footer=("studies",)),
    Command(
        "begin",
        ("n", "space"),
        "begin",
        "Begin a study of the open collection with the loaded model, or go on with one.",
        footer=("studies",),
    ),
    Command(
        "stop",
        ("s",),
        "stop",
        "Stop the study that is going on; what was measured is kept.",
        footer=("studies",),
    ),
    Command("delete", ("d",), "delete", "Delete the study, after a question."),
    Command("copy", ("y",), "copy", "Copy the id of the study, for the command line."),
    Command("cursor_down", ("j", "down"), "down", "Go to the study below."),
    Command("cursor_up", ("k", "up"), "up", "Go to the study above."),
    Command("first", ("home", "g"), "first", "Go to the first study."),
    Command("last", ("end", "G"), "last", "Go to the last study."),
    Command(
        "close",
        ("escape", "f4"),
        "back",
        "Go back to the items; a study that is going on is stopped, and kept.",
        footer=("studies",),
    ),
)
STUDY_COMMANDS = (
    Command(
        "open",
        ("enter",),
        "items",
        "List the items behind the cell or row; among them, open the one under the cursor.",
        footer=("study",),
    ),
    Command("cell_left", ("left", "h"), "left", "Go to the column before.", footer=("study",)),
    Command("cell_right", ("right", "l"), "right", "Go to the next column.", footer=("study",)),
    Command("cursor_down", ("j", "down"), "down", "Go to the row below.", footer=("study",)),
    Command("cursor_up", ("k", "up"), "up", "Go to the row above.", footer=("study",)),
    Command(
        "next_group",
        ("v",),
        "group",
        "Show the next group of pairs, by the first task layer that the model gets wrong; after "
        "the last, all valid pairs.",
        footer=("study",),
    ),
    Command("page_up", ("pageup",), "page up", "Scroll a page up."),
    Command("page_down", ("pagedown",), "page down", "Scroll a page down."),
    Command("first", ("home", "g"), "first", "Go to the beginning."),
    Command("last", ("end", "G"), "last", "Go to the end."),
    Command("copy", ("y",), "copy", "Copy what is shown as text."),
    Command("close", ("escape",), "back", "Go back.", footer=("study",)),
)
