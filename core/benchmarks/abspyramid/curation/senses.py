"""The sense of a verb in its head event, and what that sense is a kind of (section 4.3).

The paper picks the sense with GlossBERT, a classifier of a sentence with a gloss. Here the sense
is the one whose gloss the model finds likeliest, a token, after the sentence; the most frequent
sense, which WordNet gives first, where no model scores.
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
    """As WordNet's readers name it: "chase.v.01"."""
    gloss: str
    """Its definition, without the examples."""
    hypernyms: tuple[str, ...]
    """The words of every sense that it is a kind of, with spaces for underscores."""


class VerbSenses(Protocol):
    """A WordNet, as far as verbs are looked up in it."""

    def verb_senses(self, verb: str) -> Sequence[Sense]:
        """The senses of a verb in any inflection, the most frequent first; none if unknown."""
        ...


@dataclass(frozen=True, slots=True)
class Chosen:
    """The sense that was chosen."""

    sense: Sense
    how: str
    """`SCORED`, `FIRST` where nothing scored, `ONLY` where there was no choice."""


def senses_of(verb: Instance, form: str, wordnet: VerbSenses) -> Sequence[Sense]:
    """The senses of a verb with its particle, where WordNet has that, else of the verb.

    `form` is how the verb stands in the head event, tried where its lemma is not known.
    """
    words = [verb.lemma, form]
    tried = [f"{word} {verb.particle}" for word in words if verb.particle] + words
    return next((found for word in tried if (found := wordnet.verb_senses(word))), ())


async def choose(senses: Sequence[Sense], prompt: str, model: Model | None) -> Chosen | None:
    """The sense that is meant; None where there is none. Raises `ModelError`."""
    if not senses:
        return None
    if len(senses) == 1:
        return Chosen(senses[0], ONLY)
    if model is None or Ability.SCORE not in model.info.abilities:
        return Chosen(senses[0], FIRST)
    scores = await model.score(prompt, [f" {sense.gloss}" for sense in senses])
    best = max(range(len(senses)), key=lambda i: _mean(scores[i]))
    return Chosen(senses[best], SCORED)


def _mean(score: OptionScore) -> float:
    """Log-likelihood of a token, of a byte where tokens are not told: long glosses are no worse."""
    return score.logprob / (score.tokens or score.bytes or 1)
