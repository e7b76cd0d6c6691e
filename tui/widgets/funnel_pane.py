"""The pane of a run: a bar for each layer, then the figures so far."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len

from core.benchmark import ExplainedProfiles, Layer
from core.layout.figures import draw_summary
from core.layout.rows import Ink, Row, Span, pad, wrap
from core.view import Role
from core.visible import visible
from tui.program import program_of
from tui.running import Running, RunPhase
from tui.widgets.rows_view import RowsView


class FunnelPane(RowsView):
    """Draws a run as it goes: how many were asked and right at each layer, and the figures."""

    HELP = """
    ## Asking the whole collection

    A gated layer is asked only of the items that were right in the layer before. A figure stands
    with its count, its 95 % Wilson interval (shaded) and what chance (`╎`) and trivial answers
    (`◇`) reach. What is answered is kept: the run can be paused, cancelled and gone on with, also
    after the program was closed.
    """

    def __init__(self, running: Running) -> None:
        super().__init__(id="funnel")
        self.running = running

    def draw(self, width: int) -> list[Row]:
        """The run's state, its layers, its figures."""
        app = program_of(self.app)
        keys = FunnelKeys(app.key("funnel.pause"), app.key("funnel.close"))
        sentence, role = told(self.running, keys)
        rows: list[Row] = [
            (Span(f" {line}", role),) for line in wrap(visible(sentence), width - 2, cell_len)
        ]
        if self.running.phase is not RunPhase.RECALLED:
            layers = [layer for layer in self.running.benchmark.layers if self._asked(layer)]
            rows += [(), *(self._layer(layer, width) for layer in layers)]
        summary = self.running.summary
        if summary is not None:
            title = f" Figures so far, profile {summary.profile}"
            if self.running.phase in {RunPhase.DONE, RunPhase.RECALLED}:
                title = f" Figures, profile {summary.profile}"
            rows += [(), (Span(title, Ink.HEADING),)]
            note = profile_note(self.running, summary.profile)
            rows += [
                (Span(f" {line}", Role.MUTED),)
                for line in wrap(visible(note), width - 2, cell_len)
                if note
            ]
            rows.append(())
            rows += draw_summary(summary, width, cell_len)
        return rows

    def _asked(self, layer: Layer) -> bool:
        """Whether a layer has anything to ask, or may have."""
        progress = self.running.layers.get(layer.id)
        return progress is None or progress.total > 0 or not layer.optional

    def _layer(self, layer: Layer, width: int) -> Row:
        progress = self.running.layers.get(layer.id)
        titles = max(cell_len(one.title) for one in self.running.benchmark.layers)
        name = Span(f" {pad(layer.title, titles, cell_len)}  ", Ink.HEADING, layer.id)
        if progress is None:
            return (name, Span("waiting", Role.MUTED, layer.id))
        share = progress.done / progress.total if progress.total else 1.0
        words = f" {progress.done:,}/{progress.total:,} asked, {progress.right:,} right"
        room = max(4, min(40, width - cell_len(name.text) - cell_len(words) - 2))
        full = round(share * room)
        won = round(share * room * progress.right / progress.done) if progress.done else 0
        return (
            name,
            Span("█" * won, Role.GOOD, layer.id),
            Span("█" * (full - won), Role.BAD, layer.id),
            Span("·" * (room - full), Ink.TRACK, layer.id),
            Span(words, Role.PLAIN, layer.id),
        )


@dataclass(frozen=True, slots=True)
class FunnelKeys:
    """The keys that a run's sentence names."""

    pause: str
    close: str


def told(running: Running, keys: FunnelKeys) -> tuple[str, Role]:
    """The run in one sentence, and what to press."""
    count = len(running.collection)
    match running.phase:
        case RunPhase.IDLE:
            return (
                f"{keys.pause} asks the model all {count:,} items, layer by layer, zero-shot.",
                Role.PLAIN,
            )
        case RunPhase.GOING:
            current = list(running.layers.values())[-1:] or None
            left = current[0].seconds_left if current else None
            about = f", about {duration(left)} left in this layer" if left is not None else ""
            return (
                f"{running.model_name} is being asked{about}. {keys.pause} pauses.",
                Role.CHANGED,
            )
        case RunPhase.RECALLED:
            demo = " A demonstration model: not a result." if running.demo else ""
            told_by = f"{running.model_name}, recorded: run {running.run_id}, {running.recorded}."
            return f"{told_by}{demo} {keys.close} goes back.", Role.EVIDENCE
        case RunPhase.PAUSED:
            return f"Paused. {keys.pause} goes on.", Role.EVIDENCE
        case RunPhase.DONE:
            demo = " A demonstration model: not a result." if running.demo else ""
            if running.finished_earlier:
                return (
                    f"Finished earlier: run {running.run_id}; nothing was asked.{demo} "
                    f"{keys.close} goes back.",
                    Role.GOOD,
                )
            return (
                f"Done: run {running.run_id} is recorded.{demo} {keys.close} goes back.",
                Role.GOOD,
            )
        case RunPhase.STOPPED:
            return f"Stopped. What was answered is kept; {keys.pause} goes on.", Role.EVIDENCE
        case RunPhase.FAILED:
            return f"{running.error} What was answered is kept; {keys.pause} goes on.", Role.BAD


def profile_note(running: Running, profile: str) -> str:
    """What a scoring profile does; empty where the benchmark does not tell."""
    benchmark = running.benchmark
    return (
        benchmark.profile_notes.get(profile, "") if isinstance(benchmark, ExplainedProfiles) else ""
    )


def duration(seconds: float) -> str:
    """A length of time in its largest useful unit."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
