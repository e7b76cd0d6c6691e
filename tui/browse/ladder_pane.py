"""The right pane: one rung for each layer, and the first at which the model fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.cells import cell_len

from core.contract.rungs import Phase, Rung
from core.contract.view import Role
from core.layout.ladder import answered_ladder, draw_ladder, fault_summary, options_fitting, outcome
from core.layout.rows import Ink, Row, Span, indented, paragraph, wrap
from core.text.language import N_, _
from tui.widgets.rows_view import RowsView

_MOST = 3
"""Most options drawn of a layer where there is no room for every layer at once."""


class LadderPane(RowsView):
    """Draws the ladder; the cursor steps over its rungs."""

    HELP = N_("""
    ## The ladder

    Every layer is asked, from the first to the last. A bar is an option's probability against
    the other options; `▸` is the model's answer, `◆` the gold one. Where several options may be
    right, some of them and no wrong one earn a part of the credit. A layer that the model answers
    in its own words shows what was read in them; **>** unfolds all that it wrote, with what it
    thought before (`▸`), and folds it again. The first wrong layer is where the model fails:
    what comes after is shown, because it may be right for the wrong reason, and not counted.

    **space** while the collection or the model is loading waits for it, however often it is
    pressed; esc, or going to another item, takes that back. **r** waits for the collection.

    `≈` stands before what is asked beside the ladder, to compare: it neither fails nor counts.
    Where it has the opposite answer, a model that says the same to everything is seen there.

    An item that was opened from a comparison of runs has the answers of both: their letters stand
    before the options that they picked, right or wrong beside the title.

    `⇄ patched` is no answer of the model's own: something between its blocks is changed, as the
    trace says. Such an answer is kept nowhere, and esc takes it back.
    """)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rungs: tuple[Rung, ...] = ()
        self._unfolded = False
        """Whether all that the model wrote is drawn."""
        self.source = ""
        self.hint = ""
        self.note = ""

    def show(self, rungs: Sequence[Rung], *, source: str, hint: str, note: str = "") -> None:
        """Draw these rungs.

        Args:
            rungs: what is known of each layer.
            source: who answered and how, for the line below.
            hint: what to press next.
            note: what to know before the answers are read, below the outcome.

        The rung that was answered since the last call comes into sight; with the last of them the
        first failure does, which the outcome names.
        """
        before, self.rungs = self.rungs, tuple(rungs)
        self.source = source
        self.hint, self.note = hint, note
        self.redraw()
        answered = _newly_answered(before, self.rungs)
        if answered:
            is_over = all(rung.question is None or _has_result(rung) for rung in self.rungs)
            failure = answered_ladder(self.rungs).first_failure if is_over else None
            self.reveal(failure or answered[-1])
        elif not _same_questions(before, self.rungs):
            self.reveal(self.cursor)

    def unfold(self) -> None:
        """Draw all that the model wrote, its thinking too; or fold it again."""
        self._unfolded = not self._unfolded
        self.redraw()

    def draw(self, width: int) -> list[Row]:
        """The outcome, which does not scroll, the rungs, and who answered."""
        rows = self._draw(width)
        heading = next((y for y, row in enumerate(rows) if any(span.ref for span in row)), 0)
        # Where the outcome would leave the rungs too little room, it scrolls with them.
        self.pinned = heading if 2 * heading < self.size.height else 0
        return rows

    def _draw(self, width: int) -> list[Row]:
        """The rows: with as many options as there is room for."""
        if self._unfolded:
            drawn = draw_ladder(self.rungs, width, cell_len, most=_MOST, unfolded=True)
            return [*self._above(width, airy=True), *drawn, *self._below(width, airy=True)]
        for airy, foot in ((True, True), (False, True), (False, False)):
            above, below = self._above(width, airy), self._below(width, airy) if foot else []
            room = self.size.height - len(above) - len(below)
            most = options_fitting(self.rungs, width, cell_len, room, airy=airy)
            drawn = draw_ladder(self.rungs, width, cell_len, most=most, airy=airy)
            if len(drawn) <= room:
                return [*above, *drawn, *below]
        drawn = draw_ladder(self.rungs, width, cell_len, most=_MOST, airy=False)
        return [*self._above(width, airy=False), *drawn, *self._below(width, airy=False)]

    def _above(self, width: int, airy: bool) -> list[Row]:
        """How the ladder ended, and what to know before its answers are read."""
        compared = next((rung.compared for rung in self.rungs if rung.compared), None)
        if compared is not None:
            return self._both_outcomes(compared.letters, width, airy)
        words, role = outcome(self.rungs)
        if any(rung.phase is Phase.ASKING for rung in self.rungs):
            words, role = _("Asking…"), Role.CHANGED
        elif any(rung.verdict and rung.patched for rung in self.rungs):
            words = _("{outcome}, without the patch", outcome=words)
            role = Role.FORCED
        elif role is Role.GOOD and fault_summary(self.rungs):
            role = Role.CHANGED
        lines = wrap(words, width - 2, cell_len)
        rows: list[Row] = [(Span(f" {line}", role),) for line in lines]
        rows += paragraph(self.note, Ink.GLOSS, width, cell_len)
        return [*rows, *([()] if airy else [])]

    def _both_outcomes(self, letters: tuple[str, str], width: int, airy: bool) -> list[Row]:
        """How far each of two runs got."""
        other = [
            replace(rung, verdict=rung.compared.verdict if rung.compared else None)
            for rung in self.rungs
        ]
        rows: list[Row] = []
        for letter, rungs in zip(letters, (other, self.rungs), strict=True):
            words, role = outcome(rungs)
            rows += indented(f"{letter}  {words}", role, width, cell_len)
        return [*rows, *([()] if airy else [])]

    def _below(self, width: int, airy: bool) -> list[Row]:
        """What to press next, and who answered."""
        rows: list[Row] = []
        for text, ink in ((self.hint, Ink.KEY), (self.source, Ink.GLOSS)):
            lines = paragraph(text, ink, width, cell_len)
            rows += [(), *lines] if airy and lines else lines
        return rows

    def rung(self) -> Rung | None:
        """The rung under the cursor."""
        return next((rung for rung in self.rungs if rung.layer.id == self.cursor), None)

    def copy_text(self) -> tuple[str, str]:
        """The answer of the rung under the cursor, or its error."""
        rung = self.rung()
        if rung is None:
            return super().copy_text()
        if rung.error:
            return N_("error"), rung.error
        verdict = rung.verdict
        if verdict is not None and verdict.text:
            return N_("answer"), verdict.text
        picked = () if verdict is None else verdict.answers or (verdict.answer,)
        names = [verdict.options[i] for i in picked if verdict and i is not None]
        return (N_("answer"), ", ".join(names)) if names else (N_("question"), _(rung.layer.asks))


def _same_questions(before: Sequence[Rung], after: Sequence[Rung]) -> bool:
    # Rungs keep their question while the item and its setting stay the same.
    return len(before) == len(after) and all(
        old.question is new.question for old, new in zip(before, after, strict=True)
    )


def _newly_answered(before: Sequence[Rung], after: Sequence[Rung]) -> list[str]:
    """The layers that have an answer, or an error, to a question that had none before."""
    if not _same_questions(before, after):
        return []
    pairs = zip(before, after, strict=True)
    return [new.layer.id for old, new in pairs if _has_result(new) and not _has_result(old)]


def _has_result(rung: Rung) -> bool:
    return rung.verdict is not None or rung.phase is Phase.FAILED
