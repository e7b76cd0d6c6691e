"""What is shown of a direction study: the finding, its curves by block, and its method."""

from __future__ import annotations

from typing import Any

from core.studies.direction import RANDOM, SHUFFLES, STRENGTHS, WHOLE
from core.studies.plan import Study
from core.studies.report import Curve, CurvePlot, StudyReport, StudyTable, interval_ends, origin
from core.text.language import N_, _

TITLE = N_("Directions that move the answer")


def direction_report(study: Study) -> StudyReport:
    """What a finished direction study shows."""
    result = study.result or {}
    blocks = result["blocks"]
    columns = (
        "block", "norm", *(f"effect x {strength:g}" for strength in STRENGTHS), "random x 1",
        "difference", "low", "high",
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
        _("change of the margin of “{raised}”, in nats", raised=result["raised"]),
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
    return StudyReport(
        _(TITLE), _findings(result), _method(study, result), StudyTable(columns, rows), picture
    )


def _nats(figures: dict[str, Any], name: str) -> str:
    interval = figures[f"{name}_interval"]
    ends = "" if interval is None else f" [{interval[0]:+.3f}, {interval[1]:+.3f}]"
    return f"{figures[name]:+.3f}{ends}"


def _findings(result: dict[str, Any]) -> tuple[str, ...]:
    figures = {
        "raised": result["raised"],
        "effect": _nats(result, "effect"),
        "random": _nats(result, "random"),
        "difference": _nats(result, "difference"),
        "p": f"{result['p']:.2f}".removeprefix("0"),
    }
    if result["moves_the_answer"]:
        finding = _(
            "The direction moves the answer: learned on some groups and added to others, it "
            "changes the margin of “{raised}” by {effect} nats, random ones of the same norm by "
            "{random}; the difference is {difference}, p {p}.",
            **figures,
        )
    else:
        finding = _(
            "The direction is not shown to move the answer: it changes the margin of “{raised}” "
            "by {effect} nats, random ones of the same norm by {random}; the difference is "
            "{difference}, p {p}.",
            **figures,
        )
    effects = [
        _(
            "Side effect on layer {layer}: {before} of {n} right before, {after} after; the right "
            "option's margin changes by {change} nats.",
            layer=effect["layer"],
            before=effect["right_before"],
            after=effect["right_after"],
            n=effect["n"],
            change=_nats(effect, "change"),
        )
        for effect in result["side_effects"]
    ]
    return (finding, *effects)


def _method(study: Study, result: dict[str, Any]) -> tuple[str, ...]:
    plan = study.plan
    return (
        _(
            "{n} questions of {groups} groups ({layers}); {left_out} more had no finite score. "
            "Direction: in each group the mean residual stream at the answer position of questions "
            "whose right answer is “{raised}” minus that of “{lowered}”, averaged over groups.",
            n=result["n"],
            groups=result["groups"],
            layers=", ".join(result["layers"]),
            left_out=result["left_out"],
            raised=result["raised"],
            lowered=result["lowered"],
        ),
        _(
            "Learned on half of the groups and added at the answer position of the other half's "
            "questions, both ways; the block is the best of the half that it was learned on: "
            "{chosen}, never the last, where what is added is read out as it is. Added to {added} "
            "questions, drawn where there are more. Controls: {random} random directions of the "
            "same norm; {shuffled} directions learned alike from labels shuffled inside the "
            "groups, added to {tested} of the questions, which give p. 95 % intervals, by "
            "bootstrap over groups, are of these directions as they are.",
            shuffled=SHUFFLES,
            added=result["added_to"],
            tested=result["tested"],
            chosen=", ".join(map(str, result["chosen_blocks"])),
            random=RANDOM,
        ),
        *origin(plan),
    )
