"""The figures of a run: detection, generation, and accuracy by level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.benchmarks.abspyramid.detection import TOO_FEW_HEADS, score_rows
from core.benchmarks.abspyramid.generation import score_generation
from core.benchmarks.abspyramid.prediction_rows import verdict_rows
from core.benchmarks.abspyramid.predictions import GenerationPrediction, first_line
from core.benchmarks.abspyramid.questions import YES
from core.benchmarks.abspyramid.relation_scores import Scores
from core.benchmarks.abspyramid.rouge import rouge_l, rouge_words
from core.benchmarks.abspyramid.task_layers import CONCEPT, GENERATION, PROFILES
from core.benchmarks.abspyramid.tuples import ALL, RELATIONS, Relation
from core.contract.question import Verdict
from core.contract.summary import Baseline, Figure, Summary, Totals, check_profile
from core.contract.view import Cell, Grid
from core.statistics.cluster_interval import mean_interval
from core.text.errors import DataError, NotFoundError
from core.text.language import N_, _, ngettext

_RELATION_OF = {relation.value: relation for relation in Relation}
_LOOSE = "believed without a level"
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
    """Detection pooled and by relation, accuracy by level, and generation if there was any.

    Raises `NotFoundError` for an unknown profile.
    """
    check_profile(profile, PROFILES)
    asked = [v for v in verdicts if v.layer != GENERATION]
    figures: list[Figure] = []
    tables: list[Grid] = []
    counts = {"asked": len(verdicts)}
    if asked:
        scores = score_rows(verdict_rows(asked))
        if len({v.gold for v in asked} - {None}) == 1:
            figures.append(_single_label_accuracy(scores[ALL], asked))
        else:
            for name, relation_scores in scores.items():
                figures += _detection_figures(relation_scores, name)
            tables.append(_by_relation(scores))
        counts |= dict(scores[ALL].counts)
        figures += _by_level(asked)
    generations = [generation_prediction(v) for v in verdicts if v.layer == GENERATION]
    if generations:
        for name, generation_scores in _score_generation(generations).items():
            prefix = "generation" if name == ALL else f"generation, {name}"
            figures += [
                replace(
                    figure,
                    name=f"{prefix}: {figure.name}",
                    note=figure.note if name == ALL or figure.value is None else "",
                    detail=name != ALL,
                )
                for figure in generation_scores.figures
            ]
        counts["generated"] = len(generations)
    return Summary(profile, tuple(figures), counts, _notes(asked), tuple(tables))


def generation_prediction(verdict: Verdict) -> GenerationPrediction:
    """The concept that a model generated; the verdict's options are the references."""
    return GenerationPrediction(
        verdict.options, first_line(verdict.text), _relation(verdict), verdict.tags.get("head", "")
    )


def nearest_reference(verdict: Verdict) -> tuple[str, float]:
    """The reference that a named concept is most like, and how much: ROUGE-L, 0 to 1."""
    words = rouge_words(first_line(verdict.text))
    likenesses = [(rouge_l(words, rouge_words(text)), text) for text in verdict.options]
    likeness, text = max(likenesses, key=lambda pair: pair[0])
    return text, likeness


def _relation(verdict: Verdict) -> Relation | None:
    return _RELATION_OF.get(verdict.tags.get("relation", ""))


def _detection_figures(scores: Scores, relation_name: str) -> list[Figure]:
    """The figures of one relation, or of all; those of one relation are details."""
    pooled = relation_name == ALL
    prefix = "" if pooled else f"{relation_name}: "
    return [
        replace(figure, name=f"{prefix}{_NAMES[figure.name]}", detail=not pooled)
        for figure in scores.figures
    ]


def _single_label_accuracy(scores: Scores, asked: Sequence[Verdict]) -> Figure:
    """Accuracy only, because the other figures need both labels."""
    (accuracy,) = [figure for figure in scores.figures if figure.name == "accuracy"]
    if any(v.gold == YES for v in asked):
        note = _(
            "only concepts that hold were asked about, where always yes is always right; the other "
            "figures come with those that do not hold"
        )
    else:
        note = _(
            "only concepts that do not hold were asked about, where always no is always right; the "
            "other figures come with those that hold"
        )
    return replace(accuracy, note=note)


def _by_relation(scores: Mapping[str, Scores]) -> Grid:
    rows = []
    for name, relation_scores in scores.items():
        by_name = {figure.name: figure for figure in relation_scores.figures}
        cells = [_figure_cell(by_name[column]) for column in _TABLE]
        label = _("all") if name == ALL else _(RELATIONS[Relation(name)])
        rows.append((Cell(label), Cell(f"{relation_scores.n:,}"), *cells))
    columns = (_("relation"), "n", *(_NAMES[name] for name in _TABLE))
    return Grid(_("By relation"), columns, tuple(rows), _("Labelled concepts only."))


def _figure_cell(figure: Figure) -> Cell:
    if figure.value is None:
        return Cell(_("unknown"))
    if figure.interval is None:
        return Cell(f"{figure.value:.3f}".removeprefix("0"))
    low, high = (f"{end:.2f}".removeprefix("0") for end in figure.interval)
    return Cell(f"{figure.value:.3f} [{low}, {high}]".removeprefix("0"))


def _by_level(asked: Sequence[Verdict]) -> list[Figure]:
    """Accuracy on valid concepts by level; concepts without a level come last."""
    by_level: dict[str, list[Verdict]] = {}
    for verdict in asked:
        level = verdict.tags.get("rung")
        if level is not None and verdict.layer.startswith(CONCEPT) and verdict.right is not None:
            by_level.setdefault(level, []).append(verdict)
    ordered = sorted(by_level, key=lambda level: (not level, int(level or 0)))
    return [_level(level, by_level[level]) for level in ordered]


def _level(level: str, asked: Sequence[Verdict]) -> Figure:
    interval = mean_interval((v.tags.get("head") or v.item, float(bool(v.right))) for v in asked)
    return Figure(
        f"believed at level {level}" if level else _LOOSE,
        sum(bool(v.right) for v in asked),
        len(asked),
        _level_baselines(asked),
        own_interval=interval,
        withheld="" if interval else TOO_FEW_HEADS,
    )


def _level_baselines(asked: Sequence[Verdict]) -> dict[str, Baseline]:
    yes = sum(v.gold == YES for v in asked) / len(asked)
    return {
        N_("random"): Baseline(0.5, _("yes and no equally often")),
        N_("always yes"): Baseline(yes, _("yes to everything")),
        N_("always no"): Baseline(1 - yes, _("no to everything")),
    }


def _notes(asked: Sequence[Verdict]) -> tuple[str, ...]:
    notes = []
    if asked:
        notes.append(
            _(
                "Intervals take head events as cases: Wilson's for accuracy, precision, recall, F1 "
                "and means, else a jackknife. A model that always says yes believes at every "
                "level: compare with the concepts that do not hold."
            )
        )
    unordered = sum(v.layer.startswith(CONCEPT) and v.tags.get("rung") == "" for v in asked)
    if unordered:
        notes.append(
            ngettext(
                "Layer “Concept k” asks about the k-th concept upward, “believed at level k” "
                "counts by the level on which one stands: {n:,} concept that "
                "nothing orders has none.",
                "Layer “Concept k” asks about the k-th concept upward, “believed at level k” "
                "counts by the level on which one stands: {n:,} concepts that "
                "nothing orders have none.",
                unordered,
                n=unordered,
            )
        )
    scorings = {v.scoring for v in asked}
    if any(scoring.written for scoring in scorings):
        notes.append(_("Where answers were written there is no P(yes), and no figure of it."))
    if len(scorings) > 1:
        notes.append(_("Answers were read in different ways, which must not be compared."))
    return tuple(notes)


def _score_generation(generations: Sequence[GenerationPrediction]) -> dict[str, Scores]:
    from core.benchmarks.abspyramid.meteor import installed_meteor

    try:
        return score_generation(generations, installed_meteor())
    except (NotFoundError, DataError) as missing:
        return score_generation(generations, None, str(missing))
