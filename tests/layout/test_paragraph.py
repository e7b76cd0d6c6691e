"""A text in lines: none wider than it may be, whatever is in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.layout.rows import Ink, paragraph, plain


@given(
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    width=st.integers(10, 40),
)
def test_a_blank_stands_on_either_side(text: str, width: int) -> None:
    rows = paragraph(text, Ink.GLOSS, width, cell_len)
    assert bool(rows) is bool(text)
    for row in rows:
        (span,) = row
        assert span.ink is Ink.GLOSS
        assert span.text.startswith(" ")
        assert cell_len(span.text) <= width - 1


def test_characters_of_two_cells_take_two_and_none_is_obeyed() -> None:
    rows = paragraph("园里的果树都冻死了", Ink.GLOSS, 12, cell_len)
    assert plain(rows).split("\n") == [" 园里的果树", " 都冻死了"]
    assert "\x1b" not in plain(paragraph("a\x1b[31mb", Ink.GLOSS, 40, cell_len))
