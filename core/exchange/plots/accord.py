"""What plots of ACCORD show: accuracy by hops, and by hops and distractors (Figure 6)."""

from __future__ import annotations

from collections.abc import Sequence

from core.benchmarks.accord.scoring import ANTI_FACTUAL, FACTUAL, VARIANTS
from core.benchmarks.accord.task_layers import ANSWER, BARE
from core.contract.question import Verdict
from core.exchange.plots.plot import CHANCE, Plot, Point, Series, caption, labels, title_of
from core.runs.records import Run
from core.runs.store import Store
from core.statistics.cluster_errors import clustered

BENCHMARK = "accord"
KINDS = ("hops", "grid")
_NO_HOPS = "none"

Verdicts = Sequence[Verdict]


def hops(store: Store, runs: Sequence[Run]) -> Plot:
    """Accuracy by the number of hops, a curve for each variant and run; first the bare question."""
    answers = [_answers(store, run) for run in runs]
    numbers = _values("hops", answers)
    bare = [_bare(store.verdicts(run.id)) for run in runs]
    columns = [_NO_HOPS, *numbers] if any(bare) else numbers
    series = []
    for index, (label, asked, from_memory) in enumerate(
        zip(labels(runs), answers, bare, strict=True)
    ):
        for second, variant in enumerate(VARIANTS):
            of = [v for v in asked if v.tags.get("variant") == variant]
            points = [point_of([v for v in of if v.tags["hops"] == n]) for n in numbers]
            if any(bare):
                points.insert(0, point_of(from_memory) if variant == FACTUAL else None)
            if any(points):
                colour = index if len(runs) > 1 else second
                is_second = variant == ANTI_FACTUAL
                series.append(Series(label, tuple(points), colour, variant, is_second))
    return Plot(
        "hops",
        f"{title_of(runs[0])}: accuracy by reasoning hops",
        tuple(columns),
        tuple(series),
        "Accuracy (%)",
        caption(
            runs,
            "Bars: ± one standard error, clustered by pairing template. Numbers of distractors "
            "are mixed. No hops: the bare question, without statements.",
        ),
        "Reasoning hops",
    )


def grid(store: Store, runs: Sequence[Run]) -> Plot:
    """Accuracy by hops and distractors, a panel for each variant and run."""
    answers = [_answers(store, run) for run in runs]
    down, across = _values("hops", answers), _values("distractors", answers)
    series = []
    for label, asked in zip(labels(runs), answers, strict=True):
        for variant in VARIANTS:
            of = [v for v in asked if v.tags.get("variant") == variant]
            cells = tuple(
                point_of(
                    [v for v in of if (v.tags["hops"], v.tags.get("distractors")) == (row, column)]
                )
                for row in down
                for column in across
            )
            if any(cells):
                series.append(Series(label, cells, part=variant))
    return Plot(
        "grid",
        f"{title_of(runs[0])}: accuracy by hops and distractors",
        tuple(across),
        tuple(series),
        "Accuracy (%)",
        caption(runs, "Cells: accuracy in %, and in brackets the number of answers."),
        "Distractors",
        tuple(down),
        "Reasoning hops",
    )


def point_of(verdicts: Verdicts) -> Point | None:
    """Accuracy ± one standard error, clustered by pairing template, and chance."""
    if not verdicts:
        return None
    n = len(verdicts)
    value = sum(bool(v.right) for v in verdicts) / n
    error = clustered((v.tags.get("pairing", v.item), float(bool(v.right))) for v in verdicts)
    around = None if error is None else (max(0.0, value - error), min(1.0, value + error))
    chance = sum(1 / len(v.options) for v in verdicts if v.options) / n
    return Point(value, n, around, {CHANCE: chance})


def _answers(store: Store, run: Run) -> list[Verdict]:
    """The answers to whole trees whose gold and number of hops are known."""
    return [
        verdict
        for verdict in store.verdicts(run.id)
        if verdict.layer == ANSWER and verdict.right is not None and "hops" in verdict.tags
    ]


def _bare(verdicts: Verdicts) -> Verdicts:
    """One answer to each bare question, which several items share."""
    known = [v for v in verdicts if v.layer == BARE and v.right is not None]
    return list({v.tags.get("question", v.item): v for v in reversed(known)}.values())


def _values(tag: str, answers: Sequence[Verdicts]) -> list[str]:
    """The values of a tag, in numeric order."""
    values = {v.tags[tag] for asked in answers for v in asked if tag in v.tags}
    return sorted(values, key=lambda value: (len(value), value))
