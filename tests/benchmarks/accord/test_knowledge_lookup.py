"""Looking things up: against sets, for every kind of term, in memory and from a file."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.benchmarks.accord.knowledge import terms
from core.benchmarks.accord.knowledge.loader import open_knowledge
from core.benchmarks.accord.knowledge.readers import Wanted
from core.benchmarks.accord.trees.skills import End
from core.text.errors import NotFoundError
from tests.benchmarks.accord.knowledge import (
    RELATIONS,
    SENSES,
    WORDS,
    Row,
    Sets,
    built,
    path,
    some_rows,
    text,
    write_dump,
    write_pairs,
)

ASKED = [(word, sense) for word in WORDS for sense in sorted(set(SENSES))]
relaxed = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@relaxed
@given(rows=st.lists(some_rows, min_size=1, max_size=40))
def test_lookups_agree_with_sets_in_every_language(tmp_path: Path, rows: list[Row]) -> None:
    rows = [*rows, *(Row(name, ("x", ()), ("dog", ()), code) for name in RELATIONS
                     for code in ("en", "it"))]  # fmt: skip
    dump = write_dump(tmp_path / "dump.csv", [row.line() for row in rows])
    for language in ("en", "it"):
        kb = built(dump, Wanted(("en", "it")), language)
        sets = Sets(rows, language)
        assert list(kb.relations) == sorted(RELATIONS)
        for relation in RELATIONS:
            for end in End:
                column = sets.column(relation, end)
                drawn = list(kb.draw(relation, end, random.Random(0)))
                assert sorted(drawn, key=terms.order) == column
                assert kb.column_size(relation, end) == len(column)
                for term in ASKED:
                    there = sets.facts(relation, end, term)
                    assert list(kb.facts(relation, end, text(term))) == there
                    across = sets.facts(relation, end.other, term)
                    assert kb.stands(relation, end, text(term)) == bool(across)
            for source in ASKED:
                for target in ASKED[::3]:
                    expected = sets.holds(relation, source, target)
                    assert kb.holds(relation, text(source), text(target)) is expected


@relaxed
@given(rows=st.lists(some_rows, min_size=1, max_size=30), seed=st.integers(0, 9))
def test_the_order_of_lines_does_not_matter(tmp_path: Path, rows: list[Row], seed: int) -> None:
    rows = [*rows, Row("Causes", ("x", ()), ("dog", ()))]
    shuffled = [*rows, rows[0]]
    random.Random(seed).shuffle(shuffled)
    compiled = []
    for lines in (rows, shuffled):
        built(write_dump(tmp_path / "dump.csv", [row.line() for row in lines]))
        kb = open_knowledge(tmp_path / "compiled.kb")
        compiled.append((kb.header.checksum, kb.header.languages))
    assert compiled[0] == compiled[1]


@relaxed
@given(rows=st.lists(some_rows, min_size=1, max_size=30))
def test_a_csv_folder_gives_the_same_answers_without_a_build(
    tmp_path: Path, rows: list[Row]
) -> None:
    named = [name for name in RELATIONS if "/" not in name]
    rows = [*(row for row in rows if row.relation in named), Row(named[0], ("x", ()), ("x", ()))]
    columns: dict[str, list[tuple[str, str]]] = {name: [] for name in named}
    for row in rows:
        ends = path(row.source, row.language), path(row.target, row.other or row.language)
        columns[row.relation].append(ends)
    folder = write_pairs(tmp_path / "kb", **columns)
    read = open_knowledge(folder)
    compiled = built(folder)
    sets = Sets(rows, "en")
    for relation in read.relations:
        assert read.column_size(relation, End.SOURCE) == len(sets.column(relation, End.SOURCE))
        for term in ASKED:
            facts = read.facts(relation, End.TARGET, text(term))
            assert facts == compiled.facts(relation, End.TARGET, text(term))
            assert list(facts) == sets.facts(relation, End.TARGET, term)


@pytest.mark.parametrize(
    ("written", "term", "words", "sense"),
    [
        ("Guinea  pig", "guinea pig", "guinea pig", ""),
        ("/c/en/Guinea_pig/n", "guinea pig/n", "guinea pig", "n"),
        ("/c/en/cat/n/wn/animal", "cat/n/wn/animal", "cat", "n/wn/animal"),
        ("and/or", "and/or", "and/or", ""),
        ("cafe\u0301", "café", "café", ""),
        ("", "", "", ""),
    ],
)
def test_terms_are_normalised(written: str, term: str, words: str, sense: str) -> None:
    assert terms.normalise(written) == term
    assert (terms.plain(term), terms.sense(term)) == (words, sense)


@given(st.text(max_size=30))
def test_a_term_survives_its_key(written: str) -> None:
    term = terms.normalise(written)
    assert terms.normalise(term) == term or written.startswith("/c/")
    try:
        key = terms.key(term)
    except ValueError:
        return
    assert terms.text_of(key) == term


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(SENSES)), max_size=20))
def test_keys_sort_as_terms_do(several: list[tuple[str, tuple[str, ...]]]) -> None:
    written = [text(term) for term in several]
    by_key = sorted(written, key=terms.key)
    assert by_key == sorted(written, key=terms.order)
    assert by_key == [text(term) for term in sorted(several)]


def test_an_unknown_relation_is_reported_with_the_nearest(tmp_path: Path) -> None:
    kb = open_knowledge(write_pairs(tmp_path / "kb", AtLocation=[("cat", "box")]))
    with pytest.raises(NotFoundError, match="AtLocation"):
        kb.facts("AtLocatoin", End.SOURCE, "box")
    assert kb.facts("AtLocation", End.SOURCE, "") == ()
    assert kb.facts("AtLocation", End.SOURCE, "\0") == ()
    assert kb.facts("AtLocation", End.SOURCE, " BOX ") == ("cat",)
