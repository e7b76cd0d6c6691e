"""Answers of the bundled model that tests of runs share."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.contract.question import OptionScore, Prompt
from core.models.llama.client import LlamaModel

_ANSWERS: dict[tuple[str, Prompt, tuple[str, ...]], tuple[OptionScore, ...]] = {}


@pytest.fixture
def kept_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask the model each question once for all tests of a process: what it answers is not tested.

    Runs over a whole collection are most of what these tests would wait for.
    """
    score = LlamaModel.score

    async def score_once(
        self: LlamaModel, prompt: Prompt, options: Sequence[str]
    ) -> tuple[OptionScore, ...]:
        question = self.info.fingerprint, prompt, tuple(options)
        if question not in _ANSWERS:
            _ANSWERS[question] = await score(self, prompt, options)
        return _ANSWERS[question]

    monkeypatch.setattr(LlamaModel, "score", score_once)
