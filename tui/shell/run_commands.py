"""The commands of the screens about runs: one run, the list, a comparison, unread answers."""

from __future__ import annotations

from tui.shell.command import Command

_UNREAD = Command(
    "unread",
    ("asterisk",),
    "not read",
    "List the written answers of the run that could not be read, with their texts.",
)
RUN_COMMANDS = (
    Command(
        "pause",
        ("space", "p"),
        "start / pause",
        "Start the run, pause it, or go on with it.",
        footer=("run",),
    ),
    Command(
        "stop", ("s",), "cancel", "Cancel the run; what was answered is kept.", footer=("run",)
    ),
    Command(
        "next_profile",
        ("v",),
        "profile",
        "Show the figures under the next scoring profile.",
        footer=("run",),
    ),
    Command(
        "anew",
        ("A",),
        "ask again",
        "Ask the whole collection again, into another run; the finished one is kept.",
    ),
    Command(
        "more_at_once",
        ("greater_than_sign",),
        "more at once",
        "Ask a server twice as many questions at once.",
    ),
    Command(
        "fewer_at_once",
        ("less_than_sign",),
        "fewer at once",
        "Ask a server half as many questions at once.",
    ),
    Command("copy", ("y",), "copy", "Copy the figures as they stand."),
    Command("start", ("enter",), "start", "Start the run with these choices."),
    Command(
        "next_choice",
        ("right", "l"),
        "change",
        "Before a run: choose something else in the line under the cursor.",
    ),
    Command(
        "previous_choice",
        ("left", "h"),
        "change back",
        "Before a run: choose what stood before in the line under the cursor.",
    ),
    Command(
        "choose",
        ("o",),
        "other run",
        "Choose items, worked examples, form and scoring of another run over this collection.",
    ),
    _UNREAD,
    Command("cursor_down", ("j", "down"), "down", "Scroll down; before a run, to the next line."),
    Command("cursor_up", ("k", "up"), "up", "Scroll up; before a run, to the line before."),
    Command("first", ("home", "g"), "first", "Scroll to the beginning."),
    Command("last", ("end", "G"), "last", "Scroll to the end."),
    Command("page_up", ("pageup",), "page up", "Scroll a page up."),
    Command("page_down", ("pagedown",), "page down", "Scroll a page down.", footer=("run",)),
    Command(
        "close",
        ("escape", "r"),
        "back",
        "Go back to the items; the run goes on.",
        footer=("run",),
    ),
)
RUNS_COMMANDS = (
    Command(
        "open",
        ("enter",),
        "open",
        "Open the run: its items, each with its result, and its answers on every ladder.",
        footer=("runs",),
    ),
    Command(
        "resume",
        ("r",),
        "go on",
        "Go on with a run that stopped early, with its model, items and settings; or with one that "
        "is paused.",
        footer=("runs",),
    ),
    Command(
        "mark",
        ("space",),
        "mark",
        "Mark the run for a comparison, or take the mark away; the first marked one is A.",
        footer=("runs",),
    ),
    Command(
        "compare",
        ("c",),
        "compare",
        "Compare the marked runs with A, question by question; if only one is marked, with the "
        "run under the cursor.",
        footer=("runs",),
    ),
    Command(
        "filter",
        ("slash",),
        "filter",
        "List only the runs that contain what you type.",
        # So that the next keys of a burst are typed into the field.
        priority=True,
    ),
    _UNREAD,
    Command("sort", ("s",), "sort", "Sort by the next column; live runs stay on top."),
    Command("delete", ("d",), "delete", "Delete the run with all its answers, after you confirm."),
    Command("copy", ("y",), "copy", "Copy the id of the run, for the command line."),
    Command("cursor_down", ("j", "down"), "down", "Go to the run below."),
    Command("cursor_up", ("k", "up"), "up", "Go to the run above."),
    Command("first", ("home", "g"), "first", "Go to the first run."),
    Command("last", ("end", "G"), "last", "Go to the last run."),
    Command("page_up", ("pageup",), "page up", "Go a page up."),
    Command("page_down", ("pagedown",), "page down", "Go a page down."),
    Command("close", ("escape",), "back", "Close the filter, or go back.", footer=("runs",)),
)
COMPARISON_COMMANDS = (
    Command(
        "open",
        ("enter",),
        "open",
        "Open the item under the cursor with the answers of both runs on its ladder.",
        footer=("comparison",),
        former="open_second",
    ),
    Command(
        "next_part",
        ("n",),
        "next part",
        "Go to the next table, or to the list of items; from the last one to the first.",
        footer=("comparison",),
    ),
    Command("copy", ("y",), "copy", "Copy the comparison as text."),
    Command("cursor_down", ("j", "down"), "down", "Go to the next table or item."),
    Command("cursor_up", ("k", "up"), "up", "Go to the table or item before."),
    Command("first", ("home", "g"), "first", "Go to the beginning."),
    Command("last", ("end", "G"), "last", "Go to the end."),
    Command("page_up", ("pageup",), "page up", "Scroll a page up."),
    Command("page_down", ("pagedown",), "page down", "Scroll a page down."),
    Command("close", ("escape",), "back", "Go back to the runs.", footer=("comparison",)),
)
UNREAD_COMMANDS = (
    Command(
        "open",
        ("enter",),
        "open",
        "Open the item of the answer under the cursor.",
        footer=("unread",),
    ),
    Command(
        "unfold",
        ("greater_than_sign",),
        "unfold",
        "Show what the model thought before its answers, or fold it again.",
        footer=("unread",),
    ),
    Command("copy", ("y",), "copy", "Copy what the model wrote.", footer=("unread",)),
    Command("cursor_down", ("j", "down"), "down", "Go to the next answer."),
    Command("cursor_up", ("k", "up"), "up", "Go to the answer before."),
    Command("first", ("home", "g"), "first", "Go to the first answer."),
    Command("last", ("end", "G"), "last", "Go to the last answer."),
    Command("page_up", ("pageup",), "page up", "Scroll a page up."),
    Command("page_down", ("pagedown",), "page down", "Scroll a page down."),
    Command("close", ("escape", "asterisk"), "back", "Go back.", footer=("unread",)),
)
