"""A quick look, while training goes on, at how many unseen prompts are answered right."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from tools.train_demo_model.examples import SentenceLabels, encode_row
from tools.train_demo_model.model import Decoder
from tools.train_demo_model.prompts import CHOICES, LAYERS, Layer, prefix, prompt, target
from tools.train_demo_model.rows import Asked, encode
from tools.train_demo_model.stories import Story
from tools.train_demo_model.stream import unseen_stories
from tools.train_demo_model.tasks import KINDS, unseen
from tools.train_demo_model.tokenizer import Tokenizer

_SEED = 5
_ROWS = 48


def quick_accuracy(model: Decoder, tokenizer: Tokenizer) -> dict[str, float]:
    """By kind of prompt: the share whose gold option has the best token where options differ.

    What follows that token does not count.
    """
    found: dict[str, float] = {}
    with torch.no_grad(), model.one_table():
        stories = list(unseen_stories(_SEED, 2 * _ROWS, False))
        for layer in LAYERS:
            asked = [s for s in stories if layer == "story_class" or not s.plausible]
            right = [_story_right(model, tokenizer, layer, story) for story in asked]
            found[layer] = sum(right) / len(right)
        for kind in (kind for group in KINDS.values() for kind in group):
            rows = [row for row in unseen(_SEED, kind.name, _ROWS, kind.write) if row.options]
            if rows:
                found[kind.name] = sum(_right(model, tokenizer, row) for row in rows) / len(rows)
    return found


def _story_right(model: Decoder, tokenizer: Tokenizer, layer: Layer, story: Story) -> bool:
    row = encode_row(tokenizer, layer, story, SentenceLabels.of(story))
    before = [tokenizer.bos, *tokenizer.encode(prefix(layer)), *row.tokens[: row.answer_at]]
    # The blank that ends a prompt belongs to the answer.
    lead = "  " if prompt(layer, ()).endswith(" ") else " "
    return _picked(model, tokenizer, before, lead, CHOICES[layer], target(layer, story))


def _right(model: Decoder, tokenizer: Tokenizer, row: Asked) -> bool:
    coded = encode(tokenizer, row)
    before = [tokenizer.bos, *tokenizer.encode(row.instruction), *coded.tokens[: coded.answer_at]]
    return _picked(model, tokenizer, before, row.lead, row.options, row.answer)


def _picked(
    model: Decoder,
    tokenizer: Tokenizer,
    before: Sequence[int],
    lead: str,
    options: Sequence[str],
    gold: str,
) -> bool:
    """Whether the gold option's token is the likeliest where the options begin to differ."""
    right = tokenizer.encode(lead + gold)
    coded = [tokenizer.encode(lead + option) for option in options]
    columns = enumerate(zip(*coded, strict=False))
    place = next(number for number, ids in columns if len(set(ids)) > 1)
    row = model(torch.tensor([[*before, *right[:place]]]))[0, -1]
    best = max((ids[place] for ids in coded), key=lambda token: float(row[token]))
    return best == right[place]
