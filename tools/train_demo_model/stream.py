"""The exact sequence of training stories, and the sentences that must not be in it.

Story number k depends on the seed and k alone, so the stream can be replayed, cut or checked. A
story with a blocked sentence is left out; the other stories do not change.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from tools.train_demo_model.lexicon import load_lexicon
from tools.train_demo_model.stories import Story, StoryWriter
from tools.train_demo_model.written import told_strangely, written_families, written_story

MEASURING_SEED = 77
"""The seed whose unseen stories the model card's figures come from."""

_WRITTEN, _STRANGE = 0.65, 0.3
"""Share of the stories of families written by hand, and of these with some words changed."""
_STRIDE = 1_000_003
_UNSEEN_OFFSET = 500_000_009


def normalised(sentence: str) -> str:
    """A sentence without case, closing punctuation and surplus spaces."""
    return re.sub(r"\s+", " ", sentence).strip(" .!?").casefold()


def sample_sentences(folder: Path) -> frozenset[str]:
    """Every normalised sentence of the story files (*.json, *.jsonl) below `folder`.

    Sentences are the strings of any list called "sentences". An absent folder has none.
    """
    found: set[str] = set()
    for path in sorted(folder.glob("**/*.json*")):
        for document in _documents(path.read_text(encoding="utf-8")):
            found.update(normalised(item) for item in _sentences(document))
    return frozenset(found - {""})


def _documents(text: str) -> Iterator[Any]:
    """The JSON documents of a text, which may hold one or many, one after the other."""
    decoder = json.JSONDecoder()
    rest = text.lstrip()
    while rest:
        document, end = decoder.raw_decode(rest)
        yield document
        rest = rest[end:].lstrip()


def checksum(sentences: frozenset[str]) -> int:
    """A 32-bit number for a set of sentences, to tell whether it is still the same set."""
    return zlib.crc32("\n".join(sorted(sentences)).encode("utf-8"))


def _sentences(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "sentences" and isinstance(item, list):
                yield from (text for text in item if isinstance(text, str))
            else:
                yield from _sentences(item)
    elif isinstance(value, list):
        for item in value:
            yield from _sentences(item)


def training_story(seed: int, index: int, blocked: frozenset[str] = frozenset()) -> Story | None:
    """Story `index` of the stream of `seed`; even ones are plausible. None when blocked."""
    number, plausible = seed * _STRIDE + index, index % 2 == 0
    choice = Random(f"{number} written")
    if choice.random() < _WRITTEN and written_families():
        story = written_story(choice, plausible)
        if choice.random() < _STRANGE:
            story = told_strangely(story, choice)
    else:
        story = StoryWriter(load_lexicon(), Random(number)).write(plausible)
    if any(normalised(sentence) in blocked for sentence in story.sentences):
        return None
    return story


def training_sentences(seed: int, n: int, blocked: frozenset[str] = frozenset()) -> Iterator[str]:
    """The sentences of the first `n` stories of the stream, in training order."""
    for index in range(n):
        story = training_story(seed, index, blocked)
        if story is not None:
            yield from story.sentences


def unseen_stories(seed: int, n: int, new_frames: bool) -> Iterator[Story]:
    """`n` stories for measuring, half of them plausible, from generators training never uses.

    With `new_frames` every sentence whose action has frames kept out of training uses one of
    those, and both sentences of the conflict (of a plausible story: at least two sentences) do.
    """
    written = index = 0
    while written < n:
        rng = Random(seed * _STRIDE + _UNSEEN_OFFSET + index)
        index += 1
        story = StoryWriter(load_lexicon(), rng, new_frames).write(plausible=written % 2 == 0)
        if new_frames:
            inside = story.pair or ()
            if not all(story.new_frames[position] for position in inside):
                continue
            if sum(story.new_frames) < 2:
                continue
        written += 1
        yield story
