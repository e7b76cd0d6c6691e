"""Parses for tests, written as "form/lemma/UPOS/governor/relation", governors from 1."""

from __future__ import annotations

from pathlib import Path

from core.benchmarks.abspyramid.curation.parse import Parse, Word


def parse(*words: str) -> Parse:
    """A parse; a form that ends with "_" has no space after it."""
    return Parse(tuple(_word(word) for word in words), "test")


def _word(text: str) -> Word:
    form, lemma, upos, governor, relation = text.rsplit("/", 4)
    return Word(
        form.removesuffix("_"),
        lemma,
        upos,
        int(governor) - 1,
        relation,
        not form.endswith("_"),
    )


def text_of(made: Parse) -> str:
    """A parse's words with single spaces between them."""
    return " ".join(word.form for word in made.words)


def write_conllu(path: Path, *parses: Parse) -> Path:
    """Write parses as a CoNLL-U file."""
    blocks = []
    for made in parses:
        rows = [f"# text = {text_of(made)}"]
        for i, w in enumerate(made.words, 1):
            misc = "_" if w.space_after else "SpaceAfter=No"
            columns = (i, w.form, w.lemma, w.upos, "_", "_", w.governor + 1, w.relation, "_", misc)
            rows.append("\t".join(map(str, columns)))
        blocks.append("\n".join(rows) + "\n\n")
    path.write_text("".join(blocks), encoding="utf-8")
    return path


CAT = parse(
    "a/a/DET/2/det",
    "cat/cat/NOUN/3/nsubj",
    "chased/chase/VERB/0/root",
    "a/a/DET/5/det",
    "mouse/mouse/NOUN/3/obj",
    "into/into/ADP/8/case",
    "its/its/PRON/8/nmod:poss",
    "burrow/burrow/NOUN/3/obl",
)
"""Figure 1 of the paper."""
FOOD = parse(
    "I/i/PRON/2/nsubj",
    "have/have/VERB/0/root",
    "a/a/DET/4/det",
    "lot/lot/NOUN/2/obj",
    "of/of/ADP/6/case",
    "food/food/NOUN/4/nmod",
)
"""Appendix A.2: a transparent noun."""
SLEEP = parse(
    "I/i/PRON/3/nsubj",
    "am/be/AUX/3/aux",
    "going/go/VERB/0/root",
    "to/to/PART/5/mark",
    "sleep/sleep/VERB/3/xcomp",
)
"""Appendix A.2: "going to"."""
NORMAN = parse(
    "the/the/DET/3/det",
    "norman/norman/ADJ/3/amod",
    "army/army/NOUN/4/nsubj",
    "weakened/weaken/VERB/0/root",
)
"""Appendix A.1: an incomplete event, as it was extracted from "was weakened" ..."""
THEY_DO = parse("they/they/PRON/2/nsubj", "do/do/VERB/0/root")
WHO_WON = parse(
    "who/who/PRON/2/nsubj",
    "won/win/VERB/0/root",
    "the/the/DET/4/det",
    "competition/competition/NOUN/2/obj",
)
SHE_WON = parse(
    "She/she/PRON/3/nsubj", "just/just/ADV/3/advmod", "won_/win/VERB/0/root", "././/3/punct"
)
"""Appendix A.1: stopwords only, because of "won" of "won't"."""
