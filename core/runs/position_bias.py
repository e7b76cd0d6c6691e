"""How often each letter was chosen, beside how often the right answer stood there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase

from core.contract.question import Verdict
from core.contract.summary import Summary
from core.contract.view import Cell, Grid
from core.layout.figures import proportion
from core.runs.option_order import are_letters
from core.text.language import _, ngettext


@dataclass(frozen=True, slots=True)
class LetterCounts:
    """Letters of questions whose right answer is known; in multiple select each option counts."""

    questions: int
    unanswered: int
    """Questions to which no option was chosen."""
    chosen: Counter[str]
    """By letter: how many chosen options stood there."""
    right: Counter[str]
    """By letter: how many right options stood there."""

    @property
    def letters(self) -> list[str]:
        """The letters that were chosen or right, in order."""
        return sorted(self.chosen | self.right)


def letter_counts(
    verdicts: Sequence[Verdict], layers: Collection[str], *, imported: bool = False
) -> LetterCounts:
    """Count the letters in `layers`, whose prompts show the options with letters.

    Of answers that were asked elsewhere (`imported`) only those count whose options are letters.
    """
    counted = [
        verdict
        for verdict in verdicts
        if verdict.layer in layers
        and verdict.right_options
        and (not imported or are_letters(verdict.options))
    ]
    return LetterCounts(
        questions=len(counted),
        unanswered=sum(not verdict.picked_options for verdict in counted),
        chosen=Counter(_letter(v, index) for v in counted for index in v.picked_options),
        right=Counter(_letter(v, index) for v in counted for index in v.right_options),
    )


def letters_table(counts: LetterCounts, title: str) -> Grid:
    """The counts as a table, a row for each letter."""
    chosen, right = counts.chosen.total(), counts.right.total()
    rows = tuple(
        (
            Cell(letter),
            Cell(_share(counts.chosen[letter], chosen)),
            Cell(_share(counts.right[letter], right)),
        )
        for letter in counts.letters
    )
    note = ngettext(
        "Over {n} question with letters.",
        "Over {n} questions with letters.",
        counts.questions,
        n=counts.questions,
    )
    if counts.unanswered:
        unanswered = _("No option was chosen: {unanswered}.", unanswered=counts.unanswered)
        note = f"{note} {unanswered}"
    return Grid(title, (_("letter"), _("chosen"), _("right answer there")), rows, note)


def with_letters(
    summary: Summary,
    verdicts: Sequence[Verdict],
    layers: Collection[str],
    *,
    imported: bool = False,
) -> Summary:
    """The summary with a table of the letters; as it is where no question has letters."""
    counts = letter_counts(verdicts, layers, imported=imported)
    if not counts.questions:
        return summary
    table = letters_table(counts, _("Letters"))
    return replace(summary, tables=(*summary.tables, table))


def _letter(verdict: Verdict, index: int) -> str:
    place = verdict.place(index)
    if are_letters(verdict.options):
        return verdict.options[place]
    return ascii_uppercase[place] if place < len(ascii_uppercase) else str(place + 1)


def _share(count: int, n: int) -> str:
    return f"{proportion(count / n)}  {count}/{n}" if n else "0/0"
