"""What a person does with a trace: another twin, another part, and the patch on the ladder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import work

from core.contract.question import Question
from core.contract.rungs import RungState
from core.layout.graph.mentions import mentioned
from core.text.errors import CommonsenseError
from core.text.escaping import escape_control_characters
from core.text.language import _, ngettext
from tui.blocks.controller import InsideScreen
from tui.browse.view_pane import ViewPane
from tui.shell.program import program_of

if TYPE_CHECKING:
    from core.blocks.alignment import Offer
    from tui.blocks.trace_pane import TracePane


class TracingScreen(InsideScreen):
    """Chooses what is traced, and shows on the ladder what a patch comes to."""

    def refresh_ladder(self) -> None:
        """Draw the ladder again."""
        raise NotImplementedError

    def patched(self, rungs: Sequence[RungState]) -> tuple[RungState, ...]:
        """The rungs, the one that is patched with what it then answers."""
        pane = self.inside
        return tuple(rungs) if pane is None else tuple(pane.patched(rung) for rung in rungs)

    def make_way(self) -> None:
        """Have the trace wait while the ladder is asked, and go on afterwards."""
        if self.inside is not None:
            self.inside.make_way(self.asking.busy is not None)

    def on_trace_pane_patch_changed(self) -> None:
        """Show the patched answer in the place of the model's own, or that one again."""
        self.refresh_ladder()

    def on_trace_pane_span_moved(self, event: TracePane.SpanMoved) -> None:
        """Show where in the item the span stands."""
        view = self.query_one(ViewPane)
        view.point(view.statements_in(event.text))
        graph = self.graph.graph if self.has_class("-graph") else None
        if graph is not None:
            self.graph.light(mentioned(event.text, graph.nodes) if event.text else ())

    def action_mark_cell(self) -> None:
        """Mark the cell of the trace under the cursor."""
        if (pane := self._open_trace()) is not None:
            pane.mark()

    def action_copied_part(self) -> None:
        """Trace another part of the blocks."""
        if (pane := self._open_trace()) is not None:
            pane.next_part()

    @work(group="dialogue", exit_on_error=False)
    async def action_twin(self) -> None:
        """Choose the twin that the trace compares with."""
        from tui.shell.prompts import PickOne

        pane = self._open_trace()
        tracing = pane.tracing if pane is not None else None
        if pane is None or tracing is None:
            return
        try:
            offers = await tracing.offers()
        except CommonsenseError as error:
            self.notify(escape_control_characters(str(error)), severity="error", markup=False)
            return
        if not offers:
            self.notify(_("This question has no twin."), severity="warning", markup=False)
            return
        question = tracing.subject.question
        present = next((n for n, one in enumerate(offers) if one == tracing.offer), 0)
        picked = await self.app.push_screen_wait(
            PickOne(
                _("Twin"),
                _(
                    "The same question where something else is so. Only spans with as many tokens "
                    "in the same place can be compared."
                ),
                [_line(offer, question) for offer in offers],
                at=present,
            )
        )
        if picked is not None and pane.tracing is tracing:
            pane.compare_with(offers[picked])

    @work(group="dialogue", exit_on_error=False)
    async def action_beside(self) -> None:
        """Choose a second model to trace beside the first, or let go of the one there is."""
        from tui.browse.models_screen import ModelsScreen

        pane = self._open_trace()
        if pane is None:
            return
        if pane.beside is not None:
            pane.let_go()
            return
        program = program_of(self.app)
        name = await self.app.push_screen_wait(ModelsScreen(program.config, program.model_state))
        if name is not None and pane.tracing is not None:
            pane.set_beside(name)

    def _open_trace(self) -> TracePane | None:
        from tui.blocks.trace_pane import TracePane

        pane = self.inside
        if isinstance(pane, TracePane) and pane.tracing is not None:
            return pane
        said = _("{key} opens the trace, which this is about.", key=self._key("trace"))
        self.notify(said, severity="warning", markup=False)
        return None


def _line(offer: Offer, question: Question) -> str:
    """A twin in a line: what is right there, and how much of it can be compared."""
    from core.blocks.contrast_prompts import other_gold
    from core.blocks.sentences import option_names

    asked, pairing = offer.twin.question, offer.pairing
    golds = asked.golds if asked.multiple else () if asked.gold is None else (asked.gold,)
    names = option_names(asked)
    right = ", ".join(names[place] for place in golds)
    said = "" if not right else _("right: {options}", options=right)
    if right and not other_gold(asked, question):
        said = _("{options} too", options=right)
    compared = _("what differs cannot be compared")
    if pairing.differing:
        many = len(pairing.spans)
        compared = ngettext(
            "{count} of {many} spans comparable",
            "{count} of {many} spans comparable",
            many,
            count=len(pairing.traced),
            many=many,
        )
    here = _("here {changed}", changed=offer.changed) if offer.changed else ""
    parts = (offer.twin.said, here, said, compared)
    return " · ".join(part for part in parts if part)
