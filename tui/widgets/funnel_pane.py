"""The pane of a run: a bar for each layer, then the figures so far."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len

from core.benchmark import ExplainedProfiles, Layer
from core.language import N_, _, ngettext
from core.layout.figures import draw_summary
from core.layout.rows import Ink, Row, Span, pad, wrap
from core.view import Role
from core.visible import visible
from tui.program import program_of
from tui.running import Running, RunPhase
from tui.widgets.rows_view import RowsView


class FunnelPane(RowsView):
    """Draws a run as it goes: how many were asked and right at each layer, and the figures."""

    HELP = N_("""
    ## Asking the whole collection

    A gated layer is asked only of the items that were right in the layer before. A figure stands
    with its count, its 95 % Wilson interval (shaded) and what chance (`╎`) and trivial answers
    (`◇`) reach. What is answered is kept: the run can be paused, cancelled and gone on with, also
    after the program was closed.
    """)

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
            title = _("Figures so far, profile {profile}")
            if self.running.phase in {RunPhase.DONE, RunPhase.RECALLED}:
                title = _("Figures, profile {profile}")
            title = title.format(profile=summary.profile)
            rows += [(), (Span(f" {title}", Ink.HEADING),)]
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
        titles = max(cell_len(one.shown) for one in self.running.benchmark.layers)
        name = Span(f" {pad(layer.shown, titles, cell_len)}  ", Ink.HEADING, layer.id)
        if progress is None:
            return (name, Span(_("waiting"), Role.MUTED, layer.id))
        share = progress.done / progress.total if progress.total else 1.0
        words = " " + _("{done:,}/{total:,} asked, {right:,} right").format(
            done=progress.done, total=progress.total, right=progress.right
        )
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
                ngettext(
                    "{key} asks the model the only item, layer by layer, zero-shot.",
                    "{key} asks the model all {count:,} items, layer by layer, zero-shot.",
                    count,
                ).format(key=keys.pause, count=count),
                Role.PLAIN,
            )
        case RunPhase.GOING:
            current = list(running.layers.values())[-1:] or None
            left = current[0].seconds_left if current else None
            if left is None:
                going = _("{model} is being asked. {key} pauses.")
                return going.format(model=running.model_name, key=keys.pause), Role.CHANGED
            going = _("{model} is being asked, about {time} left in this layer. {key} pauses.")
            return (
                going.format(model=running.model_name, time=duration(left), key=keys.pause),
                Role.CHANGED,
            )
        case RunPhase.RECALLED:
            return _done(
                running,
                _("{model}, recorded: run {run}, {time}.").format(
                    model=running.model_name, run=running.run_id, time=running.recorded
                ),
                keys,
            ), Role.EVIDENCE
        case RunPhase.PAUSED:
            return _("Paused. {key} goes on.").format(key=keys.pause), Role.EVIDENCE
        case RunPhase.DONE:
            said = _("Done: run {run} is recorded.")
            if running.finished_earlier:
                said = _("Finished earlier: run {run}; nothing was asked.")
            return _done(running, said.format(run=running.run_id), keys), Role.GOOD
        case RunPhase.STOPPED:
            kept = _("Stopped. What was answered is kept; {key} goes on.")
            return kept.format(key=keys.pause), Role.EVIDENCE
        case RunPhase.FAILED:
            kept = _("{error} What was answered is kept; {key} goes on.")
            return kept.format(error=running.error, key=keys.pause), Role.BAD


def _done(running: Running, said: str, keys: FunnelKeys) -> str:
    """What a run came to, that its model is a demonstration, and how to leave."""
    demo = _("A demonstration model: not a result.") if running.demo else ""
    back = _("{key} goes back.").format(key=keys.close)
    return " ".join(sentence for sentence in (said, demo, back) if sentence)


def profile_note(running: Running, profile: str) -> str:
    """What a scoring profile does; empty where the benchmark does not tell."""
    benchmark = running.benchmark
    return (
        _(benchmark.profile_notes.get(profile, ""))
        if isinstance(benchmark, ExplainedProfiles)
        else ""
    )


def duration(seconds: float) -> str:
    """A length of time in its largest useful unit."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
