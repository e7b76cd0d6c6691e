"""Reads dependency parses from a CoNLL-U file with the package `conllu`.

Reference: Universal Dependencies, "CoNLL-U Format". Multiword tokens and empty nodes are skipped;
a word needs ID, FORM, LEMMA, UPOS, HEAD and DEPREL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from core.benchmarks.abspyramid.curation.parse import ROOT, Parse, Word
from core.files.installation import command_to_add_extra
from core.files.regular_file import opened
from core.files.rows import at_line, decoding_problem, lines
from core.text.errors import DataError, NotFoundError

MOST_WORDS = 10_000
"""Most rows of a sentence that are read; `Parse` then allows fewer words."""
_COLUMNS = 10


def read_parses(path: Path) -> Iterator[Parse]:
    """The parses of a file, in order.

    Raises:
        DataError: at the first sentence that is not a valid parse, with file:line.
        NotFoundError: if the package `conllu` is not installed.
    """
    try:
        import conllu
    except ImportError as error:
        raise NotFoundError(
            "CoNLL-U files are read with the package conllu, which is not installed.",
            hint=command_to_add_extra("curating"),
        ) from error
    for block in _blocks(path):
        where = at_line(path, block[0][0])
        try:
            (sentence,) = conllu.parse("\n".join(row for _, row in block))
        except (conllu.exceptions.ParseException, ValueError) as error:
            what = f"This is not CoNLL-U: {decoding_problem(error)}."
            raise DataError(what, where=where) from error
        yield Parse(_words(sentence, where), where)


def _blocks(path: Path) -> Iterator[list[tuple[int, str]]]:
    """The rows of each sentence with their line numbers, without comments."""
    block: list[tuple[int, str]] = []
    with opened(path) as handle:
        for row in lines(handle, str(path), with_blank=True):
            if not row.raw.strip():
                if block:
                    yield block
                block = []
                continue
            if row.raw.startswith(b"#"):
                continue
            where = at_line(path, row.line)
            try:
                text = row.raw.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise DataError("The file is not UTF-8 text.", where=where) from error
            # The package `conllu` accepts rows with fewer columns.
            if text.count("\t") != _COLUMNS - 1:
                what = f"A word has {_COLUMNS} columns, divided by tabs."
                raise DataError(what, where=where)
            if len(block) == MOST_WORDS:
                raise DataError(f"This sentence has more than {MOST_WORDS:,} words.", where=where)
            block.append((row.line, text))
    if block:
        yield block


def _words(sentence: Iterable[Any], where: str) -> tuple[Word, ...]:
    words: list[Word] = []
    for token in sentence:
        # The package leaves out a last column of blanks.
        if len(token) != _COLUMNS:
            raise DataError(f"A word has {_COLUMNS} columns, divided by tabs.", where=where)
        number = token["id"]
        if not isinstance(number, int):  # a multiword token or an empty node
            continue
        if number != len(words) + 1:
            raise DataError(f"Word {len(words) + 1} of this parse is missing.", where=where)
        head, form, relation = token["head"], token["form"], token["deprel"]
        if head is None or relation in ("", "_"):
            raise DataError(f"Word {number} has no HEAD or no DEPREL.", where=where)
        if not form.strip():
            raise DataError(f"Word {number} has no form.", where=where)
        features = token["feats"] or {}
        possessive = features.get("Poss") == "Yes" or token["xpos"] in ("PRP$", "WP$")
        lemma = token["lemma"] if token["lemma"] not in ("", "_") else form
        space = (token["misc"] or {}).get("SpaceAfter") != "No"
        governor = head - 1 if head else ROOT
        word = Word(form, lemma.casefold(), token["upos"], governor, relation, space, possessive)
        words.append(word)
    return tuple(words)
