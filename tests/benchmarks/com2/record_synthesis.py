"""Records a session of synthesis with a sampled model file, for the tests to replay.

    python -m tests.benchmarks.com2.record_synthesis MODEL.gguf NAME KIND COUNT TRIES OUT [SEED]

NAME is what the session calls the model, whose file is no part of the project; OUT is a folder.
A small model that writes greedily says the same sentence over and over, so here it is sampled;
how is written into the session's plan. With any other model, a server's or the bundled one, the
program itself records: the `provenance.jsonl` that `com2 synthesise --shots events.txt` leaves
is a session. `recorded/README.md` says where the files go.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.benchmarks.com2.synthesis.one_item import Request
from core.benchmarks.com2.synthesis.pipeline import Synthesis, synthesise
from core.benchmarks.com2.synthesis.provenance import Outcome
from core.benchmarks.com2.synthesis.shots import read_shots
from core.benchmarks.com2.synthesis.stages import Make
from core.contract.question import Form, OptionScore, Prompt
from core.models.model_files import fingerprint
from core.models.protocol import Ability, ModelInfo, Token

SHOTS = Path(__file__).parent / "recorded" / "events.txt"
SEED = "7"
INVENTING = {"temperature": 0.6, "top_p": 0.95, "repeat_penalty": 1.12}
REPEATING = {"temperature": 0.7, "top_p": 0.9, "repeat_penalty": 1.06}
"""For what has to repeat texts that it is given, word for word: questions and puzzles."""
THINKING = {"temperature": 0.4, "top_p": 0.95, "repeat_penalty": 1.03}
"""For slow thinking, whose form is long and fixed."""


class Sampled:
    """A model file, sampled. Fulfils `core.models.protocol.Model`."""

    def __init__(self, path: Path, name: str, seed: int) -> None:
        import llama_cpp

        default = llama_cpp.llama_model_default_params

        def plain() -> Any:
            # Weights rearranged for the processor make some builds crash.
            wanted = default()
            wanted.use_extra_bufts = False
            return wanted

        llama_cpp.llama_cpp.llama_model_default_params = plain
        self._llama: Any = llama_cpp.Llama(str(path), n_ctx=4096, verbose=False, n_threads=1)
        self._seed = seed
        self._asked: Counter[str] = Counter()
        self.info = ModelInfo(
            name=name,
            source=f"{name}, sampled from seed {seed} on with {INVENTING}; "
            f"questions and puzzles with {REPEATING}; thinking with {THINKING}",
            fingerprint=fingerprint(path),
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
        """One sampled continuation of a text; the same text again takes the next seed."""
        assert isinstance(prompt, str)
        seed = self._seed + self._asked[prompt]
        self._asked[prompt] += 1
        how = REPEATING if "Question:" in prompt or "Suspects:" in prompt else INVENTING
        how = THINKING if "Self-Refinement:" in prompt else how
        found = self._llama(prompt, max_tokens=max_tokens, stop=list(stop), seed=seed, **how)
        (choice,) = found["choices"]
        yield Token(choice["text"], cut=choice["finish_reason"] == "length")

    async def close(self) -> None:
        """Nothing is held."""


def main(
    model: str, name: str, kind: str, count: str, tries: str, out: str, seed: str = SEED
) -> None:
    """Record and say what came of it."""
    make = Make(kind)
    work = Synthesis(
        Sampled(Path(model), name, int(seed)),
        Path(out),
        Request(make, int(count), seed=int(seed), tries=int(tries)),
        read_shots(SHOTS, make),
        Form.BASE,
        lambda: datetime.now(UTC).isoformat(timespec="seconds"),
    )

    def tell(outcome: Outcome) -> None:
        print(outcome.item, outcome.accepted, outcome.stage, outcome.detail[:100], flush=True)

    print(asyncio.run(synthesise(work, tell)))


if __name__ == "__main__":
    main(*sys.argv[1:])
