"""The commands of an item screen that move in its panes and between them."""

from __future__ import annotations

from tui.shell.command import Command

PANE_COMMANDS: tuple[Command, ...] = (
    Command("cursor_down", ("j", "down"), "next", "Move the cursor down.", feature="panes"),
    Command("cursor_up", ("k", "up"), "previous", "Move the cursor up.", feature="panes"),
    Command("first", ("home", "g"), "first", "Move the cursor to the beginning.", feature="panes"),
    Command("last", ("end", "G"), "last", "Move the cursor to the end.", feature="panes"),
    Command("page_up", ("pageup",), "page up", "Move the cursor a page up.", feature="panes"),
    Command(
        "page_down", ("pagedown",), "page down", "Move the cursor a page down.", feature="panes"
    ),
    Command("next_pane", ("tab",), "next pane", "Go to the next pane.", feature="panes"),
    Command(
        "previous_pane", ("shift+tab",), "previous pane", "Go to the pane before.", feature="panes"
    ),
    Command(
        "cursor_right",
        ("l", "right"),
        "right",
        "In a graph go to the nearest node on the right; elsewhere to the next pane.",
        feature="panes",
    ),
    Command(
        "cursor_left",
        ("h", "left"),
        "left",
        "In a graph go to the nearest node on the left; elsewhere to the pane before.",
        feature="panes",
    ),
    Command(
        "zoom_in",
        ("z",),
        "zoom in",
        "Draw the graph's nodes larger.",
        feature="panes",
        needs="graph",
    ),
    Command(
        "zoom_out",
        ("Z",),
        "zoom out",
        "Draw the graph's nodes smaller.",
        feature="panes",
        needs="graph",
    ),
    Command(
        "fit",
        ("0",),
        "fit",
        "Draw the graph as large as it fits.",
        feature="panes",
        needs="graph",
    ),
    Command(
        "turn",
        ("vertical_line",),
        "turn graph",
        "Draw the graph left to right, or top to bottom.",
        feature="panes",
        needs="graph",
    ),
    Command(
        "pan_up",
        ("K", "shift+up"),
        "pan up",
        "Scroll the pane up without moving the cursor.",
        feature="panes",
    ),
    Command(
        "pan_down",
        ("J", "shift+down"),
        "pan down",
        "Scroll the pane down without moving the cursor.",
        feature="panes",
    ),
    Command(
        "pan_left",
        ("H", "shift+left"),
        "pan left",
        "Scroll left without moving the cursor.",
        feature="panes",
    ),
    Command(
        "pan_right",
        ("L", "shift+right"),
        "pan right",
        "Scroll right without moving the cursor.",
        feature="panes",
    ),
)
