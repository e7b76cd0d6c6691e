"""The twenty attributes of GITA v1, and the contradiction that follows from them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.gita.collection import open_stories
from core.benchmarks.gita.item import STATES, Change, Story
from core.benchmarks.gita.states import (
    AFTER,
    ATTRIBUTES,
    BEFORE,
    attribute_named,
    contradiction,
    timeline,
    words,
)

REAL = Path(__file__).resolve().parents[4] / "shared" / "data"
needs_real = pytest.mark.skipif(
    not REAL.is_dir(), reason="needs the real data: GITA in shared/data/"
)


def story(changes: tuple[Change, ...], conflict: int | None, breakpoint_: int | None) -> Story:
    sentences = ("a", "b", "c", "d", "e")
    return Story(
        "0-O0", "0-O0", 0, "order", "", "", sentences, False, conflict, breakpoint_, "", changes
    )


@needs_real
def test_derivable_conflicts_of_the_release() -> None:
    """126 of 238 implausible stories, with the annotated state among them in 87.

    States from GITA v1, labels and pairs from GITA4CALAMITA, which corrected nine of them.
    """
    first = open_stories(REAL / "gita_v1" / "GITA_test.json")
    later = open_stories(REAL / "gita4calamita" / "gita.json")
    implausible = derivable = agreeing = 0
    for i in range(len(later)):
        gold, annotated = later.item(i).story, first.item(i).story
        assert gold.key == annotated.key
        if gold.plausible:
            continue
        implausible += 1
        conflict = contradiction(
            replace(annotated, conflict=gold.conflict, breakpoint=gold.breakpoint)
        )
        derivable += conflict is not None
        agreeing += conflict is not None and gold.state in {
            attribute_named(attribute).state for _, attribute in conflict.clashes
        }
    assert (implausible, derivable, agreeing) == (238, 126, 87)


@needs_real
def test_the_refrigerator_of_the_paper() -> None:
    """Story 0-C0 (paper, section 3.4): closed by sentence 0, open for sentence 1."""
    collection = open_stories(REAL / "gita_v1" / "GITA_test.json")
    conflict = contradiction(collection.item(collection.find("0-C0")).story)
    assert conflict is not None
    assert "open" in {attribute for _, attribute in conflict.clashes}


def test_twenty_attributes_with_defaults_and_words() -> None:
    assert len(ATTRIBUTES) == len({attribute.name for attribute in ATTRIBUTES}) == 20
    assert {attribute.state for attribute in ATTRIBUTES} - {""} == set(STATES)
    assert {a.name for a in ATTRIBUTES if a.default} == {
        "conscious",
        "exist",
        "functional",
        "moveable",
    }
    assert words("open", 4) == "closed → open"
    assert words("open", 7) == "closed → ?"
    assert words("open", 0) == ""
    assert words("location", 2) == "is picked up"
    assert words("unheard of", 3) == "unheard of → not unheard of"
    assert words("h_location", 8) == "code 8"


@given(st.sampled_from([a.name for a in ATTRIBUTES]), st.integers(0, 8), st.integers(0, 8))
def test_a_clash_is_an_effect_against_a_precondition(name: str, one: int, two: int) -> None:
    conflict = contradiction(story((Change(1, "x", name, one), Change(3, "x", name, two)), 1, 3))
    states = {AFTER[one], BEFORE[two]}
    expected = states == {True, False} and not name.endswith("location")
    assert (conflict is not None) == expected


def test_no_clash_between_different_things() -> None:
    changes = (Change(1, "x", "open", 4), Change(3, "y", "open", 1), Change(3, "x", "wet", 1))
    assert contradiction(story(changes, 1, 3)) is None
    assert (
        contradiction(story((Change(1, "x", "open", 4), Change(3, "x", "open", 1)), 1, 2)) is None
    )
    assert contradiction(story((), None, None)) is None


def test_the_timeline_follows_each_attribute() -> None:
    changes = (
        Change(0, "frigo", "open", 4),
        Change(2, "frigo", "open", 2),
        Change(0, "io", "conscious", 2),
        Change(5, "io", "conscious", 3),
    )
    tracks = timeline(story(changes, None, None))
    assert [(t.entity, t.attribute, t.codes) for t in tracks] == [
        ("frigo", "open", (4, None, 2, None, None, None)),
        ("io", "conscious", (2, None, None, None, None, 3)),
    ]
    assert [t.changes for t in tracks] == [True, True]
    (still,) = timeline(story((Change(0, "frigo", "open", 2),), None, None))
    assert not still.changes
