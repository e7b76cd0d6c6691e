"""Scoring: the overhead over llama.cpp for the options of a question.

python performance/scoring.py [--model FILE] [--questions N] [--rounds N]

Compares the program's path (client, pipe, worker, tokenising) with a bare loop over the same
tokens with the same sharing and in the same batches: the prompt once, then all options together.
Both ask every question in turn, side by side, so that a busy machine slows both; the ratio is
that of the medians. Without `--model`: the bundled model and a random one of 0.3 billion
parameters.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from llama_cpp import llama_cpp as c

from core.models.llama.chunks import CHUNK
from core.models.llama.client import LlamaModel, has_matrix_tiles
from core.models.llama.decoder import context_parameters
from core.models.llama.threads import usual_threads
from core.models.resolver import demo_file
from tests.gguf_files import BENCH_300M, BENCH_TINY, write

TARGET = 1.15
OPTIONS = (" il cibo", " the cup was open", " yes", " no")


class Bare:
    """llama.cpp as a person would call it who knows that the options share a prompt."""

    def __init__(self, path: Path, extra_buffers: bool) -> None:
        c.llama_backend_init()
        wanted = c.llama_model_default_params()
        wanted.load_mode = c.LLAMA_LOAD_MODE_NONE
        wanted.use_extra_bufts = extra_buffers
        self.model = c.llama_model_load_from_file(os.fsencode(path), wanted)
        parameters = context_parameters(2048, usual_threads(c.llama_model_n_params(self.model)))
        self.context = c.llama_init_from_model(self.model, parameters)
        self.memory = c.llama_get_memory(self.context)
        self.vocabulary = c.llama_model_get_vocab(self.model)
        self.size = c.llama_vocab_n_tokens(self.vocabulary)
        self.batch = c.llama_batch_init(CHUNK, 0, 1)
        for place in range(CHUNK):
            self.batch.n_seq_id[place] = 1

    def encode(self, text: str) -> list[int]:
        """Tokens, with what begins a text."""
        data = text.encode()
        found = (c.llama_token * (len(data) + 8))()
        return found[: c.llama_tokenize(self.vocabulary, data, len(data), found, len(found), 1, 0)]

    def score(self, prompt: list[int], options: list[list[int]]) -> list[float]:
        """Log-likelihood of each option; all begin differently."""
        c.llama_memory_clear(self.memory, False)
        rows = self.decode([(token, place, 0) for place, token in enumerate(prompt)], last=True)
        sums = [float(rows[0][option[0]]) - _normaliser(rows[0]) for option in options]
        entries, wanted = [], []
        for number, option in enumerate(options):
            c.llama_memory_seq_cp(self.memory, 0, number + 1, -1, -1)
            for place, token in enumerate(option[:-1]):
                entries.append((token, len(prompt) + place, number + 1))
                wanted.append((number, option[place + 1]))
        if entries:
            for (number, token), row in zip(wanted, self.decode(entries), strict=True):
                sums[number] += float(row[token]) - _normaliser(row)
        return sums

    def decode(
        self, entries: list[tuple[int, int, int]], *, last: bool = False
    ) -> list[np.ndarray]:
        """Evaluate (token, position, sequence); the logits of all, or of the last."""
        batch, rows = self.batch, []
        for start in range(0, len(entries), CHUNK):
            part = entries[start : start + CHUNK]
            batch.n_tokens = len(part)
            for place, (token, position, sequence) in enumerate(part):
                batch.token[place] = token
                batch.pos[place] = position
                batch.seq_id[place][0] = sequence
                batch.logits[place] = not last or start + place == len(entries) - 1
            if c.llama_decode(self.context, batch) != 0:
                raise RuntimeError("llama.cpp could not evaluate this")
            rows += [self._row(place) for place in range(len(part)) if batch.logits[place]]
        return rows

    def _row(self, place: int) -> np.ndarray:
        return np.ctypeslib.as_array(c.llama_get_logits_ith(self.context, place), (self.size,))


def _normaliser(row: np.ndarray) -> float:
    wide = row.astype(np.float64)
    highest = wide.max()
    return float(highest + np.log(np.exp(wide - highest).sum()))


def prompts(count: int, first: int) -> list[str]:
    """Stories of some 200 tokens, numbered from `first`: they differ from the first word on, so
    nothing is reused."""
    sentence = " the cup was open and the cup was closed."
    story = f"the story.{sentence * 14}\n yes or no?"
    return [f"{number}: {story}" for number in range(first, first + count)]


async def compare(label: str, path: Path, questions: int, rounds: int) -> None:
    """Print one model's figures."""
    model = await LlamaModel.load(path)
    bare = Bare(path, extra_buffers=not has_matrix_tiles())
    ours: list[float] = []
    theirs: list[float] = []
    worst = 0.0
    tokens = len(bare.encode(prompts(1, 0)[0]))
    for number in range(rounds):
        for prompt in prompts(questions, number * questions):
            started = time.perf_counter()
            found = await model.score(prompt, OPTIONS)
            ours.append(time.perf_counter() - started)
            encoded = bare.encode(prompt)
            options = [bare.encode(prompt + option)[len(encoded) :] for option in OPTIONS]
            started = time.perf_counter()
            expected = bare.score(encoded, options)
            theirs.append(time.perf_counter() - started)
            worst = max(
                worst,
                *(abs(one.logprob - other) for one, other in zip(found, expected, strict=True)),
            )
    await model.close()
    ratio = statistics.median(ours) / statistics.median(theirs)
    best = min(ours) / min(theirs)
    print(
        f"{label:12} {model.info.parameters / 1e6:7.1f} M  {tokens:4} tokens  "
        f"program {statistics.median(ours) * 1000:8.2f} ms  "
        f"bare {statistics.median(theirs) * 1000:8.2f} ms  "
        f"ratio {ratio:.3f}, of the best {best:.3f} (target {TARGET})  "
        f"scores differ by {worst:.1e}",
        flush=True,
    )


def main() -> None:
    """Print the figures and the target."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--model", type=Path)
    arguments.add_argument("--questions", type=int, default=20)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    quiet = c.llama_log_callback(_ignore)
    c.llama_log_set(quiet, None)
    if given.model is not None:
        asyncio.run(compare(given.model.stem, given.model, given.questions, given.rounds))
        return
    with tempfile.TemporaryDirectory() as folder:
        small = demo_file()
        if not small.is_file():
            small = write(Path(folder, "random-3M.gguf"), BENCH_TINY)
        asyncio.run(compare(small.stem[:12], small, given.questions, given.rounds))
        large = write(Path(folder, "random-300M.gguf"), BENCH_300M)
        asyncio.run(compare("random-300M", large, 3, 3))


def _ignore(level: int, text: bytes, data: ctypes.c_void_p) -> None:
    """The engine's log is of no interest here."""


if __name__ == "__main__":
    main()
