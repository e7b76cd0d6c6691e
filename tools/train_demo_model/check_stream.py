"""Replay what a model was trained on and look for text that must not be there.

`python -m tools.train_demo_model.check_stream [--model FILE]` takes some minutes. It exits with 1
when one of these occurs in the training text, without regard to case and closing punctuation:

* a sentence of the bundled stories, or a whole measuring story (GITA);
* the wording of a bundled question (ACCORD), an event, a question or an option of a bundled item
  (Com²), a head event of the bundled ones (AbsPyramid);
* a noun or verb beside a concept that a bundled question asks about it, in whatever form, asked or
  told (AbsPyramid).

Text written by hand is looked through as a whole, told or not: stories, chains and activities. What
is drawn from word lists is replayed.

ACCORD's statements, such as "Suppose that [a] is a part of [b]", are wordings of the benchmark with
terms drawn at random; that a bundled statement is never among them is not claimed.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path

from core.benchmarks.com2.prompts import wordings
from core.contract.registry import load, open_collection
from core.contract.setting import Setting
from tools.train_demo_model.abspyramid import TOLD
from tools.train_demo_model.bundled_pairs import ASKED, is_bundled
from tools.train_demo_model.causes import CHOICE, FILES, all_schemas
from tools.train_demo_model.concepts import activities, activity_numbers
from tools.train_demo_model.gguf_file import Record, Stage, read_record
from tools.train_demo_model.rows import Asked
from tools.train_demo_model.stream import (
    MEASURING_SEED,
    checksum,
    normalised,
    sample_sentences,
    training_story,
    unseen_stories,
)
from tools.train_demo_model.tasks import KINDS, Kind, kinds_of_step, rows_of_step
from tools.train_demo_model.written import written_families

ROOT = Path(__file__).parents[2]
_COM2_LINE = re.compile(r"^(?:[A-ZÈ][a-z ]+: |[A-H]\) )?(.*?)$", re.MULTILINE)
_HEADS = (
    re.compile(r"^ ?In the sentence (.*), does the meaning of .* encompass"),
    re.compile(r"description of the sentence (.*)\?$"),
    re.compile(r"^In the sentence \"(.*),\" .* is an instance of$"),
)


def said(benchmark: str, text: str) -> set[str]:
    """The normalised parts of a prompt that are an item's own: questions, events, heads."""
    if benchmark == "plain":
        found = re.split(r"(?<=[.!?]) ", text)
    elif benchmark == "accord":
        found = [text.rpartition("Question:\n")[2].partition("\n")[0]]
    elif benchmark == "com2":
        found = _COM2_LINE.findall(text)
    else:
        found = [head for pattern in _HEADS for head in pattern.findall(text)]
    return {normalised(part) for part in found} - {""}


def bundled_text(benchmark: str) -> frozenset[str]:
    """What the bundled items say that no training prompt may say."""
    bench = load(benchmark)
    collection = open_collection(bench, bench.samples())
    found: set[str] = set()
    for index in range(len(collection)):
        item = collection.item(index)
        for layer in bench.layers:
            question = bench.question(item, Setting(), layer.id)
            if question is not None:
                found |= said(benchmark, question.text)
    return frozenset(found) - _frame(benchmark)


def _frame(benchmark: str) -> frozenset[str]:
    """What every prompt of a benchmark says."""
    if benchmark != "com2":
        return frozenset()
    questions = {wording.question.rpartition("\n")[2] for wording in wordings().links.values()}
    return frozenset({*map(normalised, questions), "options:"})


def training_rows(stage: Stage) -> Iterator[tuple[str, Kind, Asked]]:
    """Every row that a training drew, with its benchmark and kind."""
    for step in range(stage.steps):
        kinds = kinds_of_step(stage.seed, step, stage.continued)
        for benchmark, kind in zip(KINDS, kinds, strict=True):
            for asked in rows_of_step(stage.seed, step, kind):
                yield benchmark, kind, asked


def pairs_said(kind: Kind, asked: Asked) -> Iterator[tuple[str, str, str]]:
    """The pairs that a row names: `nouns` or `verbs`, the word, and the concept."""
    if kind.name == "told":
        for part, wordings in TOLD.items():
            for wording in wordings:
                before, after = wording.split("{}")
                if asked.text.startswith(before) and asked.text.endswith(after):
                    word = asked.text.removeprefix(before).removesuffix(after)
                    yield part, word, asked.answer
    elif found := ASKED.search(asked.text):
        yield f"{kind.name.removeprefix('everyday-')}s", found["word"], found["concept"]


def check_stories(record: Record) -> set[str]:
    """What must not be in the training stories and is."""
    samples = sample_sentences(ROOT / "samples")
    # Without the sentences of that time the filter cannot be replayed: then nothing is left out.
    same = checksum(samples) == record.blocked_checksum
    blocked = samples if same else frozenset()
    measured = {
        story.sentences
        for new in (False, True)
        for story in unseen_stories(MEASURING_SEED, 1000, new)
    }
    found: set[str] = set()
    left_out = repeated = 0
    numbers = [(stage.seed, index) for stage in record.stages for index in range(stage.stories)]
    for seed, index in numbers:
        story = training_story(seed, index, blocked)
        if story is None:
            left_out += 1
            continue
        found.update(samples.intersection(map(normalised, story.sentences)))
        if story.sentences in measured:
            repeated += 1
            found.add(" ".join(story.sentences))
    print(f"samples are {'the same as' if same else 'not the same as'} when the model was trained")
    print(f"{len(numbers)} stories, {left_out} left out for a sample sentence")
    print(f"measuring stories in training stories: {repeated}")
    return found


def check_rows(record: Record) -> set[str]:
    """What must not be in the other training prompts and is."""
    bundled = _bundled()
    counts = dict.fromkeys(KINDS, 0)
    found: set[str] = set()
    for benchmark, kind, asked in chain.from_iterable(map(training_rows, record.stages)):
        counts[benchmark] += 1
        found |= said(benchmark, asked.text) & bundled[benchmark]
        if benchmark == "abspyramid":
            found |= {
                f"{word}: {concept}"
                for part, word, concept in pairs_said(kind, asked)
                if is_bundled(part, word, concept)
            }
    for benchmark, count in counts.items():
        print(f"{benchmark}: {count} prompts, {len(bundled[benchmark])} bundled texts")
    return found


@cache
def _bundled() -> dict[str, frozenset[str]]:
    """Bundled texts by the kind of training text that must not say them: plain text says none."""
    found = {benchmark: bundled_text(benchmark) for benchmark in KINDS if benchmark != "plain"}
    samples = sample_sentences(ROOT / "samples")
    return {**found, "plain": samples.union(*found.values())}


def check_written() -> set[str]:
    """What must not be in the text written by hand and is."""
    told = set(map(normalised, written()))
    print(f"{len(told)} sentences written by hand")
    return told & _bundled()["plain"]


def written() -> Iterator[str]:
    """Every sentence written by hand, with any of its words in the places that have several."""
    for kept in (False, True):
        for family in written_families(kept):
            yield from family.texts
        for number in activity_numbers(kept):
            activity = activities()[number]
            for frame in activity["say"]:
                for thing in activity["with"]:
                    yield (
                        frame.replace("{o}", thing)
                        .replace("{X}", "PersonX")
                        .replace("{Y}", "PersonY")
                    )
    for language in FILES:
        for schema in all_schemas(language):
            for event in (*schema.events, *schema.absurd):
                for said_so in (*event.said, *event.new):
                    yield from _filled(said_so)


def _filled(text: str) -> Iterator[str]:
    """A wording with each of the words that may stand in a place."""
    found = CHOICE.search(text)
    if found is None:
        yield text
        return
    for word in found[1].split(","):
        yield from _filled(text.replace(found[0], word))


def main() -> int:
    """Replay, print what was found, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.train_demo_model.check_stream", description=__doc__
    )
    parser.add_argument(
        "--model", type=Path, default=ROOT / "samples" / "models" / "demo-q8_0.gguf"
    )
    record = read_record(parser.parse_args().model)
    found = check_stories(record) | check_rows(record) | check_written()
    print(f"bundled or measuring text in the training text: {len(found)}")
    for text in sorted(found):
        print(f"  {text}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
