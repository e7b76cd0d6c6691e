"""The pane of a run: a bar for each layer, then the figures so far."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len

from core.contract.task_layer import layer_titles
from core.contract.view import Role
from core.layout.figures import draw_summary
from core.layout.rows import Ink, Row, Span, pad, paragraph
from core.runs.evaluation import Progress
from core.text.language import N_, _, ngettext
from tui.runs.running import Running, RunPhase
from tui.shell.program import program_of
from tui.widgets.rows_view import RowsView


class RunPane(RowsView):
    """Draws a run as it goes: how many were asked and right at each layer, and the figures."""

    HELP = N_("""
    ## Asking the whole collection

    Before a run begins you choose which items it asks about (all, those in the list, those that
    failed, a random sample), how many worked examples stand before a question, how questions are
    put and answers are read, where options have letters in how many orders they are shown, and how
    many questions a server is asked at once. **enter** starts it as it was chosen last, also after
    the program was closed; **o** chooses for another run when one has ended. Each order is a run of
    its own: the last figures are those of the first, with their spread over all.

    A gated layer is asked only of the items that were right in the layer before. Layers that only
    some items have appear when the run meets them. Where an answer is a free text, or nobody knows
    the right one, nothing is counted as right. **`*`** lists the written answers that could not be
    read, with their texts.

    A figure stands with its count, its 95 % interval (shaded), Wilson's unless it says otherwise,
    and what trivial answers reach (`╎ ◇`; `◈` where several fall together). While the run goes,
    figures are those of the layers so far. What is answered is kept: the run can be paused,
    cancelled and gone on with, also after the program was closed. A run that is done can be asked
    again, into a run of its own.

    `>` and `<` ask a server more or fewer questions at once, also while the run goes. Where nothing
    is chosen it is as many as `concurrency:` says in your configuration.
    """)

    def __init__(self, running: Running) -> None:
        super().__init__(id="run")
        self.running = running

    def move_cursor(self, by: int) -> None:
        """Scroll, because no row is chosen here."""
        self.scroll_relative(y=by, animate=False)

    def draw(self, width: int) -> list[Row]:
        """The run's state, its layers, its figures."""
        app = program_of(self.app)
        keys = RunKeys(app.key("run.pause"), app.key("run.close"), app.key("run.anew"))
        sentence, role = describe_run(self.running, keys)
        model = app.model_state.model
        info = model.info if model is not None else None
        replayed = info is not None and info.recorded and not info.awaits
        idle = self.running.phase is RunPhase.IDLE
        recorded = idle and replayed
        if idle and info is not None and info.awaits:
            sentence = _("{awaits}. A run can start once it is there.", awaits=info.awaits)
        if recorded:
            shows = _("{key} shows the figures of these recorded answers; nothing is asked.")
            sentence = shows.format(key=keys.pause)
        rows = paragraph(sentence, role, width, cell_len)
        rows += paragraph(asked_as(self.running), Role.MUTED, width, cell_len)
        rows += paragraph(order_now(self.running), Role.MUTED, width, cell_len)
        rows += paragraph(at_once(self.running), Role.MUTED, width, cell_len)
        if self.running.phase is RunPhase.IDLE and not recorded:
            rows += [(), *self._choices(width)]
        if self.running.phase is not RunPhase.LOADED:
            rows += [(), *self._layers(width)]
        summary = self.running.summary
        if summary is not None:
            title = _("Figures so far, profile {profile}")
            if self.running.phase in {RunPhase.DONE, RunPhase.LOADED}:
                title = _("Figures, profile {profile}")
            title = title.format(profile=_(summary.profile))
            rows += [(), (Span(f" {title}", Ink.HEADING),)]
            note = profile_note(self.running, summary.profile)
            rows += paragraph(note, Role.MUTED, width, cell_len)
            rows += paragraph(partial(self.running), Role.EVIDENCE, width, cell_len)
            rows += [(), *draw_summary(summary, width, cell_len)]
            if self.running.answers.unread_any:
                listed = _(
                    "{key} lists the answers that could not be read, with their texts.",
                    key=app.key("run.unread"),
                )
                rows += [(), *paragraph(listed, Role.MUTED, width, cell_len)]
        return rows

    def _choices(self, width: int) -> list[Row]:
        """What can be chosen before the run, the expected time, and the keys for it."""
        form, model = self.running.options, program_of(self.app).model_state.model
        lines = form.lines(model)
        labels = max(cell_len(line.label) for line in lines)
        rows: list[Row] = []
        for number, line in enumerate(lines):
            here = number == min(form.cursor, len(lines) - 1)
            rows.append(
                (
                    Span(" ▸ " if here else "   ", Ink.KEY),
                    Span(pad(line.label, labels, cell_len), Ink.HEADING),
                    Span(f"  ‹ {line.value} ›" if here else f"    {line.value}", Role.PLAIN),
                )
            )
        app = program_of(self.app)
        if (seconds := form.expected_seconds(model)) is not None:
            time = rough_duration(max(1, seconds))
            expected = _("Expected time: about {time}, by what this model took before.", time=time)
        elif form.choices.shots or form.choices.form or form.choices.scoring:
            expected = _("Expected time: not known before a first run that asks in this way.")
        else:
            expected = _(
                "Expected time: not known before one item was asked ({back}, then {ask}).",
                back=app.key("run.close"),
                ask=app.key("browse.ask"),
            )
        keys = _(
            "{down} {up} go to a line, {left} {right} change it.",
            down=app.key("run.cursor_down"),
            up=app.key("run.cursor_up"),
            left=app.key("run.previous_choice"),
            right=app.key("run.next_choice"),
        )
        rows += paragraph(expected, Role.MUTED, width, cell_len)
        return rows + paragraph(keys, Role.MUTED, width, cell_len)

    def _layers(self, width: int) -> list[Row]:
        """A bar for each layer, those that only some items have when they are met."""
        benchmark, met = self.running.benchmark, self.running.layers
        shown = names(self.running)
        titles = max(map(cell_len, shown.values()), default=0)
        rows = [
            self._layer(layer, pad(name, titles, cell_len), width) for layer, name in shown.items()
        ]
        later = any(layer.optional and layer.id not in met for layer in benchmark.layers)
        if later and self.running.phase is not RunPhase.DONE:
            more = _("Layers that only some items have appear when the run comes to such an item.")
            rows += paragraph(more, Role.MUTED, width, cell_len)
        if any(progress.done for progress in met.values()):
            signs = _("█ right   ▒ wrong   ▓ neither   · not asked yet")
            rows += paragraph(signs, Ink.GLOSS, width, cell_len)
        return rows

    def _layer(self, layer: str, title: str, width: int) -> Row:
        progress = self.running.layers.get(layer)
        name = Span(f" {title}  ", Ink.HEADING, layer)
        if progress is None:
            return (name, Span(_("waiting"), Role.MUTED, layer))
        if not progress.total:
            return (name, Span(_("nothing to ask"), Role.MUTED, layer))
        words = f" {_counts(progress)}"
        room = max(4, min(40, width - cell_len(name.text) - cell_len(words) - 2))
        asked = round(room * progress.done / progress.total)
        scored = round(asked * progress.scored / progress.done) if progress.done else 0
        won = round(scored * progress.right / progress.scored) if progress.scored else 0
        return (
            name,
            Span("█" * won, Role.GOOD, layer),
            Span("▒" * (scored - won), Role.BAD, layer),
            Span("▓" * (asked - scored), Ink.LINK, layer),
            Span("·" * (room - asked), Ink.TRACK, layer),
            Span(words, Role.PLAIN, layer),
        )


def names(running: Running) -> dict[str, str]:
    """Titles of the layers to show, by id.

    Optional layers are shown once the run has met an item that has them.
    """
    met, titles = running.layers, layer_titles(running.benchmark.layers)
    return {
        layer.id: titles[layer.id]
        for layer in running.benchmark.layers
        if not layer.optional or (layer.id in met and met[layer.id].total > 0)
    }


def _counts(progress: Progress) -> str:
    """How many questions were asked, how many were scored, how many right."""
    if progress.done and not progress.scored:
        counts = _("{done:,}/{total:,} asked, nothing to score")
    elif progress.scored < progress.done:
        counts = _("{done:,}/{total:,} asked, {right:,} of {scored:,} right")
    else:
        counts = _("{done:,}/{total:,} asked, {right:,} right")
    return counts.format(
        done=progress.done, total=progress.total, right=progress.right, scored=progress.scored
    )


def partial(running: Running) -> str:
    """How much of the run the figures cover; empty once it has ended or its last layer has."""
    shown = names(running)
    met = [progress for layer, progress in running.layers.items() if layer in shown]
    if running.phase in {RunPhase.DONE, RunPhase.LOADED} or not met:
        return ""
    now = met[-1]
    if now.done == now.total:
        if now.layer.id == running.benchmark.layers[-1].id:
            return ""
        return _(
            "Partial: “{layer}” is complete; layers that follow may change every figure.",
            layer=shown[now.layer.id],
        )
    return _(
        "Partial: {done:,} of {total:,} asked of “{layer}”; what follows may change every figure.",
        done=now.done,
        total=now.total,
        layer=shown[now.layer.id],
    )


def asked_as(running: Running) -> str:
    """How the run is asked, or was; empty before it begins, and where its sentence says it."""
    if not running.asked_as or running.phase is RunPhase.LOADED:
        return ""
    return _("Conditions: {conditions}.", conditions=running.asked_as)


def order_now(running: Running) -> str:
    """In which of several orders options are shown now; empty at the end, and where it is one."""
    if running.orders < 2 or running.phase not in {RunPhase.GOING, RunPhase.PAUSED}:
        return ""
    return _("Order {n} of {of} of the options.", n=running.order + 1, of=running.orders)


def at_once(running: Running) -> str:
    """How a server fares that is being asked; empty where none is."""
    pace = running.pace
    if pace is None:
        return ""
    line = _(
        "Asked at once: {under_way} of at most {most}, {speed:.1f} a second; waiting for another "
        "try: {waiting}; failed tries: {failures:,}; tokens: {tokens:,}.",
        under_way=pace.under_way,
        most=running.at_once,
        speed=pace.per_second,
        waiting=pace.waiting,
        failures=pace.failures,
        tokens=pace.tokens,
    )
    if pace.cost is None:
        return line
    return line + " " + _("They cost {cost:.4f} so far.", cost=pace.cost)


@dataclass(frozen=True, slots=True)
class RunKeys:
    """The keys that the description of a run names."""

    pause: str
    close: str
    restart: str


def describe_run(running: Running, keys: RunKeys) -> tuple[str, Role]:
    """The state of the run in a sentence, with the keys to press next, and its role."""
    if running.wanted:
        return _(
            "The model is loading: the run starts when it is there. {key} takes that back.",
            key=keys.pause,
        ), Role.CHANGED
    match running.phase:
        case RunPhase.IDLE:
            return (
                _start_sentence(running, keys.pause),
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
                going.format(model=running.model_name, time=rough_duration(left), key=keys.pause),
                Role.CHANGED,
            )
        case RunPhase.LOADED:
            return _done(
                running,
                _(
                    "{model}, recorded: run {run}, {time}.",
                    model=running.model_name,
                    run=running.run_id,
                    time=running.asked_as,
                ),
                keys,
            ), Role.EVIDENCE
        case RunPhase.PAUSED:
            return _("Paused. {key} goes on.", key=keys.pause), Role.EVIDENCE
        case RunPhase.DONE:
            result = _("Done: run {run} is recorded.")
            if running.finished_earlier:
                result = _("Finished earlier: run {run}; nothing was asked. {key} asks all again.")
            result = result.format(run=running.run_id, key=keys.restart)
            return _done(running, result, keys), Role.GOOD
        case RunPhase.STOPPED:
            stopped = _("Stopped. What was answered is kept; {key} goes on.", key=keys.pause)
            return stopped, Role.EVIDENCE
        case RunPhase.FAILED if running.lost:
            return running.error, Role.BAD
        case RunPhase.FAILED:
            failed = _(
                "{error} What was answered is kept; {key} goes on.",
                error=running.error,
                key=keys.pause,
            )
            return failed, Role.BAD


def _start_sentence(running: Running, key: str) -> str:
    """What the key does before a run."""
    form, whole = running.options, len(running.collection)
    count = form.items.number(form.choices)
    if count == whole:
        asks = ngettext(
            "{key} asks the model the only item, layer by layer, {shots}.",
            "{key} asks the model all {count:,} items, layer by layer, {shots}.",
            count,
        )
    else:
        asks = ngettext(
            "{key} asks the model one of {whole:,} items, layer by layer, {shots}.",
            "{key} asks the model {count:,} of {whole:,} items, layer by layer, {shots}.",
            count,
        )
    chosen = form.choices.shots
    shots = _("zero-shot") if not chosen else _("{n}-shot", n=chosen)
    if form.lettered and form.choices.orders > 1:
        orders = _("{n} orders of the options", n=form.choices.orders)
        shots = _("{shots}, in {orders}", shots=shots, orders=orders)
    return asks.format(key=key, count=count, whole=whole, shots=shots)


def _done(running: Running, result: str, keys: RunKeys) -> str:
    """A finished run: the result, whether the model is a demonstration, and how to leave."""
    demo = _("A demonstration model: not a result.") if running.demo else ""
    back = _("{key} goes back.", key=keys.close)
    return " ".join(sentence for sentence in (result, demo, back) if sentence)


def profile_note(running: Running, profile: str) -> str:
    """What a scoring profile does; empty where the benchmark does not explain it."""
    return _(running.benchmark.profile_notes.get(profile, ""))


def rough_duration(seconds: float) -> str:
    """A length of time in its largest useful unit."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
