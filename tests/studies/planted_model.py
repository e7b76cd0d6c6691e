"""A model whose weights are set by hand, and a benchmark whose answer it computes in one place.

One head of one block looks from the answer position at the word that says whether a door is open,
and writes the answer; no other part of the model says anything about it. So what a study has to
find is known, and where nothing is planted there is nothing to find.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from core.contract.benchmark import Benchmark
from core.contract.collection import About, Entry, Repair
from core.contract.prompt_parts import PromptPart, line_parts
from core.contract.question import Question, Shot, Verdict
from core.contract.setting import Choice, Setting, Switch
from core.contract.summary import Summary, Totals
from core.contract.task_layer import TaskLayer
from core.contract.view import Statement, Statements, View
from core.text.errors import DataError, NotFoundError
from tests.gguf_files import Array, Tiny, byte_letters, write

BLOCKS, HEADS, WIDTH = 4, 4, 64
NOUNS = ("cup", "box", "fox", "hat", "map", "pen", "jar", "bus", "key", "net", "rug", "van")
STATES = ("wet", "dry", "red", "new")
OPEN, CLOSED = "open", "closed"
LAYER = "open"
KEY, OTHER = "door", "other sentence"
_WORDS = ("the", "is", "door", "yes", "or", "no", OPEN, CLOSED, *NOUNS, *STATES)
_PUNCTUATION = (".", "?", " .", " ?")
_IS_KEY, _POLARITY, _IS_END, _ANSWER, _CONSTANT, _FREE = 0, 1, 2, 3, 4, 8
"""Numbers of the residual stream: the word is open or closed, which of the two, the prompt's last
token, the answer, the same in every token, and from there on what is drawn."""


def planted_model(
    path: Path,
    *,
    block: int = 1,
    head: int = 2,
    planted: bool = True,
    noise: float = 0.02,
    seed: int = 0,
) -> Path:
    """Write the model; return its path.

    Args:
        path: the GGUF file.
        block: where the answer is computed.
        head: by which head.
        planted: without it no head reads the word.
        noise: standard deviation of all weights that do nothing.
        seed: of drawing them.
    """
    letters = byte_letters()
    pieces = [*(f" {word}" for word in _WORDS), *_WORDS, *_PUNCTUATION]
    words = ["".join(letters[byte] for byte in piece.encode()) for piece in pieces]
    tokens = list(dict.fromkeys([*letters.values(), *words]))
    specials = 7
    index = {token: specials + number for number, token in enumerate(tokens)}

    def ids(word: str) -> list[int]:
        spelled = [
            "".join(letters[byte] for byte in piece.encode()) for piece in (word, f" {word}")
        ]
        return [index[piece] for piece in spelled]

    size = WIDTH // HEADS
    # The pair of numbers that rotary positions turn least: positions hardly change it.
    still = head * size + size - 2

    def change(name: str, drawn: Array) -> Array:
        array = drawn * np.float32(noise)
        if name == "token_embd.weight":
            array = drawn * np.float32(0.1)
            array[:, :_FREE] = 0.0
            array[:, _CONSTANT] = 1.0
            for word, polarity in ((OPEN, 1.0), (CLOSED, -1.0)):
                array[ids(word), _IS_KEY] = 1.0
                array[ids(word), _POLARITY] = polarity
            array[ids("?"), _IS_END] = 1.0
        elif name == "output.weight":
            array = np.zeros_like(drawn)
            array[ids("yes"), _ANSWER] = 1.5
            array[ids("no"), _ANSWER] = -1.5
        elif drawn.ndim == 1:
            array = drawn
        elif planted and name == f"blk.{block}.attn_q.weight":
            array[still : still + 2] = 0.0
            array[still, _IS_END] = 8.0
        elif planted and name == f"blk.{block}.attn_k.weight":
            array[still : still + 2] = 0.0
            array[still, _IS_KEY] = 8.0
        elif planted and name == f"blk.{block}.attn_v.weight":
            array[head * size] = 0.0
            array[head * size, _POLARITY] = 1.0
        elif planted and name == f"blk.{block}.attn_output.weight":
            array[_ANSWER] = 0.0
            array[_ANSWER, head * size] = 1.0
        if name.endswith(("attn_output.weight", "ffn_down.weight")):
            # Nothing else writes what is read.
            written = array[_ANSWER, head * size]
            array[:_FREE] = 0.0
            if planted and name == f"blk.{block}.attn_output.weight":
                array[_ANSWER, head * size] = written
        return array

    spec = Tiny(
        blocks=BLOCKS, width=WIDTH, heads=HEADS, hidden=64, deviation=1.0, seed=seed, chat="",
        name="Planted",
    )  # fmt: skip
    return write(path, spec, tokens, change)


@dataclass(frozen=True, slots=True)
class Door:
    """Some things in a room, and a door."""

    id: str
    family: str
    sentences: tuple[str, ...]
    """Without that of the door."""
    place: int
    """Where the door's sentence stands among them."""
    state: str


class Doors:
    """A collection of doors: `count` families of an open and a closed one."""

    def __init__(self, count: int = 9, seed: int = 0) -> None:
        drawn = random.Random(seed)
        items = []
        for family in range(count):
            nouns = drawn.sample(NOUNS, 2)
            sentences = tuple(f"the {noun} is {drawn.choice(STATES)} ." for noun in nouns)
            place = family % 3
            items += [
                Door(f"{family}-{state}", str(family), sentences, place, state)
                for state in (OPEN, CLOSED)
            ]
        self._items = tuple(items)
        self.about = About("Doors")
        self.repairs: Sequence[Repair] = ()
        self.errors: Sequence[DataError] = ()
        self.content_hash = f"doors-{count}-{seed}"

    def __len__(self) -> int:
        return len(self._items)

    def entry(self, index: int) -> Entry:
        return Entry(self._items[index].id, self._items[index].state)

    def item(self, index: int) -> Door:
        return self._items[index]

    def find(self, item_id: str) -> int:
        for index, item in enumerate(self._items):
            if item.id == item_id:
                return index
        raise NotFoundError("no such door")

    def matching(self, text: str) -> Sequence[int]:
        return [index for index, item in enumerate(self._items) if text in item.id]


class DoorsBenchmark(Benchmark[Door]):
    """Is the door open?"""

    api_version: ClassVar[int] = 1
    name: ClassVar[str] = "doors"
    title: ClassVar[str] = "Doors"
    summary: ClassVar[str] = "Is a door open?"
    layers: ClassVar[tuple[TaskLayer, ...]] = (TaskLayer(LAYER, "Open?", "Is the door open?"),)
    profiles: ClassVar[tuple[str, ...]] = ("all",)
    cluster_tag: ClassVar[str] = "family"

    def samples(self) -> Path:
        return Path("doors")

    def open(self, path: Path) -> Doors:
        return Doors()

    def switches(self, item: Door) -> tuple[Switch, ...]:
        return (Choice("state", "State", (item.state, _other(item.state))),)

    def view(self, item: Door, setting: Setting) -> View:
        statements = tuple(
            Statement(f"s{index}", sentence)
            for index, sentence in enumerate(_sentences(item, setting))
        )
        return View(item.id, "", (), (Statements("Room", statements),))

    def question(
        self, item: Door, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question:
        state = setting.value(self.switches(item)[0])
        return Question(
            item=item.id,
            layer=LAYER,
            instruction="",
            text=f"{' '.join(_sentences(item, setting))} yes or no ?",
            options=("yes", "no"),
            gold=0 if state == OPEN else 1,
            setting=setting,
            tags={"family": item.family},
        )

    def prompt_parts(
        self, item: Door, setting: Setting, question: Question
    ) -> Sequence[PromptPart]:
        lines = [
            (sentence, KEY if index == item.place else OTHER, index != item.place)
            for index, sentence in enumerate(_sentences(item, setting))
        ]
        return list(line_parts(question, 0, len(question.text), lines))

    def summarise(
        self,
        verdicts: Sequence[Verdict],
        profile: str,
        totals: Mapping[str, Totals] | None = None,
    ) -> Summary:
        raise NotImplementedError


def _sentences(item: Door, setting: Setting) -> list[str]:
    state = dict(setting.changed).get("state", item.state)
    sentences = list(item.sentences)
    sentences.insert(item.place, f"the door is {state} .")
    return sentences


def _other(state: str) -> str:
    return CLOSED if state == OPEN else OPEN
