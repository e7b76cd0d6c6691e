"""What a setting of a story looks like."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.gita.collection import open_stories
from core.benchmarks.gita.item import Kind
from core.benchmarks.gita.switches import switches
from core.benchmarks.gita.view import view
from core.contract.setting import Setting
from core.contract.view import Grid, Note, Role, Statements, View
from core.text.language import in_english, speak

CHECKOUT = Path(__file__).resolve().parents[3]
SAMPLES = open_stories(CHECKOUT / "samples" / "gita")
REAL = CHECKOUT.parent / "shared" / "data"
needs_real = pytest.mark.skipif(
    not REAL.is_dir(), reason="needs the real data: GITA in shared/data/"
)


def view_of(key: str, **values: str) -> View:
    item = SAMPLES.item(SAMPLES.find(key))
    return view(item, Setting.of(switches(item), values))


def story_of(seen: View) -> Statements:
    block = seen.sections[0]
    assert isinstance(block, Statements)
    return block


@given(st.integers(0, len(SAMPLES) - 1))
def test_the_annotated_pair_is_drawn(index: int) -> None:
    item = SAMPLES.item(index)
    block = story_of(view(item, Setting()))
    roles = [statement.role for statement in block.statements]
    if item.story.plausible:
        assert not block.links
        assert set(roles) == {Role.PLAIN}
        return
    assert roles.index(Role.CAUSE) == item.story.conflict
    assert roles.index(Role.BREAK) == item.story.breakpoint
    (link,) = block.links
    ends = {s.id: s.number for s in block.statements}
    assert (ends[link.source], ends[link.target]) == (
        str(item.story.conflict),
        str(item.story.breakpoint),
    )
    assert link.label == item.story.state
    plausible = next(member for member in item.family if member.kind is Kind.PLAUSIBLE)
    for own, base, statement in zip(
        item.story.sentences, plausible.sentences, block.statements, strict=True
    ):
        assert ("changed" in statement.note) == (own != base)


def test_titles_badges_and_remarks() -> None:
    seen = view_of("0-O0")
    assert seen.title == "0-O0 · Irene · cantina"
    assert [badge.text for badge in seen.badges] == ["order", "power"]
    block = story_of(seen)
    assert [s.number for s in block.statements] == ["0", "1", "2", "3", "4"]
    assert block.statements[1].note == "breakpoint · power · changed"
    assert block.order_switch == "order"
    assert block.statements[2].text_switch == "s2"
    assert all(s.gloss for s in block.statements)
    (note,) = (b for b in seen.sections if isinstance(b, Note))
    assert note.text == SAMPLES.item(1).story.why


def test_the_explanation_is_in_the_language_of_the_program() -> None:
    def explanation() -> str:
        (note,) = (block for block in view_of("1-O0").sections if isinstance(block, Note))
        return note.text

    assert explanation().startswith("The coat already hangs on the stand")
    speak("it")
    assert explanation().startswith("Il cappotto è già appeso all'attaccapanni")
    with in_english():
        assert explanation().startswith("The coat already hangs on the stand")


def test_an_edit_has_no_explanation_in_any_language() -> None:
    speak("it")
    assert not [
        block
        for block in view_of("0-O0", s0="Una frase nuova.", order="0,1,2,4,3").sections
        if isinstance(block, Note) and block.text in SAMPLES.item(1).story.whys.values()
    ]


def test_an_edit_without_gold_draws_no_pair() -> None:
    seen = view_of("0-O0", s0="Una frase nuova.", order="0,1,2,4,3")
    assert [badge.text for badge in seen.badges] == ["edited", "no gold: your edit"]
    block = story_of(seen)
    assert not block.links
    assert {s.role for s in block.statements} <= {Role.PLAIN, Role.CHANGED}
    assert block.statements[0].note == "retyped"
    # A sentence that moves keeps its id and the switch that retypes it.
    assert [s.id for s in block.statements] == ["s0", "s1", "s2", "s4", "s3"]
    assert [s.text_switch for s in block.statements] == [s.id for s in block.statements]


def test_an_edit_into_another_variant_has_its_gold() -> None:
    seen = view_of("0-O0", order="0,2,1,3,4")
    assert seen.title.startswith("0 · ")
    assert [badge.text for badge in seen.badges] == ["plausible", "edited"]
    assert not story_of(seen).links


@needs_real
def test_the_timeline_of_an_annotated_story_shows_only_what_changes() -> None:
    collection = open_stories(REAL / "gita_v1" / "GITA_test.json")
    seen = view(collection.item(collection.find("0-O0")), Setting())
    (grid,) = (b for b in seen.sections if isinstance(b, Grid))
    assert grid.columns == ("entity", "attribute", "0", "1", "2", "3", "4")
    rows = {(row[0].text, row[1].text): row[2:] for row in grid.rows}
    assert ("Marco", "conscious") not in rows
    fridge = rows["frigo", "open"]
    assert [cell.role for cell in fridge] == [
        Role.EVIDENCE,
        Role.EVIDENCE,
        Role.PLAIN,
        Role.PLAIN,
        Role.PLAIN,
    ]
    assert fridge[1].text == "closed → open"
    assert "not gold" in grid.note


@needs_real
@pytest.mark.parametrize("name", ["gita_v1/GITA_test.json", "gita4calamita/gita.json"])
def test_every_released_story_has_a_view(name: str) -> None:
    collection = open_stories(REAL / name)
    for i in range(len(collection)):
        item = collection.item(i)
        seen = view(item, Setting())
        block = story_of(seen)
        assert len(block.statements) == len(item.story.sentences)
        drawn = not item.story.plausible and item.story.conflict is not None
        assert bool(block.links) == drawn


@needs_real
def test_a_label_that_contradicts_its_kind_is_shown() -> None:
    collection = open_stories(REAL / "gita4calamita" / "gita.json")
    seen = view(collection.item(collection.find("54-O0")), Setting())
    assert "labelled plausible" in [badge.text for badge in seen.badges]
