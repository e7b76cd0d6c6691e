"""Gathers the sentences of the program and brings the catalogues of its languages up to date.

python tools/catalogue.py

Every language of `core.text.language` but English has a catalogue in core/text/catalogues/: the
translations as text (.po), which people edit, and compiled (.mo), which the program reads. The same
sources and translations always make the same two files.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from babel.messages import Catalog
from babel.messages import Message as Entry
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from core.text.language import DOMAIN, ENGLISH, FOLDER, LANGUAGES, N_

ROOT = Path(__file__).parent.parent
_SOURCES = ("core", "tui")

_LABEL = "command"
"""The context of a command's label."""


class Message(NamedTuple):
    """A sentence as the sources say it."""

    one: str
    many: str = ""
    """The same for many; empty where it is not counted."""
    context: str = ""
    """What tells it apart from the same word with another meaning."""


class _Undated(Catalog):
    """A catalogue whose head holds only what gettext needs to read it."""

    def _head(self) -> list[tuple[str, str]]:
        return [
            ("Language", str(self.locale_identifier)),
            ("Plural-Forms", self.plural_forms),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit\n"),
        ]

    mime_headers = property(_head, Catalog._set_mime_headers)


def sources() -> list[Path]:
    """Every module in which there may be something that a screen says."""
    return sorted(file for folder in _SOURCES for file in (ROOT / folder).rglob("*.py"))


def messages() -> dict[Message, list[str]]:
    """Every sentence with the modules that say it, in the order of modules and sentences.

    Raises `ValueError` with file and line where a place that is marked holds no plain text.
    """
    found: dict[Message, list[str]] = {}
    for file in sources():
        name = file.relative_to(ROOT).as_posix()
        try:
            here = set(marked(ast.parse(file.read_text(encoding="utf-8"), name)))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
        for message in sorted(here):
            found.setdefault(message, []).append(name)
    return found


def marked(tree: ast.AST) -> Iterator[Message]:
    """The sentences of a module that are marked to be translated."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="_" | "N_"), args=[text]):
                yield from (Message(each) for each in _literal(text))
            case ast.Call(func=ast.Name(id="pgettext"), args=[context, text]):
                for each in _literal(text):
                    yield Message(each, context="".join(_literal(context)))
            case ast.Call(func=ast.Name(id="ngettext"), args=[one, many, _]):
                for each in zip(_literal(one), _literal(many), strict=True):
                    yield Message(*each)
            case ast.Call(func=ast.Name(id="Command"), args=[_, _, label, said, *_]):
                yield from (Message(each, context=_LABEL) for each in _literal(label))
                yield from (Message(each) for each in _literal(said))


def _literal(node: ast.expr) -> tuple[str, ...]:
    """A text as the program has it; nothing for a name, which is marked where it is set."""
    if isinstance(node, ast.JoinedStr | ast.BinOp):
        raise ValueError(f"line {node.lineno}: a text is made before it is looked up")
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        return (N_(node.value),)
    return ()


def files_of(code: str) -> tuple[Path, Path]:
    """The catalogue of a language: its text and what is compiled from it."""
    folder = FOLDER / code / "LC_MESSAGES"
    return folder / f"{DOMAIN}.po", folder / f"{DOMAIN}.mo"


def read(code: str) -> Catalog:
    """The catalogue of a language as it is; an empty one where there is none yet."""
    text, _ = files_of(code)
    if not text.exists():
        return Catalog(locale=code, header_comment=f"# {LANGUAGES[code]}")
    with text.open("rb") as file:
        return read_po(file, locale=code)


def updated(code: str) -> Catalog:
    """The catalogue of a language with the present sentences, the known ones translated."""
    known = read(code)
    catalog = _Undated(locale=code, header_comment=known.header_comment, fuzzy=False)
    for message, places in messages().items():
        said = (message.one, message.many) if message.many else message.one
        kept = known.get(message.one, message.context or None)
        if kept is not None and kept.id != said:
            kept = None
        catalog.add(
            said,
            kept.string if kept else None,
            locations=[(place, None) for place in places],
            flags={"fuzzy"} if kept and kept.fuzzy else (),
            user_comments=kept.user_comments if kept else (),
            context=message.context or None,
        )
    return catalog


def is_translated(message: Entry) -> bool:
    """Whether a sentence of a catalogue can be said, for one and for many."""
    given = (message.string,) if isinstance(message.string, str) else message.string
    return bool(given) and all(given) and not message.fuzzy


def as_text(catalog: Catalog) -> bytes:
    """What stands in a .po file."""
    file = BytesIO()
    write_po(file, catalog, width=100, include_lineno=False)
    return file.getvalue()


def compiled(catalog: Catalog) -> bytes:
    """What stands in a .mo file."""
    file = BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def main() -> None:
    """Write both files of every language; tell what is still to be translated."""
    for code in (code for code in LANGUAGES if code != ENGLISH):
        catalog = updated(code)
        text, binary = files_of(code)
        text.parent.mkdir(parents=True, exist_ok=True)
        text.write_bytes(as_text(catalog))
        binary.write_bytes(compiled(catalog))
        missing = sum(not is_translated(each) for each in catalog if each.id)
        print(f"{code}: {len(catalog)} sentences, {missing} to translate")


if __name__ == "__main__":
    main()
