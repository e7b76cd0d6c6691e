"""Which published figures may stand beside those of a run, and what keeps the others away.

A figure may where benchmark, task layer, metric, prompt, shots and scoring agree and the run is
complete over the released collection. What a source does not state cannot disagree; it is named.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from core.contract.question import Scoring
from core.contract.summary import Figure, Summary
from core.exchange.published.released import RELEASED, ReleasedCollection
from core.exchange.published.table import PublishedFigure, PublishedTable, RowKind
from core.runs.records import Run
from core.text.quantities import counted

NO_FIGURES = "no figures are published for it"
"""The reason where a benchmark has no published figures under the names of the run's."""
_TRIVIAL = frozenset({RowKind.RANDOM, RowKind.MAJORITY})
_SHOTS_IN_WORDS = frozenset({"zero-shot", "few-shot", "in-context learning"})
"""Settings that say no more than the number of worked examples does."""
_WAITING = " waiting"
"""How the name of a count of questions without an answer ends."""


@dataclass(frozen=True, slots=True)
class ComparableFigure:
    """A published figure that may stand beside a figure of the run."""

    published: PublishedFigure
    figure: Figure
    not_stated: tuple[str, ...]
    """Conditions of the run that the source does not state."""


@dataclass(frozen=True, slots=True)
class UnlikeRows:
    """Rows of a published table that may not stand beside the run, for the same reasons."""

    table: str
    source: str
    paper: str
    rows: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparability:
    """The published figures of a run's benchmark, held against the run."""

    comparable: tuple[ComparableFigure, ...]
    unlike: tuple[UnlikeRows, ...]

    @property
    def why_not(self) -> str:
        """What differs from the published figures that are nearest, in a few words."""
        if not self.unlike:
            return NO_FIGURES
        nearest = min(self.unlike, key=lambda rows: len(rows.reasons))
        return "; ".join(nearest.reasons)


def comparability(
    run: Run,
    summary: Summary,
    tables: Sequence[PublishedTable],
    *,
    questions_hash: str = "",
    bundled: bool = False,
) -> Comparability:
    """Hold the published figures of a run's benchmark against its own.

    Args:
        run: the recorded run.
        summary: its figures under one profile.
        tables: published tables; those of other benchmarks are left out.
        questions_hash: `released.questions_hash` of the layer that `hashed_layer` names.
        bundled: whether the run is known to be over the bundled items.
    """
    figures = {figure.name: figure for figure in summary.figures}
    comparable: list[ComparableFigure] = []
    unlike: dict[tuple[str, tuple[str, ...]], list[PublishedFigure]] = {}
    for table in tables:
        if table.benchmark != run.plan.benchmark:
            continue
        for published in table.figures():
            figure = figures.get(published.metric or "")
            if figure is None or published.kind is RowKind.DATA:
                continue
            reasons = (
                *_of_run(run, summary, figure),
                *_of_items(run, published, figure, questions_hash, bundled=bundled),
                *_of_conditions(run, summary, published),
            )
            if reasons:
                unlike.setdefault((table.name, reasons), []).append(published)
            else:
                comparable.append(
                    ComparableFigure(published, figure, tuple(_not_stated(published)))
                )
    beside = {(each.published.table, each.published.row) for each in comparable}
    return Comparability(tuple(comparable), tuple(_rows(unlike, beside)))


def hashed_layer(benchmark: str) -> str:
    """The layer whose questions identify the released collection; empty where no hash is known."""
    released = RELEASED.get((benchmark, ""))
    return released.layer if released is not None else ""


def _rows(
    unlike: dict[tuple[str, tuple[str, ...]], list[PublishedFigure]],
    beside: Collection[tuple[str, str]],
) -> Iterator[UnlikeRows]:
    """Rows by table and reasons, without those of which another figure may stand beside."""
    for (table, reasons), figures in unlike.items():
        rows = dict.fromkeys(each.row for each in figures if (table, each.row) not in beside)
        if rows:
            first = figures[0]
            yield UnlikeRows(table, first.source, first.paper, tuple(rows), reasons)


def _of_run(run: Run, summary: Summary, figure: Figure) -> Iterator[str]:
    """Why a figure of a run is not over everything that was to be asked."""
    if not run.ended:
        yield "the run is not finished"
    if run.plan.limit is not None:
        first = "item" if run.plan.limit == 1 else f"{run.plan.limit} items"
        yield f"only the first {first}"
    if run.plan.chosen:
        yield f"only {counted(len(run.plan.chosen), 'chosen item')}"
    if run.plan.setting:
        yield "items asked with " + ", ".join(f"{key}={value}" for key, value in run.plan.setting)
    if run.plan.prompts:
        yield "prompts in other words"
    if run.plan.order:
        yield "options in another order"
    if run.plan.batch:
        yield f"{run.plan.batch} questions in a forward pass"
    if any(name.endswith(_WAITING) and n for name, n in summary.counts.items()):
        yield "questions without an answer"
    if figure.value is None:
        yield "the figure is not known here"


def _of_items(
    run: Run, published: PublishedFigure, figure: Figure, questions_hash: str, *, bundled: bool
) -> Iterator[str]:
    """Why the items are not those that were released."""
    if bundled:
        yield "bundled items, not the released ones"
        return
    conditions = published.conditions
    if "data" in conditions:
        yield f"over {conditions['data']}"
        return
    released = RELEASED.get((published.benchmark, conditions.get("split", "")))
    if released is None:
        yield "the released items are not known"
    elif released.hash:
        if questions_hash != released.hash:
            there = "other items" if run.items == released.items else counted(run.items, "item")
            yield f"{there}, not the {released.items} released ones"
    elif figure.n != (n := _released_questions(released, figure.name)):
        yield f"{counted(figure.n, 'question')}, " + (
            f"not the {n:,} released ones" if n else "how many were released is not known"
        )


def _released_questions(released: ReleasedCollection, figure: str) -> int:
    """The number of released questions behind a figure; 0 where it is not known."""
    if figure in released.counts:
        return released.counts[figure]
    return released.counts.get(figure.partition(": ")[0] if ": " in figure else "", 0)


def _of_conditions(run: Run, summary: Summary, published: PublishedFigure) -> Iterator[str]:
    """What the source states that does not hold of the run; nothing of trivial answers."""
    if published.kind in _TRIVIAL:
        return
    conditions, plan = published.conditions, run.plan
    shots = conditions.get("shots", "0" if conditions.get("setting") == "zero-shot" else "")
    if shots and shots != str(plan.shots):
        yield f"{shots}-shot, here {plan.shots}-shot"
    elif plan.shots and (examples := conditions.get("examples", plan.shot_rule)) != plan.shot_rule:
        yield f"{examples} examples, here {plan.shot_rule or 'of an unknown rule'}"
    if (form := conditions.get("form", plan.form.value)) != plan.form.value:
        yield f"{form} prompt, here {plan.form.value}"
    scorings = sorted({each.value for each in run.scorings} - {Scoring.INFERRED.value})
    if (scoring := conditions.get("scoring")) and scorings != [scoring]:
        yield f"{scoring} answers, here {' and '.join(scorings) or 'none'}"
    if (profile := conditions.get("profile", summary.profile)) != summary.profile:
        yield f"profile {profile}, here {summary.profile}"
    training = conditions.get("training", "none")
    if training != "none":
        yield f"trained ({training}), which a run does not record"
    prompt = conditions.get("prompt")
    if prompt and not any(
        prompt in released.prompts
        for (benchmark, _), released in RELEASED.items()
        if benchmark == published.benchmark
    ):
        yield f"prompt {prompt}"
    setting = conditions.get("setting", "zero-shot")
    if setting not in _SHOTS_IN_WORDS:
        yield setting


def _not_stated(published: PublishedFigure) -> Iterator[str]:
    if published.kind not in _TRIVIAL:
        for key, name in (("form", "prompt form"), ("shots", "shots"), ("scoring", "scoring")):
            if key not in published.conditions:
                yield name
