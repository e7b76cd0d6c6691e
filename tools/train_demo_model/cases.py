"""What the model is measured with: the program's prompts about bundled and generated items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from core.benchmarks.accord.task_layers import ANSWER
from core.contract.benchmark import Benchmark
from core.contract.question import Question
from core.contract.registry import load, open_collection
from core.contract.setting import Setting
from tools.train_demo_model import abspyramid, accord, com2
from tools.train_demo_model.causes import schema_of
from tools.train_demo_model.prompts import CHOICES, LAYERS, prompt, target
from tools.train_demo_model.rows import Asked
from tools.train_demo_model.stories import Story
from tools.train_demo_model.stream import MEASURING_SEED, unseen_stories
from tools.train_demo_model.tasks import unseen
from tools.train_demo_model.written import written_families

BENCHMARKS = {"gita": "GITA", "accord": "ACCORD", "com2": "Com²", "abspyramid": "AbsPyramid"}
BUNDLED, TOPICS = "Bundled items", "Held-out topics"
ITEMS, WORDINGS = "Held-out items", "Held-out wordings"
_LETTERS = "ABCDEFGH"


@dataclass(frozen=True, slots=True)
class Case:
    """One prompt to measure with."""

    benchmark: str
    layer: str
    language: str
    cluster: str
    """Cases of one cluster (story family, graph, head event, pairing) are not independent."""
    text: str
    lead: str
    """What stands between the prompt and an option."""
    options: tuple[str, ...]
    """None where any text may be written."""
    gold: int
    """The place of the right option."""
    golds: tuple[str, ...] = ()
    """Without options, every right text."""
    part: str = ""
    """Of AbsPyramid the relation, of ACCORD hops and distractors."""


def bundled(benchmark: str) -> Iterator[Case]:
    """What the program asks about the bundled items."""
    bench = load(benchmark)
    return _asked(bench, bench.samples(), [layer.id for layer in bench.layers])


def sweep() -> Iterator[Case]:
    """ACCORD's whole trees of every size about the bundled questions."""
    accord = load("accord")
    return _asked(accord, next(iter(accord.more_samples())), [ANSWER])


def _asked(bench: Benchmark[Any], path: Path, layers: Sequence[str]) -> Iterator[Case]:
    collection = open_collection(bench, path)
    for index in range(len(collection)):
        item = collection.item(index)
        for layer in layers:
            question = bench.question(item, Setting(), layer)
            if question is not None:
                yield from of_question(bench.name, question, bench.cluster_tag)


def of_question(benchmark: str, question: Question, cluster_tag: str) -> Iterator[Case]:
    """A question of the program's own, unless it has no single right answer."""
    tags = question.tags
    case = partial(
        Case,
        benchmark,
        question.layer,
        tags.get("language", "it" if benchmark == "gita" else "en"),
        tags.get(cluster_tag, question.item),
        question.base(),
        part=tags.get("relation", "") or f"{tags.get('hops', '')} {tags.get('distractors', '')}",
    )
    if question.open:
        yield case(" ", (), 0, question.options)
    elif question.gold is None or question.multiple:
        return
    elif question.scoring.written:
        options = tuple(f"Answer: {letter})" for letter in _LETTERS[: len(question.options)])
        yield case("", options, question.gold)
    else:
        yield case(" ", question.options, question.gold)


def of_row(asked: Asked, cluster: str) -> Case:
    """A generated row."""
    italian = asked.benchmark == "com2" and asked.options[0] == "sì"
    gold = asked.options.index(asked.answer) if asked.options else 0
    part = ""
    if asked.benchmark == "abspyramid":
        part = next(name for name in ("noun", "verb", "event") if name in cluster)
    return Case(
        benchmark=asked.benchmark,
        layer=asked.layer,
        language="it" if italian else "en",
        cluster=cluster,
        text=asked.prompt,
        lead=asked.lead,
        options=asked.options,
        gold=gold,
        golds=(asked.answer,),
        part=part,
    )


def _topic(asked: Asked) -> str:
    """The chain, or what the word or activity is a kind of; empty where it is not known.

    Draws of one topic are not independent.
    """
    if asked.benchmark == "abspyramid":
        return " ".join(str(label.value) for label in asked.labels if label.head == "kinds")
    if asked.benchmark == "com2":
        events = {label.place: label.value for label in asked.labels if label.head == "event"}
        cause = min(events) if asked.layer == "answer" else asked.looks[0].stop
        return f"chain {schema_of(events[cause])}" if cause in events else ""
    return ""


def of_story(story: Story, cluster: str) -> Iterator[Case]:
    """The layers of a story; layers 2 and 3 only where there is a conflict."""
    for layer in LAYERS if not story.plausible else LAYERS[:1]:
        yield Case(
            benchmark="gita",
            layer=layer,
            language="it",
            cluster=cluster,
            text=prompt(layer, story.sentences),
            lead=" ",
            options=CHOICES[layer],
            gold=CHOICES[layer].index(target(layer, story)),
        )


def generated(benchmark: str, n: int) -> dict[str, list[Case]]:
    """Unseen cases by the name of their set, some `n` of each kind; training has not seen them."""
    if benchmark == "gita":
        return {
            TOPICS: list(_written()),
            **{
                name: [
                    case
                    for number, story in enumerate(unseen_stories(MEASURING_SEED, n, new))
                    for case in of_story(story, str(number))
                ]
                for name, new in ((ITEMS, False), (WORDINGS, True))
            },
        }
    if benchmark == "accord":
        shapes = (accord.BARE, *accord.HOPS, accord.WHOLE)
        return {
            name: _drawn(name, [partial(accord.write, shape, new=new) for shape in shapes], n // 2)
            for name, new in ((ITEMS, False), (WORDINGS, True))
        }
    if benchmark == "com2":
        links = (com2.link, partial(com2.link, language="it"))
        return {
            name: [
                *_drawn(name, [partial(link, **{flag: True} if flag else {}) for link in links], n),
                *_drawn(
                    f"{name} answer",
                    [partial(com2.scenario, **{flag: True} if flag else {})],
                    n // 3,
                ),
            ]
            for name, flag in ((TOPICS, "kept"), (ITEMS, ""), (WORDINGS, "new"))
        }
    words = (
        abspyramid.noun,
        abspyramid.verb,
        abspyramid.everyday_noun,
        abspyramid.everyday_verb,
    )
    asking = (*words, abspyramid.event)
    return {
        TOPICS: _drawn(TOPICS, [partial(abspyramid.event, kept=True)], 2 * n),
        ITEMS: _drawn(ITEMS, [partial(write, kept=True) for write in words], n // 2),
        WORDINGS: _drawn(WORDINGS, [partial(write, new=True) for write in asking], n // 2),
    }


def _written() -> Iterator[Case]:
    """Every story of the families that training never tells."""
    for family in written_families(kept=True):
        for variant in (*family.plausible, *family.orders, *family.clozes):
            yield from of_story(
                family.tell(variant, Random(0), rename=False), family.sentences[0][0]
            )


def _drawn(name: str, writers: Sequence[partial[Asked]], n: int) -> list[Case]:
    """`n` cases of each writer; those of one head event or first event are a cluster."""
    return [
        of_row(asked, f"{getattr(write.func, '__name__', '')} {number} {_topic(asked) or index}")
        for number, write in enumerate(writers)
        for index, asked in enumerate(unseen(MEASURING_SEED, f"{name} {number}", n, write))
    ]
