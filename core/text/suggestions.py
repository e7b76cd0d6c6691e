"""Helps a person who mistyped a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from core.text.language import _

MOST_LISTED = 20
"""Names that a hint lists."""
_NUMBERED = re.compile(r"(.*\.)(0|[1-9]\d{0,5})", re.ASCII | re.DOTALL)
_LEAST_RUN = 3


def nearest(word: str, known: Iterable[str], n: int = 1, cutoff: float = 0.6) -> list[str]:
    """The known names most like `word`, at most `n`, the likest first."""
    # Needed only once something went wrong, and start-up should not wait for it.
    from difflib import get_close_matches

    return get_close_matches(word, list(known), n=n, cutoff=cutoff)


def suggestion(intro: str, known: Iterable[str], word: str) -> str:
    """A hint: what could have been meant, and which of it probably was.

    `one_of("Themes", ["dusk", "paper"], "dsuk")` is "Themes: dusk, paper. Did you mean “dusk”?".
    Names that count on are listed as a range: "v.0 to v.16".
    """
    names = list(known)
    near = nearest(word, names)
    listed_names = _in_ranges(names)
    beyond = len(listed_names) - MOST_LISTED
    shown = ", ".join(listed_names[:MOST_LISTED]) or _("none")
    listed = f"{intro}: {shown}."
    if beyond > 0:
        listed = _("{intro}: {names} and {number:,} more.", intro=intro, names=shown, number=beyond)
    meant = _("Did you mean “{name}”?")
    return f"{listed} {meant.format(name=near[0])}" if near else listed


def _in_ranges(names: Sequence[str]) -> list[str]:
    """The names, those that only count on (`s.0`, `s.1`, `s.2`) as the first `to` the last."""

    def run_of(place_and_name: tuple[int, str]) -> tuple[str, int]:
        place, name = place_and_name
        found = _NUMBERED.fullmatch(name)
        # What counts on keeps its distance to the place; any other name has a place of its own.
        return (found[1], place - int(found[2])) if found else ("", place)

    listed = []
    for _start, run in groupby(enumerate(names), run_of):
        each = [name for _place, name in run]
        listed += (
            each
            if len(each) < _LEAST_RUN
            else [_("{first} to {last}", first=each[0], last=each[-1])]
        )
    return listed
