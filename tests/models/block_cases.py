"""Small models, prompts and edits for which `tools/block_reference.py` computes what is expected.

Nothing here is llama.cpp's or PyTorch's: the tool and the test both read it, and make the same
weights from the same seed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.gguf_files import SPECIALS, Tiny, tensors, vocabulary_of

FOLDER = Path(__file__).parent / "block_reference"
"""The reference arrays, one file for each model."""
SPECS = {
    name: Tiny(
        blocks=4,
        # "gemma2" scales its embedding by the root of the width, and every part to that size.
        width=64 if name == "gemma2" else 96,
        heads=4,
        key_value_heads=0 if name == "gpt2" else 2,
        hidden=192,
        context=256,
        deviation=0.09,
        seed=seed,
        architecture=name,
    )
    for seed, name in enumerate(("llama", "gpt2", "gemma2"), 30)
}
LENGTH = 72
"""Tokens of the prompts: more than the window of every other block of "gemma2"."""
WINDOW = 64
SPANS = ((0, 17), (17, 40), (40, 71), (71, 72))
COMPARED = (0, 1)
"""The options of the margin."""


@dataclass(frozen=True, slots=True)
class Case:
    """Token numbers of two prompts of the same length, and of the options after them."""

    prompt: list[int]
    contrast: list[int]
    options: list[list[int]]
    """The last two begin alike."""


@dataclass(frozen=True, slots=True)
class CaseEdit:
    """An edit at the positions from `start` up to `stop`; "head" names the first number of one."""

    action: str
    part: str
    block: int
    start: int
    stop: int
    head: int | None = None
    added: int | None = None
    """The row of `vectors` that "add" adds, of a head its first numbers."""


_EDITS = (
    ("zero", "residual", 17, 40, None),
    ("zero", "attention", 17, LENGTH, None),
    ("zero", "feed-forward", 0, LENGTH, None),
    ("zero", "head", 17, LENGTH, 1),
    ("skip", "residual", 17, 71, None),
    ("add", "residual", 71, LENGTH, None),
    ("add", "attention", 40, 71, None),
    ("add", "head", 40, LENGTH, 2),
    ("copy", "residual", 17, 40, None),
    ("copy", "attention", 17, LENGTH, None),
    ("copy", "feed-forward", 40, 71, None),
    ("copy", "head", 17, LENGTH, 3),
)
EDITED_BLOCKS = (0, 1, 3)
EDITS = tuple(
    CaseEdit(action, part, block, start, stop, head, number if action == "add" else None)
    for number, (action, part, start, stop, head) in enumerate(_EDITS)
    for block in EDITED_BLOCKS
)
"""Twelve kinds of edits in three blocks, each made by itself."""


def case_of(name: str) -> Case:
    """The prompts and options for a model."""
    spec = SPECS[name]
    random = np.random.default_rng(spec.seed)
    first, last = len(SPECIALS), len(vocabulary_of(spec))
    prompt = [0, *map(int, random.integers(first, last, LENGTH - 1))]
    contrast = list(prompt)
    for start, stop in ((20, 27), (50, 52)):
        contrast[start:stop] = map(int, random.integers(first, last, stop - start))
    one, other, *tails = map(int, random.choice(np.arange(first, last), 4, replace=False))
    return Case(prompt, contrast, [[one], *([other, tail] for tail in tails)])


def vectors(name: str) -> np.ndarray:
    """What edits add, a row for each kind of them: (kinds, width)."""
    random = np.random.default_rng(SPECS[name].seed + 100)
    return random.standard_normal((len(_EDITS), SPECS[name].width)).astype(np.float32)


def weights_of(name: str) -> dict[str, np.ndarray]:
    """The weights of a model by their names."""
    return dict(tensors(SPECS[name], len(vocabulary_of(SPECS[name]))))


def digest(weights: dict[str, np.ndarray]) -> str:
    """Identifies weights, so that a stale reference shows."""
    both = hashlib.sha256()
    for name, array in sorted(weights.items()):
        both.update(name.encode() + np.ascontiguousarray(array, "<f4").tobytes())
    return both.hexdigest()
