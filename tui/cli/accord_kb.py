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
from core.text.quantities import counted
from core.text.suggestions import suggestion
from tui.cli.options import JsonOption, LogOptions
from tui.cli.output import out, out_json, say
from tui.cli.progress import ProgressLine


def build(
    *,
    dump: Annotated[
        Path,
        typer.Argument(
            metavar="DUMP",
            help="A ConceptNet dump (.csv or .csv.gz), a tab-separated file of relation, head and "
            "tail, or a folder of such files or of <Relation>.csv files.",
        ),
    ],
    target: Annotated[Path, typer.Option("--out", help="Write the knowledge base to this file.")],
    languages: Annotated[
        str,
        typer.Option(
            "--languages",
            help="Keep these languages, such as en,it. Terms without a language are of the first.",
        ),
    ] = "en",
    relations: Annotated[
        str | None,
        typer.Option(
            "--relations", help="Keep these relations, such as AtLocation,IsA; all when left out."
        ),
    ] = None,
    as_json: JsonOption = False,
    log: LogOptions,
) -> None:
    """Compile a knowledge base from a dump.

    A compiled knowledge base opens at once. One that is there already is replaced only when the new
    one is complete.
    """
    names = _split_list("--relations", relations) if relations is not None else ()
    source = find_source(dump)
    wanted = Wanted(_split_list("--languages", languages), frozenset(names))
    line = ProgressLine()

    def show(done: int, lines: int) -> None:
        share = done / source.bytes if source.bytes else 1
        sorting = share >= 1
        line.show("sorting" if sorting else f"reading {share:4.0%}, {lines:,} lines", now=sorting)

    try:
        header = compile_to(Reader(source, wanted, show), target)
    finally:
        line.end()
    _print_tally(header.tally)
    _print_missing(header, wanted.languages, names)
    if as_json:
        out_json(_fields(target, header))
        return
    for language in header.languages:
        out(
            f"{language.code}: {counted(language.assertions, 'assertion')}, "
            f"{counted(language.terms, 'term')}, {counted(len(language.relations), 'relation')}"
        )
    out(str(target))


def info(
    kb: Annotated[
        Path,
        typer.Argument(
            metavar="KB", help="A compiled knowledge base, or a small folder of CSV files."
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Verify a knowledge base and print its contents.

    Every byte is checked against the checksum in the file.
    """
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
    _print_tally(header.tally)


def _split_list(option: str, words: str) -> tuple[str, ...]:
    """Split a comma-separated list and drop repeated words; raises `SettingError`."""
    listed = tuple(dict.fromkeys(word.strip() for word in words.split(",")))
    if "" in listed:
        raise SettingError(
            f"“{words}” is not a comma-separated list.", where=option, hint="Write A or A,B."
        )
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


def _print_tally(tally: Tally) -> None:
    say(
        f"Of {tally.lines:,} lines {tally.elsewhere:,} are of other languages, "
        f"{tally.unwanted:,} of other relations, {tally.repeated:,} repeated, "
        f"{tally.malformed:,} malformed."
    )
    for report in tally.reports:
        say(f"  {report}")
    if tally.malformed > len(tally.reports):
        say(f"  and {tally.malformed - len(tally.reports):,} more.")


def _print_missing(header: Header, languages: tuple[str, ...], names: tuple[str, ...]) -> None:
    """Say which languages and relations are not in the dump: they may be misspelt."""
    codes = [language.code for language in header.languages]
    relations = sorted({columns.name for each in header.languages for columns in each.relations})
    for code in languages:
        if code not in codes:
            say(f"The dump has nothing in the language “{code}”.")
    for name in names:
        if name not in relations:
            say(f"The dump has no relation “{name}”. {suggestion('Found', relations, name)}")
