"""Models that answer by the place or by the text of an option, and runs in several orders.

As a program it asks Com² in three orders, slowly: python -m tests.runs.repeats STORE SECONDS
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path

from core.contract import registry
from core.contract.question import Form, OptionScore, Prompt, Scoring
from core.models.protocol import Ability, Token
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.store import Store
from tests.runs.models import INFO, HashingModel

WRITER = replace(INFO, fingerprint="e" * 64, abilities=frozenset({Ability.GENERATE}))


class AlwaysA(HashingModel):
    """Writes A, and finds the first of several options the likeliest."""

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        self.asked.append(prompt)
        return tuple(OptionScore(-float(place)) for place in range(len(options)))

    async def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        self.asked.append(prompt)
        yield Token("A")


class FirstInTheAlphabet(HashingModel):
    """Answers with the letter of the option whose text is the first in the alphabet."""

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        self.asked.append(prompt)
        letter = self._letter(str(prompt))
        return tuple(OptionScore(0.0 if option == f" {letter}" else -1.0) for option in options)

    async def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        self.asked.append(prompt)
        yield Token(self._letter(str(prompt)))

    def _letter(self, prompt: str) -> str:
        last = prompt[prompt.rfind("Question:") :]
        texts = dict(re.findall(r"\b([A-Z])[):] (.+?)(?=    [A-Z]: |$)", last, re.M))
        return min(texts, key=lambda letter: str(texts[letter]), default="no")


async def ask(
    store: Store,
    model: HashingModel,
    name: str,
    *,
    orders: Sequence[int] = (0,),
    seeds: Sequence[int] = (0,),
    limit: int | None = None,
    shots: int = 0,
    scoring: Scoring | None = None,
    blocks: int = 0,
    prior: bool = False,
) -> list[Evaluation]:
    """Ask a benchmark's bundled items in every one of these orders with every seed."""
    benchmark = registry.load(name)
    path = benchmark.samples()
    collection = benchmark.open(path)
    asked = []
    for order in orders:
        source = QuestionSource(benchmark, collection, limit=limit, order=order)
        for seed in seeds:
            plan = plan_for(
                model,
                source,
                path,
                form=Form.BASE,
                shots=shots,
                seed=seed,
                scoring=scoring,
                blocks=blocks,
            )
            asked.append(Evaluation(store, plan, model, source, prior=prior))
            async for progress in asked[-1].steps():
                if progress.verdict is not None and __name__ == "__main__":
                    print(order, progress.done, flush=True)
    return asked


async def ask_in_three_orders(path: Path, seconds: float = 0.0) -> int:
    """Ask Com² in three orders into a store; returns how many questions were asked."""
    model = HashingModel(seconds=seconds)
    with Store(path) as store:
        await ask(store, model, "com2", orders=range(3), limit=6, scoring=Scoring.LOGLIKELIHOOD)
    return len(model.asked)


if __name__ == "__main__":
    asyncio.run(ask_in_three_orders(Path(sys.argv[1]), float(sys.argv[2])))
