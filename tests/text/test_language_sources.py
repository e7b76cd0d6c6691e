"""Nothing that a screen says stands outside the catalogues: the sources are read for it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.catalogue import ROOT

_PROSE = re.compile(r"[^\W\d_]{2,}[,;:.]? [^\W\d_]{2,}")
"""Two words beside each other."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_LOOKED_UP = frozenset({"_", "N_", "ngettext", "pgettext", "Command"})
_SAYS = frozenset({"Static", "Label", "notify", "update", "AskText", "PickOne", "TextScreen"})
"""What is called with a text that is shown."""
_SHOWN = frozenset({"border_title", "border_subtitle", "placeholder", "tooltip", "title"})
"""What is set to a text that is shown."""
_STYLE = re.compile(r"[A-Z_]*(CSS|_POLICY)")
"""Names of style sheets and of what a page may load."""
_ON_COMMAND_LINE = ("tui/cli", "tui/cli/main.py", "tui/app/opening.py", "tui/app/recognition.py")
"""What is printed before or without a screen stays English."""
_EXCEPTIONS = {
    "| keys | action | what it does | name |": "the table of keys in the documents",
    "page up": "a name of a key, as a keymap has it",
    "page down": "the same",
    "The program cannot be served at {}, port {}: {}.": "on the command line",
    "Choose another port, as --port 8001; --port 0 takes any that is free.": "the same",
    "commonsense-tui": "the name of the program",
    "the runner was set up without a server": "a defect of the program",
    "runs list --store {path}": "a command",
    "accord kb info {path}": "a command",
    "accord kb build {path} --out FILE": "a command",
    "lesson run {path}": "a command",
    "from tui.cli.start import main; main()": "a program",
    "The welcome was shown.\n": "a file that says what it is to who looks into it",
    "engine log": "the name of a signal",
    "not bold": "a style",
    "$cs-key bold": "a style",
    "bold underline $cs-changed": "a style",
    "'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace": "names of fonts",
}
"""Prose that no screen shows, and what it is."""


def _files() -> list[Path]:
    english = [ROOT / place for place in _ON_COMMAND_LINE]
    found = sorted((ROOT / "tui").rglob("*.py"))
    return [file for file in found if not any(file.is_relative_to(place) for place in english)]


def unmarked(source: str) -> Iterator[tuple[int, str]]:
    """The texts in a module that a person would read and no catalogue translates."""
    tree = ast.parse(source)
    skipped = {id(text) for text in _docstrings(tree)}
    stack: list[tuple[ast.AST, bool]] = [(tree, False)]
    while stack:
        node, shown = stack.pop()
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in _LOOKED_UP:
                continue
            case ast.Assign(targets=[ast.Name(id=name)]) if _STYLE.fullmatch(name):
                continue
            case ast.Call():
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                stack.append((node.func, False))
                stack += [(each, name in _SAYS) for each in node.args]
                stack += [(each.value, each.arg in _SHOWN) for each in node.keywords]
                continue
            case ast.Assign(targets=[target]):
                name = getattr(target, "attr", getattr(target, "id", ""))
                stack.append((node.value, name in _SHOWN))
                continue
            case ast.JoinedStr():
                text = "".join(
                    each.value if isinstance(each, ast.Constant) else "{}" for each in node.values
                )
                stack += [
                    (each, False) for each in node.values if not isinstance(each, ast.Constant)
                ]
            case ast.Constant(value=str() as text) if id(node) not in skipped:
                pass
            case _:
                stack += [(each, shown) for each in ast.iter_child_nodes(node)]
                continue
        if text.startswith("<") or text in _EXCEPTIONS:
            # Markup, and what is known not to be shown.
            continue
        if (_WORD if shown else _PROSE).search(text):
            yield node.lineno, text


def _docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    """Texts that stand for themselves: they document what stands before them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def test_every_text_of_a_screen_is_marked() -> None:
    """A text with words is looked up where it is shown, or marked where it is kept."""
    found = [
        f"{file.relative_to(ROOT)}:{line}: {text!r}"
        for file in _files()
        for line, text in unmarked(file.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('notify("Saved")', 1),
        ('notify(_("Saved"))', 0),
        ('said = f"{n} items of {all}"', 1),
        ('said = _("{n} items").format(n=n)', 0),
        ('box.border_title = "Items"', 1),
        ('"""What this is."""', 0),
        ('DEFAULT_CSS = "Static { color: red; }"', 0),
    ],
)
def test_the_check_finds_unmarked_sentences(source: str, count: int) -> None:
    """A check that finds nothing would be worth nothing."""
    assert len(list(unmarked(source))) == count


def _shadowing(source: str) -> Iterator[int]:
    """The lines of functions that look sentences up and use the name `_` for something else."""
    scopes = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    inner = scopes | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    for scope in (node for node in ast.walk(ast.parse(source)) if isinstance(node, inner)):
        own: list[ast.AST] = []
        stack = list(ast.iter_child_nodes(scope))
        while stack:
            node = stack.pop()
            own.append(node)
            stack += [] if isinstance(node, inner) else ast.iter_child_nodes(node)
        names = [node for node in own if isinstance(node, ast.Name) and node.id == "_"]
        bound = [node for node in names if isinstance(node.ctx, ast.Store)]
        called = [node for node in own if isinstance(node, ast.Call) and node.func in names]
        if called and bound:
            yield scope.lineno


def test_only_gettext_is_called_underscore() -> None:
    """A loop over `_` would take the place of the function in the whole of its function."""
    found = [
        f"{file.relative_to(ROOT)}:{line}"
        for folder in ("core", "tui")
        for file in sorted((ROOT / folder).rglob("*.py"))
        for line in _shadowing(file.read_text(encoding="utf-8"))
    ]
    assert not found
    assert list(_shadowing("def f():\n    for _ in range(3):\n        say(_('x'))\n")) == [1]
