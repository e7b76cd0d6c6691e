"""A dialogue that asks for a file or folder, to type or to pick from a tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.widgets import DirectoryTree, Input
from textual.widgets.directory_tree import DirEntry

from core.files import paths
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.shell.prompts import AskText

_Checked = TypeVar("_Checked")


class FileTree(DirectoryTree):
    """The files of this machine; their names are never taken for markup."""

    # The width of others differs from terminal to terminal.
    ICON_NODE, ICON_NODE_EXPANDED, ICON_FILE = "▸ ", "▾ ", "  "
    DEFAULT_CSS = """
    FileTree { height: 1fr; min-height: 4; max-height: 14; background: $surface; margin-top: 1; }
    """

    def process_label(self, label: str | Text) -> Text:
        """The name of a file as it is."""
        return Text(escape_control_characters(str(label)))


class PathDialogue(AskText[_Checked]):
    """Asks for the path of a collection; dismisses with the result of `check`, or with None."""

    HELP = N_("""
    ## A file or folder

    Type a path and press **enter**; or go down into the tree with **tab**, where **enter** opens a
    folder or takes a file. What the tree's cursor is on stands in the line. **esc** leaves.
    """)

    def __init__(self, check: Callable[[str], _Checked]) -> None:
        what = _("A file or folder of items, of any benchmark.")
        super().__init__(_("Path"), what, "", check)

    def compose_below(self) -> ComposeResult:
        """The line, and the tree of files from the folder in which the program was started."""
        yield from super().compose_below()
        yield FileTree(paths.working_folder() or paths.expanded("~"))

    @on(FileTree.NodeHighlighted)
    def name_path(self, event: FileTree.NodeHighlighted[DirEntry]) -> None:
        """Put into the line what the cursor of the tree is on."""
        if event.control.has_focus and event.node.data is not None:
            self.query_one(Input).value = str(event.node.data.path)

    @on(FileTree.FileSelected)
    def accept_file(self, event: FileTree.FileSelected) -> None:
        """Take the file."""
        self._accept(str(event.path))
