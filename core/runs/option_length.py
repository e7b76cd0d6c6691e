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

import numpy as np
from numpy.typing import NDArray

from core.contract.question import Verdict
from core.contract.summary import Summary
from core.contract.view import Cell, Grid
from core.layout.figures import proportion
from core.runs.priors import has_scored_options
from core.statistics.cluster_interval import interval_of_totals
from core.statistics.clusters import cluster_codes
from core.text.language import N_, _, translated

_Values = NDArray[np.float64]
"""A number for every option, of shape (questions, most options); NaN where there is none."""
_NO_PICK = -1


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


class _Options:
    """Scores, priors and lengths of the options of questions, as `_Values`."""

    def __init__(self, verdicts: Sequence[Verdict]) -> None:
        self._verdicts = verdicts
        self._counts = np.array([len(verdict.options) for verdict in verdicts])
        scores = [score for verdict in verdicts for score in verdict.scores]
        self.sums: _Values = self._values([score.logprob for score in scores])
        """Log-likelihoods, summed over the tokens of an option."""
        self.tokens: _Values = self._values([score.tokens for score in scores])
        """Numbers of tokens; 0 where they are not known."""
        self.bytes: _Values = self._values([score.bytes for score in scores])
        """Numbers of bytes that were scored; 0 where they are not known."""
        self.sizes: _Values = self._values([size for v in verdicts for size in _sizes(v.options)])
        """Lengths of the options' texts, in bytes."""
        self.have_priors = any(verdict.priors for verdict in verdicts)

    @property
    def priors(self) -> _Values:
        """Log-probabilities after a content-free prompt; NaN where they were not asked."""
        if not self.have_priors:
            return np.full_like(self.sums, np.nan)
        return self._values(
            [
                prior
                for verdict in self._verdicts
                for prior in verdict.priors or [math.nan] * len(verdict.options)
            ]
        )

    @property
    def differ(self) -> bool:
        """Whether the rules can disagree: there are priors, or options of unlike length."""
        return self.have_priors or any(
            bool((np.fmax.reduce(lengths, axis=1) > np.fmin.reduce(lengths, axis=1)).any())
            for lengths in (self.sizes, self.tokens)
        )

    def _values(self, numbers: Sequence[float]) -> _Values:
        """The numbers of all options, which follow each other, in a row for each question."""
        places = np.arange(self._counts.max()) < self._counts[:, None]
        values = np.full(places.shape, np.nan)
        values[places] = numbers
        return values


def _per_length(sums: _Values, lengths: _Values) -> _Values:
    """Sums by length; NaN for the questions of which a length is not known."""
    known = ~(lengths == 0).any(axis=1, keepdims=True)
    return np.divide(sums, lengths, where=known, out=np.full_like(sums, np.nan))


RULES: Mapping[str, Callable[[_Options], _Values]] = {
    N_("by sum"): lambda options: options.sums,
    N_("per token"): lambda options: _per_length(options.sums, options.tokens),
    N_("per byte"): lambda options: _per_length(options.sums, options.bytes),
    N_("against the prior"): lambda options: options.sums - options.priors,
    N_("always the shortest option"): lambda options: -options.sizes,
    N_("always the longest option"): lambda options: options.sizes,
}
"""What each rule compares. It picks the option with the highest number, the first of equal ones, as
the runs themselves do."""
_AGAINST_PRIOR = "against the prior"


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
    rules = {}
    for layer, scored in by_layer.items():
        options = _Options(scored)
        if options.differ:
            codes = cluster_codes([v.tags.get(cluster_tag) or v.item for v in scored])
            golds = np.array([v.gold for v in scored])
            rules[layer] = _accuracies(options, golds, codes)
    return rules


def _accuracies(
    options: _Options, golds: NDArray[np.intp], codes: NDArray[np.intp]
) -> list[RuleAccuracy]:
    """The accuracy of every rule.

    Args:
        options: of the questions.
        golds: the right option of each question.
        codes: the cluster of each question.
    """
    n = len(golds)
    sizes = np.bincount(codes).tolist()
    answered = _highest(options.sums) != _NO_PICK
    accuracies = []
    for name, values in RULES.items():
        with np.errstate(invalid="ignore"):  # Of infinite scores.
            picks = _highest(values(options))
        if (picks == _NO_PICK)[answered].any():
            accuracies.append(RuleAccuracy(name, None, n, None))
            continue
        right = picks == golds
        rights = np.bincount(codes[right], minlength=len(sizes)).tolist()
        interval = interval_of_totals(list(zip(rights, sizes, strict=True)))
        accuracies.append(RuleAccuracy(name, int(right.sum()), n, interval))
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


# Most questions of a layer have the same options.
@lru_cache(maxsize=1024)
def _sizes(options: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(len(option.encode("utf-8", "replace")) for option in options)


def _highest(values: _Values) -> NDArray[np.intp]:
    """The first option with the highest number of each question; `_NO_PICK` where it has none."""
    highest = np.fmax.reduce(values, axis=1)
    picks = (values == highest[:, None]).argmax(axis=1)
    return np.where(np.isnan(highest), _NO_PICK, picks)


def _accuracy_text(rule: RuleAccuracy) -> str:
    if rule.right is None:
        return _("not asked") if rule.rule == _AGAINST_PRIOR else _("not recorded")
    share = proportion(rule.right / rule.n)
    if rule.interval is None:
        return _("{share}, no interval", share=share)
    low, high = (f"{end:.2f}".removeprefix("0") for end in rule.interval)
    return f"{share} [{low}, {high}]"
