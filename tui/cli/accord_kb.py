"""`accord kb build` and `accord kb info`: knowledge bases for grounding reasoning trees."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from core.benchmarks.accord.knowledge.compiler import build as compile_to
from core.benchmarks.accord.knowledge.header import Header
from core.benchmarks.accord.knowledge.loader import open_knowledge
from core.benchmarks.accord.knowledge.readers import Reader, Tally, Wanted
from core.benchmarks.accord.knowledge.source_files import find_source
from core.text.errors import SettingError
from core.text.suggestions import suggestion
from tui.cli.options import JsonOption
from tui.cli.output import out, out_json, say
from tui.cli.progress import ProgressLine


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
    names = _listed("--relations", relations) if relations is not None else ()
    source = find_source(dump)
    wanted = Wanted(_listed("--languages", languages), frozenset(names))
    line = ProgressLine()

    def show(done: int, lines: int) -> None:
        share = done / source.bytes if source.bytes else 1
        sorting = share >= 1
        line.show("sorting" if sorting else f"reading {share:4.0%}, {lines:,} lines", now=sorting)

    try:
        header = compile_to(Reader(source, wanted, show), target)
    finally:
        line.end()
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
