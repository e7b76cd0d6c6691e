"""Chooses the WordNet sense of a verb in its head event (section 4.3).

The paper uses GlossBERT, which classifies pairs of sentence and gloss. Here it is the sense whose
gloss has the highest mean log-likelihood per token after the sentence; without a model that can
score it is the most frequent sense, which WordNet lists first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from core.benchmarks.abspyramid.curation.instances import Instance
from core.contract.question import OptionScore
from core.models.protocol import Ability, Model

FIRST = "first"
ONLY = "only"
SCORED = "scored"


@dataclass(frozen=True, slots=True)
class Sense:
    """A sense of a verb in WordNet."""

    name: str
    """Name in the usual form: "chase.v.01"."""
    gloss: str
    """Its definition, without the examples."""
    hypernyms: tuple[str, ...]
    """Words of all direct hypernyms, with spaces for underscores."""


class VerbSenses(Protocol):
    """A WordNet in which verbs can be looked up."""

    def verb_senses(self, verb: str) -> Sequence[Sense]:
        """The senses of a verb in any inflection, the most frequent first; none if unknown."""
        ...


@dataclass(frozen=True, slots=True)
class ChosenSense:
    """The chosen sense of a verb."""

    sense: Sense
    how: str
    """`SCORED`; `FIRST` if no model could score; `ONLY` if there was one sense."""


def senses_of(verb: Instance, form: str, wordnet: VerbSenses) -> Sequence[Sense]:
    """The senses of a verb with its particle if WordNet has them, else of the verb alone.

    `form` is the inflected form in the head event, looked up if the lemma is unknown.
    """
    words = [verb.lemma, form]
    lookups = [f"{word} {verb.particle}" for word in words if verb.particle] + words
    return next((senses for word in lookups if (senses := wordnet.verb_senses(word))), ())


async def choose_sense(
    senses: Sequence[Sense], prompt: str, model: Model | None
) -> ChosenSense | None:
    """Choose one of the senses; None if there are none. Raises `ModelError`."""
    if not senses:
        return None
    if len(senses) == 1:
        return ChosenSense(senses[0], ONLY)
    if model is None or Ability.SCORE not in model.info.abilities:
        return ChosenSense(senses[0], FIRST)
    scores = await model.score(prompt, [f" {sense.gloss}" for sense in senses])
    best = max(range(len(senses)), key=lambda i: _mean_logprob(scores[i]))
    return ChosenSense(senses[best], SCORED)


def _mean_logprob(score: OptionScore) -> float:
    """Mean log-likelihood per token, or per byte if tokens are unknown: length does not count."""
    return score.logprob / (score.tokens or score.bytes or 1)
