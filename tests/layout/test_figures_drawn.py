"""How the figures of a run are drawn: their bars explained, and where there is no interval."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from core.contract.summary import Baseline, Figure, Summary
from core.layout.figures import draw_summary
from core.layout.rows import plain

GUESSING = Baseline(0.2, "each letter equally often")
LETTER = Baseline(0.5, "always B")


def drawn(*figures: Figure, width: int = 100) -> str:
    return plain(draw_summary(Summary("paper", figures), width, cell_len))


@pytest.mark.parametrize("width", [62, 78, 138])
def test_the_bars_are_explained_above_them(width: int) -> None:
    text = drawn(Figure("accuracy", 2, 7, {"chance": GUESSING, "best letter": LETTER}), width=width)
    words = " ".join(text[: text.index("accuracy")].split())
    assert words == (
        "█ the figure ▓░ its 95 % interval ╎ ◇ what trivial answers reach, ◈ several of them"
    )


def test_only_the_signs_that_are_there_are_explained() -> None:
    assert "◇" not in drawn(Figure("accuracy", 2, 7, {"chance": GUESSING}))
    assert "◈" not in drawn(Figure("accuracy", 2, 7, {"chance": GUESSING}))
    assert "trivial" not in drawn(Figure("accuracy", 2, 7))
    assert "interval" not in drawn(Figure("accuracy", None, 7))
    assert "interval" not in drawn(Figure("accuracy", 2, 7), width=40)


def test_trivial_answers_that_fall_together_are_both_seen() -> None:
    def bar(first: float, second: float) -> str:
        baselines = {"chance": Baseline(first, "any"), "best letter": Baseline(second, "B")}
        text = drawn(Figure("accuracy", 6, 7, baselines))
        return next(line for line in text.splitlines() if "6/7" in line)

    assert bar(0.2, 0.214).count("◈") == 1
    assert not {"╎", "◇"} & set(bar(0.2, 0.214))
    assert (bar(0.2, 0.6).count("╎"), bar(0.2, 0.6).count("◇")) == (1, 1)
    assert "◈" not in bar(0.2, 0.6)


def test_a_baseline_has_one_sign_in_all_rows() -> None:
    yes, no = Baseline(0.7, "yes"), Baseline(0.3, "no")
    figures = (
        Figure("accuracy", 2, 7, {"chance": GUESSING, "always yes": yes, "always no": no}),
        Figure("level 1", 2, 7, {"always yes": yes, "always no": no}),
        Figure("level 2", 2, 7, {"always no": no}),
    )
    text = drawn(*figures)
    assert "╎ ◇ ┊ what trivial answers reach" in text
    assert text.count("◇ always yes .700") == 2
    assert text.count("┊ always no .300") == 3
    (bar,) = [line for line in text.splitlines() if "level 2" in line and "2/7" in line]
    assert "┊" in bar
    assert not {"╎", "◇"} & set(bar)


def test_baselines_without_a_sign_left_are_said() -> None:
    baselines = {f"trivial {number}": Baseline(number / 10, "B") for number in range(9)}
    text = " ".join(drawn(Figure("accuracy", 2, 7, baselines)).split())
    assert all(f"trivial {number} .{number}00" in text for number in range(1, 9))


@pytest.mark.parametrize("width", [36, 78, 138])
def test_names_that_begin_alike_can_be_told_apart(width: int) -> None:
    names = [f"generation, noun: bleu_{n}_{kind}" for n in (1, 2) for kind in ("precision", "cut")]
    text = drawn(*[Figure(name, 2, 7) for name in names], Figure("rest", None, 7), width=width)
    words = " ".join(text.split())
    assert all(name in words for name in names)
    assert "…" not in text
    assert max(map(cell_len, text.splitlines())) <= max(width, 53)


def test_no_interval_is_not_no_items() -> None:
    average = drawn(Figure("main average", None, 157, mean=0.184))
    assert "no interval" in average
    assert "n=157" in average
    assert "no items" not in average
    assert "no items" in drawn(Figure("accuracy", 0, 0))


@pytest.mark.parametrize("width", [40, 100])
def test_what_a_baseline_answers_is_said_once_for_all_figures_that_share_it(width: int) -> None:
    text = drawn(
        Figure("accuracy", 2, 7, {"chance": GUESSING, "best letter": LETTER}),
        Figure("hop 1", 2, 7, {"chance": GUESSING, "best letter": Baseline(0.6, "always C")}),
        width=width,
    )
    words = " ".join(text.split())
    assert words.count("each letter equally often") == 1
    assert "chance (accuracy and 1 more): each letter equally often." in words
    assert "best letter (accuracy): always B." in words
    assert "best letter (hop 1): always C." in words


def test_words_of_a_baseline_that_come_from_data_are_escaped() -> None:
    text = drawn(Figure("accuracy", 2, 7, {"best letter": Baseline(0.5, "always \x1b[2J")}))
    assert "\x1b" not in text
