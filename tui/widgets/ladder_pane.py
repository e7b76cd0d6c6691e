"""The right pane: one rung for each layer, and the first at which the model fails."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from core.language import N_, _
from core.layout.ladder import Phase, RungState, draw_ladder, outcome
from core.layout.rows import Ink, Row, Span, wrap
from core.view import Role
from core.visible import visible
from tui.widgets.rows_view import RowsView

_MOST = 6
"""Most options drawn of a layer."""


class LadderPane(RowsView):
    """Draws the ladder; the cursor steps over its rungs."""

    HELP = N_("""
    ## The ladder

    Every layer is asked, from the first to the last. A bar is an option's probability against
    the other options; `▸` is the model's answer, `◆` the gold one. Where several options may be
    right, some of them and no wrong one earn a part of the credit. A layer that the model answers
    in its own words shows what was read in them. The first wrong layer is where the model fails:
    what comes after is shown, because it may be right for the wrong reason, and not counted.

    `⇄ patched` is no answer of the model's own: something between its blocks is changed, as the
    trace says. Such an answer is kept nowhere, and esc takes it back.
    """)

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rungs: tuple[RungState, ...] = ()
        self.source = ""
        self.hint = ""

    def show(self, rungs: Sequence[RungState], *, source: str, hint: str) -> None:
        """Draw these rungs.

        Args:
            rungs: what is known of each layer.
            source: who answered and how, for the line below.
            hint: what to press next.
        """
        self.rungs = tuple(rungs)
        self.source = source
        self.hint = hint
        self.redraw()

    def draw(self, width: int) -> list[Row]:
        """The outcome, the rungs, and who answered: with as many options as there is room for."""
        for most in range(_MOST, 1, -1):
            rows = self._drawn(width, most, airy=True, foot=True)
            if len(rows) <= self.size.height:
                return rows
        for foot in (True, False):
            rows = self._drawn(width, 2, airy=False, foot=foot)
            if len(rows) <= self.size.height:
                return rows
        return self._drawn(width, 3, airy=False, foot=True)

    def _drawn(self, width: int, most: int, *, airy: bool, foot: bool) -> list[Row]:
        words, role = outcome(self.rungs)
        if any(rung.phase is Phase.ASKING for rung in self.rungs):
            words, role = _("Asking…"), Role.CHANGED
        elif any(rung.verdict and rung.patched for rung in self.rungs):
            words = _("{outcome}, without the patch").format(outcome=words)
            role = Role.FORCED
        gap: list[Row] = [()] if airy else []
        rows: list[Row] = [(Span(f" {line}", role),) for line in wrap(words, width - 2, cell_len)]
        rows += gap
        rows += draw_ladder(self.rungs, width, cell_len, most=most, airy=airy)
        for text, ink in ((self.hint, Ink.KEY), (self.source, Ink.GLOSS)) if foot else ():
            lines = wrap(visible(text), max(8, width - 2), cell_len) if text else []
            rows += [*(gap if lines else []), *((Span(f" {line}", ink),) for line in lines)]
        return rows

    def rung(self) -> RungState | None:
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
