"""How wide a statement is written: beside the notes, or below them."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from core.contract.view import Link, Note, Statement, Statements, View
from core.layout.rows import plain
from core.layout.sections import draw_view
from core.layout.statements import draw_statements

QUESTION = "Steam rises and a cup stands ready. In which room is the kettle most likely whistling?"
ASKED = (
    Statement("question", QUESTION),
    Statement("a", "attic", number="A"),
    Statement("b", "kitchen", number="B", note="implied, common sense"),
)


def drawn(*statements: Statement, width: int = 70) -> list[str]:
    rows = draw_statements(Statements("", statements), width, cell_len, airy=False)
    lines = plain(rows).split("\n")
    assert all(cell_len(line) <= width for line in lines)
    return lines


def test_a_question_is_as_wide_as_without_notes_beside_its_options() -> None:
    noted = drawn(*ASKED)
    bare = drawn(*(Statement(one.id, one.text, number=one.number) for one in ASKED))
    assert len(noted) == len(bare) == 4
    assert noted[:2] == bare[:2]
    assert noted[-1].endswith("implied, common sense")


def test_what_is_numbered_leaves_room_for_the_notes_of_others() -> None:
    lines = drawn(Statement("a", QUESTION, number="A"), ASKED[2])
    edge = lines[-1].index("implied")
    assert all(len(line) < edge for line in lines[:-1])


@pytest.mark.parametrize(("airy", "between"), [(True, 1), (False, 0)])
def test_a_note_stands_close_to_the_statements_below_it_where_there_is_little_room(
    airy: bool, between: int
) -> None:
    view = View("", sections=(Note("No gold."), Statements("", ASKED), Note("One."), Note("Two.")))
    lines = plain(draw_view(view, 70, cell_len, airy=airy)).split("\n")
    assert lines[0] == " No gold."
    assert lines[1 : 1 + between] == [""] * between
    assert lines[1 + between].strip().startswith("Steam")
    assert lines[-4:] == ["", " One.", "", " Two."]


@pytest.mark.parametrize(("statements", "width"), [(40, 60), (300, 140)])
def test_links_that_leave_no_room_for_the_text_are_told_in_words(
    statements: int, width: int
) -> None:
    section = Statements(
        "",
        tuple(Statement(f"s{i}", f"{QUESTION} {i}", number=str(i)) for i in range(statements)),
        tuple(Link("s0", f"s{i}", label="because") for i in range(1, statements)),
    )
    rows = draw_statements(section, width, cell_len)
    lines = plain(rows).split("\n")
    assert all(cell_len(line) <= width for line in lines)
    words = " ".join(plain(rows).split())
    assert "to 1 (because); 2 (because); 3" in words
    assert words.count("from 0 (because)") == statements - 1
    assert all(f"likely whistling? {i}" in words for i in range(statements))
    assert {span.ref for row in rows for span in row} >= {f"s{i}" for i in range(statements)}


def test_statements_of_thousands_of_links_are_drawn_at_once() -> None:
    statements = tuple(Statement(f"s{i}", "A short one.") for i in range(1_000))
    links = tuple(Link(f"s{i % 1_000}", f"s{i * 7 % 1_000}") for i in range(4_000))
    assert len(draw_statements(Statements("", statements, links), 140, cell_len)) > 1_000
