"""The vocabulary: what the prompts of training are made of, and the common words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tools.train_demo_model.abspyramid import third_person
from tools.train_demo_model.causes import FILES, load_schemas
from tools.train_demo_model.concepts import activities, activity_numbers, listed
from tools.train_demo_model.prompts import LAYERS, prompt, target
from tools.train_demo_model.stream import training_story
from tools.train_demo_model.tasks import KINDS, training_row
from tools.train_demo_model.tokenizer import Tokenizer, pieces
from tools.train_demo_model.wordlists import common, kinds, people, small, strange, terms
from tools.train_demo_model.written import written_families

_STORIES = 10_000
_RARE = 2
# Enough rows of every kind for each wording to occur; their words need not be frequent.
_ROWS = 1500
_SYMBOLS = (" ", "   ", " (", ")", "),", ").", ' "', '"', ',"', '."', ";", " -", "'s", "’", "?\n")


def build_tokenizer(seed: int, blocked: frozenset[str]) -> Tokenizer:
    """Pieces seen twice in the first stories, those of the other prompts, and word lists."""
    counts: Counter[str] = Counter()
    for index in range(_STORIES):
        story = training_story(seed, index, blocked)
        if story is None:
            continue
        layers = LAYERS if not story.plausible else LAYERS[:1]
        for layer in layers:
            counts.update(pieces(prompt(layer, story.sentences).rstrip(" ")))
            ending = prompt(layer, ()).endswith(" ")
            counts.update(pieces(" " * ending + " " + target(layer, story)))
    known = {piece for piece, count in counts.items() if count >= _RARE}
    return Tokenizer.from_pieces(known.union(_task_pieces(seed), _written(), _listed()))


def _task_pieces(seed: int) -> Iterator[str]:
    for group in KINDS.values():
        for kind in group:
            for index in range(_ROWS):
                asked = training_row(seed, kind, index)
                yield from pieces(asked.prompt)
                for option in (*asked.options, asked.answer):
                    yield from pieces(asked.lead + option)


def _written() -> Iterator[str]:
    """All that training tells in sentences written by hand."""
    told = [text for family in written_families() for text in family.texts]
    for number in activity_numbers():
        activity = activities()[number]
        told += [
            text for part in ("say", "with", "kinds", "not") for text in activity.get(part, ())
        ]
    for language in FILES:
        for schema in load_schemas(language):
            told += [text for event in (*schema.events, *schema.absurd) for text in event.said]
    for text in told:
        # Places of several words are told apart by commas.
        for part in re.split("[{},]", text):
            yield from pieces(f" {part.strip()}")


def _listed() -> Iterator[str]:
    """Each word of the lists as it stands in brackets and elsewhere, with and without a blank."""
    yield from _SYMBOLS
    for word in small():
        yield from (word, f" {word}", word.capitalize(), f" {word.capitalize()}")
    for name in people():
        yield from (name, f" {name}")
    bare = [*common(), *terms()]
    for word, above in kinds("nouns").items():
        bare += (word, *above)
    for term in bare:
        for word in term.split():
            yield from pieces(word)
            yield from pieces(f" {word}")
    # These stand in sentences only, verbs in the third person.
    for word in strange():
        yield from pieces(f" {word}")
    for word, above in listed("everyday nouns"):
        yield from pieces(" " + " ".join((word, *above)))
    for word, above in (*listed("verbs"), *listed("everyday verbs")):
        yield from pieces(" " + " ".join(map(third_person, (word, *above))))
