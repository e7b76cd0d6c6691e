"""Suggests the known name that is most similar to a typed one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, islice

from core.text.language import _

MOST_LISTED = 20
"""Names that a hint or a sentence lists."""
_NUMBERED = re.compile(r"(.*\.)(0|[1-9]\d{0,5})", re.ASCII | re.DOTALL)
_LEAST_RUN = 3
_LONGEST = 200
"""Most characters of a name that is compared: nobody types a longer one."""
_MOST_COMPARED = 20_000


def nearest(word: str, known: Iterable[str], n: int = 1, cutoff: float = 0.6) -> list[str]:
    """The `n` known names most similar to `word`, the most similar first.

    None for a long word, and of very many names among the first alone.
    """
    if len(word) > _LONGEST:
        return []
    # Imported here because it is needed only after an error, and start-up should not wait for it.
    from difflib import get_close_matches

    short = (name for name in known if len(name) <= _LONGEST)
    return get_close_matches(word, list(islice(short, _MOST_COMPARED)), n=n, cutoff=cutoff)


def suggestion(intro: str, known: Iterable[str], word: str) -> str:
    """A hint that lists the known names and the one that was probably meant.

    `suggestion("Themes", ["dusk", "paper"], "dsuk")` is "Themes: dusk, paper. Did you mean
    “dusk”?". Names with consecutive numbers are listed as a range: "v.0 to v.16".
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


def some_names(names: Sequence[str]) -> str:
    """Names for a sentence: of very many the first, and how many more there are."""
    listed = ", ".join(names[:MOST_LISTED])
    more = len(names) - MOST_LISTED
    return f"{listed} and {more:,} more" if more > 0 else listed


def _in_ranges(names: Sequence[str]) -> list[str]:
    """The names; those with consecutive numbers (`s.0`, `s.1`, `s.2`) as first `to` last."""

    def run_of(index_and_name: tuple[int, str]) -> tuple[str, int]:
        index, name = index_and_name
        match = _NUMBERED.fullmatch(name)
        # Consecutive numbers share index minus number; any other name is a run of its own.
        return (match[1], index - int(match[2])) if match else ("", index)

    listed = []
    for _start, run in groupby(enumerate(names), run_of):
        each = [name for _index, name in run]
        listed += (
            each
            if len(each) < _LEAST_RUN
            else [_("{first} to {last}", first=each[0], last=each[-1])]
        )
    return listed
