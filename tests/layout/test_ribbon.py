"""A line of tokens: the chosen one in brackets, its neighbours in order, nothing obeyed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.layout.ribbon import Bead, draw_ribbon
from core.layout.rows import plain

BEADS = st.lists(st.builds(Bead, st.text(max_size=12), st.booleans()), min_size=1, max_size=40)


def drawn(beads: list[Bead], at: int, width: int) -> str:
    return plain([draw_ribbon(f"token {at}", beads, at, width, cell_len, str)])


@given(BEADS, st.data())
def test_it_fits_and_names_what_is_chosen(beads: list[Bead], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(beads) - 1))
    width = data.draw(st.integers(24, 120))
    row = draw_ribbon(f"token {at}", beads, at, width, cell_len, str)
    assert cell_len(plain([row])) <= width
    refs = [int(span.ref) for span in row if span.ref]
    assert at in refs
    assert refs == sorted(refs)
    assert set(refs) == set(range(min(refs), max(refs) + 1))
    assert plain([row]).count("⟦") >= 1


def test_neighbours_stand_on_both_sides_and_what_is_left_out_is_marked() -> None:
    beads = [Bead(f"w{number}") for number in range(100)]
    line = drawn(beads, 50, 60)
    assert "⟦w50⟧" in line
    assert " w49 " in line
    assert " w51 " in line
    assert line.count("…") == 2
    assert "…" not in drawn(beads[:3], 0, 60)
    assert drawn(beads, 0, 60).count("…") == 1


def test_parts_of_a_word_are_joined() -> None:
    beads = [Bead("Olga"), Bead("app"), Bead("le", joined=True), Bead("s", joined=True)]
    assert "Olga app·⟦le⟧·s" in drawn(beads, 2, 60)


def test_hostile_text_is_shown_and_not_obeyed() -> None:
    beads = [Bead("\x1b[2J"), Bead("a\nb"), Bead("\u202eb"), Bead("")]
    line = drawn(beads, 1, 80)
    assert not {c for c in line if ord(c) < 32 or c == "\u202e"}
    assert "∅" in line
