"""The figures of a run, with what a reader must know before quoting them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.question import UNREAD, MissingTagError, Status, Verdict
from core.contract.registry import BrokenBenchmarkError
from core.contract.summary import Figure, Inference, Summary
from core.contract.task_layer import layer_titles
from core.contract.view import Cell, Grid
from core.models.replay import REPLAY_PREFIX
from core.runs.block_tables import with_blocks
from core.runs.blocks import BlockTable, block_table
from core.runs.garbage import gc_paused
from core.runs.position_bias import with_letters
from core.runs.records import Run, RunState, SkippedItems
from core.runs.store import Store
from core.runs.ties import with_ties
from core.runs.unread_answers import with_unread
from core.text.errors import NotFoundError
from core.text.escaping import escape_control_characters
from core.text.language import N_, _, ngettext
from core.text.quantities import items_in_words
from core.text.shown_number import ShownNumber
from core.text.suggestions import suggestion

DEMO = N_("Answered by the bundled demo model: a demonstration, not a result.")
"""The note on every run of the bundled model."""
PLAIN = "plain"
"""The profile where the benchmark is not installed: accuracy, layer by layer."""


def profiles_of(run: Run) -> tuple[str, ...]:
    """The scoring profiles that a run can be summarised under, the default first."""
    benchmark = registry.installed(run.plan.benchmark)
    return benchmark.profiles if benchmark is not None else (PLAIN,)


@gc_paused()
def summarise(store: Store, run: Run, profile: str = "") -> Summary:
    """The figures of a run so far, and what the benchmark infers from its verdicts.

    Raises `NotFoundError` for an unknown profile.
    """
    verdicts = store.verdicts(run.id)
    summary = summary_of(run, verdicts, profile, blocks_of(store, run))
    benchmark = registry.installed(run.plan.benchmark)
    if benchmark is None or summary.profile not in benchmark.profiles:
        return summary
    try:
        inference = benchmark.infer(verdicts, summary.profile)
    except (MissingTagError, BrokenBenchmarkError) as error:
        return replace(summary, notes=(*summary.notes, _in_words(benchmark, error)))
    return summary if inference is None else _with_inference(summary, inference)


def _with_inference(summary: Summary, inference: Inference) -> Summary:
    """The summary with a table of the estimates, and their notes."""
    rows = tuple(
        (
            Cell(estimate.name),
            Cell(_("unknown") if estimate.value is None else f"{ShownNumber(estimate.value):.3f}"),
            Cell(
                _("no interval: {why}", why=estimate.why)
                if estimate.interval is None
                else "{:.3f} – {:.3f}".format(*map(ShownNumber, estimate.interval))
            ),
            Cell(f"{estimate.n:,}"),
            Cell(f"{estimate.clusters:,}"),
        )
        for estimate in inference.estimates
    )
    columns = (_("estimate"), _("value"), _("95 % interval"), "n", _("clusters"))
    tables = (Grid(inference.title, columns, rows),) if rows else ()
    return replace(
        summary,
        estimates=inference.estimates,
        tables=(*summary.tables, *tables),
        notes=(*summary.notes, *inference.notes),
    )


def blocks_of(store: Store, run: Run) -> BlockTable | None:
    """At which blocks the answers of a run settle; None where no block was read."""
    if not run.plan.blocks:
        return None
    verdicts = store.placed(run.id)
    answers = store.blocks(run, verdicts)
    read = ((verdict, answers.get(place)) for place, verdict in verdicts.items())
    return block_table(run.plan.blocks, read)


def summary_of(
    run: Run, verdicts: Sequence[Verdict], profile: str = "", blocks: BlockTable | None = None
) -> Summary:
    """The figures of a run over its verdicts, in run order; the default profile if none is named.

    `blocks` are the tables that stand below them. Where the verdicts lack a tag that the benchmark
    needs, or the benchmark of another package fails, the figures are right answers by layer, and a
    note says why. Raises `NotFoundError` for a profile that is not there.
    """
    profiles = profiles_of(run)
    chosen = profile or profiles[0]
    # With numpy, which lists of runs need not load.
    from core.runs.option_length import with_option_length

    if chosen not in profiles:
        raise NotFoundError(
            _("There is no scoring profile “{chosen}”.", chosen=chosen),
            where=f"run {run.id}",
            hint=suggestion(_("Profiles"), profiles, chosen),
        )
    benchmark, trouble, summary = None, tuple[str, ...](), None
    try:
        benchmark = registry.load(run.plan.benchmark)
    except NotFoundError:
        pass
    except BrokenBenchmarkError as error:
        trouble = (str(error),)
    if benchmark is not None:
        try:
            summary = benchmark.summarise(verdicts, chosen, run.totals)
        except (MissingTagError, BrokenBenchmarkError) as error:
            trouble = (*trouble, _in_words(benchmark, error))
    summary = summary or plain_summary(verdicts)
    titles = layer_titles(benchmark.layers) if benchmark is not None else {}
    summary = with_option_length(
        summary, verdicts, titles, benchmark.cluster_tag if benchmark is not None else ""
    )
    if benchmark is not None:
        imported = run.imported
        summary = with_letters(summary, verdicts, benchmark.lettered_layers, imported=imported)
    if blocks is not None:
        summary = with_blocks(summary, blocks, titles)
    summary = with_ties(with_unread(summary, verdicts, titles), verdicts)
    asked = tuple[str, ...]()
    if benchmark is not None:
        asked = (*_asked(run, benchmark, verdicts), *_without_examples(run, benchmark, verdicts))
    return replace(summary, notes=(*caveats(run), *asked, *trouble, *run.notes, *summary.notes))


def _asked(run: Run, benchmark: Benchmark, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Whether a finished run asked nothing, or too little for as many worked examples as wanted.

    Where a layer draws these from its own questions, each of them has all others at most.
    """
    if run.state is not RunState.DONE or run.plan.chosen:
        return
    if not verdicts:
        yield _("None of the items asks a question, so there are no figures.")
    asked = Counter(verdict.layer for verdict in verdicts)
    for layer in benchmark.layers:
        if 0 < asked[layer.id] <= run.plan.shots and not benchmark.shot_layers(layer.id):
            yield _(
                "“{layer}”: {n} asked, so no question had more than {most} of the {shots} worked "
                "examples.",
                layer=layer.shown,
                n=asked[layer.id],
                most=asked[layer.id] - 1,
                shots=run.plan.shots,
            )


def _without_examples(run: Run, benchmark: Benchmark, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Which layers of a run with worked examples have none, since no right answer is known."""
    if not run.plan.shots or run.imported:
        return
    asked = {verdict.layer for verdict in verdicts}
    known = {verdict.layer for verdict in verdicts if verdict.right_options}
    for layer in benchmark.layers:
        drawn_from = benchmark.shot_layers(layer.id) or (layer.id,)
        if layer.id in asked and known.isdisjoint(drawn_from):
            yield _(
                "“{layer}” was asked without worked examples: no question of it has one right "
                "answer to show.",
                layer=layer.shown,
            )


def _in_words(benchmark: Benchmark, error: MissingTagError | BrokenBenchmarkError) -> str:
    """Why figures of a benchmark are missing."""
    if isinstance(error, BrokenBenchmarkError):
        return str(error)
    return _(
        "Figures of {benchmark} are missing: they need to know the “{tag}” of every question, "
        "which this run does not record.",
        benchmark=benchmark.title,
        tag=escape_control_characters(error.tag, limit=40),
    )


def caveats(run: Run) -> tuple[str, ...]:
    """Why a run's figures may not be comparable with others, as far as its plan shows."""
    notes = []
    if run.plan.demo:
        notes.append(_(DEMO))
    if run.plan.fingerprint.startswith(REPLAY_PREFIX):
        notes.append(
            _(
                "The answers repeat those of a recorded run: they were given to the prompts of "
                "that run, with its worked examples and in its form."
            )
        )
    if not run.ended:
        unfinished = _("The run is {state}: the figures will change when it goes on.")
        notes.append(unfinished.format(state=_(run.state)))
    if run.plan.limit is not None:
        notes.append(
            ngettext(
                "Only the first item was asked: not comparable with figures over the whole "
                "collection.",
                "Only the first {items} items were asked: not comparable with figures over the "
                "whole collection.",
                run.plan.limit,
                items=run.plan.limit,
            )
        )
    if run.plan.chosen:
        notes.append(
            ngettext(
                "Only one chosen item was asked: not comparable with figures over the whole "
                "collection.",
                "Only {items:,} chosen items were asked: not comparable with figures over the "
                "whole collection.",
                len(run.plan.chosen),
                items=len(run.plan.chosen),
            )
        )
    if run.plan.prompts:
        notes.append(
            _(
                "Asked in a person's own words: {layers}. Not comparable with figures over the "
                "benchmark's own prompts.",
                layers=", ".join(layer for layer, _template in run.plan.prompts),
            )
        )
    if run.plan.order:
        notes.append(
            _(
                "The options were shown in the drawn order {order}: not comparable with figures "
                "over the benchmark's own order.",
                order=run.plan.order,
            )
        )
    if run.plan.skipped is not None:
        notes.append(skipped_text(run.plan.skipped, dict(run.plan.setting)))
    if run.plan.setting:
        asked_with = (
            _(
                "Every item was asked with {setting}: not comparable with figures over the items "
                "as they are."
            )
            if run.plan.skipped is None
            else _(
                "The other items were asked with {setting}: not comparable with figures over the "
                "items as they are."
            )
        )
        notes.append(asked_with.format(setting=_words(run.plan.setting)))
    if run.plan.scoring is not None and not run.imported:
        notes.append(
            _(
                "All answers are {scoring} ones: not comparable with answers read in another way.",
                scoring=run.plan.scoring,
            )
        )
    return tuple(notes)


def skipped_text(skipped: SkippedItems, values: Mapping[str, str]) -> str:
    """How many items a run leaves out because of its setting."""
    return _(
        "Skipped: {skipped} of {items}, which cannot be asked with {setting} or become another "
        "one by it.",
        skipped=skipped.items,
        items=items_in_words(skipped.of),
        setting=_words(values.items()),
    )


def _words(values: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{key}={value}" for key, value in values)


def is_complete(run: Run) -> bool | None:
    """Whether every item of the collection was asked, as it is: to the end, no limit, no setting.

    None for an imported run, of which only its notes can tell.
    """
    if run.imported:
        return None
    return not (run.partial or run.plan.setting)


def unread(name: str, verdicts: Sequence[Verdict]) -> dict[str, int]:
    """How many generated answers could not be read, by status; they count as wrong."""
    statuses = Counter(v.status for v in verdicts if v.unread)
    return {f"{name} {status}": statuses[status] for status in UNREAD if status in statuses}


def plain_summary(verdicts: Sequence[Verdict]) -> Summary:
    """Accuracy of each layer, over the verdicts whose gold answer is known."""
    layers = list(dict.fromkeys(verdict.layer for verdict in verdicts))
    figures = []
    counts = {}
    for layer in layers:
        scored = [v for v in verdicts if v.layer == layer and v.right is not None]
        right = sum(1 for v in scored if v.right)
        name = "Accuracy" if len(layers) == 1 else f"Accuracy ({layer})"
        figures.append(Figure(name, right, len(scored)))
        counts[f"{layer} asked"] = sum(1 for v in verdicts if v.layer == layer)
        counts[f"{layer} right"] = right
        counts[f"{layer} ties"] = sum(1 for v in scored if v.status is Status.TIE)
        counts |= unread(layer, scored)
    return Summary(PLAIN, tuple(figures), counts)
