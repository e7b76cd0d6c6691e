"""A model for tests that writes lists, and scores options by their length."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence

from core.contract.question import OptionScore, Prompt
from core.models.protocol import Ability, ModelInfo, Token

INFO = ModelInfo(
    "org/Writing 1B", "writing", "e" * 64, frozenset({Ability.SCORE, Ability.GENERATE})
)


class WritingModel:
    """Writes what a function of the prompt says; finds the longest option the likeliest."""

    def __init__(self, write: Callable[[str], str], info: ModelInfo = INFO) -> None:
        self.info = info
        self.asked: list[Prompt] = []
        self.scored: list[tuple[Prompt, tuple[str, ...]]] = []
        self._write = write

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        self.scored.append((prompt, tuple(options)))
        return tuple(OptionScore(-1.0, len(option), len(option)) for option in options)

    async def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        self.asked.append(prompt)
        text = self._write(prompt if isinstance(prompt, str) else prompt[-1].content)
        for mark in stop:
            text = text.split(mark, 1)[0]
        words = text.split(" ")
        for i, word in enumerate(words[:max_tokens]):
            more = i + 1 < len(words)
            yield Token(word + " " * more, cut=i + 1 == max_tokens and more)

    async def close(self) -> None:
        pass
