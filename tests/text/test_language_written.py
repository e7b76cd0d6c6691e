"""What is shown speaks another language; what is asked, kept or written to files does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from core.blocks.contrast_prompts import contrast_prompts
from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.rungs import build_rungs
from core.contract.setting import Setting
from core.exchange.exporters import formats
from core.exchange.exporters.document import document_of
from core.layout.ladder import draw_ladder
from core.layout.plain_text import view_text
from core.layout.rows import plain
from core.text.language import ENGLISH, LANGUAGES, in_english, speak

OTHERS = [code for code in LANGUAGES if code != ENGLISH]
BENCHMARKS = ["gita", "com2", "accord", "abspyramid"]


@pytest.fixture(params=BENCHMARKS)
def benchmark(request: pytest.FixtureRequest) -> Benchmark:
    return registry.load(request.param)


def items(benchmark: Benchmark) -> Iterator[tuple[Any, Setting]]:
    """The first item of the bundled collection as it is, and as it is set beside others."""
    collection = benchmark.open(benchmark.samples())
    item = collection.item(0)
    yield item, Setting()
    yield from ((item, setting) for label, setting in benchmark.contrasts(item, Setting()))


def shown(benchmark: Benchmark) -> list[str]:
    """What the panes draw of the items before anything is asked."""
    return [
        text
        for item, setting in items(benchmark)
        for text in (
            view_text(benchmark.view(item, setting), 100),
            plain(draw_ladder(build_rungs(benchmark, item, setting), 40, len)),
        )
    ]


def kept(benchmark: Benchmark) -> list[object]:
    """What models are asked, what settings may hold, and the files that are written."""
    found: list[object] = []
    about = benchmark.open(benchmark.samples()).about
    for item, setting in items(benchmark):
        found.append([(s.key, s.default) for s in benchmark.switches(item)])
        for layer in benchmark.layers:
            question = benchmark.question(item, setting, layer.id)
            if question is not None:
                found.append((question, question.base(), question.chat(system=True)))
                found.append(
                    [
                        (twin.name, twin.setting)
                        for twin in contrast_prompts(benchmark, item, setting, question)
                    ]
                )
        with in_english():
            document = document_of(benchmark, item, setting, about)
        found += [formats.export(name, document) for name in ("json", "md", "text")]
    return found


@pytest.mark.parametrize("code", OTHERS)
def test_shown_texts_are_in_the_chosen_language(benchmark: Benchmark, code: str) -> None:
    english, written = shown(benchmark), kept(benchmark)
    speak(code)
    there = shown(benchmark)
    assert len(there) == len(english)
    assert all(one != other for one, other in zip(english, there, strict=True))
    assert kept(benchmark) == written
    with in_english():
        assert shown(benchmark) == english
    speak(ENGLISH)
    assert shown(benchmark) == english


@pytest.mark.parametrize("code", OTHERS)
def test_the_data_stays_as_it_is(code: str) -> None:
    gita = registry.load("gita")
    story = gita.open(gita.samples()).item(0)
    speak(code)
    (statements, *_others) = gita.view(story, Setting()).sections
    assert [statement.text for statement in statements.statements] == list(story.story.sentences)
