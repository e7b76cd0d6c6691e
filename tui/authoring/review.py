"""Reviewing what the program suggests for the open item."""

from __future__ import annotations

from functools import partial

from core.contract.benchmark import Benchmark
from core.contract.collection import Item
from core.contract.review import Review, Suggestion
from core.text.errors import CommonsenseError
from core.text.language import N_, _
from tui.browse.feature import Feature
from tui.browse.state import BrowseState
from tui.shell.prompts import AskText, PickOne

_DECISIONS = {
    Review.CONFIRM: N_("Confirm it as it is"),
    Review.EDIT: N_("Edit it"),
    Review.REJECT: N_("Reject it"),
    Review.UNDO: N_("Take the decision back"),
}


class SuggestionReview(Feature):
    """Confirms, edits and rejects suggestions."""

    NAME = "review"

    async def review(self) -> None:
        """Go through what the program suggests for this item."""
        state = self.host.state
        if state is None or not state.is_open:
            return
        benchmark = state.benchmark
        nothing = _("There are no suggestions to check here.")
        index = 0
        while True:
            suggestions = benchmark.suggestions(state.item)
            if not suggestions:
                self.warn(nothing)
                return
            title = _("Check suggested {what}", what=_(benchmark.reviewed))
            lines = [f"{_(each.state)}: {each.text}" for each in suggestions]
            kept = _("What you decide is kept in a file of your own.")
            picked = await self.host.app.push_screen_wait(PickOne(title, kept, lines, at=index))
            if picked is None:
                return
            index, suggestion = picked, suggestions[picked]
            decisions = tuple(Review) if suggestion.decided else tuple(Review)[:-1]
            decision = await self.host.app.push_screen_wait(
                PickOne(title, suggestion.text, [_(_DECISIONS[each]) for each in decisions])
            )
            if decision is None:
                continue
            if decisions[decision] is Review.EDIT:
                # What cannot stand is refused where it is typed.
                keep = partial(_edited, benchmark, state.item, suggestion)
                ask = AskText(title, _(benchmark.edit_help), suggestion.text, keep)
                await self.host.app.push_screen_wait(ask)
            else:
                self._decide(benchmark, state, suggestion, decisions[decision])
            self._reopen(state)

    def _decide(
        self, benchmark: Benchmark, state: BrowseState, suggestion: Suggestion, decision: Review
    ) -> None:
        try:
            benchmark.review(state.item, suggestion.id, decision)
        except CommonsenseError as error:
            self.warn(str(error))

    def _reopen(self, state: BrowseState) -> None:
        try:
            state.open(state.index)
        except CommonsenseError as error:
            self.warn(str(error))
        self.host.refresh_item()


def _edited(benchmark: Benchmark, item: Item, suggestion: Suggestion, text: str) -> str:
    benchmark.review(item, suggestion.id, Review.EDIT, text)
    return text
