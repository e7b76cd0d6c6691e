"""Reviewing what the program suggests for the open item of a screen."""

from __future__ import annotations

from functools import partial

from textual import work
from textual.screen import Screen

from core.contract.benchmark import Benchmark
from core.contract.collection import Item
from core.contract.review import Review, Suggestion
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _
from tui.browse.state import BrowseState

_SAYINGS = {
    Review.CONFIRM: N_("Confirm it as it is"),
    Review.EDIT: N_("Edit it"),
    Review.REJECT: N_("Reject it"),
    Review.UNDO: N_("Take the decision back"),
}


class ReviewScreen(Screen[None]):
    """A screen from which suggestions are confirmed, edited and rejected."""

    state: BrowseState | None

    def refresh_item(self) -> None:
        """Draw the open item again."""
        raise NotImplementedError

    @work(group="dialogue", exit_on_error=False)
    async def action_review(self) -> None:
        """Go through what the program suggests for this item."""
        from tui.shell.prompts import AskText, PickOne

        state = self.state
        if state is None or not state.is_open:
            return
        benchmark = state.benchmark
        nothing = _("There is nothing to review here.")
        at = 0
        while True:
            found = benchmark.suggestions(state.item)
            if not found:
                self.notify(nothing, severity="warning", markup=False)
                return
            title = _("Review {what}", what=_(benchmark.reviewed))
            lines = [f"{_(one.state)}: {one.text}" for one in found]
            kept = _("What you decide is kept in a file of your own.")
            picked = await self.app.push_screen_wait(PickOne(title, kept, lines, at=at))
            if picked is None:
                return
            at, one = picked, found[picked]
            open_to = tuple(Review) if one.decided else tuple(Review)[:-1]
            said = await self.app.push_screen_wait(
                PickOne(title, one.text, [_(_SAYINGS[review]) for review in open_to])
            )
            if said is None:
                continue
            if open_to[said] is Review.EDIT:
                # What cannot stand is refused where it is typed.
                keep = partial(_edited, benchmark, state.item, one)
                ask = AskText(title, _(benchmark.edit_help), one.text, keep)
                await self.app.push_screen_wait(ask)
            else:
                self._decide(benchmark, state, one, open_to[said])
            self._open_again(state)

    def _decide(
        self, benchmark: Benchmark, state: BrowseState, one: Suggestion, said: Review
    ) -> None:
        try:
            benchmark.review(state.item, one.id, said)
        except CommonsenseError as error:
            self.notify(escape_control_characters(str(error)), severity="warning", markup=False)

    def _open_again(self, state: BrowseState) -> None:
        try:
            state.open(state.index)
        except CommonsenseError as error:
            self.notify(escape_control_characters(str(error)), severity="warning", markup=False)
        self.refresh_item()


def _edited(benchmark: Benchmark, item: Item, one: Suggestion, text: str) -> str:
    benchmark.review(item, one.id, Review.EDIT, text)
    return text
