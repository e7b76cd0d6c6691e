"""What trivial answers reach in the figures of GITA, through the whole chain of layers.

A layer counts only for stories that were right in the layers before. What an answer reaches
there is therefore what all the answers up to it reach together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

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


class _Story(NamedTuple):
    """What the figures need to know of a story."""

    name: str
    """The name that links it from layer to layer."""
    kind: Kind
    implausible: bool
    answers: tuple[str, ...]
    """The right answer of each layer; empty where it is not known."""
    asked: tuple[bool, ...]
    """Whether each layer asks it, if it was right in the layer before."""
    chances: tuple[float, ...]
    """The probability in each layer that a guess is right."""


class TrivialAnswers:
    """Trivial answers to the stories of a run, scored under a profile as a model's are."""

    def __init__(self, profile: Profile, verdicts: Mapping[str, Sequence[Verdict]]) -> None:
        """Take the verdicts of a run by layer; those of the first layer stand for its stories."""
        chances = [_Chances(verdicts[layer], _OPTIONS[layer]) for layer in _CHAIN]
        self._stories = [
            _story(profile, verdict, [each.of(verdict.item) for each in chances])
            for verdict in verdicts[STORY]
        ]
        self._right: dict[tuple[str, ...], Mapping[str, Sequence[_Story]]] = {}

    def baselines(self, layer: str, kind: Kind | None, n: int) -> dict[str, Baseline]:
        """The baselines of the figure of a layer over `n` stories, of one kind or of all."""
        if not n:
            return {}
        depth = _CHAIN.index(layer) + 1
        fixed: dict[str, tuple[str, ...]] = {N_("always false"): (_FALSE,)}
        if layer != STORY:
            fixed = {
                _MAJORITY[layer]: self._majority(depth),
                N_("best fixed answers"): self._best(depth, kind),
            }
        return {
            N_("chance"): Baseline(self._guessed(depth, kind) / n, _(_CHANCE[layer])),
            **{
                name: Baseline(self._count(answers, kind) / n, _in_words(answers))
                for name, answers in fixed.items()
                if all(answers)
            },
        }

    def _majority(self, depth: int) -> tuple[str, ...]:
        """“false”, then the commonest answer of each later layer over all implausible stories."""
        answers = [_FALSE]
        for index in range(1, depth):
            annotated = Counter(each.answers[index] for each in self._stories if each.implausible)
            del annotated[""]
            answers.append(annotated.most_common(1)[0][0] if annotated else "")
        return tuple(answers)

    def _best(self, depth: int, kind: Kind | None) -> tuple[str, ...]:
        """The answers, the same to all stories, with which most of one kind are right."""
        candidates: list[tuple[str, ...]] = [()]
        for _index in range(depth):
            candidates = [(*each, last) for each in candidates for last in self._by_last(each)]
        return max(candidates, key=lambda answers: self._count(answers, kind), default=("",))

    def _count(self, answers: tuple[str, ...], kind: Kind | None) -> int:
        """How many stories of a kind are right with fixed answers, one for each layer."""
        right = self._by_last(answers[:-1]).get(answers[-1], ())
        return sum(kind is None or each.kind is kind for each in right)

    def _by_last(self, before: tuple[str, ...]) -> Mapping[str, Sequence[_Story]]:
        """The stories that a layer asks after fixed answers, by its right answer, where known."""
        if before not in self._right:
            index = len(before)
            asked = [each for each in self._stories if each.asked[index]]
            if before:
                passed = {each.name for each in self._by_last(before[:-1]).get(before[-1], ())}
                asked = [each for each in asked if each.name in passed]
            right: dict[str, list[_Story]] = {}
            for each in asked:
                if each.answers[index]:
                    right.setdefault(each.answers[index], []).append(each)
            self._right[before] = right
        return self._right[before]

    def _guessed(self, depth: int, kind: Kind | None) -> float:
        """The expected number of right stories of a kind where every layer is guessed evenly."""
        reached = {each.name: 1.0 for each in self._stories}
        for index in range(depth - 1):
            # Stories of one name pass together as soon as one of them is right.
            failed = dict.fromkeys(reached, 1.0)
            for each in self._stories:
                failed[each.name] *= 1 - each.chances[index]
            reached = {name: share * (1 - failed[name]) for name, share in reached.items()}
        return math.fsum(
            reached[each.name] * each.chances[depth - 1]
            for each in self._stories
            if kind is None or each.kind is kind
        )


class _Chances:
    """The probability that a guess is right, of the stories that were asked in a layer.

    A story that was not asked has as many options as those that were, on average.
    """

    def __init__(self, verdicts: Sequence[Verdict], options: int) -> None:
        self._known = {v.item: 1 / len(v.options) for v in verdicts if v.options}
        known = self._known.values()
        self._usual = math.fsum(known) / len(known) if known else 1 / options

    def of(self, item: str) -> float:
        return self._known.get(item, self._usual)


def _story(profile: Profile, verdict: Verdict, chances: Sequence[float]) -> _Story:
    tags = verdict.tags
    answers = tuple(tags[_ANNOTATION[layer]] for layer in _CHAIN)
    asked = tuple(layer == STORY or profile.asks[layer](tags) for layer in _CHAIN)
    can_be_right = [bool(answer) and due for answer, due in zip(answers, asked, strict=True)]
    return _Story(
        profile.name(verdict),
        profile.kind(tags),
        profile.implausible(tags),
        answers,
        asked,
        tuple(chance * can for chance, can in zip(chances, can_be_right, strict=True)),
    )


def _in_words(answers: Sequence[str]) -> str:
    """Fixed answers in words: always “false”, then “0 and 1”."""
    return _("always {answers}", answers=_(", then ").join(f"“{answer}”" for answer in answers))
