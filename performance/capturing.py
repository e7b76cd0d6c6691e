"""What capturing the residual stream costs, next to plain scoring in the same minute.

python performance/capturing.py [--model FILE] [--items N] [--rounds N]

Without `--model`: the bundled model and a random one of 0.3 billion parameters. Every question of
the first task layer of the first N bundled stories is scored, and scored while states are captured
of every block at the answer position, and at the end of every tenth of the prompt (target: at most
1.10 of plain scoring). Prints the best of `--rounds` alternating measurements.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from core.contract import registry
from core.contract.question import Question
from core.models.llama.client import LlamaModel
from core.models.resolver import demo_file
from core.runs.questions import QuestionSource
from tests.gguf_files import BENCH_300M, write


def bundled_questions(items: int) -> list[Question]:
    """The first task layer's questions about the first bundled stories."""
    benchmark = registry.load("gita")
    collection = registry.open_collection(benchmark, benchmark.samples())
    source = QuestionSource(benchmark, collection, limit=items)
    return [question for _, question in source.questions(benchmark.layers[0], None)]


async def measure(path: Path, questions: list[Question], rounds: int) -> None:
    """Print the cost of capturing with one model."""
    model = await LlamaModel.load(path)
    blocks = range((await model.blocks.access()).blocks)
    asked = [(question.base(), question.continuations()) for question in questions]
    tokens = [len(await model.blocks.tokens(*each)) for each in asked]
    best: dict[str, float] = {}
    for _ in range(rounds):
        started = time.perf_counter()
        for prompt, options in asked:
            await model.score(prompt, options)
        times = {"plain": time.perf_counter() - started}
        for name, part, read in (
            ("answer position, every block", 1, blocks),
            ("ten positions, all blocks but the last", 10, blocks[:-1]),
            ("ten positions, every block", 10, blocks),
        ):
            started = time.perf_counter()
            for (prompt, options), count in zip(asked, tokens, strict=True):
                places = [round(count * each / part) - 1 for each in range(1, part + 1)]
                await model.blocks.capture(prompt, options, places, read)
            times[name] = time.perf_counter() - started
        best = {name: min(best.get(name, seconds), seconds) for name, seconds in times.items()}
    await model.close()
    print(f"{path.stem}: {len(asked)} questions scored in {best['plain']:.2f} s", flush=True)
    for name, seconds in list(best.items())[1:]:
        print(f"  {name}: {seconds / best['plain']:.2f} of plain (target 1.10)", flush=True)


def main() -> None:
    """Print the figures."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--model", type=Path)
    arguments.add_argument("--items", type=int, default=40)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.model is not None:
            asyncio.run(measure(given.model, bundled_questions(given.items), given.rounds))
            return
        asyncio.run(measure(demo_file(), bundled_questions(given.items), given.rounds))
        large = write(Path(folder, "random-300M.gguf"), BENCH_300M)
        asyncio.run(measure(large, bundled_questions(min(given.items, 4)), 2))


if __name__ == "__main__":
    main()
