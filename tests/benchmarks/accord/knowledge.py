"""A knowledge base as plain sets of pairs, which ours has to agree with, and files to read it from.

A term here is a pair of its words and the parts of its sense: ("cat", ("n", "wn")).
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from core.benchmarks.accord.knowledge.compiler import build
from core.benchmarks.accord.knowledge.index import Index
from core.benchmarks.accord.knowledge.loader import open_knowledge
from core.benchmarks.accord.knowledge.readers import Reader, Wanted
from core.benchmarks.accord.knowledge.source_files import find_source
from core.benchmarks.accord.trees.skills import End

Term = tuple[str, tuple[str, ...]]
WORDS = ("cat", "cat box", "cats", "dog", "straße", "空", "and/or", "x", "cat's")
SENSES: tuple[tuple[str, ...], ...] = ((), (), ("n",), ("v",), ("n", "wn", "animal"))
RELATIONS = ("AtLocation", "Causes", "dbpedia/genre")
plain_words = st.sampled_from([word for word in WORDS if "/" not in word])
some_terms = st.tuples(plain_words, st.sampled_from(SENSES))


@dataclass(frozen=True, slots=True)
class Row:
    """One assertion as a dump states it."""

    relation: str
    source: Term
    target: Term
    language: str = "en"
    other: str = ""
    """Language of the target, if it is another."""

    def line(self) -> str:
        """As in a ConceptNet dump."""
        ends = path(self.source, self.language), path(self.target, self.other or self.language)
        uri = f"/a/[/r/{self.relation}/,{ends[0]}/,{ends[1]}/]"
        return "\t".join([uri, f"/r/{self.relation}", *ends, '{"weight": 1.0}'])


some_rows = st.builds(
    Row,
    st.sampled_from(RELATIONS),
    some_terms,
    some_terms,
    st.sampled_from(["en", "en", "it"]),
    st.sampled_from(["", "", "", "it"]),
)


def text(term: Term) -> str:
    """The term as our text."""
    return "/".join([term[0], *term[1]])


def path(term: Term, language: str) -> str:
    """The term as ConceptNet's path."""
    return f"/c/{language}/" + text(term).replace(" ", "_")


def takes_in(asked: Term, there: Term) -> bool:
    """Whether asking for one term finds another."""
    return asked[0] == there[0] and there[1][: len(asked[1])] == asked[1]


class Sets:
    """The assertions of one language as sets."""

    def __init__(self, rows: Iterable[Row], language: str) -> None:
        self.pairs = {
            name: {
                (row.source, row.target)
                for row in rows
                if row.relation == name and row.language == language == (row.other or language)
            }
            for name in RELATIONS
        }

    def facts(self, relation: str, end: End, partner: Term) -> list[str]:
        """Terms at `end` across from a partner."""
        here = 0 if end is End.SOURCE else 1
        return self._sorted(
            pair[here] for pair in self.pairs[relation] if takes_in(partner, pair[1 - here])
        )

    def holds(self, relation: str, source: Term, target: Term) -> bool:
        """Whether there is such an assertion."""
        return any(
            takes_in(source, one) and takes_in(target, other) for one, other in self.pairs[relation]
        )

    def column(self, relation: str, end: End) -> list[str]:
        """All terms at an end."""
        return self._sorted(pair[0 if end is End.SOURCE else 1] for pair in self.pairs[relation])

    @staticmethod
    def _sorted(terms: Iterable[Term]) -> list[str]:
        return [text(term) for term in sorted(set(terms))]


def write_dump(path: Path, lines: Sequence[str]) -> Path:
    """A dump of these lines, compressed if its name says so."""
    data = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def write_pairs(folder: Path, **columns: Sequence[tuple[str, str]]) -> Path:
    """A folder of one CSV per relation."""
    folder.mkdir(exist_ok=True)
    for relation, pairs in columns.items():
        lines = [f"{source},{target}\n" for source, target in pairs]
        (folder / f"{relation}.csv").write_text("".join(lines), encoding="utf-8")
    return folder


def built(dump: Path, wanted: Wanted | None = None, language: str | None = None) -> Index:
    """Compile what is at a path beside it, and open it."""
    out = dump.with_name("compiled.kb")
    build(Reader(find_source(dump), wanted or Wanted()), out)
    return open_knowledge(out, language)
