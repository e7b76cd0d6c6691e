"""Training batches of stories; those of a step depend on the seed and the step alone."""

from __future__ import annotations

from random import Random

from tools.train_demo_model.examples import Batch, Row, collate, rows_of
from tools.train_demo_model.prompts import LAYERS, Layer
from tools.train_demo_model.stream import training_story
from tools.train_demo_model.tokenizer import Tokenizer

# Batches are drawn together and sorted by length, which saves padding.
_POOL = 12


class StoryFeed:
    """One dictionary of layer batches per step, of `stories` stories."""

    def __init__(
        self, seed: int, stories: int, tokenizer: Tokenizer, blocked: frozenset[str]
    ) -> None:
        self._seed = seed
        self._stories = stories
        self._tokenizer = tokenizer
        self._blocked = blocked
        self._pool: tuple[int, list[dict[Layer, Batch]]] = (-1, [])

    def step(self, number: int) -> dict[Layer, Batch]:
        """The batches of step `number`, counted from 0."""
        drawn, place = divmod(number, _POOL)
        if self._pool[0] != drawn:
            self._pool = (drawn, self._drawn(drawn))
        return self._pool[1][place]

    def _drawn(self, number: int) -> list[dict[Layer, Batch]]:
        rng = Random(f"{self._seed} stories {number}")
        pool: list[dict[Layer, Batch]] = []
        rows: dict[Layer, list[Row]] = {layer: [] for layer in LAYERS}
        first = number * _POOL * self._stories
        for index in range(first, first + _POOL * self._stories):
            story = training_story(self._seed, index, self._blocked)
            if story is not None:
                for layer, row in rows_of(self._tokenizer, story, rng):
                    if layer != "physical_state" or index % 4 == 1:
                        rows[layer].append(row)
        for group in rows.values():
            group.sort(key=lambda row: len(row.tokens))
        for number in range(_POOL):
            batches: dict[Layer, Batch] = {}
            for layer, group in rows.items():
                # Layer 3 has the longest prompt and is learned first: every third step will do.
                every = 3 if layer == "physical_state" else 1
                if number % every == 0:
                    part, parts = number // every, _POOL // every
                    share = group[part * len(group) // parts : (part + 1) * len(group) // parts]
                    batches[layer] = collate(layer, share, self._tokenizer)
            pool.append(batches)
        rng.shuffle(pool)
        return pool
