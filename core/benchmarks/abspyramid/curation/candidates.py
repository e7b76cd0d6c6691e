"""Collects candidate concepts for an instance (section 4.3).

Verbs get the hypernyms of their WordNet sense; nouns and events get lists that a model writes.

The paper chooses the sense with GlossBERT, which classifies pairs of sentence and gloss. Here it is
the sense whose gloss has the highest mean log-likelihood per token after the sentence; without a
model that can score it is the most frequent sense, which WordNet lists first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from core.benchmarks.abspyramid.curation.concept_lists import (
    WANTED,
    ConceptFilter,
    RefusedConcept,
    read_list,
)
from core.benchmarks.abspyramid.curation.instances import Instance
from core.benchmarks.abspyramid.curation.prompts import SHOTS, Wordings
from core.benchmarks.abspyramid.tuples import Relation
from core.benchmarks.abspyramid.wordnet import Sense
from core.benchmarks.generation.rejection import Reason, Rejected
from core.benchmarks.generation.reply import generate, prompt_digest
from core.contract.question import Form, OptionScore
from core.models.protocol import Ability, Model

FIRST = "first"
ONLY = "only"
SCORED = "scored"
"""How the sense of a verb was chosen."""
TRIES = 3
"""Most lists to ask for while fewer than `WANTED` concepts were accepted."""
MOST_TOKENS = 200
"""Most tokens of one list."""


VerbSenses = Callable[[str], Sequence[Sense]]
"""The senses of a verb in any inflection, the most frequent first; none if unknown."""


@dataclass(frozen=True, slots=True)
class ChosenSense:
    """The chosen sense of a verb."""

    sense: Sense
    how: str
    """`SCORED`; `FIRST` if no model could score; `ONLY` if there was one sense."""


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer of the model."""

    negative: bool
    number: int
    """Number of the try, from 1."""
    prompt: str
    """SHA-256 of the prompt as it was sent to the model."""
    output: str
    tokens: int
    complete: bool
    reason: str = ""
    """Why the whole answer was rejected; empty if it is a list."""


class SenseRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The WordNet sense of a verb whose hypernyms are its concepts."""

    name: str
    gloss: str
    how: str


class Candidates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The concepts collected for one instance: a line of `candidates.jsonl`."""

    head: str
    start: int
    end: int
    relation: Relation
    concepts: tuple[str, ...]
    negatives: tuple[str, ...]
    """Hard negatives: related, but not meant to be valid. An annotator decides."""
    sense: SenseRecord | None
    refused: tuple[RefusedConcept, ...]
    answers: tuple[Answer, ...]

    def belongs_to(self, instance: Instance) -> bool:
        """Whether these are the candidates of an instance."""
        own = (self.head, self.start, self.end, self.relation)
        return own == (instance.head, instance.start, instance.end, instance.relation)


@dataclass(frozen=True, slots=True)
class Collector:
    """Collects candidates from WordNet and a model."""

    wordings: Wordings
    verb_senses: VerbSenses | None
    """None: verbs get no concepts."""
    model: Model | None
    """None: nouns and events get no concepts, and verbs their first sense."""
    form: Form = Form.BASE
    negatives: bool = True
    """Whether to ask for hard negatives too."""
    seed: int = 0
    """Seed for the order of the worked examples from the second try on."""
    shots: int = SHOTS
    """Number of worked examples in the prompt; fewer for a model with a short context."""

    async def collect(self, instance: Instance) -> Candidates:
        """The candidates of an instance; raises `ModelError`."""
        if instance.relation is Relation.VERB:
            return await self._collect_verb(instance)
        text = instance.text
        concepts, negatives = ConceptFilter(text), ConceptFilter(text)
        answers: list[Answer] = []
        if self.model is not None:
            answers += await self._ask(self.model, instance, concepts, negative=False)
            if self.negatives:
                negatives = ConceptFilter(text, tuple(concepts.taken))
                answers += await self._ask(self.model, instance, negatives, negative=True)
        return _record(instance, concepts, negatives, None, answers)

    async def _collect_verb(self, verb: Instance) -> Candidates:
        concepts = ConceptFilter(verb.lemma)
        chosen = None
        if self.verb_senses is not None:
            senses = senses_of(verb, self.verb_senses)
            prompt = self.wordings.sense_prompt(verb.head, verb.text)
            chosen = await choose_sense(senses, prompt, self.model)
        sense = None
        if chosen is not None:
            # Verbs have no limit of ten: all hypernyms are concepts.
            hypernyms = dict.fromkeys(chosen.sense.hypernyms)
            concepts = ConceptFilter(verb.lemma, wanted=len(hypernyms))
            concepts.add(hypernyms)
            sense = SenseRecord(chosen.sense.name, chosen.sense.gloss, chosen.how)
        return _record(verb, concepts, ConceptFilter(verb.text), sense, [])

    async def _ask(
        self, model: Model, instance: Instance, sieve: ConceptFilter, *, negative: bool
    ) -> list[Answer]:
        """Ask for lists until enough concepts are accepted or `TRIES` is reached."""
        wording = self.wordings.of(instance.relation, negative=negative)
        head, shown = instance.head, instance.text
        stop = ("\n",) if self.form is Form.BASE else ()
        answers: list[Answer] = []
        for number in range(1, TRIES + 1):
            # A greedy model would repeat itself, so later tries shuffle the examples.
            order = f"{self.seed}:{negative}:{shown}:{head}:{number}" if number > 1 else ""
            prompt = wording.prompt(head, shown, self.form, order=order, shots=self.shots)
            reply = await generate(model, prompt, max_tokens=MOST_TOKENS, stop=stop)
            reason = ""
            try:
                concepts = read_list(reply.text, complete=reply.complete)
                if any(concepts == example.answers for example in wording.examples):
                    raise Rejected(Reason.COPIED, "It is the answer of a worked example.")
                sieve.add(concepts)
            except Rejected as error:
                reason = error.what
            answers.append(
                Answer(
                    negative,
                    number,
                    prompt_digest(prompt),
                    reply.text,
                    reply.tokens,
                    reply.complete,
                    reason,
                )
            )
            if sieve.full:
                break
        return answers


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


def shortfall(candidates: Candidates, *, negatives: bool) -> int:
    """Number of concepts and hard negatives missing of the ten each for a noun or event."""
    if candidates.relation is Relation.VERB:
        return 0
    missing = WANTED - len(candidates.concepts)
    return missing + (WANTED - len(candidates.negatives) if negatives else 0)


def _record(
    instance: Instance,
    concepts: ConceptFilter,
    negatives: ConceptFilter,
    sense: SenseRecord | None,
    answers: Sequence[Answer],
) -> Candidates:
    return Candidates(
        instance.head,
        instance.start,
        instance.end,
        instance.relation,
        tuple(concepts.taken),
        tuple(negatives.taken),
        sense,
        (*concepts.refused, *negatives.refused),
        tuple(answers),
    )
