"""The figures of AbsPyramid over a run: detection, generation, and how high a model climbs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from core.benchmarks.abspyramid.detection import DetectionScores, score_detection
from core.benchmarks.abspyramid.generation import POOLED, Meteor, score_generation
from core.benchmarks.abspyramid.predictions import Detected, Generated, first_line
from core.benchmarks.abspyramid.questions import NO, YES
from core.benchmarks.abspyramid.relation_names import RELATIONS
from core.benchmarks.abspyramid.rouge import rouge_l, rouge_words
from core.benchmarks.abspyramid.task_layers import GENERATION, RUNG
from core.benchmarks.abspyramid.tuples import Relation
from core.contract.question import Scoring, Verdict, shares
from core.contract.summary import Figure, Summary, Totals
from core.contract.view import Cell, Grid
from core.text.errors import DataError, NotFoundError
from core.text.language import N_, _, ngettext

PROFILES = ("paper",)
_LOOSE = "believed without rung"
_TABLE = ("accuracy", "macro_f1", "roc_auc", "average_precision")
_NAMES = {
    "accuracy": "accuracy",
    "macro_f1": "macro-F1",
    "roc_auc": "ROC-AUC of P(yes)",
    "average_precision": "average precision > .5",
    "accuracy_read": "accuracy of those read",
    "macro_f1_read": "macro-F1 of those read",
    "precision": "precision of “valid”",
    "recall": "recall of “valid”",
    "f1": "F1 of “valid”",
}


def summarise(
    verdicts: Sequence[Verdict], profile: str, totals: Mapping[str, Totals] | None = None
) -> Summary:
    """Detection pooled and by relation, accuracy by rung, generation where there was any.

    Raises `NotFoundError` for a profile that is not there.
    """
    if profile not in PROFILES:
        raise NotFoundError(
            f"There is no scoring profile “{profile}”.", hint=f"There are {', '.join(PROFILES)}."
        )
    asked = [v for v in verdicts if v.layer != GENERATION]
    figures: list[Figure] = []
    tables: list[Grid] = []
    counts = {"asked": len(verdicts)}
    if asked:
        scores = score_detection([detected(v) for v in asked])
        if len({v.gold for v in asked} - {None}) == 1:
            figures.append(_of_one_label(scores[POOLED], asked))
        else:
            for name, of in scores.items():
                figures += _named(of, name)
            tables.append(_by_relation(scores))
        counts |= dict(scores[POOLED].counts)
        figures += _by_rung(asked)
    named = [generated(v) for v in verdicts if v.layer == GENERATION]
    if named:
        score, why_not = _meteor()
        for name, made in score_generation(named, score, why_not).items():
            prefix = "generation" if name == POOLED else f"generation, {name}"
            figures += [
                Figure(
                    f"{prefix}: {f.name}",
                    f.right,
                    f.n,
                    f.baselines,
                    f.note if name == POOLED else "",
                    f.mean,
                    f.own_interval,
                    detail=name != POOLED,
                )
                for f in made.figures
                if name == POOLED or f.value is not None
            ]
        counts["generated"] = len(named)
    return Summary(profile, tuple(figures), counts, _notes(asked), tuple(tables))


def detected(verdict: Verdict) -> Detected:
    """What a verdict says of a concept; P(yes) of the two options only, where both have scores."""
    p_yes = shares(verdict.scores)[YES] if len(verdict.scores) == 2 else None
    return Detected(
        label=None if verdict.gold is None else verdict.gold == YES,
        picked=None if verdict.answer is None else verdict.answer != NO,
        p_yes=p_yes,
        relation=_relation(verdict),
        head=verdict.tags.get("head", ""),
    )


def generated(verdict: Verdict) -> Generated:
    """What a model named, with the references, which are the verdict's options."""
    return Generated(
        verdict.options, first_line(verdict.text), _relation(verdict), verdict.tags.get("head", "")
    )


def nearest_reference(verdict: Verdict) -> tuple[str, float]:
    """The reference that a named concept is most like, and how much: ROUGE-L, 0 to 1."""
    words = rouge_words(first_line(verdict.text))
    likenesses = [(rouge_l(words, rouge_words(text)), text) for text in verdict.options]
    likeness, text = max(likenesses, key=lambda pair: pair[0])
    return text, likeness


def _relation(verdict: Verdict) -> Relation | None:
    tag = verdict.tags.get("relation", "")
    return Relation(tag) if tag in set(Relation) else None


def _named(scores: DetectionScores, of: str) -> list[Figure]:
    """The figures of all relations, then, as details, those of each."""
    pooled = of == POOLED
    return [
        Figure(
            _NAMES[f.name] if pooled else f"{of}: {_NAMES[f.name]}",
            f.right,
            f.n,
            f.baselines,
            f.note,
            f.mean,
            f.own_interval,
            detail=not pooled,
        )
        for f in scores.figures
    ]


def _of_one_label(scores: DetectionScores, asked: Sequence[Verdict]) -> Figure:
    """The accuracy alone: precision and its like say nothing where nothing can be taken for it."""
    (accuracy,) = [figure for figure in scores.figures if figure.name == "accuracy"]
    note = _(
        "only concepts that do not hold were asked about, where always no is always right; the "
        "other figures come with those that hold"
    )
    if any(v.gold == YES for v in asked):
        note = _(
            "only concepts that hold were asked about, where always yes is always right; the other "
            "figures come with those that do not hold"
        )
    return replace(accuracy, note=note)


def _by_relation(scores: Mapping[str, DetectionScores]) -> Grid:
    rows = []
    for name, of in scores.items():
        by_name = {figure.name: figure for figure in of.figures}
        cells = [_share(by_name[column]) for column in _TABLE]
        label = _("all") if name == POOLED else RELATIONS[Relation(name)]
        rows.append((Cell(label), Cell(f"{of.n:,}"), *cells))
    columns = (_("relation"), "n", *(_NAMES[name] for name in _TABLE))
    return Grid(_("By relation"), columns, tuple(rows), _("Labelled concepts only."))


def _share(figure: Figure) -> Cell:
    if figure.value is None:
        return Cell(_("unknown"))
    if figure.interval is None:
        return Cell(f"{figure.value:.3f}".removeprefix("0"))
    low, high = (f"{end:.2f}".removeprefix("0") for end in figure.interval)
    return Cell(f"{figure.value:.3f} [{low}, {high}]".removeprefix("0"))


def _by_rung(asked: Sequence[Verdict]) -> list[Figure]:
    """Whether it believes in what holds, by how far up the concept stands; last, without order."""
    found: dict[str, list[Verdict]] = {}
    for verdict in asked:
        rung = verdict.tags.get("rung")
        if rung is not None and verdict.layer.startswith(RUNG) and verdict.right is not None:
            found.setdefault(rung, []).append(verdict)
    ordered = sorted(found, key=lambda rung: (not rung, int(rung or 0)))
    return [
        Figure(
            f"believed at rung {rung}" if rung else _LOOSE,
            sum(bool(v.right) for v in found[rung]),
            len(found[rung]),
            {N_("random"): 0.5},
        )
        for rung in ordered
    ]


def _notes(asked: Sequence[Verdict]) -> tuple[str, ...]:
    notes = []
    if asked:
        notes.append(
            _(
                "Intervals: Wilson's for accuracy, else a seeded bootstrap over head events. A "
                "model that always says yes believes at every rung: compare with the concepts that "
                "do not hold."
            )
        )
    loose = sum(v.layer.startswith(RUNG) and v.tags.get("rung") == "" for v in asked)
    if loose:
        notes.append(
            ngettext(
                "Layer “Rung k” asks about the k-th concept upward, “believed at rung k” counts "
                "by the rung where a concept stands: {n:,} concept that nothing orders has none.",
                "Layer “Rung k” asks about the k-th concept upward, “believed at rung k” counts "
                "by the rung where a concept stands: {n:,} concepts that nothing orders have none.",
                loose,
                n=loose,
            )
        )
    if any(v.scoring is Scoring.GENERATED for v in asked):
        notes.append(_("Where answers were written there is no P(yes), and no figure of it."))
    if len({v.scoring for v in asked}) > 1:
        notes.append(_("Answers were read in different ways, which must not be compared."))
    return tuple(notes)


@cache
def _meteor() -> tuple[Meteor | None, str]:
    from core.benchmarks.abspyramid.meteor import installed_meteor

    try:
        return installed_meteor(), ""
    except (NotFoundError, DataError) as missing:
        return None, str(missing)
