"""Records a session of synthesis with a real model, for the tests to replay.

    python -m tests.com2.record_synthesis MODEL.gguf NAME KIND COUNT OUT

It needs a model file that is not part of the project; NAME is what the session calls it. A small
model that writes greedily says the same sentence over and over, so here it is sampled, as the
paper's was; how is written into the session's plan.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

from core.com2.synthesis.making import Request, Synthesis, synthesise
from core.com2.synthesis.shots import Shots, read_shots
from core.com2.synthesis.stages import Make, Stage
from core.models.protocol import Ability, ModelInfo, Token
from core.question import Form, OptionScore, Prompt

SHOTS = Path(__file__).parent / "recorded" / "events.txt"
TEMPERATURE, TOP_P, PENALTY, SEED = 0.6, 0.95, 1.12, 7


class Sampled:
    """A model file, sampled. Fulfils `core.models.protocol.Model`."""

    def __init__(self, path: Path, name: str) -> None:
        import llama_cpp

        default = llama_cpp.llama_model_default_params

        def plain() -> Any:
            # Weights rearranged for the processor make some builds crash.
            wanted = default()
            wanted.use_extra_bufts = False
            return wanted

        llama_cpp.llama_cpp.llama_model_default_params = plain
        self._llama: Any = llama_cpp.Llama(str(path), n_ctx=4096, verbose=False, n_threads=2)
        how = f"temperature {TEMPERATURE}, top-p {TOP_P}, repeat penalty {PENALTY}, seed {SEED}"
        self.info = ModelInfo(
            name=name,
            source=f"{name}, sampled: {how}",
            fingerprint=name,
            abilities=frozenset({Ability.GENERATE}),
            quantisation=name.rpartition(".")[2],
            parameters=self._llama._model.n_params(),
        )

    async def score(self, prompt: Prompt, options: Sequence[str]) -> tuple[OptionScore, ...]:
        """Not needed."""
        raise NotImplementedError

    async def generate(
        self, prompt: Prompt, *, max_tokens: int, stop: Sequence[str] = ()
    ) -> AsyncGenerator[Token, None]:
        """One sampled continuation of a text."""
        found = self._llama(
            prompt,
            max_tokens=max_tokens,
            stop=list(stop),
            temperature=TEMPERATURE,
            top_p=TOP_P,
            repeat_penalty=PENALTY,
            seed=SEED,
        )
        (choice,) = found["choices"]
        yield Token(choice["text"], 0.0, cut=choice["finish_reason"] == "length")

    async def close(self) -> None:
        """Nothing is held."""


async def main(model: str, name: str, kind: str, count: str, out: str) -> None:
    """Record and say what came of it."""
    make = Make(kind)
    loaded = Sampled(Path(model), name)
    # Many worked questions: how to ask is what a small model finds hardest.
    asking = Stage(f"question-{make}")
    worked = {stage: ex for stage, ex in read_shots(None, make).examples.items() if stage is asking}
    shots = Shots(read_shots(SHOTS, make).events, worked)
    work = Synthesis(
        loaded,
        Path(out),
        Request(make, int(count), seed=SEED, tries=6),
        shots,
        Form.BASE,
        lambda: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )

    def tell(outcome: Any) -> None:
        print(outcome.item, outcome.accepted, outcome.stage, outcome.detail[:100], flush=True)

    print(await synthesise(work, tell))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
