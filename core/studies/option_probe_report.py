"""What a finished probe of options says in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.studies.plan import StudyPlan
from core.studies.probe import FOLDS, INNER_FOLDS, SHUFFLES, ProbeVerdict
from core.studies.probe_fits import INVERSE_PENALTY
from core.studies.probed_options import NUMBERS_OF_OPTIONS
from core.studies.report import auc_text, layer_shown, short
from core.text.language import N_, _

_CONTROLS: Mapping[str, str] = {
    "bag_of_words": N_("the words of an option and of the sentences that name it"),
    "embedding": N_("the embeddings at an option's last token"),
    "place": N_("the place of an option"),
}


def option_findings(result: Mapping[str, Any]) -> tuple[str, ...]:
    """The verdict with the figures it rests on, and what a look at accuracy would have said."""
    nearest = _nearest_control(result)
    figures = {
        "auc": auc_text(result, "auc"),
        "margin": auc_text(result, "margin_auc"),
        "difference": auc_text(result, "difference"),
        "control": _(_CONTROLS[nearest]),
        "over": auc_text(result, f"over_{nearest}"),
    }
    verdicts = {
        ProbeVerdict.ENCODED_NOT_USED: N_(
            "Encoded, not used: a probe ranks the right option of a held-out question above a "
            "wrong one with AUC {auc}, the model's own scores do with {margin}; the difference is "
            "{difference}."
        ),
        ProbeVerdict.NOT_MORE_THAN_SAID: N_(
            "Nothing beyond what the model says: a probe's AUC is {auc}, that of the model's own "
            "scores {margin}; the difference, {difference}, is not shown to be above 0."
        ),
        ProbeVerdict.IN_THE_WORDS: N_(
            "No work of the model is shown: a probe's AUC is {auc}, but a control without the "
            "model's work is not shown to do worse: {control}. The difference to it is {over}."
        ),
        ProbeVerdict.NOT_ENCODED: N_(
            "The right option is not shown to be decodable: a probe's AUC is {auc}; .5 is chance."
        ),
    }
    findings = [_(verdicts[ProbeVerdict(result["verdict"])], **figures)]
    interval = result["naive_difference_interval"]
    if interval is not None and interval[0] > 0 and not result["encoded_not_used"]:
        findings.append(
            _(
                "The best block's probe is right more often than the model, by {naive}. That is no "
                "finding: it is the best of {blocks} blocks, and no control is taken from it. "
                "Drawing an option is right about {chance}, always the same place about {rate}.",
                naive=auc_text(result, "naive_difference"),
                blocks=len(result["blocks"]),
                chance=f"{result['chance']:.0%}",
                rate=f"{result['base_rate']:.0%}",
            )
        )
    return tuple(findings)


def option_method(plan: StudyPlan, result: Mapping[str, Any]) -> tuple[str, ...]:
    """How it was measured: n, exclusions, the fit, and the controls."""
    return (
        _(
            "{n} questions of {groups} groups ({layers}) with {options} options; {left_out} more "
            "do not show their options, had no finite score or were longer than the context. "
            "Drawing an option is right about {chance}, always the same place about {rate}, the "
            "model about {own}, the probe about {accuracy}.",
            n=result["n"],
            groups=result["groups"],
            layers=", ".join(layer_shown(plan.benchmark, layer) for layer in result["layers"]),
            options=", ".join(map(str, result[NUMBERS_OF_OPTIONS])),
            left_out=result["left_out"],
            chance=f"{result['chance']:.1%}",
            rate=f"{result['base_rate']:.1%}",
            own=f"{result['own_accuracy']:.1%}",
            accuracy=f"{result['accuracy']:.1%}",
        ),
        _(
            "Logistic regression (L2, C {penalty}, standardised) of whether an option is the right "
            "one, on the residual stream at its last token in the prompt, less the means of the "
            "question's options and of the option's place; {folds} folds of whole groups; the "
            "block is chosen in {inner} folds inside each training part: {chosen}. Pairs of the "
            "right and a wrong option of one question are ranked; 95 % intervals by bootstrap over "
            "groups.",
            penalty=INVERSE_PENALTY,
            folds=FOLDS,
            inner=INNER_FOLDS,
            chosen=", ".join(map(str, result["chosen_blocks"])),
        ),
        _(
            "Controls: in each question an option drawn at random is called right (mean of "
            "{shuffles}) {shuffled}; words of the option and of the sentences that name it "
            "{words}; embeddings at its last token {embedding}; its place {place}; the model's own "
            "log-likelihoods, recalibrated by place and length in the same folds, {margin}; "
            "selectivity {selectivity} over a random figure for each option's text.",
            shuffles=SHUFFLES,
            shuffled=auc_text(result, "shuffled_auc"),
            words=auc_text(result, "bag_of_words_auc"),
            embedding=auc_text(result, "embedding_auc")
            if "embedding_auc" in result
            else _("not readable"),
            place=auc_text(result, "place_auc"),
            margin=auc_text(result, "margin_auc"),
            selectivity=short(result["selectivity"]),
        ),
    )


def _nearest_control(result: Mapping[str, Any]) -> str:
    """The control without the model's work that the probe is least surely above."""
    lows = {}
    for name in _CONTROLS:
        if f"over_{name}" in result:
            interval = result[f"over_{name}_interval"]
            lows[name] = result[f"over_{name}"] if interval is None else interval[0]
    return min(lows, key=lambda name: lows[name])
