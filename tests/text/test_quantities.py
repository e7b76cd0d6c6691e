"""Numbers with their nouns, one and many, in both languages."""

from __future__ import annotations

import pytest

from core.text.language import ENGLISH, speak
from core.text.quantities import clusters_in_words, counted, items_in_words


def test_one_has_no_plural() -> None:
    assert counted(1, "verdict") == "1 verdict"
    assert counted(0, "verdict") == "0 verdicts"
    assert counted(1200, "verdict") == "1,200 verdicts"


@pytest.mark.parametrize(
    ("code", "one", "many"),
    [
        ("en", "1 item in 1 cluster", "2 items in 2 clusters"),
        ("it", "1 elemento in 1 gruppo", "2 elementi in 2 gruppi"),
    ],
)
def test_one_has_no_plural_in_any_language(code: str, one: str, many: str) -> None:
    speak(code)
    try:
        said = [f"{items_in_words(n)} in {clusters_in_words(n)}" for n in (1, 2)]
    finally:
        speak(ENGLISH)
    assert said == [one, many]
