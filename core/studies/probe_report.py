"""What a finished probe study shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.studies.items_behind import ItemsBehind, Place
from core.studies.plan import Study, StudyPlan
from core.studies.probe import FOLDS, INNER_FOLDS, SHUFFLES, ProbeVerdict
from core.studies.probe_fits import INVERSE_PENALTY
from core.studies.probed_options import NUMBERS_OF_OPTIONS, items_of_options
from core.studies.probed_questions import items_of_questions
from core.studies.report import (
    Curve,
    CurvePlot,
    StudyReport,
    StudyTable,
    auc_text,
    interval_ends,
    layer_shown,
    origin,
    short,
)
from core.text.language import N_, _

TITLE = N_("Is the right answer linearly decodable?")


@dataclass(frozen=True, slots=True)
class _Wording:
    """The sentences on one kind of cases."""

    controls: Mapping[str, str]
    """What each control looks at in the place of the model's states, by its name in the result."""
    verdicts: Mapping[ProbeVerdict, str]
    """Each names the `_figures` that it rests on."""
    no_finding: str
    """What a look at accuracy would have said; names `_figures` too."""
    method: tuple[str, ...]
    """How it was `_measured`: n, exclusions, the fit, and the controls."""


_NO_WORK_SHOWN = N_(
    "No work of the model is shown: a probe's AUC is {auc}, but a control without the model's work "
    "is not shown to do worse: {control}. The difference to it is {over}."
)
_OF_QUESTIONS = _Wording(
    {
        "bag_of_words": N_("a bag of words"),
        "embedding": N_("the embeddings at the answer position"),
    },
    {
        ProbeVerdict.ENCODED_NOT_USED: N_(
            "Encoded, not used: a probe ranks the right answers of held-out groups with AUC {auc}, "
            "the model's own margin with {margin}; the difference is {difference}."
        ),
        ProbeVerdict.NOT_MORE_THAN_SAID: N_(
            "Nothing beyond what the model says: a probe's AUC is {auc}, that of the model's own "
            "margin {margin}; the difference, {difference}, is not shown to be above 0."
        ),
        ProbeVerdict.IN_THE_WORDS: _NO_WORK_SHOWN,
        ProbeVerdict.NOT_ENCODED: N_(
            "The right answer is not shown to be decodable: a probe's AUC is {auc}; .5 is chance."
        ),
    },
    N_(
        "The best block's probe is right more often than the model, by {naive}. That is no "
        "finding: {rate} of the answers are of one kind, and a probe may learn just that."
    ),
    (
        N_(
            "{n} questions of {groups} groups ({layers}) with the options “{first}” and "
            "“{second}”; {left_out} more had no finite score or were longer than the context. "
            "{rate} have the commoner right answer; the model is right about {own}, the probe "
            "about {accuracy}."
        ),
        N_(
            "Logistic regression (L2, C {penalty}, standardised) on the residual stream at the "
            "answer position; {folds} folds of whole groups; the block is chosen in {inner} folds "
            "inside each training part: {chosen}. Pairs of one fold are ranked; 95 % intervals by "
            "bootstrap over groups."
        ),
        N_(
            "Controls: shuffled labels (mean of {shuffles}) {shuffled}; bag of words {words}; "
            "embeddings at the answer position {embedding}; the model's own margin, recalibrated "
            "in the same folds, {margin}; selectivity {selectivity} over a random label for each "
            "group."
        ),
    ),
)
_OF_OPTIONS = _Wording(
    {
        "bag_of_words": N_("the words of an option and of the sentences that name it"),
        "embedding": N_("the embeddings at an option's last token"),
        "place": N_("the place of an option"),
    },
    {
        ProbeVerdict.ENCODED_NOT_USED: N_(
            "Encoded, not used: a probe ranks the right option of a held-out question above a "
            "wrong one with AUC {auc}, the model's own scores do with {margin}; the difference is "
            "{difference}."
        ),
        ProbeVerdict.NOT_MORE_THAN_SAID: N_(
            "Nothing beyond what the model says: a probe's AUC is {auc}, that of the model's own "
            "scores {margin}; the difference, {difference}, is not shown to be above 0."
        ),
        ProbeVerdict.IN_THE_WORDS: _NO_WORK_SHOWN,
        ProbeVerdict.NOT_ENCODED: N_(
            "The right option is not shown to be decodable: a probe's AUC is {auc}; .5 is chance."
        ),
    },
    N_(
        "The best block's probe is right more often than the model, by {naive}. That is no "
        "finding: it is the best of {blocks} blocks, and no control is taken from it. "
        "Drawing an option is right about {chance}, always the same place about {rate}."
    ),
    (
        N_(
            "{n} questions of {groups} groups ({layers}) with {options} options; {left_out} more "
            "do not show their options, had no finite score or were longer than the context. "
            "Drawing an option is right about {chance}, always the same place about {rate}, the "
            "model about {own}, the probe about {accuracy}."
        ),
        N_(
            "Logistic regression (L2, C {penalty}, standardised) of whether an option is the right "
            "one, on the residual stream at its last token in the prompt, less the means of the "
            "question's options and of the option's place; {folds} folds of whole groups; the "
            "block is chosen in {inner} folds inside each training part: {chosen}. Pairs of the "
            "right and a wrong option of one question are ranked; 95 % intervals by bootstrap over "
            "groups."
        ),
        N_(
            "Controls: in each question an option drawn at random is called right (mean of "
            "{shuffles}) {shuffled}; words of the option and of the sentences that name it "
            "{words}; embeddings at its last token {embedding}; its place {place}; the model's own "
            "log-likelihoods, recalibrated by place and length in the same folds, {margin}; "
            "selectivity {selectivity} over a random figure for each option's text."
        ),
    ),
)


def items_of_probe(study: Study, _report: StudyReport, place: Place) -> ItemsBehind:
    """The questions behind a row of the table.

    Raises LookupError, TypeError or ValueError for a damaged result.
    """
    result = study.result or {}
    if NUMBERS_OF_OPTIONS in result:
        return items_of_options(result, place)
    return items_of_questions(result, place)


def probe_report(study: Study) -> StudyReport:
    """What a finished probe study shows."""
    result = study.result or {}
    of_options = NUMBERS_OF_OPTIONS in result
    beside = (result["chance"], result["base_rate"]) if of_options else ()
    rows = tuple(
        (
            block["block"],
            block["auc"],
            *(block["interval"] or (None, None)),
            block["shuffled_auc"],
            block["accuracy"],
            *beside,
        )
        for block in result["blocks"]
    )
    columns: tuple[str, ...] = (
        N_("block"), "AUC", N_("low"), N_("high"), N_("AUC of shuffled labels"), N_("accuracy"),
    )  # fmt: skip
    if of_options:
        columns += (N_("chance"), N_("best constant answer"))
    intervals = tuple(interval_ends(block["interval"]) for block in result["blocks"])
    picture = CurvePlot(
        _(TITLE),
        _("AUC on held-out groups"),
        (
            Curve(_("probe"), tuple(block["auc"] for block in result["blocks"]), intervals),
            Curve(_("shuffled labels"), tuple(b["shuffled_auc"] for b in result["blocks"])),
        ),
        (
            (_("the model's own margin"), result["margin_auc"]),
            (_("bag of words"), result["bag_of_words_auc"]),
            *([(_("place of the option"), result["place_auc"])] if of_options else []),
        ),
    )
    said = _OF_OPTIONS if of_options else _OF_QUESTIONS
    figures = _figures(result, said.controls, of_options=of_options)
    findings = [_(said.verdicts[ProbeVerdict(result["verdict"])], **figures)]
    naive = result["naive_difference_interval"]
    if naive is not None and naive[0] > 0 and not result["encoded_not_used"]:
        findings.append(_(said.no_finding, **figures))
    measured = _measured(study.plan, result, of_options=of_options)
    method = (_(sentence, **measured) for sentence in said.method)
    return StudyReport(
        _(TITLE),
        tuple(findings),
        (*method, *origin(study.plan)),
        StudyTable(columns, rows),
        picture,
    )


def _figures(
    result: Mapping[str, Any], controls: Mapping[str, str], *, of_options: bool
) -> dict[str, object]:
    """What the sentences of findings name."""
    nearest = _nearest_control(result, controls)
    figures = {
        "auc": auc_text(result, "auc"),
        "margin": auc_text(result, "margin_auc"),
        "difference": auc_text(result, "difference"),
        "control": _(controls[nearest]),
        "over": auc_text(result, f"over_{nearest}"),
        "naive": auc_text(result, "naive_difference"),
        "rate": f"{result['base_rate']:.0%}",
        "blocks": len(result["blocks"]),
    }
    if of_options:
        figures["chance"] = f"{result['chance']:.0%}"
    return figures


def _measured(plan: StudyPlan, result: Mapping[str, Any], *, of_options: bool) -> dict[str, object]:
    """What the sentences of the method name."""
    measured = {
        "n": result["n"],
        "groups": result["groups"],
        "layers": ", ".join(layer_shown(plan.benchmark, layer) for layer in result["layers"]),
        "left_out": result["left_out"],
        "rate": f"{result['base_rate']:.1%}",
        "own": f"{result['own_accuracy']:.1%}",
        "accuracy": f"{result['accuracy']:.1%}",
        "penalty": INVERSE_PENALTY,
        "folds": FOLDS,
        "inner": INNER_FOLDS,
        "chosen": ", ".join(map(str, result["chosen_blocks"])),
        "shuffles": SHUFFLES,
        "shuffled": auc_text(result, "shuffled_auc"),
        "words": auc_text(result, "bag_of_words_auc"),
        "embedding": auc_text(result, "embedding_auc")
        if "embedding_auc" in result
        else _("not readable"),
        "margin": auc_text(result, "margin_auc"),
        "selectivity": short(result["selectivity"]),
    }
    if of_options:
        measured["options"] = ", ".join(map(str, result[NUMBERS_OF_OPTIONS]))
        measured["chance"] = f"{result['chance']:.1%}"
        measured["place"] = auc_text(result, "place_auc")
    else:
        measured["first"], measured["second"] = result["options"]
    return measured


def _nearest_control(result: Mapping[str, Any], controls: Iterable[str]) -> str:
    """The control without the model's work that the probe is least surely above."""
    lows = {}
    for name in controls:
        if f"over_{name}" in result:
            interval = result[f"over_{name}_interval"]
            lows[name] = result[f"over_{name}"] if interval is None else interval[0]
    return min(lows, key=lambda name: lows[name])
