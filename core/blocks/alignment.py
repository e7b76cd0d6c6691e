"""Finds the spans of prompts through a model's own tokenizer, and the contrast prompt that fits
best."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from core.blocks.contrast_prompts import ContrastPrompt, contrast_prompts, other_gold, same_text
from core.blocks.spans import PromptSpan, pieces, spans
from core.blocks.trace import Pairing, pair_spans
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.question import Prompt, Question
from core.contract.setting import Setting
from core.contract.view import Role, Statement, Statements, View
from core.models.block_requests import Blocks
from core.text.errors import SettingError
from core.text.language import _

MOST_ITEMS = 200
"""Items whose sentences are tried in the place of another item's."""
MOST_REPLACEMENTS = 200
"""Most sentences that are tried in the place of one."""
_CONFLICTING = {Role.CAUSE: 0, Role.BREAK: 1}
"""The roles of a statement whose replacement would mend a story, the first first."""


@dataclass(frozen=True, slots=True)
class PromptPair:
    """Two prompts that may be compared."""

    question: Question
    """What is traced: what was asked, or the same with something changed that does not matter."""
    contrast: ContrastPrompt
    pairing: Pairing
    changed: str = ""
    """What is changed in what was asked, where something is."""


@dataclass(frozen=True, slots=True)
class Aligner:
    """A question under a setting, with the model whose tokens count.

    Every method raises `ModelError` where the model cannot tell its tokens or spells the
    question in another way.
    """

    blocks: Blocks
    benchmark: Benchmark
    item: Item
    setting: Setting
    question: Question
    prompt_of: Callable[[Question], Prompt]

    async def spans(self) -> tuple[PromptSpan, ...]:
        """The spans of the prompt."""
        return await self._spans(self.setting, self.question)

    async def paired_with(self, contrast: ContrastPrompt) -> Pairing:
        """The spans beside those of a contrast prompt."""
        return pair_spans(
            await self.spans(), await self._spans(contrast.setting, contrast.question)
        )

    @property
    def retyped(self) -> bool:
        """Whether a statement can be replaced, so that other sentences are of use."""
        return bool(self._replaceable())

    async def choose_contrast(self, replacement_sentences: Iterable[str]) -> PromptPair:
        """The two prompts that a trace compares unless a person chooses others.

        The first of these of which anything that differs can be compared: this prompt beside a
        contrast prompt in which something else is right (see `best`); beside itself with a sentence
        replaced; this prompt and a contrast prompt, both with something changed, here so that the
        same is right, there so that something else is; this prompt beside a contrast prompt in
        which the same is right. Where do(x) adds a sentence, this prompt gets one as long that
        makes no difference to what is right. Raises `SettingError` where there is no contrast
        prompt.
        """
        found = await self.best()
        if found is not None:
            contrast, pairing = found
            if pairing.differing and other_gold(contrast.question, self.question):
                return PromptPair(self.question, contrast, pairing)
        replaced = await self._with_replacement(replacement_sentences)
        if replaced is not None:
            return PromptPair(self.question, *replaced)
        if found is None:
            raise SettingError(
                _("Nothing of this item can be changed for its question to be compared with."),
                where="--contrast",
            )
        return await self._changed() or PromptPair(self.question, *found)

    async def _changed(self) -> PromptPair | None:
        """This prompt and its contrast prompt, both changed; None where none such can be compared
        whole."""
        candidates = contrast_prompts(self.benchmark, self.item, self.setting, self.question)
        alike = [
            (candidate, await self._spans(candidate.setting, candidate.question))
            for candidate in candidates
            if candidate.question.about == self.question.about
        ]
        pairs = [
            (here, there, pair_spans(ours, theirs))
            for there, theirs in alike
            if other_gold(there.question, self.question)
            for here, ours in alike
            if not other_gold(here.question, self.question)
        ]
        fitting = [pair for pair in pairs if pair[2].differing and all(pair[2].comparable)]
        if not fitting:
            return None
        # The less differs, the more is known of why the answers do.
        here, contrast, pairing = min(fitting, key=_difference)
        return PromptPair(here.question, contrast, pairing, here.said)

    async def best(self) -> tuple[ContrastPrompt, Pairing] | None:
        """The contrast prompt that shares most spans with this prompt; None where there is none.

        Those with another right answer come before others, those that ask about the same before
        those about something else.
        """
        here = await self.spans()
        every = contrast_prompts(self.benchmark, self.item, self.setting, self.question)
        found = [
            (contrast, pair_spans(here, await self._spans(contrast.setting, contrast.question)))
            for contrast in every
        ]
        fitting = [pair for pair in found if pair[1].differing]
        if fitting:
            return max(fitting, key=self._fit)
        return found[0] if found else None

    async def _with_replacement(
        self, replacement_sentences: Iterable[str]
    ) -> tuple[ContrastPrompt, Pairing] | None:
        """This prompt with a sentence replaced by the first one that takes as many tokens.

        The conflicting sentence is replaced before others; None where none fits.
        """
        replaceable = self._replaceable()
        if not replaceable:
            return None
        here = await self.spans()
        known = list(dict.fromkeys(text for text in replacement_sentences if text.strip()))
        switches = {switch.key: switch for switch in self.benchmark.switches(self.item)}
        for statement in sorted(
            replaceable, key=lambda statement: _CONFLICTING.get(statement.role, 2)
        ):
            near = sorted(known, key=lambda text: abs(len(text) - len(statement.text)))
            for text in near[:MOST_REPLACEMENTS]:
                if text in (statement.text for statement in replaceable):
                    continue
                other = self.setting.with_value(switches[statement.text_switch], text)
                asked = self.benchmark.question(self.item, other, self.question.layer)
                if asked is None or same_text(asked, self.question):
                    continue
                if asked.options != self.question.options:
                    continue
                pairing = pair_spans(here, await self._spans(other, asked))
                if pairing.differing and all(pairing.comparable):
                    name = _("itself with statement {number} replaced by “{text}”")
                    name = name.format(number=statement.number, text=text)
                    return ContrastPrompt(name, other, asked), pairing
        return None

    def _fit(self, pair: tuple[ContrastPrompt, Pairing]) -> tuple[bool, bool, float]:
        contrast, pairing = pair
        return (
            other_gold(contrast.question, self.question),
            contrast.question.about == self.question.about,
            len(pairing.traced) / len(pairing.spans),
        )

    def _replaceable(self) -> list[Statement]:
        return _replaceable(self.benchmark.view(self.item, self.setting))

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


def _difference(found: tuple[ContrastPrompt, ContrastPrompt, Pairing]) -> tuple[int, int]:
    """In how many spans two prompts differ, and in how many words."""
    one, other, pairing = found
    words = [set(contrast.question.text.split()) for contrast in (one, other)]
    return len(pairing.differing), len(words[0] ^ words[1])
