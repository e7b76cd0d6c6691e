"""How the figures of a run are drawn: their bars explained, and where there is no interval."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from core.contract.summary import Figure, Summary
from core.layout.figures import draw_summary
from core.layout.rows import plain


def drawn(*figures: Figure, width: int = 100) -> str:
    return plain(draw_summary(Summary("paper", figures), width, cell_len))


@pytest.mark.parametrize("width", [62, 78, 138])
def test_the_bars_are_explained_above_them(width: int) -> None:
    text = drawn(Figure("accuracy", 2, 7, {"chance": 0.2, "best letter": 0.5}), width=width)
    words = " ".join(text[: text.index("accuracy")].split())
    assert words == (
        "█ the figure ▓░ its 95 % interval ╎ ◇ what trivial answers reach, ◈ several of them"
    )


def test_only_the_signs_that_are_there_are_explained() -> None:
    assert "◇" not in drawn(Figure("accuracy", 2, 7, {"chance": 0.2}))
    assert "◈" not in drawn(Figure("accuracy", 2, 7, {"chance": 0.2}))
    assert "trivial" not in drawn(Figure("accuracy", 2, 7))
    assert "interval" not in drawn(Figure("accuracy", None, 7))
    assert "interval" not in drawn(Figure("accuracy", 2, 7), width=40)


def test_trivial_answers_that_fall_together_are_both_seen() -> None:
    def bar(first: float, second: float) -> str:
        text = drawn(Figure("accuracy", 6, 7, {"chance": first, "best letter": second}))
        return next(line for line in text.splitlines() if "6/7" in line)

    assert bar(0.2, 0.214).count("◈") == 1
    assert not {"╎", "◇"} & set(bar(0.2, 0.214))
    assert (bar(0.2, 0.6).count("╎"), bar(0.2, 0.6).count("◇")) == (1, 1)
    assert "◈" not in bar(0.2, 0.6)


def test_no_interval_is_not_no_items() -> None:
    average = drawn(Figure("main average", None, 157, mean=0.184))
    assert "no interval" in average
    assert "n=157" in average
    assert "no items" not in average
    assert "no items" in drawn(Figure("accuracy", 0, 0))
