"""Drawing: rows fit their width, links end where they should, bars keep their proportions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.contract.question import Answer, OptionScore, Question, score_by_likelihood
from core.contract.rungs import Phase, Rung
from core.contract.summary import Baseline, Figure, Summary
from core.contract.task_layer import TaskLayer
from core.contract.view import Cell, Grid, Link, Note, Role, Statement, Statements, View
from core.layout.figures import draw_summary
from core.layout.ladder import draw_ladder, outcome
from core.layout.rows import fit, pad, pad_inside, plain, wrap
from core.layout.sections import draw_section, draw_view

WORDS = st.text(st.characters(categories=["L", "N", "P", "Zs", "So"]), max_size=120)


@given(WORDS, st.integers(2, 60))
def test_wrapped_lines_fit_and_lose_nothing_but_blanks(text: str, width: int) -> None:
    lines = wrap(text, width, cell_len)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(WORDS, st.integers(2, 60))
def test_padding_gives_exactly_the_width(text: str, width: int) -> None:
    assert cell_len(pad(text, width, cell_len)) == width
    assert cell_len(pad(text, width, cell_len, right=True)) == width


@given(WORDS.filter(bool), st.integers(2, 60))
def test_fit_is_a_beginning_that_fits(text: str, width: int) -> None:
    head = fit(text, width, cell_len)
    assert text.startswith(head)
    assert head
    assert cell_len(head) <= width


def story(*links: Link, texts: int = 5) -> Statements:
    statements = tuple(
        Statement(f"s{i}", f"Frase numero {i} della storia.", Role.PLAIN, str(i), "", f"Gloss {i}.")
        for i in range(texts)
    )
    return Statements("Story", statements, links, "order")


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda p: p[0] != p[1]), max_size=4
    ),
    st.integers(24, 140),
    st.booleans(),
    st.booleans(),
)
def test_statements_fit_their_width(
    pairs: list[tuple[int, int]], width: int, glosses: bool, airy: bool
) -> None:
    links = (Link(f"s{a}", f"s{b}", "open") for a, b in pairs)
    rows = draw_section(story(*links), width, cell_len, glosses=glosses, airy=airy)
    assert all(cell_len(line) <= width for line in plain(rows).split("\n"))
    drawn = plain(rows)
    for i in range(5):
        assert f"{i}  " in drawn


def test_a_link_is_drawn_from_its_source_to_an_arrow_at_its_target() -> None:
    lines = plain(draw_section(story(Link("s1", "s3", "power")), 80, cell_len)).split("\n")
    start = next(i for i, line in enumerate(lines) if "numero 1" in line)
    end = next(i for i, line in enumerate(lines) if "numero 3" in line)
    assert lines[start].endswith("─╮")
    assert lines[end].endswith("◀╯")
    between = lines[start + 1 : end]
    assert all("│" in line for line in between)
    assert any("power" in line for line in between)


def test_a_link_upwards_points_up() -> None:
    lines = plain(draw_section(story(Link("s3", "s1")), 80, cell_len)).split("\n")
    assert next(line for line in lines if "numero 1" in line).endswith("◀╮")
    assert next(line for line in lines if "numero 3" in line).endswith("─╯")


def test_overlapping_links_run_in_columns_of_their_own() -> None:
    lines = plain(draw_section(story(Link("s0", "s3"), Link("s1", "s4")), 90, cell_len)).split("\n")
    middle = next(line for line in lines if "numero 2" in line)
    assert middle.count("│") == 2


def test_every_span_of_a_statement_names_it() -> None:
    rows = draw_section(story(), 60, cell_len, glosses=True)
    refs = [span.ref for row in rows for span in row if "numero 2" in span.text]
    assert refs == ["s2"]


@given(st.integers(20, 120), st.lists(WORDS, min_size=4, max_size=4))
def test_grids_fit_where_their_columns_can(width: int, texts: list[str]) -> None:
    grid = Grid("States", ("a", "b"), (tuple(map(Cell, texts[:2])), tuple(map(Cell, texts[2:]))))
    view = View("t", sections=(grid, Note("Remark.")))
    assert all(
        cell_len(line) <= width for line in plain(draw_view(view, width, cell_len)).split("\n")
    )


@given(st.integers(34, 90))
def test_a_table_keeps_the_ends_of_an_interval_and_words_together(width: int) -> None:
    cells = tuple(map(Cell, ("accuracy", ".502 [.50, .51]", ".413 [.41, .42]")))
    grid = Grid("", ("figure", "by sum", "per token"), (cells,), "")
    drawn = plain(draw_view(View("t", sections=(grid,)), width, cell_len))
    for whole in ("accuracy", "[.50, .51]", "[.41, .42]"):
        assert whole in drawn


def test_an_interval_that_no_line_has_room_for_is_broken() -> None:
    assert wrap(".5 [.50, .51]", 8, cell_len) == [".5 [.50,", ".51]"]
    assert wrap(".5 [.50, .51]", 10, cell_len) == [".5", "[.50, .51]"]


LAYERS = tuple(TaskLayer(name, name.title() + "?", f"Asks {name}.") for name in ("one", "two"))


def answered(layer: TaskLayer, *sums: float, gold: int | None) -> Rung:
    asked = Question("i", layer.id, "", "", tuple(f"option {i}" for i in range(len(sums))), gold)
    scores = Answer(tuple(OptionScore(value) for value in sums))
    return Rung(layer, asked, score_by_likelihood(asked, scores), Phase.ANSWERED)


def test_gold_and_answer_are_always_among_the_options_drawn() -> None:
    sums = [-float(i) for i in range(14)]
    drawn = plain(draw_ladder([answered(LAYERS[0], *sums, gold=13)], 60, cell_len, most=3))
    assert "▸ option 0" in drawn
    assert "◆ gold" in drawn
    assert "option 13" in drawn
    assert "11 more options" in drawn


def test_the_ladder_says_where_it_failed_and_what_does_not_count() -> None:
    rungs = [answered(LAYERS[0], -2, -1, gold=0), answered(LAYERS[1], -1, -2, gold=0)]
    drawn = plain(draw_ladder(rungs, 60, cell_len))
    assert outcome(rungs) == ("First failure: layer 1, One?", Role.BAD)
    assert "✗ wrong" in drawn
    assert "✓ right, not counted" in drawn


def test_an_edit_without_gold_is_neither_right_nor_wrong() -> None:
    rungs = [answered(LAYERS[0], -2, -1, gold=None)]
    drawn = plain(draw_ladder(rungs, 60, cell_len))
    assert "no gold" in drawn
    assert "no gold answer" in outcome(rungs)[0]


def test_scores_that_are_no_numbers_give_no_figures() -> None:
    rungs = [answered(LAYERS[0], math.nan, math.nan, gold=0)]
    drawn = plain(draw_ladder(rungs, 60, cell_len))
    assert "no answer" in drawn
    assert "no numbers" in drawn
    assert ".0" not in drawn


@pytest.mark.parametrize("width", [36, 50, 80, 140])
def test_figures_keep_their_counts_and_baselines_at_every_width(width: int) -> None:
    figures = (
        Figure("Accuracy", 217, 356, {"always false": Baseline(238 / 356, "“false”")}),
        Figure("Cloze Consistency", None, 115, note="not in the record"),
    )
    drawn = plain(draw_summary(Summary("unified", figures, notes=("A note.",)), width, cell_len))
    for part in (".610", "217/356", ".669", "unknown of 115", "A note."):
        assert part in drawn


@pytest.mark.parametrize("width", [1, 0, -5])
def test_without_room_every_character_has_a_line(width: int) -> None:
    assert [line for line in wrap("a bc", width, len) if line] == ["a", "b", "c"]


@pytest.mark.parametrize("width", [1, 2, 3, 8, 9, 40])
def test_an_id_is_cut_in_its_middle(width: int) -> None:
    shown = pad_inside("kettle-noun-箱子", width, cell_len)
    assert cell_len(shown) == width
    assert width < 8 or shown.rstrip().endswith("子")
    assert pad_inside("ab", 4, cell_len) == "ab  "


@pytest.mark.parametrize("letter", ["x", "漢", "[a, "])
def test_a_long_word_is_wrapped_without_measuring_the_rest_again_for_every_line(
    letter: str,
) -> None:
    measured = 0

    def measure(text: str) -> int:
        nonlocal measured
        measured += len(text)
        return cell_len(text)

    text = letter * 20_000
    lines = wrap(text, 40, measure)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert max(map(cell_len, lines)) <= 40
    assert measured < 50 * len(text)
