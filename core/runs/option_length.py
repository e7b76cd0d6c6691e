"""What length and prior of options do to a run: sum, per token, per byte, against the prior.

A sum favours short options, because every token makes it smaller; a mean over tokens or bytes
favours long ones. All three favour options that are likely anyway (`core.runs.priors`). Where they
differ, a figure says something about lengths and priors, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from core.contract.question import Verdict
from core.contract.summary import Summary
from core.contract.view import Cell, Grid
from core.layout.figures import proportion
from core.runs.priors import has_scored_options
from core.statistics.cluster_interval import interval_of_totals
from core.statistics.clusters import cluster_codes
from core.text.language import N_, _

_Floats = NDArray[np.float64]


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


class ScoredOptions:
    """The options of a layer's verdicts, one after another, with what was measured of each."""

    def __init__(self, verdicts: Sequence[Verdict]) -> None:
        """Hold the options of verdicts that have a score for each of them."""
        self._verdicts = verdicts
        counts = [len(verdict.scores) for verdict in verdicts]
        self._counts = np.array(counts, dtype=np.intp)
        self._starts = np.cumsum(self._counts) - self._counts
        scores = chain.from_iterable(verdict.scores for verdict in verdicts)
        columns = np.fromiter(chain.from_iterable(scores), np.float64, 3 * sum(counts))
        self.logprob, self.tokens, self.bytes = columns.reshape(-1, 3).T

    @property
    def priors(self) -> _Floats | None:
        """The prior of each option; None where a verdict with an answer has none."""
        if not all(verdict.priors or verdict.answer is None for verdict in self._verdicts):
            return None
        priors = (verdict.priors or (0.0,) * len(verdict.scores) for verdict in self._verdicts)
        return np.fromiter(chain.from_iterable(priors), np.float64, len(self.logprob))

    @cached_property
    def sizes(self) -> _Floats:
        """The length of each option's text in bytes."""
        sizes = chain.from_iterable(_sizes(verdict.options) for verdict in self._verdicts)
        return np.fromiter(sizes, np.float64, len(self.logprob))

    def per(self, lengths: _Floats) -> _Floats | None:
        """Log-likelihoods per token or byte; None where a length is not known."""
        if not lengths[~np.isnan(self.logprob)].all():
            return None
        return np.asarray(self.logprob / lengths)

    def highest(self, values: _Floats) -> NDArray[np.intp]:
        """The index of each verdict's first option with the highest value; -1 without a number."""
        owner = np.repeat(np.arange(len(self._counts)), self._counts)
        top = np.flatnonzero(values == np.fmax.reduceat(values, self._starts)[owner])[::-1]
        picks = np.full(len(self._counts), -1, dtype=np.intp)
        picks[owner[top]] = top - self._starts[owner[top]]
        return picks


def _against_prior(options: ScoredOptions) -> _Floats | None:
    priors = options.priors
    return None if priors is None else options.logprob - priors


_PRIOR = N_("against the prior")
RULES: Mapping[str, Callable[[ScoredOptions], _Floats | None]] = {
    N_("by sum"): lambda options: options.logprob,
    N_("per token"): lambda options: options.per(options.tokens),
    N_("per byte"): lambda options: options.per(options.bytes),
    _PRIOR: _against_prior,
    N_("always the shortest option"): lambda options: -options.sizes,
    N_("always the longest option"): lambda options: options.sizes,
}
"""By name, the value of each option by which a rule answers, or None where what it needs is not
recorded; equal options are answered by the first of them, as in the runs themselves."""


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
        layer: _accuracies(scored, [v.tags.get(cluster_tag) or v.item for v in scored])
        for layer, scored in by_layer.items()
        if any(map(_differ, scored))
    }


def _accuracies(verdicts: Sequence[Verdict], clusters: Sequence[str]) -> list[RuleAccuracy]:
    """The accuracy of every rule over verdicts, each with the name of its cluster."""
    options, codes = ScoredOptions(verdicts), cluster_codes(clusters)
    golds = np.array([verdict.gold for verdict in verdicts])
    sizes = np.bincount(codes).tolist()
    accuracies = []
    for name, rule in RULES.items():
        with np.errstate(all="ignore"):  # Scores may be infinite or no numbers.
            values = rule(options)
        if values is None:
            accuracies.append(RuleAccuracy(name, None, len(verdicts), None))
            continue
        right = options.highest(values) == golds
        rights = np.bincount(codes[right], minlength=len(sizes)).tolist()
        interval = interval_of_totals(Counter(zip(rights, sizes, strict=True)))
        accuracies.append(RuleAccuracy(name, int(right.sum()), len(verdicts), interval))
    return accuracies


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
            Cell(titles.get(layer, layer)),
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


def _accuracy_text(rule: RuleAccuracy) -> str:
    if rule.right is None:
        return _("not asked") if rule.rule == _PRIOR else _("not recorded")
    share = proportion(rule.right / rule.n)
    if rule.interval is None:
        return _("{share}, no interval", share=share)
    low, high = (f"{end:.2f}".removeprefix("0") for end in rule.interval)
    return f"{share} [{low}, {high}]"
