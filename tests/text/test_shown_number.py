"""How numbers are shown: nothing that is not 0 reads as 0, and 0 has no sign."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import core
import tui
from core.text.language import _, ngettext
from core.text.shown_number import ShownNumber


@pytest.mark.parametrize(
    ("number", "spec", "text"),
    [
        (-1.234, ".2f", "-1.23"),
        (-0.006, ".2f", "-0.01"),
        (-0.004, ".2f", "-0.004"),
        (-0.00096, ".2f", "-0.001"),
        (-1.2e-7, ".2f", "-1e-07"),
        (0.004, "+.2f", "+0.004"),
        (-0.0004, ">+9.2f", "  -0.0004"),
        (0.3, ",.0f", "0.3"),
        (0.0, "+.3f", "+0.000"),
        (-0.0, ".2f", "0.00"),
        (-1e-16, "+.3f", "+0.000"),
        (float("-inf"), ".2f", "-inf"),
        (float("nan"), "+.2f", "+nan"),
        (-0.004, "g", "-0.004"),
        (-0.004, "", "-0.004"),
    ],
)
def test_a_number_keeps_its_first_digit(number: float, spec: str, text: str) -> None:
    assert format(ShownNumber(number), spec) == text


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 4))
def test_only_zero_reads_as_zero_and_never_with_a_minus(number: float, digits: int) -> None:
    text = format(ShownNumber(number), f".{digits}f")
    is_zero = not re.search("[1-9]", text.partition("e")[0])
    assert is_zero == (abs(number) < 1e-9)
    assert text.startswith("-") == (number < 0 and not is_zero)


def test_sentences_show_their_numbers_that_way() -> None:
    assert _("{nats:+.3f} nats, {n} items", nats=-0.00004, n=0) == "-4e-05 nats, 0 items"
    assert ngettext("{x:.1f} token", "{x:.1f} tokens", 2, x=-0.0) == "0.0 tokens"


def test_every_figure_with_a_sign_is_shown_that_way() -> None:
    """A sentence shows its numbers so by itself; elsewhere a signed figure says so."""
    files = [file for package in (core, tui) for file in Path(package.__path__[0]).rglob("*.py")]
    texts = {
        file: text for file in files if "+" in (text := file.read_text("utf-8")) and "f}" in text
    }
    signed = [
        (file.name, value)
        for file, text in texts.items()
        if re.search(r":[^{}]*\+[^{}]*f\}", text)
        for value in ast.walk(ast.parse(text))
        if isinstance(value, ast.FormattedValue)
        and value.format_spec is not None
        and re.search(r"\+.*f", ast.unparse(value.format_spec))
    ]
    assert len(signed) > 4
    for name, value in signed:
        assert ast.unparse(value.value).startswith("ShownNumber("), (name, ast.unparse(value))
