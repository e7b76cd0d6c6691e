"""Ask the bundled model the bundled questions, and write its answers beside it.

`python -m tools.demo_answers [--to FILE]`

The program shows these answers while llama.cpp is being compiled. They are those to the samples of
every benchmark: to each item as it is, to its variants, and to the item in each world that implies
another answer.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Item
from core.contract.question import Answer, Question
from core.contract.rungs import build_rungs
from core.contract.setting import Choice, Setting
from core.models.demo_answers import DECIMALS, DemoAnswer, answers_file
from core.models.llama.client import LlamaModel
from core.models.resolver import DEMO, demo_file
from core.runs.asking import given_answer, natural_form, natural_scoring

BENCHMARKS = ("gita", "accord", "com2", "abspyramid")


def settings_of(benchmark: Benchmark, item: Item) -> Iterator[Setting]:
    """The settings of an item under which it is asked: none, and those that a single key shows."""
    yield Setting()
    for switch in benchmark.switches(item):
        if isinstance(switch, Choice) and (switch.cycles or switch.implied):
            for value in switch.values:
                if value != switch.default:
                    yield Setting().with_value(switch, value)


def questions_of(name: str) -> Iterator[Question]:
    """The questions about the samples of a benchmark."""
    benchmark = registry.load(name)
    collection = registry.open_collection(benchmark, benchmark.samples())
    for index in range(len(collection)):
        item = collection.item(index)
        for setting in settings_of(benchmark, item):
            for rung in build_rungs(benchmark, item, setting):
                if rung.question is not None:
                    yield rung.question


def all_questions() -> list[Question]:
    """Every question once, those with the same beginning beside each other."""
    questions = {
        (question.digest(), question.layer, question.options): question
        for name in BENCHMARKS
        for question in questions_of(name)
    }
    # The model keeps what two prompts have in common.
    return sorted(questions.values(), key=lambda question: (question.base(), question.layer))


def recorded(question: Question, answer: Answer) -> DemoAnswer:
    """An answer as the file has it."""
    scores = tuple((round(each.logprob, DECIMALS), each.tokens) for each in answer.scores)
    return DemoAnswer(
        question.digest(),
        question.layer,
        question.options,
        scores,
        answer.text,
        answer.tokens,
        answer.complete,
    )


async def ask_all(questions: list[Question], file: Path) -> tuple[str, str, list[DemoAnswer]]:
    """Name and fingerprint of the model, and its answers as the ladder asks for them."""
    model = await LlamaModel.load(file, source=DEMO, demo=True)
    try:
        form = natural_form(model.info)
        scoring = natural_scoring(model.info, form)
        answers = [
            recorded(each, await given_answer(model, each, form, scoring=scoring))
            for each in questions
        ]
    finally:
        await model.close()
    return model.info.name, model.info.fingerprint, answers


def main() -> None:
    """Ask, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m tools.demo_answers", description=__doc__)
    parser.add_argument("--to", type=Path, default=answers_file(), help="the file to write")
    options = parser.parse_args()
    name, fingerprint, answers = asyncio.run(ask_all(all_questions(), demo_file()))
    answers.sort(key=lambda answer: answer.key)
    head = {"model": name, "fingerprint": fingerprint}
    # One answer a line, so that a difference shows which answers changed.
    lines = ",\n".join(msgspec.json.encode(answer).decode() for answer in answers)
    start = msgspec.json.encode(head).decode().removesuffix("}")
    options.to.write_text(f'{start},"answers":[\n{lines}\n]}}\n', encoding="utf-8")
    print(f"{options.to}: {len(answers):,} answers, {options.to.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
