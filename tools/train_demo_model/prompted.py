"""Measuring the benchmarks other than GITA: which prompts, and how many are answered right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from core.benchmarks.abspyramid.item import AbsItem
from core.benchmarks.abspyramid.pyramids import Pyramid
from core.benchmarks.abspyramid.tuples import Relation
from core.contract.question import Question
from core.contract.registry import load, open_collection
from core.contract.setting import Setting
from tools.train_demo_model import abspyramid, accord, com2
from tools.train_demo_model.measures import Share
from tools.train_demo_model.rows import Asked
from tools.train_demo_model.scoring import Scorer
from tools.train_demo_model.stream import MEASURING_SEED
from tools.train_demo_model.tasks import unseen

_LETTERS = "ABCDEFGH"
_KNOWN, _UNKNOWN = "true, pair in training", "true, pair not in training"
_WRITTEN = 12
"""Tokens of an answer that is written; concepts are a few words."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt to measure with. Without options any of `golds` may be written."""

    layer: str
    text: str
    lead: str
    options: tuple[str, ...]
    golds: tuple[str, ...]
    groups: tuple[str, ...] = ()
    """What else an answer counts for."""


@dataclass(frozen=True, slots=True)
class LayerResult:
    """A layer's answers; `majority` is None where the answer is written freely."""

    model: Share
    majority: Share | None


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What one set of prompts of a benchmark gave, by layer."""

    benchmark: str
    name: str
    layers: dict[str, LayerResult]


def of_row(asked: Asked) -> Prompt:
    """A generated row, of which nothing but the gold answer is known besides the prompt."""
    return Prompt(asked.layer, asked.prompt, asked.lead, asked.options, (asked.answer,))


def of_question(question: Question) -> Prompt | None:
    """A question of the program's own; None where it has no single right answer."""
    text = question.base()
    if question.open:
        return Prompt(question.layer, text, " ", (), question.options)
    if question.gold is None or question.multiple:
        return None
    if question.scoring.value == "generated":
        options = tuple(f"Answer: {letter})" for letter in _LETTERS[: len(question.options)])
        return Prompt(question.layer, text, "", options, (options[question.gold],))
    return Prompt(question.layer, text, " ", question.options, (question.options[question.gold],))


def bundled(benchmark: str, language: str = "en") -> Iterator[Prompt]:
    """What the program asks about the bundled items of a language."""
    bench = load(benchmark)
    collection = open_collection(bench, bench.samples())
    for index in range(len(collection)):
        item = collection.item(index)
        for layer in bench.layers:
            question = bench.question(item, Setting(), layer.id)
            if question is None or question.tags.get("language", "en") != language:
                continue
            prompt = of_question(question)
            if prompt is None:
                continue
            if isinstance(item, AbsItem) and question.layer.startswith("rung"):
                prompt = replace(prompt, groups=(_known(item.pyramid, question.about),))
            yield prompt


def _known(pyramid: Pyramid, concept: str) -> str:
    """Which of the true concepts of the samples training asks about, of the same word."""
    if pyramid.relation is Relation.EVENT:
        return "true, event"
    known = abspyramid.asked_in_training(pyramid.relation, pyramid.instance, concept)
    return _KNOWN if known else _UNKNOWN


def pairs_of_samples() -> list[bool]:
    """For every true noun or verb pair of the samples: whether training asks about it."""
    groups = [group for prompt in bundled("abspyramid") for group in prompt.groups]
    return [group == _KNOWN for group in groups if group in (_KNOWN, _UNKNOWN)]


def generated(benchmark: str, n: int) -> dict[str, list[Prompt]]:
    """Sets of unseen prompts by name; `n` is the size of the largest groups."""
    if benchmark == "accord":
        shapes = (accord.BARE, *accord.HOPS, accord.WHOLE)
        writers = {
            name: [partial(accord.write, shape, new=new) for shape in shapes]
            for name, new in (("Held-out items", False), ("Held-out templates", True))
        }
        return {name: _drawn(name, group, n // 2) for name, group in writers.items()}
    if benchmark == "com2":
        sets = {}
        for name, new in (("Held-out items", False), ("Held-out templates", True)):
            sets[name] = [
                *_drawn(name, [partial(com2.link, new=new)], 2 * n),
                *_drawn(name, [partial(com2.scenario, new=new)], n // 2),
            ]
            italian = f"{name}, Italian"
            sets[italian] = _drawn(italian, [partial(com2.link, new=new, language="it")], n)
        return sets
    asking = (
        abspyramid.noun,
        abspyramid.verb,
        abspyramid.event,
        abspyramid.everyday_noun,
        abspyramid.everyday_verb,
    )
    return {
        "Held-out pairs of word and concept": _drawn(
            "pairs", [partial(write, kept=True) for write in asking], n
        ),
        "Held-out templates": [
            *_drawn("templates", [partial(write, new=True) for write in asking], n),
            *_drawn("templates", [partial(abspyramid.naming, new=True)], n // 2),
        ],
    }


def _drawn(name: str, writers: Sequence[partial[Asked]], n: int) -> list[Prompt]:
    """`n` prompts of each writer."""
    return [
        of_row(asked)
        for number, write in enumerate(writers)
        for asked in unseen(MEASURING_SEED, f"{name} {number}", n, write)
    ]


def ask(scorer: Scorer, prompt: Prompt) -> bool:
    """Whether the option with the highest log-likelihood, or the text written, is right."""
    if not prompt.options:
        said = scorer.write(prompt.text, _WRITTEN).partition("\n")[0]
        return said.strip(" .").casefold() in {gold.casefold() for gold in prompt.golds}
    best = scorer.choose(prompt.text, prompt.options, prompt.lead)
    return prompt.options[best] in prompt.golds


def measured(scorer: Scorer, benchmark: str, name: str, prompts: Iterable[Prompt]) -> TaskResult:
    """Ask every prompt; layers come in the order of their first prompt."""
    right: dict[str, list[bool]] = {}
    golds: dict[str, list[int | None]] = {}
    for prompt in sorted(prompts, key=lambda item: item.text):
        verdict = ask(scorer, prompt)
        place = prompt.options.index(prompt.golds[0]) if prompt.options else None
        for layer in (*_groups(benchmark, prompt.layer), *prompt.groups):
            right.setdefault(layer, []).append(verdict)
            golds.setdefault(layer, []).append(place)
    layers = {}
    for layer in sorted(right, key=_rank):
        n = len(right[layer])
        share = Share(sum(right[layer]), n)
        known = golds[layer]
        majority = None if None in known else Share(Counter(known).most_common(1)[0][1], n)
        layers[layer] = LayerResult(share, majority)
    return TaskResult(benchmark, name, layers)


def _groups(benchmark: str, layer: str) -> tuple[str, ...]:
    """The layers of a table that an answer counts for: its own, and the sum of all yes and no."""
    if benchmark == "com2" and layer != "answer":
        return layer, "all links, broken or not"
    if benchmark == "abspyramid" and layer != "generation":
        kind = "false" if layer.startswith("false") else layer
        return kind, "all concepts, true or false"
    return (layer,)


_ORDER = ("bare", "link", "hop", "rung", "true", "broken", "false", "all", "answer", "generation")


def _rank(layer: str) -> tuple[int, str]:
    return _ORDER.index(layer.partition("-")[0].partition(" ")[0].strip(",")), layer
