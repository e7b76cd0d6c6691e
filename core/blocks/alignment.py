"""Finds the spans of prompts with a model's tokenizer, and the contrast prompt that fits best."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from core.blocks.contrast_prompts import ContrastPrompt, contrast_prompts, other_gold, same_text
from core.blocks.pair_validity import Condition, failing_conditions
from core.blocks.pairing import Pairing, pair_from_both_ends
from core.blocks.spans import PromptSpan, pieces, spans
from core.blocks.trace import compared_options
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.question import OptionScore, Prompt, Question
from core.contract.setting import Setting
from core.contract.view import Role, Statement, Statements, View
from core.models.block_requests import Blocks
from core.models.blocks import TraceBase, leader
from core.text.errors import SettingError
from core.text.language import _

MOST_ITEMS = 200
"""Items whose sentences are tried in the place of another item's."""
MOST_TRIED = 200
"""Most sentences whose length is compared with that of one of the item's own."""
MOST_REPLACEMENTS = 4
"""Sentences of equal length that replace it in prompts put to the model, one answer each."""
Score = Callable[[Prompt, Sequence[str]], Awaitable[tuple[OptionScore, ...]]]
"""The log-likelihoods of options after a prompt, `Model.score`."""
_CONFLICTING = {Role.CAUSE: 0, Role.BREAK: 1}
"""Roles of the statements that make a story implausible, in the order of replacement."""


@dataclass(frozen=True, slots=True)
class PromptPair:
    """A prompt and a contrast prompt."""

    question: Question
    """The traced question: the item's own, or one changed without changing the right answer."""
    contrast: ContrastPrompt
    pairing: Pairing
    changed: str = ""
    """What was changed in the item's own question; empty without a change."""


@dataclass(frozen=True, slots=True)
class Aligner:
    """A question under a setting, and the model whose tokens are counted.

    Every method raises `ModelError` if the model's tokens are not known or do not spell the
    question.
    """

    blocks: Blocks
    benchmark: Benchmark
    item: Item
    setting: Setting
    question: Question
    prompt_of: Callable[[Question], Prompt]
    length_of: Callable[[str], Awaitable[int]] | None = None
    """The tokens of a sentence by itself, where that is known at little cost: sentences of another
    length are then not tried in its place."""

    async def spans(self) -> tuple[PromptSpan, ...]:
        """The spans of the prompt."""
        return await self._spans(self.setting, self.question)

    async def paired_with(self, contrast: ContrastPrompt) -> Pairing:
        """The spans, paired with those of a contrast prompt."""
        return pair_from_both_ends(
            await self.spans(), await self._spans(contrast.setting, contrast.question)
        )

    async def length(self, question: Question) -> int:
        """How many tokens a question's prompt has up to where this one's options would begin."""
        prompt = self.prompt_of(question)
        return len(await self.blocks.tokens(prompt, self.question.continuations()))

    async def best_pair(self, collection: Collection, score: Score) -> PromptPair:
        """What `choose_contrast` chooses with the sentences of a collection to replace others."""
        sentences: Sequence[str] = ()
        if self._replaceable():
            # Hundreds of items may have to be read for them.
            sentences = await asyncio.to_thread(
                lambda: tuple(replacement_sentences(self.benchmark, collection))
            )
        return await self.choose_contrast(sentences, score)

    async def choose_contrast(
        self, replacement_sentences: Iterable[str], score: Score
    ) -> PromptPair:
        """The two prompts that a trace compares by default.

        The valid pair with the smallest change (see `valid_pair`). Without one the first of these
        in which a differing span can be compared:

        1. this prompt and a contrast prompt with another right answer (see `best`),
        2. this prompt and itself with a sentence replaced,
        3. two changed prompts, the first with this prompt's right answer, the second with another:
           where do(x) adds a sentence, the first gets one of equal length,
        4. this prompt and a contrast prompt with the same right answer.

        Raises `SettingError` if there is no contrast prompt.
        """
        replacement_sentences = list(dict.fromkeys(replacement_sentences))
        valid = await self.valid_pair(replacement_sentences, score)
        if isinstance(valid, PromptPair):
            return valid
        best = await self.best()
        if best is not None:
            contrast, pairing = best
            if pairing.differing and other_gold(contrast.question, self.question):
                return PromptPair(self.question, contrast, pairing)
        here = await self.spans()
        for statement in self._replaceable():
            async for replaced in self._replaced(here, statement, replacement_sentences):
                return PromptPair(self.question, *replaced)
        if best is None:
            raise SettingError(
                _("No change of this item gives a question to compare with."),
                where="--contrast",
            )
        return await self._both_changed() or PromptPair(self.question, *best)

    async def valid_pair(
        self, replacement_sentences: Iterable[str], score: Score, *, wrong: bool = False
    ) -> PromptPair | Condition:
        """The valid pair (`core.blocks.pair_validity`) that differs in the fewest tokens.

        Changes are the contrast prompts, and each sentence replaced by up to `MOST_REPLACEMENTS`
        others of as many tokens. Where no pair is valid, the condition that the change that came
        nearest does not meet. With `wrong` the model has to be wrong about this prompt, and its
        two answers are compared, whatever is right.
        """
        options = self.question.continuations()
        here = await score(self.prompt_of(self.question), options)
        first = leader(here)
        right = first in (self.question.right_options[:1] or (first,))
        if first is None or right is wrong:
            return Condition.ANSWERED
        nearest: Condition | None = None
        async for contrast, pairing in self._changes(replacement_sentences):
            there = await score(self.prompt_of(contrast.question), options)
            base = TraceBase(here, there)
            compared = compared_options(self.question, contrast.question, base)
            if wrong:
                second = leader(there)
                compared = None if second in (None, first) else (first, second)
            failing = failing_conditions(pairing, base, compared)
            if not failing:
                return PromptPair(self.question, contrast, pairing)
            reached = nearest or Condition.ANSWERED_OTHERWISE
            nearest = max(reached, failing[0], key=list(Condition).index)
        return nearest or Condition.ALIGNED

    async def _both_changed(self) -> PromptPair | None:
        """Two changed prompts of which every span can be compared; None if there are none."""
        candidates = contrast_prompts(self.benchmark, self.item, self.setting, self.question)
        alike = [
            (candidate, await self._spans(candidate.setting, candidate.question))
            for candidate in candidates
            if candidate.question.about == self.question.about
        ]
        pairs = [
            (here, there, pair_from_both_ends(ours, theirs))
            for there, theirs in alike
            if other_gold(there.question, self.question)
            for here, ours in alike
            if not other_gold(here.question, self.question)
        ]
        fitting = [pair for pair in pairs if _aligned(pair[2])]
        if not fitting:
            return None
        # The fewer differences, the clearer which of them changes the answer.
        here, contrast, pairing = min(fitting, key=_difference)
        return PromptPair(here.question, contrast, pairing, here.label)

    async def best(self) -> tuple[ContrastPrompt, Pairing] | None:
        """The contrast prompt that shares most spans with this prompt; None if there is none.

        Prompts with another right answer are preferred, then those about the same subject.
        """
        candidates = contrast_prompts(self.benchmark, self.item, self.setting, self.question)
        here = await self.spans()
        pairs = [
            (
                contrast,
                pair_from_both_ends(here, await self._spans(contrast.setting, contrast.question)),
            )
            for contrast in candidates
        ]
        fitting = [pair for pair in pairs if pair[1].differing]
        if fitting:
            return max(fitting, key=self._fit)
        return pairs[0] if pairs else None

    async def _changes(
        self, replacement_sentences: Iterable[str]
    ) -> AsyncIterator[tuple[ContrastPrompt, Pairing]]:
        """The aligned changes of this prompt, those in the fewest tokens first.

        Of equally small ones contrast prompts come first, then those of conflicting sentences.
        """
        ours = await self.spans()
        whole = [
            (
                contrast,
                pair_from_both_ends(ours, await self._spans(contrast.setting, contrast.question)),
            )
            for contrast in contrast_prompts(self.benchmark, self.item, self.setting, self.question)
        ]
        whole = sorted((change for change in whole if _aligned(change[1])), key=_changed_tokens)
        sentences = list(replacement_sentences)
        sized = [(_tokens_of(ours, each.text), each) for each in self._replaceable()]
        for size, statement in sorted(sized, key=itemgetter(0)):
            while whole and _changed_tokens(whole[0]) <= size:
                yield whole.pop(0)
            replaced = 0
            async for change in self._replaced(ours, statement, sentences):
                yield change
                replaced += 1
                if replaced == MOST_REPLACEMENTS:
                    break
        for change in whole:
            yield change

    async def _replaced(
        self,
        here: Sequence[PromptSpan],
        statement: Statement,
        replacement_sentences: Iterable[str],
    ) -> AsyncIterator[tuple[ContrastPrompt, Pairing]]:
        """This prompt, whose spans are `here`, with a sentence replaced by one as long."""
        own = {replaceable.text for replaceable in self._replaceable()}
        known = dict.fromkeys(text for text in replacement_sentences if text.strip())
        near = sorted(known, key=lambda text: abs(len(text) - len(statement.text)))
        switches = {switch.key: switch for switch in self.benchmark.switches(self.item)}
        for text in near[:MOST_TRIED]:
            if text in own:
                continue
            if self.length_of is not None and (
                await self.length_of(text) != await self.length_of(statement.text)
            ):
                continue
            other = self.setting.with_value(switches[statement.text_switch], text)
            asked = self.benchmark.question(self.item, other, self.question.layer)
            if asked is None or same_text(asked, self.question):
                continue
            if asked.options != self.question.options:
                continue
            pairing = pair_from_both_ends(here, await self._spans(other, asked))
            if _aligned(pairing):
                name = _("the same prompt with “{text}” as statement {number}")
                name = name.format(number=statement.number, text=text)
                yield ContrastPrompt(name, other, asked), pairing

    def _fit(self, pair: tuple[ContrastPrompt, Pairing]) -> tuple[bool, bool, float]:
        contrast, pairing = pair
        return (
            other_gold(contrast.question, self.question),
            contrast.question.about == self.question.about,
            (len(pairing.traced) - len(pairing.from_end)) / len(pairing.spans),
        )

    def _replaceable(self) -> list[Statement]:
        """The statements that can be replaced, conflicting ones first."""
        statements = _replaceable(self.benchmark.view(self.item, self.setting))
        return sorted(statements, key=lambda statement: _CONFLICTING.get(statement.role, 2))

    async def _spans(self, setting: Setting, question: Question) -> tuple[PromptSpan, ...]:
        prompt, options = self.prompt_of(question), question.continuations()
        tokens = await self.blocks.tokens(prompt, options)
        return spans(tokens, question, pieces(question, self.benchmark.view(self.item, setting)))


def replacement_sentences(benchmark: Benchmark, collection: Collection) -> Iterator[str]:
    """Statements of a collection's first items that a person may retype.

    Raises `DataError` for an item that cannot be read.
    """
    for index in range(min(len(collection), MOST_ITEMS)):
        view = benchmark.view(collection.item(index), Setting())
        yield from (statement.text for statement in _replaceable(view))


def _replaceable(view: View) -> list[Statement]:
    return [
        statement
        for section in view.sections
        if isinstance(section, Statements)
        for statement in section.statements
        if statement.text_switch
    ]


def _aligned(pairing: Pairing) -> bool:
    """Whether something differs, and every span is at the same positions of both prompts."""
    return bool(pairing.differing) and pairing.aligned


def _changed_tokens(change: tuple[ContrastPrompt, Pairing]) -> int:
    """The tokens of the spans that say something else in the contrast prompt."""
    pairing = change[1]
    ranges = (pairing.spans[index].tokens for index in pairing.differing)
    return sum(stop - start for start, stop in filter(None, ranges))


def _tokens_of(spans: Iterable[PromptSpan], text: str) -> int:
    """The tokens of the spans that hold a text."""
    ranges = (span.tokens for span in spans if text in span.text)
    return sum(stop - start for start, stop in filter(None, ranges))


def _difference(pair: tuple[ContrastPrompt, ContrastPrompt, Pairing]) -> tuple[int, int]:
    """The numbers of spans and of words in which two prompts differ."""
    here, there, pairing = pair
    words = set(here.question.text.split()) ^ set(there.question.text.split())
    return len(pairing.differing), len(words)
