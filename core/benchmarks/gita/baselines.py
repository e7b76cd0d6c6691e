"""What trivial answers reach in the figures of GITA, through the whole chain of layers.

A layer counts only for stories that were right in the layers before. What an answer reaches
there is therefore what all the answers up to it reach together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product

from core.benchmarks.gita.item import PAIRS, STATES, Kind
from core.benchmarks.gita.profiles import Profile
from core.benchmarks.gita.questions import CONFLICT, STATE, STORY
from core.contract.question import Verdict
from core.contract.summary import Baseline
from core.text.language import N_, _

_CHAIN = (STORY, CONFLICT, STATE)
_ANNOTATION = {STORY: "plausible", CONFLICT: "pair", STATE: "state"}
"""The tag with the right answer of each layer; empty where it is not known."""
_OPTIONS = {STORY: 2, CONFLICT: len(PAIRS), STATE: len(STATES)}
_MAJORITY = {CONFLICT: N_("majority pair"), STATE: N_("majority pair and state")}
_CHANCE = {
    STORY: N_("each answer equally often"),
    CONFLICT: N_("each answer equally often, in this layer and the one before"),
    STATE: N_("each answer equally often, in this layer and the two before"),
}
_FALSE = "false"


class TrivialAnswers:
    """Trivial answers to the stories of a run, scored under a profile as a model's are."""

    def __init__(self, profile: Profile, verdicts: Mapping[str, Sequence[Verdict]]) -> None:
        """Take the verdicts of a run by layer; those of the first layer stand for its stories."""
        self._profile = profile
        self._stories = verdicts[STORY]
        self._chances = {
            layer: {v.item: 1 / len(v.options) for v in verdicts[layer] if v.options}
            for layer in _CHAIN
        }
        self._usual = {
            layer: math.fsum(chances.values()) / len(chances) if chances else 1 / _OPTIONS[layer]
            for layer, chances in self._chances.items()
        }
        self._right: dict[tuple[str, ...], Sequence[Verdict]] = {}

    def baselines(self, layer: str, kind: Kind | None, n: int) -> dict[str, Baseline]:
        """The baselines of the figure of a layer over `n` stories, of one kind or of all."""
        if not n:
            return {}
        fixed: dict[str, tuple[str, ...]] = {N_("always false"): (_FALSE,)}
        if layer != STORY:
            fixed = {
                _MAJORITY[layer]: self._majority(layer),
                N_("best fixed answers"): self._best(layer, kind),
            }
        return {
            N_("chance"): Baseline(self._guessed(layer, kind) / n, _(_CHANCE[layer])),
            **{
                name: Baseline(self._count(answers, kind) / n, _in_words(answers))
                for name, answers in fixed.items()
                if all(answers)
            },
        }

    def _majority(self, layer: str) -> tuple[str, ...]:
        """“false”, then the commonest answer of each later layer over all implausible stories."""
        implausible = [v for v in self._stories if self._profile.implausible(v.tags)]
        answers = [_FALSE]
        for later in _CHAIN[1 : _CHAIN.index(layer) + 1]:
            annotated = Counter(v.tags[_ANNOTATION[later]] for v in implausible)
            del annotated[""]
            answers.append(annotated.most_common(1)[0][0] if annotated else "")
        return tuple(answers)

    def _best(self, layer: str, kind: Kind | None) -> tuple[str, ...]:
        """The answers, the same to all stories, with which most of one kind are right."""
        layers = _CHAIN[: _CHAIN.index(layer) + 1]
        annotated = (Counter(v.tags[_ANNOTATION[each]] for v in self._stories) for each in layers)
        candidates = product(*([answer for answer in each if answer] for each in annotated))
        return max(candidates, key=lambda answers: self._count(answers, kind), default=("",))

    def _count(self, answers: tuple[str, ...], kind: Kind | None) -> int:
        """How many stories of a kind are right with fixed answers, one for each layer."""
        right = self._answered(answers)
        return sum(kind is None or self._profile.kind(v.tags) is kind for v in right)

    def _answered(self, answers: tuple[str, ...]) -> Sequence[Verdict]:
        """The stories for which fixed answers are right, in the last of these layers."""
        if answers not in self._right:
            *before, last = answers
            layer, asked = _CHAIN[len(before)], self._stories
            if before:
                passed = {self._profile.name(v) for v in self._answered(tuple(before))}
                asks = self._profile.asks[layer]
                asked = [v for v in asked if asks(v.tags) and self._profile.name(v) in passed]
            tag = _ANNOTATION[layer]
            self._right[answers] = [v for v in asked if last and v.tags[tag] == last]
        return self._right[answers]

    def _guessed(self, layer: str, kind: Kind | None) -> float:
        """The expected number of right stories of a kind where every layer is guessed evenly."""
        reached = {self._profile.name(v): 1.0 for v in self._stories}
        for each in _CHAIN[: _CHAIN.index(layer) + 1]:
            asks = self._profile.asks.get(each)
            asked = [v for v in self._stories if asks is None or asks(v.tags)]
            chances = [self._chance(each, v) for v in asked]
            if each == layer:
                return math.fsum(
                    reached[self._profile.name(v)] * chance
                    for v, chance in zip(asked, chances, strict=True)
                    if kind is None or self._profile.kind(v.tags) is kind
                )
            # Stories of one name pass together as soon as one of them is right.
            failed = dict.fromkeys(reached, 1.0)
            for verdict, chance in zip(asked, chances, strict=True):
                failed[self._profile.name(verdict)] *= 1 - chance
            reached = {name: share * (1 - failed[name]) for name, share in reached.items()}
        raise ValueError(layer)

    def _chance(self, layer: str, story: Verdict) -> float:
        """The probability that a guess is right; 0 where no right answer is annotated.

        A story that was not asked has as many options as those that were, on average.
        """
        if not story.tags[_ANNOTATION[layer]]:
            return 0.0
        return self._chances[layer].get(story.item, self._usual[layer])


def _in_words(answers: Sequence[str]) -> str:
    """Fixed answers in words: always “false”, then “0 and 1”."""
    return _("always {answers}", answers=_(", then ").join(f"“{answer}”" for answer in answers))
