"""Items that are made several at once are those made one after the other, and so is the journal."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path

import pytest

from core.benchmarks.com2.synthesis.one_item import Request
from core.benchmarks.com2.synthesis.pipeline import JOURNAL, Synthesis
from core.benchmarks.com2.synthesis.provenance import Attempt, Journal
from core.benchmarks.com2.synthesis.shots import read_shots
from core.benchmarks.com2.synthesis.stages import Make
from core.benchmarks.generation.reply import prompt_digest
from core.contract.question import Form, OptionScore, Prompt
from core.models.protocol import Ability, ModelInfo, Token
from core.text.errors import ModelError
from tests.benchmarks.com2.test_synthesis_replay import RECORDED, replay, session

SESSION = RECORDED / "smollm2-direct-b.jsonl"


class ByPrompt:
    """Says always the same to a prompt, what was said before if it can, sooner or later."""

    def __init__(self, attempts: Sequence[Attempt], fails_at: int = -1) -> None:
        self.info = ModelInfo("recorded", "recorded", "recorded", frozenset({Ability.GENERATE}))
        self.asked = self.at_once = self.most = 0
        self._attempts = attempts
        self._said = {attempt.prompt: attempt for attempt in attempts}
        self._fails_at = fails_at

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        raise NotImplementedError

    async def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        self.asked += 1
        if self.asked == self._fails_at:
            raise ModelError("It ended.")
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(random.Random(str(prompt)).random() / 100)
        self.at_once -= 1
        digest = prompt_digest(prompt)
        chosen = random.Random(digest).choice(self._attempts)
        said = self._said.get(digest, chosen)
        yield Token(said.output, cut=not said.complete)

    async def close(self) -> None:
        pass


async def make(model: ByPrompt, folder: Path, at_once: int) -> None:
    plan, _, outcomes = session(SESSION)
    work = Synthesis(
        model,
        folder,
        Request(Make(plan.kind), len(outcomes), plan.seed, plan.tries, plan.thinking),
        read_shots(RECORDED / "events.txt", Make(plan.kind)),
        Form(plan.form),
        lambda: "",
        lambda: at_once,
    )
    async with aclosing(work.run()) as made:
        async for _ in made:
            pass


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
async def attempts(tmp_path: Path) -> list[Attempt]:
    await replay(SESSION, tmp_path / "first")
    return list(Journal(tmp_path / "first" / JOURNAL).attempts())


async def test_files_and_journal_are_the_same_byte_for_byte(
    attempts: list[Attempt], tmp_path: Path
) -> None:
    alone, together = ByPrompt(attempts), ByPrompt(attempts)
    await make(alone, tmp_path / "alone", 1)
    await make(together, tmp_path / "together", 5)
    assert (alone.most, together.asked) == (1, alone.asked)
    assert together.most > 2
    assert files(tmp_path / "together") == files(tmp_path / "alone")
    assert len(files(tmp_path / "alone")) > 1


@pytest.mark.parametrize("fails_at", [2, 5, 9, 14])
async def test_a_model_that_fails_leaves_a_beginning_that_is_gone_on_with(
    fails_at: int, attempts: list[Attempt], tmp_path: Path
) -> None:
    await make(ByPrompt(attempts), tmp_path / "alone", 1)
    whole = (tmp_path / "alone" / JOURNAL).read_bytes()
    with pytest.raises(ModelError):
        await make(ByPrompt(attempts, fails_at), tmp_path / "together", 5)
    begun = (tmp_path / "together" / JOURNAL).read_bytes()
    assert whole.startswith(begun)
    assert begun != whole
    await make(ByPrompt(attempts), tmp_path / "together", 5)
    assert files(tmp_path / "together") == files(tmp_path / "alone")
