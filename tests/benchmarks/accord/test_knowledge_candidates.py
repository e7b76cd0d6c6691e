"""Drawing terms of a column: each term once, equally likely, equal for equal seeds."""

from __future__ import annotations

import random
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.benchmarks.accord.knowledge.index import Index, shuffled
from core.benchmarks.accord.knowledge.loader import open_knowledge
from core.benchmarks.accord.knowledge.terms import plain
from core.benchmarks.accord.trees.skills import End
from core.text.errors import NotFoundError
from tests.benchmarks.accord.knowledge import write_pairs

NAMES = ("cat", "cat/n", "cat/v", "dog", "dog/n/wn/animal", "box", "car", "wheel")
some_pairs = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), min_size=1)
relaxed = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def opened(folder: Path, pairs: dict[str, list[tuple[str, str]]]) -> Index:
    return open_knowledge(write_pairs(folder / "kb", **pairs))


@relaxed
@given(
    pairs=some_pairs,
    end=st.sampled_from(End),
    seed=st.integers(0, 3),
)
def test_a_draw_yields_each_term_of_the_column_once(
    tmp_path: Path, pairs: list[tuple[str, str]], end: End, seed: int
) -> None:
    kb = opened(tmp_path, {"IsA": pairs})
    drawn = list(kb.draw("IsA", end, random.Random(seed)))
    column = {pair[0 if end is End.SOURCE else 1] for pair in pairs}
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == column


@relaxed
@given(pairs=some_pairs, end=st.sampled_from(End), partner=st.sampled_from([*NAMES, "unheard of"]))
def test_facts_are_those_of_the_pairs(
    tmp_path: Path, pairs: list[tuple[str, str]], end: End, partner: str
) -> None:
    kb = opened(tmp_path, {"IsA": pairs})
    here, there = (0, 1) if end is End.SOURCE else (1, 0)
    facts = {pair[here] for pair in pairs if plain(pair[there]) == partner}
    if plain(partner) == partner:
        assert set(kb.facts("IsA", end, partner)) == facts


@given(st.integers(0, 60), st.integers(0, 1000))
def test_a_shuffle_yields_every_number_once(size: int, seed: int) -> None:
    assert sorted(shuffled(size, random.Random(seed))) == list(range(size))


def test_every_order_is_equally_likely() -> None:
    rng = random.Random(4)
    counts = Counter(tuple(shuffled(4, rng)) for _ in range(24_000))
    assert len(counts) == 24
    expected = 24_000 / 24
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_square < 49.7  # 23 degrees of freedom, one in a thousand


def draw(kb: Index, seed: int) -> list[str]:
    return list(islice(kb.draw("AtLocation", End.SOURCE, random.Random(seed)), 20))


def test_equal_seeds_draw_equal_terms_whatever_the_order_of_the_lines(tmp_path: Path) -> None:
    pairs = [(f"thing {number}", f"place {number % 7}") for number in range(300)]
    drawn = []
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        kb = opened(tmp_path / folder, {"AtLocation": pairs})
        drawn.append(draw(kb, 11))
        pairs = pairs[::-1]
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 20
    assert drawn[0] != draw(kb, 12)


def test_drawing_ends_with_the_column(tmp_path: Path) -> None:
    kb = opened(tmp_path, {"AtLocation": [("cat", "box"), ("dog", "car")]})
    rng = random.Random(2)
    assert sorted(kb.draw("AtLocation", End.SOURCE, rng)) == ["cat", "dog"]
    with pytest.raises(NotFoundError):
        next(kb.draw("IsA", End.SOURCE, rng))
