"""What is shown of a direction study: the finding, its curves by block, and its method."""

from __future__ import annotations

from typing import Any

from core.layout.figures import p_text, proportion
from core.studies.direction import RANDOM, SHUFFLES, STRENGTHS, WHOLE
from core.studies.other_questions import MOST_QUESTIONS
from core.studies.plan import Study
from core.studies.report import (
    Cell,
    Curve,
    CurvePlot,
    StudyReport,
    StudyTable,
    count_words,
    interval_ends,
    layer_shown,
    origin,
)
from core.studies.side_effects import CONTROLS, measured_side_effects, side_effect_name
from core.studies.world_cases import compared_names
from core.text.language import N_, _, translated
from core.text.shown_number import ShownNumber

TITLE = N_("Directions that move the answer")
EFFECT = N_("effect x")
"""A column of effects; the strength follows."""
SIDE_EFFECT_COLUMNS = (
    N_("questions"), "n", N_("right before"), N_("right after"), f"{EFFECT} 1", N_("random x 1"),
    "p", N_("difference"), N_("low"), N_("high"),
)  # fmt: skip
"""The columns of side effects."""


def direction_report(study: Study) -> StudyReport:
    """What a finished direction study shows."""
    result = study.result or {}
    blocks = result["blocks"]
    columns = (
        N_("block"), N_("norm"), *(f"{EFFECT} {strength:g}" for strength in STRENGTHS),
        N_("random x 1"), N_("difference"), N_("low"), N_("high"),
    )  # fmt: skip
    rows = tuple(
        (
            block["block"],
            block["norm"],
            *(effect["effect"] for effect in block["effects"]),
            block["random"],
            block["difference"],
            *(block["difference_interval"] or (None, None)),
        )
        for block in blocks
    )
    whole = [block["effects"][WHOLE] for block in blocks]
    picture = CurvePlot(
        _(TITLE),
        _("change of the margin of “{raised}”, in nats", raised=compared_names(result)[1]),
        (
            Curve(
                _("learned direction"),
                tuple(effect["effect"] for effect in whole),
                tuple(interval_ends(effect["effect_interval"]) for effect in whole),
            ),
            Curve(
                _("random directions"),
                tuple(block["random"] for block in blocks),
                tuple(interval_ends(block["random_interval"]) for block in blocks),
            ),
        ),
        ((_("none"), 0.0),),
    )
    side_effects = tuple(map(_side_effect_row, measured_side_effects(result)))
    return StudyReport(
        _(TITLE),
        (_finding(result), *_side_effects(result)),
        _method(study, result),
        StudyTable(columns, rows),
        picture,
        side_effects=StudyTable(SIDE_EFFECT_COLUMNS, side_effects, _("Side effects"))
        if side_effects
        else None,
    )


def _side_effect_row(effect: dict[str, Any]) -> tuple[Cell, ...]:
    return (
        side_effect_name(effect),
        *(effect[name] for name in ("n", "right_before", "right_after", "change", "random", "p")),
        effect["difference"],
        *(effect["difference_interval"] or (None, None)),
    )


def _nats(figures: dict[str, Any], name: str) -> str:
    interval = figures[f"{name}_interval"]
    figure, *ends = (f"{ShownNumber(each):+.3f}" for each in (figures[name], *(interval or ())))
    return f"{figure} [{', '.join(ends)}]" if ends else figure


def _finding(result: dict[str, Any]) -> str:
    figures = {
        "raised": compared_names(result)[1],
        "effect": _nats(result, "effect"),
        "random": _nats(result, "random"),
        "difference": _nats(result, "difference"),
        "p": p_text(result["p"]),
    }
    if result["moves_the_answer"]:
        return _(
            "The direction moves the answer: learned on some groups and added to others, it "
            "changes the margin of “{raised}” by {effect} nats, random ones of the same norm by "
            "{random}; the difference is {difference}, p {p}.",
            **figures,
        )
    return _(
        "The direction is not shown to move the answer: it changes the margin of “{raised}” "
        "by {effect} nats, random ones of the same norm by {random}; the difference is "
        "{difference}, p {p}.",
        **figures,
    )


def _side_effects(result: dict[str, Any]) -> list[str]:
    """What goes beyond random directions, with its figures, then what does not."""
    measured = measured_side_effects(result)
    sentences = [
        _(
            "Side effect on {questions}: {before} of {n} right before, {after} after; the right "
            "option's margin changes by {change} nats, with random directions of the same norm by "
            "{random}; p {p}.",
            questions=side_effect_name(effect),
            before=effect["right_before"],
            after=effect["right_after"],
            n=effect["n"],
            change=_nats(effect, "change"),
            random=_nats(effect, "random"),
            p=p_text(effect["p"]),
        )
        for effect in measured
        if effect["beyond_random"]
    ]
    others = [side_effect_name(effect) for effect in measured if not effect["beyond_random"]]
    if others:
        sentences.append(
            _(
                "No side effect beyond those of random directions is shown on {questions}.",
                questions=", ".join(others),
            )
        )
    return sentences


def _method(study: Study, result: dict[str, Any]) -> tuple[str, ...]:
    plan = study.plan
    return (
        _learned(study.plan.benchmark, result),
        _(
            "Learned on half of the groups and added at the answer position of the other half's "
            "questions, both ways; the block is the best of the half that it was learned on: "
            "{chosen}, never the last, where what is added is read out as it is. Added to {added} "
            "questions, drawn where there are more. Controls: {random} random directions of the "
            "same norm; {shuffled} directions learned alike from labels shuffled inside the "
            "groups, added to {tested} of the questions, which give p, at the least {least}. "
            "95 % intervals, by bootstrap over groups, are of these directions as they are.",
            shuffled=SHUFFLES,
            least=proportion(1 / (SHUFFLES + 1)),
            added=result["added_to"],
            tested=result["tested"],
            chosen=", ".join(map(str, result["chosen_blocks"])),
            random=RANDOM,
        ),
        _(
            "Side effects: on up to {most} questions, drawn where there are more, of each other "
            "task layer about these items, and of the first layer with options in the bundled "
            "collection of every other installed benchmark. The same direction is added at their "
            "answer positions; other benchmarks get the one learned on all groups, in block "
            "{block}. Control: {controls} random directions of the same norm; p is of one "
            "two-sided test over all these layers, and a change is named where p is at most .05 "
            "and the interval of the difference excludes 0.",
            most=MOST_QUESTIONS,
            block=result["vector"]["block"],
            controls=CONTROLS,
        ),
        *_not_measured(result),
        *origin(plan),
    )


def _learned(benchmark: str, result: dict[str, Any]) -> str:
    """What a direction was learned from, in sentences."""
    layers = ", ".join(layer_shown(benchmark, layer) for layer in result["layers"])
    if "worlds" in result:
        worlds = " → ".join(
            count_words([(translated(name), count) for name, count in world.items()])
            for world in result["worlds"]
        )
        return _(
            "{n} questions of {groups} groups ({layers}), each item in two worlds: {worlds}; "
            "{left_out} more had no finite score or were longer than the context. Direction: in "
            "each group the mean residual stream at the answer position in the changed world "
            "minus that in the world as it is, averaged over groups. Margin: of the option that is "
            "right in the changed world over the one that is right in the world as it is.",
            n=result["n"],
            groups=result["groups"],
            layers=layers,
            worlds=worlds,
            left_out=result["left_out"],
        )
    lowered, raised = compared_names(result)
    return _(
        "{n} questions of {groups} groups ({layers}); {left_out} more had no finite score or were "
        "longer than the context. "
        "Direction: in each group the mean residual stream at the answer position of questions "
        "whose right answer is “{raised}” minus that of “{lowered}”, averaged over groups.",
        n=result["n"],
        groups=result["groups"],
        layers=layers,
        left_out=result["left_out"],
        raised=raised,
        lowered=lowered,
    )


def _not_measured(result: dict[str, Any]) -> tuple[str, ...]:
    """Which benchmarks and questions have no part in the side effects, and why."""
    reasons = [f"{each['name']}: {_(each['reason'])}" for each in result["not_asked"]]
    for effect in result["side_effects"]:
        counts = [
            (_("too long for the model's context"), effect["too_long"]),
            (_("without a finite score"), effect["no_score"]),
        ]
        met = [(reason, count) for reason, count in counts if count]
        if met:
            reasons.append(f"{side_effect_name(effect)}: {count_words(met)}")
    return (_("Left out of the side effects: {reasons}.", reasons="; ".join(reasons)),) * bool(
        reasons
    )
