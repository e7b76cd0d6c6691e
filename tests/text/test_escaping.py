"""Text from elsewhere is shown and never obeyed."""

from __future__ import annotations

import io
import json
import unicodedata
from contextlib import redirect_stdout

from hypothesis import given
from hypothesis import strategies as st

from core.text.escaping import escape_control_characters
from tui.cli.output import out_json


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_no_control_character_is_left(text: str) -> None:
    for character in escape_control_characters(text):
        assert unicodedata.category(character) not in {"Cc", "Cs"}
        assert character not in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029"


@given(st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=200))
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert escape_control_characters(text) == text


def test_escape_sequences_are_legible() -> None:
    assert escape_control_characters("\x1b[31mrosso\x07") == "␛[31mrosso␇"
    assert escape_control_characters("a\u202eb") == "a⟨RLO⟩b"
    assert escape_control_characters("\x9b2J") == "⟨9B⟩2J"


@given(st.text(st.characters(codec=None, exclude_categories=["Cs"])))
def test_json_of_the_command_line_has_no_character_that_is_escaped_elsewhere(text: str) -> None:
    with redirect_stdout(io.StringIO()) as out:
        out_json([text])
    written = out.getvalue()
    assert escape_control_characters(written, lines=True, limit=10**6) == written
    assert json.loads(written) == [text]


def test_line_feeds_stay_only_where_lines_are_wanted() -> None:
    assert escape_control_characters("a\nb") == "a␊b"
    assert escape_control_characters("a\nb", lines=True) == "a\nb"


def test_a_megabyte_is_cut_and_counted() -> None:
    shown = escape_control_characters("x" * 1_000_000, limit=50)
    assert shown == "x" * 50 + "… (1,000,000 characters)"
