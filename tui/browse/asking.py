"""Asks the model every layer of the open item, and shows it at work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from textual.worker import Worker

from core.answers.cleaner import thinking_of, without_thinking
from core.contract.question import Form, Question, Scoring, Status, Verdict
from core.contract.rungs import Phase, Rung
from core.contract.task_layer import TaskLayer
from core.layout.replies import folded_thinking
from core.models.demo_figures import chance_note
from core.models.protocol import Ability, Model
from core.runs.asking import natural_form, natural_scoring, prompt_of
from core.runs.ladder import Answered, LayerFailed, LayerSkipped, QuestionAsked, TextWritten, ladder
from core.text.errors import ModelError
from core.text.language import N_, _, ngettext
from tui.browse.answer_source import answer_source
from tui.browse.state import BrowseState, Key
from tui.shell.model_holder import ModelPhase

if TYPE_CHECKING:
    from textual.notifications import SeverityLevel as Severity

    from tui.browse.live_pane import LivePane
    from tui.shell.program import Program

_WORDS = 24
"""Most tokens of the model's own words that are shown after each layer."""
_MARKS = {True: N_("right"), False: N_("wrong"), None: N_("no gold")}
_STATUSES = {
    Status.OK: N_("ok"),
    Status.TIE: N_("tie"),
    Status.NO_ANSWER: N_("no answer"),
    Status.AMBIGUOUS: N_("ambiguous"),
    Status.TRUNCATED: N_("truncated"),
    Status.OUT_OF_RANGE: N_("out of range"),
}


class AskingHost(Protocol):
    """The screen that asks, as `Asking` uses it."""

    state: BrowseState | None

    @property
    def program(self) -> Program:
        """The program, which holds the model."""
        ...

    @property
    def live(self) -> LivePane:
        """The pane that shows the model at work."""
        ...

    def run_worker(
        self, work: Callable[[], Coroutine[None, None, None]], *, group: str, exit_on_error: bool
    ) -> Worker[None]:
        """Run a coroutine function in the background."""
        ...

    def notify(self, message: str, *, severity: Severity = ..., markup: bool = ...) -> None:
        """Tell the person something."""
        ...

    def refresh_ladder(self) -> None:
        """Draw the ladder again."""
        ...

    def light_up(self, written: str) -> None:
        """Light the nodes that the last sentence of a text names."""
        ...

    def ladder_ended(self) -> None:
        """Called when a ladder has ended, answered or not."""
        ...


class Asking:
    """Asks the model the ladder of the open item: at most one ladder at a time."""

    def __init__(self, screen: AskingHost) -> None:
        self._screen = screen
        self._form: Form | None = None
        self.busy: Key | None = None
        """The item and setting being asked; None while nothing is."""
        self._worker: Worker[None] | None = None
        self._begun = False
        """Whether the worker has begun."""

    @property
    def _model(self) -> Model | None:
        return self._screen.program.model_state.model

    @property
    def form(self) -> Form:
        """The prompt form: as chosen, else turns where the model has a chat template."""
        model = self._model
        if model is None or Ability.CHAT not in model.info.abilities:
            return Form.BASE
        return self._form or natural_form(model.info)

    @property
    def scoring(self) -> Scoring | None:
        """The scoring of answers; None for each question's own."""
        model = self._model
        return natural_scoring(model.info, self.form) if model is not None else None

    def other_form(self) -> None:
        """Use the other prompt form from now on, where the model has a chat template."""
        model = self._model
        if model is None or Ability.CHAT not in model.info.abilities:
            self._screen.notify(
                _("This model has no chat template, so it is given one text."),
                severity="warning",
                markup=False,
            )
            return
        self._form = Form.BASE if self.form is Form.CHAT else Form.CHAT
        if self._screen.state is not None:
            self._screen.state.forget_all()
        self._screen.notify(_("Prompt form: {form}.", form=self.form), markup=False)

    def source(self) -> str:
        """The model and the conditions under which it answers, in a line."""
        return answer_source(self._model, self._screen.state, self.form, self.scoring)

    def at_chance(self) -> str:
        """Where the bundled model is no better than a constant answer, in a sentence."""
        state, model = self._screen.state, self._model
        if model is None or state is None or not state.is_open:
            return ""
        return chance_note(model.info, state.benchmark.name, state.rungs())

    def hint(self) -> str:
        """The key to press next."""
        program = self._screen.program
        model_state, choose = program.model_state, program.key("browse.choose_model")
        if model_state.phase is ModelPhase.LOADING:
            return _("The model is loading… {key} chooses another", key=choose)
        if not model_state.ready:
            return _("{key} chooses a model", key=choose)
        ask = program.key("browse.ask")
        if self.busy is not None:
            return _("{key} cancels", key=ask)
        state = self._screen.state
        if state is None or not (state.is_open and any(rung.verdict for rung in state.rungs())):
            return _("{key} asks the model", key=ask)
        if "reply" not in state.offers:
            return _("{key} asks again", key=ask)
        unfold = program.key("browse.unfold")
        return _("{key} asks again, {unfold} unfolds the replies", key=ask, unfold=unfold)

    def prompt_text(self, question: Question) -> str:
        """The prompt as a person reads it: the text, or the turns with their roles."""
        model = self._model
        prompt = prompt_of(question, self.form, model.info) if model else question.base()
        if isinstance(prompt, str):
            return prompt
        return "\n\n".join(f"[{turn.role}]\n{turn.content}" for turn in prompt)

    def toggle(self) -> None:
        """Ask the open item, or cancel what is being asked."""
        screen = self._screen
        model = self._model
        if (worker := self._worker) is not None and self.busy is not None:
            worker.cancel()
            if not self._begun:
                # It never will, so nothing else resets this.
                self.busy = self._worker = None
                screen.ladder_ended()
            return
        if screen.state is None or not screen.state.is_open:
            return
        if screen.program.collection_runs.asking:
            screen.notify(
                _(
                    "A run is asking this model. Press {key} to see it, and pause it first.",
                    key=screen.program.key("browse.run_all"),
                ),
                severity="warning",
                markup=False,
            )
            return
        if screen.program.collection_runs.wanted:
            message = _(
                "A run waits for this model. Press {key} to see it.",
                key=screen.program.key("browse.run_all"),
            )
            screen.notify(message, severity="warning", markup=False)
            return
        if model is None or not screen.program.model_state.ready:
            screen.notify(self.hint(), severity="warning", markup=False)
            return
        self.busy, self._begun = screen.state.key, False
        self._worker = screen.run_worker(
            partial(self._ask_ladder, screen.state, model, self.form),
            group="ask",
            exit_on_error=False,
        )

    async def _ask_ladder(self, state: BrowseState, model: Model, form: Form) -> None:
        screen, self._begun = self._screen, True
        key, rungs = state.key, state.unasked_rungs
        state.forget(key[0], rungs)
        item, name = state.shown_id, model.info.name
        if state.changed:
            item = _("{item}, changed", item=item)
        if model.info.recorded:
            screen.live.say(_("{item}: recorded answers of {model}", item=item, model=name))
        else:
            screen.live.say(_("{item}: asking {model}", item=item, model=name))
        asking: Rung | None = None
        written, took, answered = "", 0.0, 0
        lacking: list[TaskLayer] = []
        try:
            async with aclosing(ladder(model, state.benchmark, rungs, form=form)) as events:
                async for event in events:
                    match event:
                        case QuestionAsked(rung):
                            asking, written = rung, ""
                            state.record(key, rung)
                            screen.refresh_ladder()
                        case TextWritten(rung, text):
                            self._show_text(rung.layer, written, text)
                            written += text
                            screen.light_up(written)
                        case LayerSkipped(rung, ModelError() as error) if model.info.awaits:
                            failed = replace(rung, phase=Phase.FAILED, error=str(error))
                            state.record(key, failed)
                        case LayerSkipped(rung, ModelError()) if model.info.recorded:
                            lacking.append(rung.layer)
                        case LayerFailed(rung):
                            asking, answered = None, 0
                            state.record(key, rung)
                            screen.live.say(rung.error)
                        case Answered(rung, verdict, seconds):
                            asking = None
                            took, answered = took + seconds, answered + 1
                            state.record(key, rung)
                            is_open = rung.question is not None and rung.question.open
                            words = describe_verdict(verdict, is_open=is_open)
                            words = f"{rung.layer.shown} {words}"
                            screen.live.say(f"{words}, {seconds * 1000:.0f} ms")
                            screen.refresh_ladder()
                            if not verdict.scoring.written:
                                await self._own_words(model, rung.question, form)
            if lacking:
                self._tell_lacking(lacking)
            if answered:
                asked = model.info.fingerprint, state.benchmark.name, form
                whole = took / answered * len(rungs)
                screen.program.collection_runs.item_seconds[asked] = whole
        except asyncio.CancelledError:
            screen.live.say(_("cancelled"))
            raise
        finally:
            if asking is not None:
                state.record(key, replace(asking, phase=Phase.IDLE))
            # A worker that ended still holds the item, and with it the collection.
            self.busy = self._worker = None
            screen.light_up("")
            screen.ladder_ended()

    def _tell_lacking(self, layers: Sequence[TaskLayer]) -> None:
        """Tell which layers of the item, as it is now, a recorded run was not asked."""
        message = _(
            "This run has no answer to: {layers}. {key} chooses a model that answers now.",
            layers=", ".join(layer.shown for layer in layers),
            key=self._screen.program.key("browse.choose_model"),
        )
        self._screen.live.say(message)
        self._screen.notify(message, severity="warning", markup=False)

    def _show_text(self, layer: TaskLayer, written: str, text: str) -> None:
        """Show a piece of a generated answer after what was `written` before."""
        live = self._screen.live
        if not written:
            live.begin(f"  {_('{layer} writes:', layer=layer.shown)} ")
        before, after = _outside_thinking(written), _outside_thinking(written + text)
        if after is None:
            if before is not None:
                live.stream(_("▸ thinking…"))
            return
        if before is None:
            live.stream(f" {folded_thinking(written + text)}: ")
        # Most models begin with a blank, but not all.
        added = after.removeprefix(before or "")
        live.stream(added if before else added.lstrip())

    async def _own_words(self, model: Model, question: Question | None, form: Form) -> None:
        """Stream what the model would write by itself."""
        if question is None or Ability.GENERATE not in model.info.abilities:
            return
        prompt = prompt_of(question, form, model.info)
        live = self._screen.live
        live.begin(f"  {_('writes freely (not scored):')} ")
        first = True
        try:
            async with aclosing(model.generate(prompt, max_tokens=_WORDS, stop=("\n",))) as tokens:
                async for token in tokens:
                    live.stream(token.text.lstrip(" ") if first else token.text)
                    first = False
        except ModelError as error:
            live.say(str(error))


def _outside_thinking(text: str) -> str | None:
    """What of a reply that is being written is no thinking, which is shown folded.

    None while it thinks; nothing while it may be beginning to.
    """
    if without_thinking(text) is None:
        return None
    return "" if "<think>".startswith(text.strip()) else text.removeprefix(thinking_of(text))


def describe_verdict(verdict: Verdict, *, is_open: bool = False) -> str:
    """A verdict in a few words for the live pane; `is_open` says that the question has no options.

    Answers to open questions are likened to references, and neither right nor wrong.
    """
    mark = _("answered") if is_open and verdict.right is None else _(_MARKS[verdict.right])
    names = ", ".join(verdict.options[index] for index in verdict.picked_options)
    if not names:
        return _(_STATUSES[verdict.status])
    if verdict.scoring.written:
        return ngettext(
            "{names} ({number} token), {mark}",
            "{names} ({number} tokens), {mark}",
            verdict.output_tokens,
            names=names,
            number=verdict.output_tokens,
            mark=mark,
        )
    if verdict.multiple or not verdict.scores or verdict.answer is None:
        return f"{names}, {mark}"
    return _(
        "{names} (log-likelihood {figure:.2f}), {mark}",
        names=names,
        figure=verdict.scores[verdict.answer].logprob,
        mark=mark,
    )
