"""Candidate concepts of one instance: hypernyms of verbs, a model's lists for nouns and events."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

import msgspec

from core.benchmarks.abspyramid.curation.concept_lists import WANTED, Refused, Sieve, read_list
from core.benchmarks.abspyramid.curation.instances import Instance
from core.benchmarks.abspyramid.curation.prompts import SHOTS, Wordings
from core.benchmarks.abspyramid.curation.senses import VerbSenses, choose, senses_of
from core.benchmarks.abspyramid.tuples import Relation
from core.benchmarks.generation.rejection import Reason, Rejected
from core.benchmarks.generation.reply import Reply, prompt_digest
from core.contract.question import Form, Prompt
from core.models.protocol import Model

TRIES = 3
"""Most lists that are asked for where fewer concepts than wanted are taken."""
MOST_TOKENS = 200
"""Of one list."""


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One answer of the model."""

    negative: bool
    number: int
    """Which try, from 1."""
    prompt: str
    """SHA-256 of the prompt as the model got it."""
    output: str
    tokens: int
    complete: bool
    reason: str = ""
    """Why the whole of it is not taken; empty where it is a list."""


class SenseRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The sense of a verb that its hypernyms are of."""

    name: str
    gloss: str
    how: str


class Candidates(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was collected for one instance: a line of `candidates.jsonl`."""

    head: str
    start: int
    end: int
    relation: Relation
    concepts: tuple[str, ...]
    negatives: tuple[str, ...]
    """Related, and not meant to be concepts; an annotator decides."""
    sense: SenseRecord | None
    refused: tuple[Refused, ...]
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Collector:
    """Where candidates come from."""

    wordings: Wordings
    wordnet: VerbSenses | None
    """None leaves verbs without concepts."""
    model: Model | None
    """None leaves nouns and events without concepts, and verbs with their first sense."""
    form: Form = Form.BASE
    negatives: bool = True
    """Whether hard negatives are asked for as well."""
    seed: int = 0
    """Of the order of the worked examples from the second try on."""
    shots: int = SHOTS
    """Worked examples that are shown; fewer where a model's context is short."""

    async def collect(self, head: str, instance: Instance) -> Candidates:
        """The candidates of an instance; raises `ModelError`."""
        text = head[instance.start : instance.end]
        if instance.relation is Relation.VERB:
            return await self._verb(head, instance, text)
        concepts, negatives = Sieve(text), Sieve(text)
        answers: list[Answer] = []
        if self.model is not None:
            answers += await self._ask(self.model, head, instance, concepts, negative=False)
            if self.negatives:
                negatives = Sieve(text, tuple(concepts.taken))
                answers += await self._ask(self.model, head, instance, negatives, negative=True)
        return _record(head, instance, concepts, negatives, None, answers)

    async def _verb(self, head: str, verb: Instance, text: str) -> Candidates:
        concepts = Sieve(verb.lemma)
        chosen = None
        if self.wordnet is not None:
            senses = senses_of(verb, text, self.wordnet)
            prompt = self.wordings.sense_prompt(head, text)
            chosen = await choose(senses, prompt, self.model)
        sense = None
        if chosen is not None:
            # All hypernyms are wanted, however many.
            hypernyms = dict.fromkeys(chosen.sense.hypernyms)
            concepts = Sieve(verb.lemma, wanted=len(hypernyms))
            concepts.add(hypernyms)
            sense = SenseRecord(chosen.sense.name, chosen.sense.gloss, chosen.how)
        return _record(head, verb, concepts, Sieve(text), sense, [])

    async def _ask(
        self, model: Model, head: str, instance: Instance, sieve: Sieve, *, negative: bool
    ) -> list[Answer]:
        """Ask until as many as are wanted are taken, or the tries are spent."""
        wording = self.wordings.of(instance.relation, negative=negative)
        shown = head[instance.start : instance.end]
        answers: list[Answer] = []
        for number in range(1, TRIES + 1):
            # A greedy model repeats itself: later tries show the examples in another order.
            order = f"{self.seed}:{negative}:{shown}:{head}:{number}" if number > 1 else ""
            prompt = wording.prompt(head, shown, self.form, order=order, shots=self.shots)
            written = await _written(model, prompt, self.form)
            reason = ""
            try:
                found = read_list(written.text, complete=written.complete)
                if any(found == example.answers for example in wording.examples):
                    raise Rejected(Reason.COPIED, "It is the answer of a worked example.")
                sieve.add(found)
            except Rejected as error:
                reason = error.what
            answers.append(
                Answer(
                    negative,
                    number,
                    prompt_digest(prompt),
                    written.text,
                    written.tokens,
                    written.complete,
                    reason,
                )
            )
            if sieve.full:
                break
        return answers


def shortfall(candidates: Candidates, *, negatives: bool) -> int:
    """How many of the ten concepts, and ten hard negatives, of a noun or event are missing."""
    if candidates.relation is Relation.VERB:
        return 0
    missing = WANTED - len(candidates.concepts)
    return missing + (WANTED - len(candidates.negatives) if negatives else 0)


def _record(
    head: str,
    instance: Instance,
    concepts: Sieve,
    negatives: Sieve,
    sense: SenseRecord | None,
    answers: Sequence[Answer],
) -> Candidates:
    return Candidates(
        head,
        instance.start,
        instance.end,
        instance.relation,
        tuple(concepts.taken),
        tuple(negatives.taken),
        sense,
        (*concepts.refused, *negatives.refused),
        tuple(answers),
    )


async def _written(model: Model, prompt: Prompt, form: Form) -> Reply:
    """What the model writes; in one text up to the end of the line, as the examples do."""
    pieces: list[str] = []
    complete = True
    stop = ("\n",) if form is Form.BASE else ()
    async with aclosing(model.generate(prompt, max_tokens=MOST_TOKENS, stop=stop)) as tokens:
        async for token in tokens:
            pieces.append(token.text)
            complete = not token.cut
    return Reply("".join(pieces), len(pieces), complete)
