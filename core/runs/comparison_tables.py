"""The tables and sentences of a comparison, for the screen, the command line, pages and notebooks.

The first run is A; `other` is the letter of the second. Figures are shares, from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from core.contract import registry
from core.contract.view import Cell, Grid, Role
from core.files.installation import command_to_add_extra
from core.layout.figures import p_text, proportion
from core.runs.adjusted_tests import MOST_UNADJUSTED, is_adjusted, tests_of
from core.runs.comparison import ALL_RIGHT, NONE_WRONG, Comparison, LayerComparison
from core.runs.figure_comparison import FigureComparison
from core.runs.records import Run
from core.runs.replay import conditions
from core.statistics.paired import PairedDifference
from core.text.language import _

Names = Callable[[str], str]
"""Names a task layer, given its id."""
_LEVEL = 0.05
"""The level of significance: an arrow needs a smaller p-value."""


def conditions_and_left_out(
    comparison: Comparison, names: Names = str, other: str = "B"
) -> Iterator[tuple[str, Role]]:
    """What else makes the runs unlike, and what is not read or not compared, with roles."""
    for condition in comparison.unlike:
        unlike = _("The runs differ in more than the model: {condition}", condition=condition)
        if comparison.of_one_model:
            unlike = _("One model, asked in two ways: {condition}", condition=condition)
        yield unlike, Role.EVIDENCE
    if comparison.same_questions is not None:
        paired = _(
            "Paired by item, since the questions differ: {same:,} of {pairs:,} pairs were asked "
            "the same.",
            same=comparison.same_questions,
            pairs=comparison.first.verdicts - comparison.only_first,
        )
        yield paired, Role.EVIDENCE

    def each_run(counts: Callable[[LayerComparison], tuple[int, int]]) -> str:
        """The layers in which one of two counts is above 0, with both."""
        return "; ".join(
            _(
                "{layer}, {first:,} in A and {second:,} in {other} of {n:,}",
                layer=names(layer.layer),
                first=counts(layer)[0],
                second=counts(layer)[1],
                other=other,
                n=layer.n,
            )
            for layer in comparison.layers
            if any(counts(layer))
        )

    if unread := each_run(lambda layer: layer.unread):
        yield _("Not read, and counted as wrong: {layers}.", layers=unread), Role.EVIDENCE
    if inferred := each_run(lambda layer: layer.inferred):
        yield (
            _("Inferred from what a later layer was asked about: {layers}.", layers=inferred),
            Role.EVIDENCE,
        )
    for place, letter in enumerate(("A", other)):
        ties = sum(layer.ties[place] for layer in comparison.layers)
        if ties:
            yield (
                _(
                    "Ties in {letter}: {ties:,} of {answers:,} answers. Counted as right, because "
                    "the first of the tied options is the right one: {right:,}.",
                    letter=letter,
                    ties=ties,
                    answers=sum(layer.n for layer in comparison.layers),
                    right=sum(layer.right_ties[place] for layer in comparison.layers),
                ),
                Role.EVIDENCE,
            )
    if comparison.only_first or comparison.only_second:
        left_out = _(
            "Not compared: questions that only A answered ({first:,}) and that only {other} "
            "answered ({second:,}).",
            first=comparison.only_first,
            second=comparison.only_second,
            other=other,
        )
        if _has_gates(comparison):
            gated = _(
                "A layer that is asked only after a right answer is compared over the items that "
                "both had right before."
            )
            left_out = f"{left_out} {gated}"
        yield left_out, Role.MUTED


def run_line(run: Run) -> str:
    """The model of a run and how it was asked; how far the run is, where it has not ended."""
    words = f"{run.plan.model}, {conditions(run.plan)}"
    return words if run.ended else f"{words}, {_(run.state)}"


def _has_gates(comparison: Comparison) -> bool:
    """Whether a layer is asked only after a right answer; not known without the benchmark."""
    benchmark = registry.installed(comparison.first.plan.benchmark)
    return benchmark is not None and any(layer.gated for layer in benchmark.layers)


def layers_table(comparison: Comparison, names: Names = str, other: str = "B") -> Grid:
    """The difference in each task layer, with its interval."""
    notes = [
        _(
            "▲ {other} is better, ▼ A is better: the interval leaves 0 out and p is below .05.",
            other=other,
        )
    ]
    if any(layer.difference.interval is None for layer in comparison.layers):
        notes.append(
            _("No interval: too few independent cases, or the same difference in all of them.")
        )
    rows = []
    for layer in comparison.layers:
        name = names(layer.layer)
        rows.append((Cell(name), *_difference(layer.difference, layer.p)))
        if layer.soft is not None:
            rows.append(
                (Cell(_("{layer}, soft score", layer=name)), *_difference(layer.soft, layer.soft_p))
            )
    return Grid(
        _("{other} minus A, over the questions that both answered", other=other),
        (_("layer"), "n", "A", other, f"{other} − A", _("95 % interval")),
        tuple(rows),
        " ".join(notes),
    )


def counts_table(comparison: Comparison, names: Names = str, other: str = "B") -> Grid:
    """Who has the questions of each task layer right, and how likely that is by chance."""
    layers = comparison.layers
    if any(layer.p is None for layer in layers):
        how = _(
            "For p and the detectable difference install the extra: {command}.",
            command=command_to_add_extra("stats"),
        )
    else:
        how = _("p: exact McNemar test, questions taken as independent.")
    shown = _("Detectable: the difference that so many questions show with 80 % power.")
    only = _("only {other}", other=other)
    has_holm = is_adjusted(comparison)
    ps = ("p", _("Holm p")) if has_holm else ("p",)
    return Grid(
        _("Questions by who has them right"),
        (_("layer"), _("both"), _("only A"), only, _("neither"), *ps, _("detectable")),
        tuple(
            row for layer in layers for row in _counts(layer, names(layer.layer), has_holm=has_holm)
        ),
        f"{how} {shown}",
    )


def about_many_tests(comparisons: Sequence[Comparison]) -> str:
    """What to think of the p-values where there are more than ten; empty where there are not."""
    tests = tests_of(comparisons)
    if tests <= MOST_UNADJUSTED:
        return ""
    by_chance = _(
        "{tests} tests at once: about {expected:.1f} p-values below .05 are expected by chance "
        "alone.",
        tests=tests,
        expected=tests / 20,
    )
    if any(map(is_adjusted, comparisons)):
        holm = _("Holm p: adjusted for all of them; any below .05 by chance alone has at most 5 %.")
    else:
        holm = _(
            "For Holm's adjusted ones install the extra: {command}.",
            command=command_to_add_extra("stats"),
        )
    return f"{by_chance} {holm}"


def figures_table(comparison: Comparison, other: str = "B") -> Grid | None:
    """The benchmark's own figures; None where they are not compared."""
    shown = [figure for figure in comparison.figures if not figure.detail]
    if not shown:
        return None
    notes = [_("Intervals and marks: clusters, or groups of them, left out in turn; Student's t.")]
    if any(figure.difference is None for figure in shown):
        notes.append(_("Unknown: it does not follow from what this run has answered of them."))
    if any(len({n for n in figure.n if n is not None}) > 1 for figure in shown):
        notes.append(_("Two n: that of A, then that of {other}.", other=other))
    return Grid(
        _(
            "The benchmark's own figures (profile {profile}), over the items that both answered",
            profile=comparison.profile,
        ),
        (_("figure"), "n", "A", other, f"{other} − A", _("95 % interval")),
        tuple(map(_figure, shown)),
        " ".join(notes),
    )


def first_wrong_table(comparison: Comparison, names: Names = str, other: str = "B") -> Grid:
    """Items by the first wrong layer in the first run (rows) and in the second (columns)."""
    failures = comparison.first_failures
    met = {layer for pair in failures for layer in pair}
    layers = [layer.layer for layer in comparison.layers if layer.layer in met]
    ends = [NONE_WRONG, ALL_RIGHT] if NONE_WRONG in met else [ALL_RIGHT]
    order = [*layers, *sorted(met.difference(layers, ends)), *ends]
    titles = [_(layer) if layer in ends else names(layer) for layer in order]
    rows = [
        (
            Cell(title),
            # Items that fail in the same layer, or in none, stand back.
            *(
                Cell(
                    str(failures.get((row, column), 0)), Role.MUTED if row == column else Role.PLAIN
                )
                for column in order
            ),
        )
        for title, row in zip(titles, order, strict=True)
    ]
    return Grid(
        _("Items by first wrong layer: rows A, columns {other}", other=other),
        ("", *titles),
        tuple(rows),
    )


def _counts(layer: LayerComparison, name: str, *, has_holm: bool) -> list[tuple[Cell, ...]]:
    counts = layer.both_right, layer.first_only, layer.second_only, layer.both_wrong
    detectable = "–" if layer.detectable is None else proportion(layer.detectable)
    numbers = (Cell(f"{count:,}") for count in counts)
    holm = (Cell(p_text(layer.holm_p)),) if has_holm else ()
    rows = [(Cell(name), *numbers, Cell(p_text(layer.p)), *holm, Cell(detectable))]
    if layer.soft is not None:
        soft = _("{layer}, soft score", layer=name)
        test = _("{p} by permutation of clusters", p=p_text(layer.soft_p))
        soft_holm = (Cell(p_text(layer.soft_holm_p)),) if has_holm else ()
        blanks = (Cell("") for _count in counts)
        rows.append((Cell(soft), *blanks, Cell(test), *soft_holm, Cell("")))
    return rows


def _difference(each: PairedDifference, p: float | None) -> tuple[Cell, ...]:
    return (
        Cell(f"{each.n:,}"),
        Cell(proportion(each.first)),
        Cell(proportion(each.second)),
        *_signed(each.difference, each.interval, p),
    )


def _figure(figure: FigureComparison) -> tuple[Cell, ...]:
    values = (
        Cell(_("unknown") if value is None else proportion(value))
        for value in (figure.first, figure.second)
    )
    # Of a layer that is asked only after a right answer, each run has its own number of questions.
    counts = " / ".join(f"{n:,}" for n in dict.fromkeys(figure.n) if n is not None)
    head = (Cell(figure.name), Cell(counts), *values)
    if figure.difference is None:
        return (*head, Cell(""), Cell(""))
    return (*head, *_signed(figure.difference, figure.interval, None))


def _signed(
    difference: float, interval: tuple[float, float] | None, p: float | None
) -> tuple[Cell, Cell]:
    """The cells of a difference and of its interval.

    It is marked where the interval leaves 0 out, unless a test finds no difference: with few
    questions the interval, which rests on Student's t, may be too narrow.
    """
    if interval is None:
        return Cell(_plus(difference)), Cell(_("no interval"))
    low, high = interval
    text = f"[{_plus(low)}, {_plus(high)}]"
    if low <= 0 <= high or (p is not None and p >= _LEVEL):
        return Cell(_plus(difference)), Cell(text)
    if low > 0:
        return Cell(f"{_plus(difference)} ▲", Role.GOOD), Cell(text)
    return Cell(f"{_plus(difference)} ▼", Role.BAD), Cell(text)


def _plus(value: float) -> str:
    """A difference of proportions with its sign: +.012, −.300."""
    shown = proportion(abs(value))
    return f"{'−' if value < 0 and shown != proportion(0) else '+'}{shown}"
