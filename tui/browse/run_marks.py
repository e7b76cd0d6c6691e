"""Shows the answers of a run over the open collection in the list and on the ladder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from textual.worker import get_current_worker

from core.contract.question import Form
from core.contract.rungs import ComparedAnswer, Rung
from core.files import paths
from core.runs.records import replace_surrogates
from core.text.errors import CommonsenseError
from core.text.language import _
from tui.browse.feature import Feature, ItemHost
from tui.browse.state import BrowseState
from tui.runs.marks import RunAnswers

if TYPE_CHECKING:
    from core.models.protocol import Model
    from core.runs.records import Run
    from core.runs.replay import RecordedAnswers
    from tui.runs.running import Running


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """Two runs that are compared: the answers of the first stand beside those of the second."""

    first: str
    second: str
    letters: tuple[str, str]


class RunMarks(Feature):
    """Takes over the answers of a run in progress, or of a recorded one.

    That is the run that the model replays, else the model's fullest over the collection.
    """

    NAME = "runs"

    def __init__(self, host: ItemHost, *, records: bool) -> None:
        """`records` says whether the answers of a recorded run are taken over too."""
        super().__init__(host)
        self._records = records
        self.compared: ComparedRuns | None = None
        """The two runs that are shown beside each other; None for one run alone."""
        self._other: RunAnswers | None = None

    def show_recorded_run(self) -> None:
        """Mark the rows with the results of the run that the model replays, or of its fullest."""
        state, model = self.host.state, self.host.program.model_state.model
        self._other = None
        if not self._records or state is None or model is None:
            return
        find = partial(self._find_recorded_run, state, model, self.host.asking.form)
        if model.info.recorded:
            find = partial(self._find_recorded, state, model)
        elif state.run is not None:
            return
        self.host.run_worker(find, thread=True, exclusive=True, group="record", exit_on_error=False)

    def _find_recorded_run(self, state: BrowseState, model: Model, form: Form) -> None:
        """Find the answers of the model's fullest run over the open collection, in a thread."""
        from core.runs.replay import fullest_run

        worker = get_current_worker()
        try:
            run = fullest_run(paths.runs(), model.info, state.collection, form)
        except CommonsenseError as error:
            self._say(str(error))
            return
        recorded = self._recorded_answers(run.id, state) if run is not None else None
        if run is not None and recorded is not None and not worker.is_cancelled:
            answers = _answers_of(recorded, state)
            self.host.app.call_from_thread(self._show_answers, state, model, form, answers, run)

    def _show_answers(
        self, state: BrowseState, model: Model, form: Form, answers: RunAnswers, run: Run
    ) -> None:
        """Show the answers of the fullest run, unless a run is shown by now."""
        host = self.host
        same = host.state is state and host.program.model_state.model is model
        if same and host.asking.form is form and state.run is None:
            message = _("Marks and answers are those of run {run}. {runs} lists all runs.")
            if run.partial:
                message = _(
                    "Marks and answers are those of run {run}, which has not asked everything: "
                    "{items:,} of {all:,} items have an answer. {runs} lists all runs."
                )
            runs, whole = host.program.key("app.runs"), len(state.collection)
            message = message.format(run=run.id, items=run.items, all=whole, runs=runs)
            host.live.say(message)
            state.show_run(answers)
            host.refresh_item()
            host.name_keys()

    def _find_recorded(self, state: BrowseState, model: Model) -> None:
        """Find a recorded run's verdicts on the open collection, in a thread."""
        from core.runs.replay import replayed_run

        worker, run_id = get_current_worker(), replayed_run(model.info)
        recorded = self._recorded_answers(run_id, state) if run_id else None
        if recorded is None:
            return
        answers = _answers_of(recorded, state)
        if not recorded.verdicts:
            message = _(
                "Run {run} asked about none of these items as they are here. Open it from the "
                "list of runs ({runs}) to find its items.",
                run=run_id,
                runs=self.host.program.key("app.runs"),
            )
            self._say(message)
        other = None
        if self.compared is not None and self.compared.second == run_id:
            other = RunAnswers(state.benchmark)
            first = self._recorded_answers(self.compared.first, state)
            for verdict in first.verdicts if first is not None else ():
                other.add(verdict)
        if not worker.is_cancelled:
            self.host.app.call_from_thread(self._recorded, state, model, answers, other)

    def _recorded_answers(self, run_id: str, state: BrowseState) -> RecordedAnswers | None:
        """A run's answers on the open collection; None where they cannot be read, which is said."""
        # The store of runs is not imported before the first picture.
        from core.runs.replay import answers_on

        try:
            return answers_on(paths.runs(), run_id, state.benchmark, state.collection)
        except CommonsenseError as error:
            self._say(str(error))
            return None

    def _say(self, line: str) -> None:
        self.host.app.call_from_thread(self.host.live.say, line)

    def decorate_rung(self, rung: Rung) -> Rung:
        """A rung with the answer of the run that is compared."""
        state = self.host.state
        if self._other is None or self.compared is None or state is None or rung.question is None:
            return rung
        verdict = self._other.verdict(state.shown_id, rung.question)
        return replace(rung, compared=ComparedAnswer(verdict, self.compared.letters))

    def _recorded(
        self, state: BrowseState, model: Model, answers: RunAnswers, other: RunAnswers | None
    ) -> None:
        self._other = other
        if self.host.state is state and self.host.program.model_state.model is model:
            state.show_run(answers)
            self.host.refresh_item()
            self.host.name_keys()

    def on_run_update(self, running: Running) -> None:
        """Show the answers of a run over the open collection as if they were given here."""
        state, model_state = self.host.state, self.host.program.model_state
        if state is None or running.collection is not state.collection:
            return
        if model_state.model is not None and model_state.model.info.recorded:
            # A record is taken in when its model is loaded; showing its figures changes nothing.
            return
        # A run by another model, or in another form, says nothing of what is asked here.
        same = running.model is model_state.model and running.form is self.host.asking.form
        changed = state.show_run(running.answers if same else None)
        if not self.host.is_current or not state.is_open:
            return
        if changed:
            self.host.refresh_item()
        elif running.busy and running.answers.latest != replace_surrogates(state.shown_id):
            # Drawing the ladder again for every answer to another item would make keys wait.
            self.host.items.mark(state.mark, state.shown_id)
        else:
            self.host.refresh_ladder()


def _answers_of(recorded: RecordedAnswers, state: BrowseState) -> RunAnswers:
    """Recorded answers as the list and the ladder show them."""
    answers = RunAnswers(state.benchmark, recorded.source)
    answers.whole, answers.asked_as = recorded.whole, recorded.asked_as
    answers.partly_asked = recorded.partly_asked
    for verdict in recorded.verdicts:
        answers.add(verdict)
    return answers
