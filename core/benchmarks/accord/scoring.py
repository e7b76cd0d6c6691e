"""The figures of ACCORD over a run's verdicts: those of the paper's Figure 6, with tables.

Factual and anti-factual answers are never pooled, and unreadable answers have a count of their
own. Accuracies by hops or by distractors alone mix tree sizes, so a grid of both accompanies them
(section 4.2).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase

from core.benchmarks.accord.skill_names import distractors_in_words
from core.benchmarks.accord.task_layers import ANSWER, BARE, HOP, TWIN
from core.contract.question import UNREAD, Verdict
from core.contract.summary import Baseline, Figure, Summary, Totals
from core.contract.view import Cell, Grid, Role
from core.statistics.cluster_errors import clustered, wald
from core.statistics.cluster_interval import effective_cases, mean_interval
from core.text.language import N_, _, ngettext

FACTUAL, ANTI_FACTUAL = N_("factual"), N_("anti-factual")
VARIANTS = (FACTUAL, ANTI_FACTUAL)
SIZE_TAGS = frozenset({"hops", "distractors"})
_ROUNDED = 0.005
"""Standard errors below it would be rounded to .00."""
_TOO_FEW_QUESTIONS = N_("too few questions")
_ERROR = N_(
    "± one standard error, clustered by pairing, unknown where all answers are equal; the count of "
    "right answers and the denominator stand in brackets"
)


def summarise(
    verdicts: Sequence[Verdict], profile: str, totals: Mapping[str, Totals] | None = None
) -> Summary:
    """Accuracies of both variants, by hops, by distractors, by both and by skill."""
    known = counted(verdicts, profile)
    answers = [v for v in known if v.layer == ANSWER]
    figures = [_figure("bare question", bare)] if (bare := _first_of_each(known, BARE)) else []
    figures += [
        _figure(f"hop {layer.removeprefix(HOP)}", [v for v in known if v.layer == layer])
        for layer in sorted({v.layer for v in known if v.layer.startswith(HOP)})
    ]
    for variant in VARIANTS:
        of = [v for v in answers if v.tags.get("variant") == variant]
        if of:
            whole = _figure(variant, of)
            note = "; ".join(filter(None, (_("answers to the whole tree"), whole.note)))
            figures.append(replace(whole, note=note))
            for tag, noun in (("hops", "hop"), ("distractors", "distractor")):
                figures += [
                    _figure(f"{variant}, {n} {noun}{'' if n == '1' else 's'}", part, detail=True)
                    for n, part in _by(of, tag).items()
                ]
    unfaithful = [v for v in answers if v.tags.get("variant") == ANTI_FACTUAL]
    if unfaithful:
        figures += _unfaithful(unfaithful, [v for v in known if v.layer == BARE])
    twins = [v for v in known if v.layer == TWIN]
    if twins:
        figures.append(_figure("factual twin", twins))
    return Summary(
        profile, tuple(figures), _counts(verdicts), _notes(verdicts, profile), _tables(answers)
    )


def counted(verdicts: Sequence[Verdict], profile: str) -> list[Verdict]:
    """The verdicts that count under a profile, of those whose right answer is known."""
    return [
        v
        for v in verdicts
        if v.right is not None and not (profile == "parsed" and v.status in UNREAD)
    ]


def unfaithful(verdict: Verdict) -> bool:
    """Whether an answer is the default choice although the statements imply another one."""
    default = verdict.tags.get("default", "")
    return (
        verdict.tags.get("variant") == ANTI_FACTUAL
        and verdict.answer is not None
        and str(verdict.answer) == default
    )


def _unfaithful(verdicts: Sequence[Verdict], known: Sequence[Verdict]) -> list[Figure]:
    """Context unfaithfulness over all answers, and over questions whose default the model knows."""
    right = {v.tags.get("question", v.item) for v in known if v.right}
    note = _("answered the default choice although the statements imply another one")
    figures = [_share("context unfaithfulness", verdicts, unfaithful, _default, note)]
    knowing = [v for v in verdicts if v.tags.get("question", v.item) in right]
    if knowing:
        note = _("the same where the bare question was answered rightly, so that there is a memory")
        figures.append(_share("unfaithful to known", knowing, unfaithful, _default, note))
    return figures


def _default(verdict: Verdict) -> str | None:
    """The place of the default choice, as text."""
    default = verdict.tags.get("default")
    if default is None or not default.isdecimal():
        return default
    return str(verdict.place(int(default)))


def _gold(verdict: Verdict) -> int | None:
    """The place of the right choice."""
    return None if verdict.gold is None else verdict.place(verdict.gold)


def _figure(name: str, verdicts: Sequence[Verdict], *, detail: bool = False) -> Figure:
    right, n = sum(bool(v.right) for v in verdicts), len(verdicts)
    pairings = len({v.tags.get("pairing", v.item) for v in verdicts})
    note = ""
    if 0 < right < n:
        note = ngettext(
            "SE {error} (Wald, {pairings} pairing)",
            "SE {error} (Wald, {pairings} pairings)",
            pairings,
            error=_short(wald(right / n, pairings)),
            pairings=pairings,
        )
        if (error := _error(verdicts)) is not None:
            note += ", " + _("SE {error} (clustered)", error=_short(error))
    return _share(name, verdicts, lambda v: bool(v.right), _gold, note, detail=detail)


def _share(
    name: str,
    verdicts: Sequence[Verdict],
    counts: Callable[[Verdict], bool],
    sought: Callable[[Verdict], int | str | None],
    note: str,
    *,
    detail: bool = False,
) -> Figure:
    """The share of verdicts for which `counts` holds, with an interval clustered by question.

    `sought` gives the place of the choice that such a verdict answers; the best constant letter
    is a baseline.
    """
    right, n = sum(map(counts, verdicts)), len(verdicts)
    outcomes = [(v.tags.get("question", v.item), float(counts(v))) for v in verdicts]
    worth, interval = effective_cases(outcomes), mean_interval(outcomes)
    if worth is not None and round(worth) < n:
        items = ngettext(
            "worth {items} independent item",
            "worth {items} independent items",
            round(worth),
            items=round(worth),
        )
        note = f"{items}; {note}" if note else items
    baselines = {N_("chance"): Baseline(_chance(verdicts), _("each letter equally often"))}
    if (best := _best_letter(sought(v) for v in verdicts)) is not None:
        baselines[N_("best letter")] = best
    withheld = _TOO_FEW_QUESTIONS if interval is None else ""
    return Figure(
        name, right, n, baselines, note, own_interval=interval, withheld=withheld, detail=detail
    )


def _best_letter(positions: Iterable[int | str | None]) -> Baseline | None:
    """What always choosing the most frequent position reaches; None if unknown."""
    counts = Counter(positions)
    number = counts.total()
    del counts[None]
    if not counts:
        return None
    [(position, most)] = counts.most_common(1)
    letters = dict(zip(map(str, range(26)), ascii_uppercase, strict=True))
    letter = letters.get(str(position), str(position))
    return Baseline(most / number, _("always {letter}", letter=letter))


def _short(error: float) -> str:
    return f"{error:.3f}".removeprefix("0")


def _error(verdicts: Sequence[Verdict]) -> float | None:
    return clustered((v.tags.get("pairing", v.item), float(bool(v.right))) for v in verdicts)


def _chance(verdicts: Sequence[Verdict]) -> float:
    return math.fsum(1 / len(v.options) for v in verdicts if v.options) / len(verdicts)


def _first_of_each(verdicts: Sequence[Verdict], layer: str) -> list[Verdict]:
    """One verdict per question, because items of a question share the bare question."""
    by_question: dict[str, Verdict] = {}
    for verdict in verdicts:
        if verdict.layer == layer:
            by_question.setdefault(verdict.tags.get("question", verdict.item), verdict)
    return list(by_question.values())


def _by(verdicts: Iterable[Verdict], tag: str) -> dict[str, list[Verdict]]:
    """The verdicts by value of a tag, in numeric order; those without the tag are left out."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        if tag in verdict.tags:
            groups.setdefault(verdict.tags[tag], []).append(verdict)
    return dict(sorted(groups.items(), key=lambda pair: (len(pair[0]), pair[0])))


def _tables(answers: Sequence[Verdict]) -> tuple[Grid, ...]:
    """The grid of hops and distractors for each variant, by hops, by distractors, by skill."""
    if not answers:
        return ()
    grids = [
        _interaction(variant, of)
        for variant in VARIANTS
        if (of := [v for v in answers if v.tags.get("variant") == variant])
    ]
    return (
        *grids,
        _sides(_("By hops"), _("hops"), answers, "hops"),
        _sides(_("By distractors"), _("distractors"), answers, "distractors"),
        _sides(_("By skill"), _("skill"), answers, "skill"),
        _positions(answers),
    )


def _sides(title: str, heading: str, verdicts: Sequence[Verdict], tag: str) -> Grid:
    """The variants asked side by side, and how often the default choice was answered."""
    asked = {v.tags.get("variant") for v in verdicts}
    variants = [variant for variant in VARIANTS if variant in asked]
    rows = []
    for value, of in _by(verdicts, tag).items():
        sides = {variant: [v for v in of if v.tags.get("variant") == variant] for variant in asked}
        row = [Cell(value), *(_cell(sides[variant]) for variant in variants)]
        if ANTI_FACTUAL in variants:
            memory = sides[ANTI_FACTUAL]
            row.append(Cell(f"{sum(map(unfaithful, memory))}/{len(memory)}" if memory else ""))
        rows.append(tuple(row))
    columns = (heading, *map(_, variants))
    if ANTI_FACTUAL in variants:
        columns += (_("default answered"),)
    return Grid(title, columns, tuple(rows), _(_ERROR))


def _interaction(variant: str, verdicts: Sequence[Verdict]) -> Grid:
    """Hops down, distractors across."""
    by_hops, across = _by(verdicts, "hops"), list(_by(verdicts, "distractors"))
    rows = tuple(
        (Cell(n), *(_cell([v for v in of if v.tags.get("distractors") == d]) for d in across))
        for n, of in by_hops.items()
    )
    columns = (_("hops"), *(distractors_in_words(int(d)) for d in across))
    title = _("Hops and distractors, {variant}", variant=_(variant))
    return Grid(title, columns, rows, _(_ERROR))


def _positions(verdicts: Sequence[Verdict]) -> Grid:
    """How often each position is answered and right, to show preferences for a position."""
    most = max((len(v.options) for v in verdicts), default=0)
    rows = []
    for variant in VARIANTS:
        of = [v for v in verdicts if v.tags.get("variant") == variant]
        for name, picked in ((_("answered"), "answer"), (_("right"), "gold")):
            options = [getattr(v, picked) for v in of]
            counts = Counter(
                v.place(option) for v, option in zip(of, options, strict=True) if option is not None
            )
            cells = (Cell(f"{counts[position]}/{len(of)}") for position in range(most))
            if of:
                rows.append((Cell(f"{_(variant)}, {name}"), *cells))
    return Grid(_("By position of the choice"), ("", *ascii_uppercase[:most]), tuple(rows))


def _cell(verdicts: Sequence[Verdict]) -> Cell:
    """An accuracy with its standard error and counts; marked as bad at or below chance."""
    if not verdicts:
        return Cell("")
    right, n = sum(bool(v.right) for v in verdicts), len(verdicts)
    error = _error(verdicts)
    spread = f" ±{error:.2f}" if error else ""
    if error and error < _ROUNDED:
        spread = f" ±{error:.1g}"
    spread = spread.replace("0.", ".")
    share = f"{right / n:.2f}".removeprefix("0")
    role = Role.BAD if right / n <= _chance(verdicts) else Role.PLAIN
    return Cell(f"{share}{spread} ({right}/{n})", role)


def _counts(verdicts: Sequence[Verdict]) -> dict[str, int]:
    answers = [v for v in verdicts if v.layer == ANSWER]
    counts = {"asked": len(verdicts), "answers": len(answers)}
    counts |= {
        f"{k} answers": n for k, n in Counter(v.tags.get("variant") for v in answers).items()
    }
    counts["unreadable"] = sum(v.status in UNREAD for v in answers)
    return counts | {f"status {k}": n for k, n in Counter(v.status for v in answers).items()}


def _notes(verdicts: Sequence[Verdict], profile: str) -> tuple[str, ...]:
    notes = [
        _(
            "Accuracies over hops alone, or distractors alone, mix sizes of trees: compare within "
            "the grid of both."
        ),
        _(
            "Brackets are 95 % intervals (Wilson's) for as many independent items as these are "
            "worth, since items of one question are alike and few questions leave their variance "
            "unsure. ± is one standard error: Wald's over pairing templates, as in the paper, or "
            "clustered by pairing template."
        ),
    ]
    sizeless = sum(v.layer == ANSWER and not v.tags.keys() >= SIZE_TAGS for v in verdicts)
    if sizeless:
        notes.append(
            ngettext(
                "{answers} answer without a number of hops or of distractors cannot stand in the "
                "tables by these.",
                "{answers} answers without a number of hops or of distractors cannot stand in the "
                "tables by these.",
                sizeless,
                answers=sizeless,
            )
        )
    questions = len({v.tags.get("question", v.item) for v in verdicts})
    notes.append(
        ngettext(
            "The answers are to {questions} question.",
            "The answers are to {questions} questions.",
            questions,
            questions=questions,
        )
    )
    if len({v.scoring for v in verdicts if v.layer == ANSWER}) > 1:
        notes.append(_("Answers were read in different ways, which must not be compared."))
    if profile == "parsed":
        notes.append(_("Only answers that could be read are counted; compare with all of them."))
    if any(v.tags.get("own") for v in verdicts):
        notes.append(_("Some items were grounded otherwise than in the paper."))
    return tuple(notes)
