"""Chooses the WordNet sense of a verb in its head event (section 4.3).

The paper uses GlossBERT, which classifies pairs of sentence and gloss. Here it is the sense whose
gloss has the highest mean log-likelihood per token after the sentence; without a model that can
score it is the most frequent sense, which WordNet lists first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.benchmarks.abspyramid.curation.instances import Instance
from core.benchmarks.abspyramid.wordnet import Sense
from core.contract.question import OptionScore
from core.models.protocol import Ability, Model

FIRST = "first"
ONLY = "only"
SCORED = "scored"


VerbSenses = Callable[[str], Sequence[Sense]]
"""The senses of a verb in any inflection, the most frequent first; none if unknown."""


@dataclass(frozen=True, slots=True)
class ChosenSense:
    """The chosen sense of a verb."""

    sense: Sense
    how: str
    """`SCORED`; `FIRST` if no model could score; `ONLY` if there was one sense."""


def senses_of(verb: Instance, verb_senses: VerbSenses) -> Sequence[Sense]:
    """The senses of a verb with its particle if there are any, else of the verb alone.

    The form in the head event is looked up if the lemma is unknown.
    """
    words = [verb.lemma, verb.text]
    lookups = [f"{word} {verb.particle}" for word in words if verb.particle] + words
    return next((senses for word in lookups if (senses := verb_senses(word))), ())


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
