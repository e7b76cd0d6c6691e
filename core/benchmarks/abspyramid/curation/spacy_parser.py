"""Parses events with spaCy and an English model, both optional.

spaCy's models are not on the package index. The English ones use ClearNLP's relations, in which a
preposition governs its noun; they are converted to Universal Dependencies as far as curation needs
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Protocol

from core.benchmarks.abspyramid.curation.parse import ROOT, Parse, Word
from core.text.errors import DataError, NotFoundError
from core.text.escaping import escape_control_characters

PREFIX = "spacy:"
_RELATIONS = {
    "ROOT": "root", "acomp": "xcomp", "attr": "xcomp", "auxpass": "aux:pass",
    "csubjpass": "csubj:pass", "dative": "iobj", "dobj": "obj", "intj": "discourse",
    "neg": "advmod", "npadvmod": "obl:npmod", "nsubjpass": "nsubj:pass", "oprd": "xcomp",
    "poss": "nmod:poss", "predet": "det:predet", "prep": "obl", "preconj": "cc:preconj",
    "prt": "compound:prt", "quantmod": "advmod", "relcl": "acl:relcl",
}  # fmt: skip
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM"})
_TAGS = frozenset({"PRP$", "WP$"})


class SpacyToken(Protocol):
    """The attributes of a spaCy token that are used here."""

    i: int
    text: str
    lemma_: str
    pos_: str
    tag_: str
    dep_: str
    whitespace_: str

    @property
    def head(self) -> SpacyToken:
        """The governing token; the token itself for a root."""
        ...


def parser(name: str) -> Callable[[Iterable[str]], Iterator[Parse]]:
    """The parser named by `spacy:MODEL`; events that it parses as several trees are skipped.

    Raises `NotFoundError` if the name has another form, or spaCy or the model is not installed.
    """
    model = name.removeprefix(PREFIX)
    if model == name or not model:
        raise NotFoundError(
            f"There is no parser “{escape_control_characters(name, limit=60)}”.",
            where="--parser",
            hint="Write spacy:MODEL, as spacy:en_core_web_sm, or give parses by --parses.",
        )
    return partial(parse_events, _load_model(model), name)


def parse_events(pipeline: Any, name: str, events: Iterable[str]) -> Iterator[Parse]:
    """Parse events with a spaCy pipeline, skipping those that are several trees."""
    # spaCy makes repeated blanks a token.
    texts = [" ".join(event.split()) for event in events]
    for text, document in zip(texts, pipeline.pipe(texts), strict=True):
        try:
            parse = convert_tokens(
                list(document), f"{name}: {escape_control_characters(text, limit=60)}"
            )
        except DataError:
            continue
        yield parse


def convert_tokens(tokens: Sequence[SpacyToken], origin: str) -> Parse:
    """Convert tokens to Universal Dependencies; raises `DataError` unless they form a tree."""
    governor = [ROOT if token.head.i == token.i else token.head.i for token in tokens]
    relation = [_RELATIONS.get(token.dep_, token.dep_) for token in tokens]
    for token in tokens:
        # “of food”: the noun replaces its preposition, which becomes its case marker.
        if token.dep_ == "pobj" and token.head.dep_ in ("prep", "agent", "dative"):
            preposition = token.head.i
            above = governor[preposition]
            nominal = above != ROOT and tokens[above].pos_ in _NOMINAL
            governor[token.i], relation[token.i] = above, "nmod" if nominal else "obl"
            governor[preposition], relation[preposition] = token.i, "case"
        elif token.dep_ == "aux" and token.text.casefold() in ("to", "na") and token.tag_ == "TO":
            relation[token.i] = "mark"
    return Parse(
        tuple(
            Word(
                token.text,
                token.lemma_.casefold() or token.text.casefold(),
                token.pos_,
                governor[token.i],
                relation[token.i],
                bool(token.whitespace_),
                token.tag_ in _TAGS,
            )
            for token in tokens
        ),
        origin,
    )


def _load_model(model: str) -> Any:
    try:
        # Imported by name, so that type checking does not need spaCy.
        spacy = import_module("spacy")
    except ImportError as error:
        raise NotFoundError(
            "spaCy is not installed.",
            where="--parser",
            hint="Install it with an English model, or give parses in CoNLL-U by --parses.",
        ) from error
    # Only installed models: spacy.load would also accept a folder and run code in it.
    if model not in spacy.util.get_installed_models():
        raise NotFoundError(
            f"spaCy has no model “{escape_control_characters(model, limit=60)}” installed.",
            where="--parser",
            hint="Install one (python -m spacy download en_core_web_sm), or give parses in "
            "CoNLL-U by --parses.",
        )
    return spacy.load(model)
