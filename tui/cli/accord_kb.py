"""`accord kb build` and `accord kb info`: knowledge bases for grounding reasoning trees."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.text.errors import SettingError
from core.text.suggestions import suggestion
from tui.cli.find import JsonOption
from tui.cli.output import out, out_json, say

if TYPE_CHECKING:
    from core.benchmarks.accord.knowledge.header import Header
    from core.benchmarks.accord.knowledge.readers import Tally

_SECONDS = 10
"""Between two lines of progress where there is no terminal."""


def add_to(accord: typer.Typer) -> None:
    """Put the commands among the others of `accord`."""
    kb = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Knowledge bases.")
    kb.command("build")(build)
    kb.command("info")(info)
    accord.add_typer(kb, name="kb")


def build(
    dump: Annotated[
        Path,
        typer.Argument(
            metavar="DUMP",
            help="A ConceptNet dump (.csv or .csv.gz), a file of relation, head and tail with "
            "tabs, or a folder of them or of <Relation>.csv files.",
            show_default=False,
        ),
    ],
    target: Annotated[
        Path, typer.Option("--out", help="The file for the knowledge base.", show_default=False)
    ],
    languages: Annotated[
        str, typer.Option("--languages", help="Codes, such as en,it. Plain terms are of the first.")
    ] = "en",
    relations: Annotated[
        str | None,
        typer.Option("--relations", help="Names, such as AtLocation,IsA; all when left out."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compile a knowledge base once, so that it opens at once.

    A knowledge base that is there already is replaced when all is done, not before.
    """
    from core.benchmarks.accord.knowledge.compiler import build as compile_to
    from core.benchmarks.accord.knowledge.readers import Reader, Wanted
    from core.benchmarks.accord.knowledge.source_files import find_source

    names = _listed("--relations", relations) if relations is not None else ()
    source = find_source(dump)
    wanted = Wanted(_listed("--languages", languages), frozenset(names))
    teller = _Teller(source.bytes)
    try:
        header = compile_to(Reader(source, wanted, teller.tell), target)
    finally:
        teller.end()
    _tell_tally(header.tally)
    _tell_missing(header, wanted.languages, names)
    if as_json:
        out_json(_fields(target, header))
        return
    for language in header.languages:
        out(
            f"{language.code}: {language.assertions:,} assertions, {language.terms:,} terms, "
            f"{len(language.relations)} relation{'' if len(language.relations) == 1 else 's'}"
        )
    out(str(target))


def info(
    kb: Annotated[
        Path,
        typer.Argument(
            metavar="KB",
            help="A knowledge base that was built, or a small folder of CSV files.",
            show_default=False,
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Print what a knowledge base holds, after a check of every byte of it."""
    from core.benchmarks.accord.knowledge.loader import open_knowledge

    opened = open_knowledge(kb)
    opened.verify()
    header = opened.header
    if as_json:
        out_json(_fields(kb, header))
        return
    out(f"{kb}: of {header.source} ({header.layout}), SHA-256 {header.sha256}")
    for language in header.languages:
        out(f"{language.code}: {language.assertions:,} assertions, {language.terms:,} terms")
        for columns in language.relations:
            out(
                f"  {columns.assertions:>10,}  {columns.name}: "
                f"{columns.sources:,} sources, {columns.targets:,} targets"
            )
    _tell_tally(header.tally)


def _listed(option: str, words: str) -> tuple[str, ...]:
    """The different words of a list with commas. Raises `SettingError` if one is empty."""
    listed = tuple(dict.fromkeys(word.strip() for word in words.split(",")))
    if "" in listed:
        raise SettingError(f"“{words}” is no list.", where=option, hint="Write A or A,B.")
    return listed


def _fields(path: Path, header: Header) -> dict[str, Any]:
    tally = header.tally
    return {
        "kb": str(path),
        "source": header.source,
        "layout": header.layout,
        "sha256": header.sha256,
        "assertions": sum(language.assertions for language in header.languages),
        "languages": {
            language.code: {
                "assertions": language.assertions,
                "terms": language.terms,
                "relations": {
                    columns.name: {
                        "assertions": columns.assertions,
                        "sources": columns.sources,
                        "targets": columns.targets,
                    }
                    for columns in language.relations
                },
            }
            for language in header.languages
        },
        "lines": {
            "all": tally.lines,
            "other_languages": tally.elsewhere,
            "other_relations": tally.unwanted,
            "repeated": tally.repeated,
            "malformed": tally.malformed,
        },
        "malformed": tally.reports,
    }


def _tell_tally(tally: Tally) -> None:
    say(
        f"Of {tally.lines:,} lines {tally.elsewhere:,} are of other languages, "
        f"{tally.unwanted:,} of other relations, {tally.repeated:,} repeated, "
        f"{tally.malformed:,} malformed."
    )
    for report in tally.reports:
        say(f"  {report}")
    if tally.malformed > len(tally.reports):
        say(f"  and {tally.malformed - len(tally.reports):,} more.")


def _tell_missing(header: Header, languages: tuple[str, ...], names: tuple[str, ...]) -> None:
    """Say what was wanted and is not there: most likely it is spelled in another way."""
    found = [language.code for language in header.languages]
    have = sorted({columns.name for each in header.languages for columns in each.relations})
    for code in languages:
        if code not in found:
            say(f"Nothing is of the language “{code}”.")
    for name in names:
        if name not in have:
            say(f"Nothing is of the relation “{name}”. {suggestion('Found', have, name)}")


class _Teller:
    """Tells how much was read: in one line that changes on a terminal, in few lines elsewhere."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._live = sys.stderr.isatty()
        self._next = time.monotonic() + (0 if self._live else _SECONDS)
        self._open = False

    def tell(self, done: int, lines: int) -> None:
        """Tell it, if it is time to."""
        now = time.monotonic()
        if now < self._next and done < self._size:
            return
        self._next = now + (0.1 if self._live else _SECONDS)
        share = done / self._size if self._size else 1
        word = f"reading {share:4.0%}, {lines:,} lines" if share < 1 else "sorting"
        if self._live:
            print(f"\r\x1b[K{word}", end="", file=sys.stderr, flush=True)
            self._open = True
        else:
            say(word)

    def end(self) -> None:
        """Leave the changing line as it stands."""
        if self._open:
            print(file=sys.stderr, flush=True)
