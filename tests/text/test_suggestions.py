"""What a person who mistyped a name is told."""

from __future__ import annotations

import pytest

from core.text.suggestions import MOST_LISTED, suggestion


@pytest.mark.parametrize(
    ("known", "listed"),
    [
        ([], "none"),
        (["dusk", "paper"], "dusk, paper"),
        (["only", *(f"v.{n}" for n in range(17)), "w.0", "w.1"], "only, v.0 to v.16, w.0, w.1"),
        (["v.3", "v.4", "v.5", "v.7", "v.08", "v.09", "v.10"], "v.3 to v.5, v.7, v.08, v.09, v.10"),
        (["v.0", "w.1", "v.2"], "v.0, w.1, v.2"),
        (["v1", "v2", "v3"], "v1, v2, v3"),
    ],
)
def test_consecutive_names_are_listed_as_a_range(known: list[str], listed: str) -> None:
    assert suggestion("There are", known, "?") == f"There are: {listed}."


def test_the_nearest_name_is_suggested_even_inside_a_range() -> None:
    told = suggestion("There are", (f"redraw.{n}" for n in range(9)), "redrw.3")
    assert told == "There are: redraw.0 to redraw.8. Did you mean “redraw.3”?"


def test_the_list_of_names_is_limited() -> None:
    names = [f"name {n}" for n in range(MOST_LISTED + 3)]
    told = suggestion("There are", names, "?")
    assert told == f"There are: {', '.join(names[:MOST_LISTED])} and 3 more."
