"""Every reader of a file from outside: a small good file, and what the program does with it."""

from __future__ import annotations

import bz2
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.annotation.votes import Round, VoteFolder
from core.benchmarks.abspyramid.annotation import open_annotation
from core.benchmarks.abspyramid.curation.conllu_file import read_parses
from core.benchmarks.abspyramid.predictions import read_detections, read_generations
from core.benchmarks.accord.collection import grounds_beside
from core.benchmarks.accord.knowledge.compiler import build
from core.benchmarks.accord.knowledge.loader import open_knowledge
from core.benchmarks.accord.knowledge.readers import Reader as AssertionReader
from core.benchmarks.accord.knowledge.readers import Wanted
from core.benchmarks.accord.knowledge.source_files import find_source
from core.benchmarks.accord.sources.pairing_decisions import Decisions
from core.benchmarks.accord.sources.pairing_files import read_pairings
from core.benchmarks.accord.sources.qa_source import open_questions
from core.benchmarks.accord.suites.checker import checked
from core.benchmarks.accord.suites.files import ITEMS, MANIFEST
from core.benchmarks.accord.trees.skills import Skills
from core.benchmarks.com2.answer_files import read_answers
from core.benchmarks.com2.synthesis.own_story import read_own_story
from core.benchmarks.gita import tiered_results
from core.blocks.vectors import read_vector
from core.contract import registry
from core.contract.setting import Setting
from core.exchange.importers import inspect_logs, lm_eval
from core.files import config
from core.files.shipped import samples
from core.layout.plain_text import view_text
from core.lessons import progress_file
from core.lessons.lesson_reader import read_lesson
from core.models.gguf_header import read_header
from core.models.model_files import check_memory, describe
from core.runs.pack import unpack
from core.runs.store import Store
from core.runs.summaries import summarise
from core.runs.wordings import read_wordings
from tools.attack import made_stores, seeds
from tui.shell import keymap
from tui.shell.themes import check as check_theme

MOST_ITEMS = 6
"""How many items of a collection are looked at."""


@dataclass(frozen=True)
class Reader:
    """A way into the program for a file."""

    file: str
    """Its name in a folder of its own."""
    seed: Callable[[], bytes]
    """The bytes of a good file."""
    read: Callable[[Path], object]
    packed: str = ""
    """How the file is packed: "gzip", "bz2", "zip" or not."""
    beside: Callable[[], Mapping[str, bytes]] = field(default=dict)
    """Other files that must be in the folder."""


class TerminalTextError(AssertionError):
    """Text with control characters was about to be printed."""


def shown(text: str) -> None:
    """Raise `TerminalTextError` for text that a terminal would obey."""
    for character in text:
        if character != "\n" and (ord(character) < 32 or 127 <= ord(character) < 160):
            raise TerminalTextError(f"control character {character!r} in {text[:200]!r}")


def collection(name: str) -> Callable[[Path], object]:
    """Open the file as a collection of a benchmark; look at its first items as the screens do."""

    def read(path: Path) -> None:
        benchmark = registry.load(name)
        benchmark.recognises(path)
        opened = benchmark.open(path)
        for problem in (*opened.errors[:20], *opened.repairs[:20]):
            shown(problem.what + problem.where)
        opened.matching("a")
        setting = Setting()
        for index in range(min(len(opened), MOST_ITEMS)):
            entry = opened.entry(index)
            item = opened.item(index)
            opened.find(entry.id)
            shown(view_text(benchmark.view(item, setting), 80))
            benchmark.switches(item)
            benchmark.contrasts(item, setting)
            for layer in benchmark.layers[:4]:
                benchmark.question(item, setting, layer.id)
        assert len(opened.content_hash) == 64

    return read


def _knowledge(path: Path) -> None:
    build(AssertionReader(find_source(path), Wanted()), path.parent / "out.kb")
    index = open_knowledge(path.parent / "out.kb")
    index.verify()


def _index(path: Path) -> None:
    index = open_knowledge(path)
    index.verify()
    for relation in index.relations[:5]:
        index.holds(relation, "cup", "kitchen")


def _votes(path: Path) -> None:
    votes = VoteFolder(path.parent)
    for task in votes.tasks:
        votes.on(task, Round.FIRST)
    shown("".join(votes.names.values()))


def _suite(path: Path) -> None:
    collection("accord")(path.parent)
    checked(path.parent, grounds_beside(samples() / "accord"))


def _commonsense_qa(path: Path) -> None:
    open_questions(path, tuple(Skills.shipped()))


def _config(path: Path) -> None:
    keymap.check(config.read(path))


def _wordings(path: Path) -> None:
    gita = registry.load("gita")
    read_wordings(path, [layer.id for layer in gita.layers], {})


def _store(path: Path) -> None:
    with Store(path, create=False) as store:
        for run in store.runs():
            summarise(store, run)
            store.recorded_verdicts(run)


def _pack(path: Path) -> None:
    unpack(path, path.parent / "into.sqlite")


def _header(path: Path) -> None:
    read_header(path)
    describe(path)
    check_memory(path)


def _theme(path: Path) -> None:
    for finding in check_theme(path):
        shown(finding.what)


def _annotation(path: Path) -> None:
    open_annotation(path.parent)


READERS: dict[str, Reader] = {
    "gita rows": Reader("stories.jsonl", seeds.story_rows, collection("gita")),
    "gita object": Reader("stories.json", seeds.story_object, collection("gita")),
    "gita v1": Reader("GITA_test.json", seeds.story_splits, collection("gita")),
    "abspyramid file": Reader("train.json", seeds.tuples, collection("abspyramid")),
    "abspyramid generation": Reader(
        "Generation/merged_dataset/test.json", lambda: seeds.tuples("Generation"),
        lambda path: collection("abspyramid")(path.parents[2]),
    ),
    "abspyramid folder": Reader(
        "Detection/noun_dataset/train.json", seeds.tuples,
        lambda path: collection("abspyramid")(path.parents[2]),
    ),
    "abspyramid bzip2": Reader(
        "train.jsonl.bz2", lambda: bz2.compress(seeds.tuples()), collection("abspyramid"), "bz2"
    ),
    "abspyramid table": Reader("train.tsv", seeds.table, collection("abspyramid")),
    "causenet": Reader("relations.jsonl", seeds.causes, collection("com2")),
    "causenet array": Reader("relations.json", seeds.relations_array, collection("com2")),
    "causenet bzip2": Reader(
        "relations.jsonl.bz2", lambda: bz2.compress(seeds.causes()), collection("com2"), "bz2"
    ),
    "com2 rows": Reader("main.jsonl", lambda: seeds.lines(*seeds.released()), collection("com2")),
    "com2 array": Reader("main.json", seeds.released_array, collection("com2")),
    "com2 document": Reader("item.yaml", seeds.document, collection("com2")),
    "com2 answers": Reader("answers.jsonl", seeds.answers, read_answers),
    "com2 story": Reader("story.txt", lambda: b"A vase broke. " * 20, read_own_story),
    "accord questions": Reader("questions.yaml", seeds.questions_yaml, collection("accord")),
    "commonsenseqa": Reader(
        "dev.jsonl", seeds.commonsense_qa, _commonsense_qa
    ),
    "commonsenseqa collection": Reader("dev.jsonl", seeds.commonsense_qa, collection("accord")),
    "accord suite": Reader(
        ITEMS, lambda: seeds.made_suite()[ITEMS], _suite,
        beside=lambda: {MANIFEST: seeds.made_suite()[MANIFEST]},
    ),
    "accord manifest": Reader(
        MANIFEST, lambda: seeds.made_suite()[MANIFEST], _suite,
        beside=lambda: {ITEMS: seeds.made_suite()[ITEMS]},
    ),
    "accord pairings": Reader("pairings.yaml", seeds.pairings_yaml, read_pairings),
    "accord decisions": Reader("decisions.jsonl", seeds.decisions, Decisions.read),
    "accord skills": Reader("skills.yaml", seeds.skills, Skills.read),
    "conceptnet dump": Reader("dump.csv", seeds.dump, _knowledge),
    "conceptnet gzip": Reader("dump.csv.gz", seeds.packed_dump, _knowledge, "gzip"),
    "conceptnet triples": Reader("train.txt", seeds.triples, _knowledge),
    "conceptnet pairs": Reader("AtLocation.csv", seeds.pairs, _knowledge),
    "knowledge base": Reader("words.kb", seeds.compiled, _index),
    "inspect log": Reader("log.json", seeds.inspect_json, inspect_logs.read),
    "inspect archive": Reader("log.eval", seeds.inspect_archive, inspect_logs.read, "zip"),
    "lm-eval samples": Reader(
        seeds.HARNESS_SAMPLES, seeds.harness_samples,
        lambda path: lm_eval.read(path.parent),
        beside=lambda: {seeds.HARNESS_RESULTS: seeds.harness_results()},
    ),
    "lm-eval results": Reader(
        seeds.HARNESS_RESULTS, seeds.harness_results, lambda path: lm_eval.read(path.parent),
        beside=lambda: {seeds.HARNESS_SAMPLES: seeds.harness_samples()},
    ),
    "tiered log": Reader("tiered.json", seeds.tiered, tiered_results.read),
    "detections": Reader("predictions.jsonl", seeds.detections, read_detections),
    "detection columns": Reader(
        "test_label.txt", seeds.detection_columns, read_detections
    ),
    "generations": Reader("predictions.jsonl", seeds.generations, read_generations),
    "votes": Reader("anna.jsonl", seeds.vote_lines, _votes),
    "annotation": Reader(
        "annotation.json", seeds.annotation, _annotation, beside=seeds.votes_beside
    ),
    "parses": Reader("parses.conllu", seeds.parses, lambda path: list(read_parses(path))),
    "lesson": Reader("lesson.yaml", seeds.lesson, read_lesson),
    "lesson progress": Reader("p.json", seeds.progress, progress_file.read),
    "theme": Reader("theme.yaml", seeds.theme_seed, _theme),
    "configuration and keymap": Reader("config.yaml", seeds.configuration, _config),
    "wordings": Reader("prompts.yaml", seeds.prompts, _wordings),
    "vector": Reader("vector.json", lambda: b"[0.5, -1.0, 2.0]", read_vector),
    "store": Reader("runs.sqlite", made_stores.stored, _store),
    "pack": Reader("pack.sqlite", made_stores.packed_runs, _pack),
    "gguf header": Reader("model.gguf", seeds.small_gguf, _header),
}  # fmt: skip
"""By name."""


def placed(reader: Reader, folder: Path, raw: bytes) -> Path:
    """Put the bytes where the reader looks, with what must be beside them."""
    path = folder / reader.file
    path.parent.mkdir(parents=True, exist_ok=True)
    for name, content in reader.beside().items():
        (folder / name).write_bytes(content)
    path.write_bytes(raw)
    return path
