"""What length and prior of options do to a run: sum, per token, per byte, against the prior.

A sum favours short options, because every token makes it smaller; a mean over tokens or bytes
favours long ones. All three favour options that are likely anyway (`core.runs.priors`). Where they
differ, a figure says something about lengths and priors, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from core.contract.question import Verdict
from core.contract.summary import Summary
from core.contract.view import Cell, Grid
from core.layout.figures import proportion
from core.runs.priors import has_scored_options
from core.statistics.cluster_interval import interval_of_totals
from core.text.language import N_, _, translated


@dataclass(frozen=True, slots=True)
class RuleAccuracy:
    """How many questions of a layer one rule answers rightly."""

    rule: str
    right: int | None
    """None where the lengths or priors that the rule needs are not recorded."""
    n: int
    interval: tuple[float, float] | None
    """Wilson's 95 % interval for the effective number of independent questions; None where
    `right` is, and for fewer than three clusters."""


def by_likelihood(verdict: Verdict) -> int | None:
    """The option with the highest sum, as the run itself answers."""
    return _highest([score.logprob for score in verdict.scores])


def per_token(verdict: Verdict) -> int | None:
    """The option with the highest mean log-likelihood of a token."""
    try:
        return _highest([score.logprob / score.tokens for score in verdict.scores])
    except ZeroDivisionError:  # A length that is not known.
        return None


def per_byte(verdict: Verdict) -> int | None:
    """The option with the highest mean log-likelihood of a byte."""
    try:
        return _highest([score.logprob / score.bytes for score in verdict.scores])
    except ZeroDivisionError:  # A length that is not known.
        return None


def against_prior(verdict: Verdict) -> int | None:
    """The option whose sum is most above its log-probability after a content-free prompt."""
    pairs = zip(verdict.scores, verdict.priors, strict=True) if verdict.priors else ()
    return _highest([score.logprob - prior for score, prior in pairs])


def shortest(verdict: Verdict) -> int | None:
    """The option with the fewest bytes."""
    return _shortest(verdict.options)


def longest(verdict: Verdict) -> int | None:
    """The option with the most bytes."""
    return _longest(verdict.options)


RULES: Mapping[str, Callable[[Verdict], int | None]] = {
    N_("by sum"): by_likelihood,
    N_("per token"): per_token,
    N_("per byte"): per_byte,
    N_("against the prior"): against_prior,
    N_("always the shortest option"): shortest,
    N_("always the longest option"): longest,
}
"""The rules by name; equal options are answered by the first of them, as in the runs themselves."""


def accuracies(
    verdicts: Sequence[Verdict], cluster_tag: str = ""
) -> Mapping[str, Sequence[RuleAccuracy]]:
    """The accuracy of every rule in each layer whose options have priors or differ in length.

    Counted are single-choice answers by log-likelihood whose right option is known. Answers that
    share the value of `cluster_tag` are not independent.
    """
    by_layer: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        if has_scored_options(verdict) and verdict.gold is not None:
            by_layer.setdefault(verdict.layer, []).append(verdict)
    return {
        layer: _accuracies(scored, _Clusters([v.tags.get(cluster_tag) or v.item for v in scored]))
        for layer, scored in by_layer.items()
        if any(map(_differ, scored))
    }


class _Clusters:
    """The clusters of cases, numbered once for all rules."""

    def __init__(self, names: Sequence[str]) -> None:
        numbers: dict[str, int] = {}
        self._codes = [numbers.setdefault(name, len(numbers)) for name in names]
        self._sizes = [0] * len(numbers)
        for code in self._codes:
            self._sizes[code] += 1

    def interval(self, right: Sequence[bool]) -> tuple[float, float] | None:
        """The interval of the share of right cases."""
        rights = [0] * len(self._sizes)
        for code, is_right in zip(self._codes, right, strict=True):
            if is_right:
                rights[code] += 1
        return interval_of_totals(list(zip(rights, self._sizes, strict=True)))


def _accuracies(verdicts: Sequence[Verdict], clusters: _Clusters) -> list[RuleAccuracy]:
    """The accuracy of every rule over verdicts in clusters."""
    golds = [verdict.gold for verdict in verdicts]
    by_sum = [by_likelihood(verdict) for verdict in verdicts]
    accuracies = []
    for name, rule in RULES.items():
        picks = by_sum if rule is by_likelihood else _picks(rule, verdicts, by_sum)
        if picks is None:
            accuracies.append(RuleAccuracy(name, None, len(verdicts), None))
            continue
        right = [pick == gold for pick, gold in zip(picks, golds, strict=True)]
        accuracies.append(RuleAccuracy(name, sum(right), len(verdicts), clusters.interval(right)))
    return accuracies


def _picks(
    rule: Callable[[Verdict], int | None], verdicts: Sequence[Verdict], by_sum: Sequence[int | None]
) -> list[int | None] | None:
    """What a rule answers; None where what it needs is not recorded of all that have an answer."""
    picks = []
    for verdict, own in zip(verdicts, by_sum, strict=True):
        picks.append(pick := rule(verdict))
        if pick is None and own is not None:
            return None
    return picks


def with_option_length(
    summary: Summary,
    verdicts: Sequence[Verdict],
    titles: Mapping[str, str],
    cluster_tag: str = "",
) -> Summary:
    """The summary with a table of the rules; as it is where no layer has one."""
    layers = accuracies(verdicts, cluster_tag)
    if not layers:
        return summary
    rows = tuple(
        (
            Cell(translated(titles.get(layer, layer))),
            Cell(str(rules[0].n)),
            *(Cell(_accuracy_text(rule)) for rule in rules),
        )
        for layer, rules in layers.items()
    )
    table = Grid(
        _("By length and prior of the options"),
        (_("layer"), "n", *map(_, RULES)),
        rows,
        _(
            "Right answers of each layer by itself; only the sum counts in the figures. Against "
            "the prior is the sum less the option's log-probability after the same prompt with N/A "
            "for the item's texts, which evaluate asks with --prior. The last two columns answer "
            "without a model, by bytes, the first of equal options. Wilson's intervals for as many "
            "independent questions as these are worth."
        ),
    )
    return replace(summary, tables=(*summary.tables, table))


def _differ(verdict: Verdict) -> bool:
    """Whether the options have priors, or differ in length, in bytes or in tokens."""
    if verdict.priors:
        return True
    sizes = _sizes(verdict.options)
    return len(set(sizes)) > 1 or len({score.tokens for score in verdict.scores}) > 1


# Most questions of a layer have the same options.
@lru_cache(maxsize=1024)
def _sizes(options: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(len(option.encode("utf-8", "replace")) for option in options)


@lru_cache(maxsize=1024)
def _shortest(options: tuple[str, ...]) -> int | None:
    return _highest([-size for size in _sizes(options)])


@lru_cache(maxsize=1024)
def _longest(options: tuple[str, ...]) -> int | None:
    return _highest(_sizes(options))


def _highest(values: Sequence[float]) -> int | None:
    """The index of the first highest value; None where there is none that is a number."""
    highest, best = None, -math.inf
    for index, value in enumerate(values):
        if value > best or (highest is None and value == best):
            highest, best = index, value
    return highest


def _accuracy_text(rule: RuleAccuracy) -> str:
    if rule.right is None:
        return _("not asked") if RULES[rule.rule] is against_prior else _("not recorded")
    share = proportion(rule.right / rule.n)
    if rule.interval is None:
        return _("{share}, no interval", share=share)
    low, high = (f"{end:.2f}".removeprefix("0") for end in rule.interval)
    return f"{share} [{low}, {high}]"
