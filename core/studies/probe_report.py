"""What a finished probe study shows."""

from __future__ import annotations

from typing import Any

from core.studies.items_behind import ItemsBehind, Place
from core.studies.option_probe_report import option_findings, option_method
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
    findings = option_findings(result) if of_options else _findings(result)
    method = (option_method if of_options else _method)(study.plan, result)
    return StudyReport(
        _(TITLE), findings, (*method, *origin(study.plan)), StudyTable(columns, rows), picture
    )


def _findings(result: dict[str, Any]) -> tuple[str, ...]:
    """The verdict with the figures it rests on, and what a look at accuracy would have said."""
    figures = {
        "auc": auc_text(result, "auc"),
        "margin": auc_text(result, "margin_auc"),
        "difference": auc_text(result, "difference"),
        "words": auc_text(result, "over_bag_of_words"),
    }
    verdicts = {
        ProbeVerdict.ENCODED_NOT_USED: N_(
            "Encoded, not used: a probe ranks the right answers of held-out groups with AUC {auc}, "
            "the model's own margin with {margin}; the difference is {difference}."
        ),
        ProbeVerdict.NOT_MORE_THAN_SAID: N_(
            "Nothing beyond what the model says: a probe's AUC is {auc}, that of the model's own "
            "margin {margin}; the difference, {difference}, is not shown to be above 0."
        ),
        ProbeVerdict.IN_THE_WORDS: N_(
            "No work of the model is shown: a probe's AUC is {auc}, but features without the "
            "model's work do as well: the difference to a bag of words is {words}."
        ),
        ProbeVerdict.NOT_ENCODED: N_(
            "The right answer is not shown to be decodable: a probe's AUC is {auc}; .5 is chance."
        ),
    }
    findings = [_(verdicts[ProbeVerdict(result["verdict"])], **figures)]
    interval = result["naive_difference_interval"]
    if interval is not None and interval[0] > 0 and not result["encoded_not_used"]:
        findings.append(
            _(
                "The best block's probe is right more often than the model, by {naive}. That is no "
                "finding: {rate} of the answers are of one kind, and a probe may learn just that.",
                naive=auc_text(result, "naive_difference"),
                rate=f"{result['base_rate']:.0%}",
            )
        )
    return tuple(findings)


def _method(plan: StudyPlan, result: dict[str, Any]) -> tuple[str, ...]:
    first, second = result["options"]
    return (
        _(
            "{n} questions of {groups} groups ({layers}) with the options “{first}” and "
            "“{second}”; {left_out} more had no finite score or were longer than the context. "
            "{rate} have the commoner right answer; the model is right about {own}, the probe "
            "about {accuracy}.",
            n=result["n"],
            groups=result["groups"],
            layers=", ".join(layer_shown(plan.benchmark, layer) for layer in result["layers"]),
            first=first,
            second=second,
            left_out=result["left_out"],
            rate=f"{result['base_rate']:.1%}",
            own=f"{result['own_accuracy']:.1%}",
            accuracy=f"{result['accuracy']:.1%}",
        ),
        _(
            "Logistic regression (L2, C {penalty}, standardised) on the residual stream at the "
            "answer position; {folds} folds of whole groups; the block is chosen in {inner} folds "
            "inside each training part: {chosen}. Pairs of one fold are ranked; 95 % intervals by "
            "bootstrap over groups.",
            penalty=INVERSE_PENALTY,
            folds=FOLDS,
            inner=INNER_FOLDS,
            chosen=", ".join(map(str, result["chosen_blocks"])),
        ),
        _(
            "Controls: shuffled labels (mean of {shuffles}) {shuffled}; bag of words {words}; "
            "embeddings at the answer position {embedding}; the model's own margin, recalibrated "
            "in the same folds, {margin}; selectivity {selectivity} over a random label for each "
            "group.",
            shuffles=SHUFFLES,
            shuffled=auc_text(result, "shuffled_auc"),
            words=auc_text(result, "bag_of_words_auc"),
            embedding=auc_text(result, "embedding_auc")
            if "embedding_auc" in result
            else _("not readable"),
            margin=auc_text(result, "margin_auc"),
            selectivity=short(result["selectivity"]),
        ),
    )
