"""What the parts of blocks add: bars by sign and size, sums that are the margin."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from core.contract.view import Role
from core.layout.contributions import (
    OptionRoles,
    draw_contributions,
    largest_contribution,
    running_margin,
)
from core.layout.rows import plain
from core.models.blocks import Attribution

SIDES = OptionRoles(Role.BAD, Role.GOOD)
FIGURE = st.floats(-40, 40, allow_nan=False)


@st.composite
def attributions(draw: st.DrawFn) -> Attribution:
    blocks = draw(st.integers(1, 12))
    some = st.lists(FIGURE, min_size=blocks, max_size=blocks).map(tuple)
    return Attribution(
        draw(FIGURE), draw(FIGURE), draw(some), draw(some), draw(FIGURE), (" yes", " no")
    )


def drawn(found: Attribution, width: int = 100) -> list[str]:
    return plain(draw_contributions(found, SIDES, width, cell_len)).splitlines()


@given(attributions(), st.integers(20, 140))
def test_nothing_is_too_wide_and_every_block_has_a_line(found: Attribution, width: int) -> None:
    lines = drawn(found, width)
    assert max(map(cell_len, lines)) <= max(width, 40)
    firsts = [line.split()[0] for line in lines[1 : 1 + len(found.attention)]]
    assert firsts == [str(block) for block in range(len(found.attention))]


@given(attributions())
def test_all_that_is_added_up_is_the_margin_and_the_deviation(found: Attribution) -> None:
    assert math.isclose(running_margin(found)[-1], found.margin + found.deviation, abs_tol=1e-9)


@given(attributions())
def test_the_largest_part_speaks_for_the_margin(found: Attribution) -> None:
    most = largest_contribution(found)
    assert most is not None
    name, block, value = most
    parts = {"attention": found.attention, "feed-forward": found.feed_forward}
    assert parts[name][block] == value
    sign = -1 if found.margin < 0 else 1
    assert all(sign * one <= sign * value for values in parts.values() for one in values)


def test_bars_go_to_the_side_they_speak_for_and_longer_ones_are_larger() -> None:
    found = Attribution(1.0, 0.0, (2.0, -1.0, 0.0), (0.5, -2.0, 0.1), 0.0, (" yes", " no"))
    rows = draw_contributions(found, SIDES, 100, cell_len)[1:4]
    bars = [[span.text.strip() for span in row[1:4:2]] for row in rows]
    assert [bool(left) for left, _ in bars] == [False, True, False]
    assert [bool(right) for _, right in bars] == [True, False, False]
    assert len(bars[0][1]) > len(bars[1][0])
    inks = [[span.ink for span in row if span.ink in (Role.GOOD, Role.BAD)] for row in rows]
    assert set(inks[0]) == {Role.BAD}
    assert set(inks[1]) == {Role.GOOD}


def test_no_number_is_drawn_as_no_bar() -> None:
    found = Attribution(math.nan, 0.0, (math.nan, 1.0), (0.0, 0.0), 0.0, ("a", "b"))
    assert "+nan" in " ".join(drawn(found))
    assert largest_contribution(found) == ("attention", 1, 1.0)
    endless = Attribution(1.0, 0.0, (math.inf, 1.0), (0.0, 0.0), 0.0, ("a", "b"))
    assert "+inf" in " ".join(drawn(endless))
