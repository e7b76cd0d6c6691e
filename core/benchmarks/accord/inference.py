"""The gap between ACCORD's variants, and what each hop and each distractor costs.

The gap is paired: a factual and an anti-factual question with the same tree, terms and pairing
template. The model is a logistic regression of right answers on hops, distractors and variant
(section 4.2 compares the costs of both). Answers to one pairing template are one cluster.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from string import ascii_uppercase
from typing import NamedTuple

from core.benchmarks.accord.scoring import ANTI_FACTUAL, FACTUAL, SIZE_TAGS, counted
from core.benchmarks.accord.task_layers import ANSWER, TWIN
from core.contract.question import Verdict
from core.contract.summary import Estimate, Inference
from core.files.installation import command_to_add_extra
from core.statistics.jackknife import FEWEST
from core.text import quantities
from core.text.language import N_, _, ngettext

_TOO_FEW = N_("too few pairings, or all differ equally")
_UNDETERMINED = N_("the answers do not determine it")


class _Pair(NamedTuple):
    """A factual and an anti-factual question with the same tree."""

    factual: Verdict
    anti_factual: Verdict

    @property
    def pairing(self) -> str:
        return self.anti_factual.tags["pairing"]

    def tag(self, name: str) -> str:
        """A tag that both have."""
        return self.anti_factual.tags[name]


def infer(verdicts: Sequence[Verdict], profile: str) -> Inference | None:
    """The estimates over a run's verdicts; None where no whole tree was asked."""
    answers = [v for v in counted(verdicts, profile) if v.layer in {ANSWER, TWIN}]
    sized = [v for v in answers if v.tags.keys() >= SIZE_TAGS | {"pairing", "variant"}]
    if not sized:
        return None
    pairs, unpaired = _pairs(sized)
    modelled = [v for v in sized if v.layer == ANSWER]
    model, missing = _model(modelled)
    notes = (_about_pairs(len(pairs), unpaired, len(answers) - len(sized)), *missing)
    return Inference(_("What variants, hops and distractors cost"), (*_gaps(pairs), *model), notes)


def _pairs(answers: Sequence[Verdict]) -> tuple[list[_Pair], int]:
    """Every anti-factual answer with the factual one to the same tree, and how many have none."""
    factual: dict[str, Verdict] = {}
    anti_factual = []
    for verdict in answers:
        tree = verdict.tags.get("tree", "")
        if verdict.tags["variant"] == ANTI_FACTUAL:
            anti_factual.append((tree, verdict))
        elif tree and verdict.tags["variant"] == FACTUAL:
            factual.setdefault(tree, verdict)
    pairs = [_Pair(factual[tree], verdict) for tree, verdict in anti_factual if tree in factual]
    return pairs, len(anti_factual) - len(pairs)


def _gaps(pairs: Sequence[_Pair]) -> list[Estimate]:
    """Factual minus anti-factual accuracy of all pairs, and by size and implied choice."""
    if not pairs:
        return []
    estimates = [_gap("factual − anti-factual", pairs)]
    for noun, tag in (("hop", "hops"), ("distractor", "distractors")):
        estimates += [
            _gap(f"gap, {quantities.counted(n, noun)}", of)
            for n, of in _by(pairs, [int(pair.tag(tag)) for pair in pairs])
        ]
    sizes = [int(pair.tag("hops")) + int(pair.tag("distractors")) for pair in pairs]
    estimates += [_gap(f"gap, trees of size {size}", of) for size, of in _by(pairs, sizes)]
    golds = [-1 if (gold := pair.anti_factual.gold) is None else gold for pair in pairs]
    estimates += [
        _gap(f"gap, choice {ascii_uppercase[gold]} implied", of)
        for gold, of in _by(pairs, golds)
        if 0 <= gold < len(ascii_uppercase)
    ]
    return estimates


def _by(pairs: Sequence[_Pair], values: Sequence[int]) -> list[tuple[int, list[_Pair]]]:
    """The pairs by a number of each, ascending."""
    groups: dict[int, list[_Pair]] = {}
    for pair, value in zip(pairs, values, strict=True):
        groups.setdefault(value, []).append(pair)
    return sorted(groups.items())


def _gap(name: str, pairs: Sequence[_Pair]) -> Estimate:
    from core.statistics.paired import paired_difference

    compared = paired_difference(
        [float(bool(pair.anti_factual.right)) for pair in pairs],
        [float(bool(pair.factual.right)) for pair in pairs],
        [pair.pairing for pair in pairs],
    )
    why = _(_TOO_FEW) if compared.interval is None else ""
    return Estimate(
        name, compared.difference, compared.interval, compared.n, compared.clusters, why
    )


def _model(answers: Sequence[Verdict]) -> tuple[list[Estimate], list[str]]:
    """Odds ratios of a logistic regression, and notes on it.

    Of hops, distractors and variant, those are left out that are the same for all answers.
    """
    factors = {
        "distractor": [float(v.tags["distractors"]) for v in answers],
        "hop": [float(v.tags["hops"]) for v in answers],
        "anti-factual": [float(v.tags["variant"] == ANTI_FACTUAL) for v in answers],
    }
    varying = {name: values for name, values in factors.items() if len(set(values)) > 1}
    right = [bool(v.right) for v in answers]
    if not varying or len(set(right)) < 2:
        reason = _("all trees are alike") if len(set(right)) > 1 else _("all answers are alike")
        return [], [_("No model of right answers: {reason}.", reason=reason)]
    try:
        from core.statistics.logistic import logistic
    except ImportError:
        note = _(
            "For the odds ratio of each hop and distractor install the extra: {command}.",
            command=command_to_add_extra("stats"),
        )
        return [], [note]
    pairings = [v.tags["pairing"] for v in answers]
    n, clusters = len(answers), len(set(pairings))
    fitted = logistic(list(zip(*varying.values(), strict=True)), right, pairings)
    constant = [name for name in factors if name not in varying]
    notes = [_about_model(constant)]
    if fitted is None:
        notes.append(
            _(
                "The model has no estimate: some sum of hops, distractors and variant separates "
                "right from wrong answers, or follows from the others."
            )
        )

    def estimate(name: str, weights: Sequence[float], *, ratio: bool) -> Estimate:
        if fitted is None:
            return Estimate(name, None, None, n, clusters, _(_UNDETERMINED))
        value, interval = float(fitted.values @ weights), fitted.interval(weights)
        why = ""
        if interval is None:
            why = _("too few pairings") if clusters < FEWEST else _("one pairing decides")
        if ratio:
            value = odds(value)
            interval = None if interval is None else (odds(interval[0]), odds(interval[1]))
        return Estimate(name, value, interval, n, clusters, why)

    estimates = []
    for index, name in enumerate(varying, start=1):
        weights = [float(position == index) for position in range(len(varying) + 1)]
        label = f"odds ratio, {name if name == 'anti-factual' else f'one more {name}'}"
        estimates.append(estimate(label, weights, ratio=True))
    if {"hop", "distractor"} <= varying.keys():
        names = ["", *varying]
        weights = [float(name == "hop") - float(name == "distractor") for name in names]
        estimates.append(estimate("log odds, hop − distractor", weights, ratio=False))
    return estimates, notes


def odds(log_odds: float) -> float:
    """The odds ratio of a difference of log odds; infinite where it is too large for a number."""
    return math.exp(log_odds) if log_odds < 700 else math.inf


def _about_pairs(pairs: int, unpaired: int, sizeless: int) -> str:
    note = ngettext(
        "The gap is factual minus anti-factual accuracy over {pairs} pair of questions with the "
        "same tree.",
        "The gap is factual minus anti-factual accuracy over {pairs} pairs of questions with the "
        "same tree.",
        pairs,
        pairs=pairs,
    )
    if not pairs:
        note = _(
            "No question was asked with both a factual and an anti-factual tree, so there is no "
            "gap to tell. The switch “implied” asks for the other one."
        )
    if unpaired:
        note += " " + ngettext(
            "Left out: {unpaired} anti-factual answer without a factual one to its tree.",
            "Left out: {unpaired} anti-factual answers without a factual one to their tree.",
            unpaired,
            unpaired=unpaired,
        )
    if sizeless:
        note += " " + ngettext(
            "{answers} answer without size, pairing or variant is left out of all estimates.",
            "{answers} answers without size, pairing or variant are left out of all estimates.",
            sizeless,
            answers=sizeless,
        )
    return note


def _about_model(constant: Sequence[str]) -> str:
    note = _(
        "Odds ratios are of a logistic regression of right answers to whole trees; below 1 means "
        "fewer right ones. Its intervals leave out one pairing at a time. In “hop − distractor”, "
        "below 0 means that a hop costs more."
    )
    if constant:
        without = _("The same for all answers, so not in the model: {names}.")
        note += " " + without.format(names=", ".join(constant))
    return note
