"""Recorded runs as lists show them: a headline figure, and a text for each column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from core.contract import registry
from core.contract.summary import Figure, Totals
from core.layout.figures import proportion
from core.runs.quick_figures import layer_totals
from core.runs.records import Plan, Run, RunState
from core.runs.repeats import Alike, Repeats, Spread, repeats_among, same_but_repeated
from core.runs.store import Store
from core.text.language import N_, _, translated
from core.text.quantities import chosen_in_words

if TYPE_CHECKING:
    from _typeshed import SupportsRichComparison

_GAP = 2
"""Cells between two columns."""
_FIRST = 6
"""Columns for which the column of models shrinks."""
_KEPT = 4
"""How many of the most important columns come first even if they are the same for every run."""


@dataclass(frozen=True, slots=True)
class RepeatedHeadline:
    """The share of right answers in a layer over the repeats of a run."""

    repeats: Repeats
    layer: str
    """The layer's title, of the first layer that at least two of the repeats asked."""
    spread: Spread


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A recorded run and its headline."""

    run: Run
    layers: Sequence[str] = ()
    """The ids of the task layers of the headline; empty without one."""
    headline: Figure | None = None
    """Right answers in the first task layer with questions whose right answer is known, or in
    those that the benchmark counts together. None where there is no such question."""
    repeated: RepeatedHeadline | None = None
    """The headline over the repeats of the run; None without any."""
    unread: int = 0
    """Written answers among those of the headline that could not be read; they count as wrong."""


def list_runs(store: Store) -> list[ListedRun]:
    """All runs of a store with their headlines, the oldest first; no verdict is decoded."""
    totals = layer_totals(store)
    runs = store.runs()
    plans = [same_but_repeated(run.plan) for run in runs]
    groups: dict[Plan, list[Run]] = {}
    for run, plan in zip(runs, plans, strict=True):
        groups.setdefault(plan, []).append(run)
    alike = {plan: Alike(group) for plan, group in groups.items()}
    listed = []
    for run, plan in zip(runs, plans, strict=True):
        repeats = repeats_among(run, alike[plan]) if run.state is RunState.DONE else []
        headline = with_headline(run, totals.get(run.id, {}))
        listed.append(replace(headline, repeated=_repeated_headline(repeats, totals)))
    return listed


def _repeated_headline(
    repeats: Sequence[Repeats], totals: Mapping[str, Mapping[str, Totals]]
) -> RepeatedHeadline | None:
    """The headline over the last of `repeats`, which are the most."""
    if not repeats:
        return None
    runs = repeats[-1].runs
    for title, layers in _headlines(runs[0], totals.get(runs[0].id, {})).items():
        asked = [_together(layers, totals.get(run.id, {})) for run in runs]
        values = [each.right / each.n for each in asked if each.n]
        if len(values) > 1:
            return RepeatedHeadline(repeats[-1], title, Spread(values))
    return None


def with_headline(run: Run, totals: Mapping[str, Totals]) -> ListedRun:
    """A run with its headline.

    `totals` are the right answers and questions of the layers with verdicts, in run order. Layers
    that are asked beside the ladder are no headline by themselves.
    """
    counted = {**run.totals, **totals}
    for title, layers in _headlines(run, counted).items():
        total = _together(layers, counted)
        if total.n:
            headline = Figure(title, total.right, total.n)
            return ListedRun(run, layers, headline, unread=total.unread)
    return ListedRun(run)


def _headlines(run: Run, totals: Mapping[str, Totals]) -> Mapping[str, Sequence[str]]:
    """The layers that may be a headline, by its title; the first of which some were asked is."""
    benchmark = registry.installed(run.plan.benchmark)
    headlines: Mapping[str, Sequence[str]] = {}
    if benchmark is not None:
        titles = benchmark.headlines or {
            layer.title: [layer.id] for layer in benchmark.layers if not layer.aside
        }
        headlines = {translated(title): layers for title, layers in titles.items()}
    if any(_together(layers, totals).n for layers in headlines.values()):
        return headlines
    return {layer: [layer] for layer in totals}


def _together(layers: Sequence[str], totals: Mapping[str, Totals]) -> Totals:
    """The totals of several layers in one."""
    asked = [totals[layer] for layer in layers if layer in totals]
    return Totals(
        sum(each.right for each in asked),
        sum(each.n for each in asked),
        sum(each.unread for each in asked),
    )


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list of runs."""

    heading: str
    text: Callable[[ListedRun], str]
    order: Callable[[ListedRun], SupportsRichComparison]
    """The key by which the column is sorted."""
    descending: bool = False
    """Whether the largest comes first when the column is sorted."""
    most: int = 40
    """The most cells that it takes where there is not room for all."""
    least: int = 0
    """The cells to which it may shrink further; 0 where it does not."""


def _headline(listed: ListedRun) -> str:
    """A share with its interval and count: ".610 [.558, .659] 217/356".

    "part" behind it says that other questions of the collection are not asked, or not yet.
    """
    figure = listed.headline
    if figure is None or figure.value is None:
        return ""
    low, high = figure.interval or (0.0, 1.0)
    text = f"{proportion(figure.value)} [{proportion(low)}, {proportion(high)}] {figure.counted}"
    return f"{text} {_('part')}" if listed.run.partial else text


def _model(listed: ListedRun) -> str:
    """The model without the name of its publisher."""
    model = listed.run.plan.model.rpartition("/")[2]
    return _("{model}, no result", model=model) if listed.run.plan.demo else model


def _scoring(listed: ListedRun) -> str:
    """How the answers were read; of a run without any, how they would be."""
    return ", ".join(_(each) for each in listed.run.read_by)


def _repeat(listed: ListedRun) -> str:
    """What tells a run from its repeats: seed of examples or of answers, order, own wording."""
    plan = listed.run.plan
    words = [_("seed {seed}", seed=plan.seed)] if plan.draws else []
    if plan.order:
        words.append(_("order {order}", order=plan.order))
    if plan.chosen:
        words.append(chosen_in_words(len(plan.chosen)))
    if plan.batch:
        words.append(_("batch {batch}", batch=plan.batch))
    words += [" ".join(wording.text.split()) for _layer, wording in plan.prompts[:1]]
    return ", ".join(words)


def _share(listed: ListedRun) -> float:
    value = listed.headline.value if listed.headline else None
    return -1.0 if value is None else value


def _by_text(heading: str, text: Callable[[ListedRun], str], most: int = 40) -> Column:
    return Column(heading, text, lambda listed: text(listed).casefold(), most=most)


COLUMNS: Mapping[str, Column] = {
    "run": _by_text(N_("run"), lambda listed: listed.run.id),
    "model": Column(
        N_("model"), _model, lambda listed: _model(listed).casefold(), most=30, least=15
    ),
    "benchmark": _by_text(N_("benchmark"), lambda listed: listed.run.plan.benchmark, most=12),
    "layer": _by_text(
        N_("layer"), lambda listed: listed.headline.name if listed.headline else "", most=20
    ),
    "right": Column(N_("right [95 % interval] of"), _headline, _share, descending=True),
    "unread": Column(
        N_("not read"),
        lambda listed: str(listed.unread or ""),
        lambda listed: listed.unread,
        descending=True,
    ),
    "state": _by_text(N_("state"), lambda listed: _(listed.run.state.value)),
    "date": Column(
        N_("date UTC"),
        lambda listed: listed.run.created[:10],
        lambda listed: listed.run.created,
        descending=True,
    ),
    "time": Column(
        N_("time UTC"),
        lambda listed: listed.run.created[11:16],
        lambda listed: listed.run.created[11:],
    ),
    "shots": Column(
        N_("shots"), lambda listed: str(listed.run.plan.shots), lambda listed: listed.run.plan.shots
    ),
    "form": _by_text(N_("form"), lambda listed: listed.run.plan.form.value),
    "scoring": _by_text(N_("scoring"), _scoring, most=25),
    "setting": _by_text(
        N_("setting"),
        lambda listed: ", ".join(f"{key}={value}" for key, value in listed.run.plan.setting),
        most=24,
    ),
    "repeat": _by_text(N_("repeat"), _repeat, most=24),
    "limit": Column(
        N_("limit"),
        lambda listed: "" if listed.run.plan.limit is None else str(listed.run.plan.limit),
        lambda listed: listed.run.plan.limit or 0,
        descending=True,
    ),
    "items": Column(
        N_("items"),
        lambda listed: str(listed.run.items),
        lambda listed: listed.run.items,
        descending=True,
    ),
    "collection": _by_text(
        N_("collection"), lambda listed: PurePath(listed.run.plan.collection).name, most=24
    ),
}
"""The columns of a list of runs, in reading order, by name."""


def contains(listed: ListedRun, text: str) -> bool:
    """Whether what a list says about a run contains a text, ignoring case."""
    texts = (column.text(listed) for column in COLUMNS.values())
    words = " ".join((*texts, listed.run.plan.model, listed.run.plan.collection))
    return text.casefold() in words.casefold()


def fitting(
    columns: Mapping[str, Sequence[str]],
    important: Collection[str],
    room: int,
    measure: Callable[[str], int],
) -> dict[str, int]:
    """The columns that fit into `room` cells, in reading order, each with its width.

    Args:
        columns: the texts of each column, its heading first, in reading order.
        important: names of the columns, the most important first. After the first four, columns
            in which the runs differ come before those that are the same for every run.
        room: cells for all columns and the gaps between them.
        measure: counts the cells of a text.

    A column without any text is left out. What is left over widens columns that were cut. No column
    shrinks so far that different texts look alike.
    """
    wanted = {name: max(map(measure, texts)) for name, texts in columns.items() if any(texts[1:])}
    same = {name for name in wanted if len({*columns[name][1:]}) == 1}
    # A time says nothing without its date, so the date comes before it in any case.
    later = (same | {"time"}) - {"date", *list(important)[:_KEPT]}
    ranked = sorted((name for name in important if name in wanted), key=later.__contains__)
    first = ranked[:_FIRST]
    # A column that can shrink makes room for the most important ones, and for no others.
    taken = sum(min(wanted[name], COLUMNS[name].most) + _GAP for name in first) - _GAP
    widths: dict[str, int] = {}
    for name in ranked:
        most = min(wanted[name], COLUMNS[name].most)
        least = _distinct(columns[name][1:], min(most, COLUMNS[name].least or most), measure)
        width = max(min(most, least), most - max(0, taken - room))
        if sum(widths.values()) + _GAP * len(widths) + width <= room:
            widths[name] = width
    for name in ranked:
        if name in widths:
            left = room - sum(widths.values()) - _GAP * (len(widths) - 1)
            widths[name] = min(wanted[name], widths[name] + max(0, left))
    return {name: widths[name] for name in columns if name in widths}


def _distinct(texts: Collection[str], least: int, measure: Callable[[str], int]) -> int:
    """The smallest width, from `least` on, at which texts that differ also differ when cut.

    An ellipsis takes the last cell of a text that is cut.
    """
    different = set(texts)
    whole = max(map(measure, different), default=0)
    for width in range(least, whole):
        cut = {text if measure(text) <= width else f"{text[: width - 1]}…" for text in different}
        if len(cut) == len(different):
            return width
    return max(least, whole)
