"""Small good files of every kind that the program reads, for the attacks to damage."""

from __future__ import annotations

import gzip
import itertools
import json
import struct
import tempfile
import zipfile
from collections.abc import Mapping
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

from core.benchmarks.accord.knowledge.compiler import build
from core.benchmarks.accord.knowledge.readers import Reader, Wanted
from core.benchmarks.accord.knowledge.source_files import find_source
from core.benchmarks.accord.suites.files import ITEMS, MANIFEST
from core.benchmarks.accord.suites.generator import generate
from core.benchmarks.accord.suites.recipe import Recipe
from core.benchmarks.accord.trees import skills as skills_module
from core.benchmarks.accord.trees.rules import Rule
from core.contract import registry
from core.contract.setting import Setting
from core.files.shipped import samples, themes
from core.lessons.library import bundled

_TASK = next(iter(registry.load("gita").harness_tasks))
HARNESS_SAMPLES = f"samples_{_TASK}_2025-02-03T10-00-00.jsonl"
HARNESS_RESULTS = "results_2025-02-03T10-00-00.json"


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def stories(count: int = 12) -> list[tuple[str, Any]]:
    found = json.loads((samples() / "gita" / "stories.json").read_bytes())
    return list(itertools.islice(found.items(), count))


def story_rows() -> bytes:
    return lines(*(story for _key, story in stories()))


def story_object() -> bytes:
    return json.dumps(dict(stories()), ensure_ascii=False, indent=1).encode()


def story_splits() -> bytes:
    """Stories with annotated states, by split."""
    states = [{"open": [["porta", 4]], "wet": [["tazza", 3]], "h_location": [["Anna", 2]]}] * 5
    annotated = {key: {**story, "states": states} for key, story in stories(4)}
    return json.dumps({"test": annotated}).encode()


def tuples(task: str = "Detection") -> bytes:
    path = samples() / "abspyramid" / task / "merged_dataset" / "test.json"
    return b"".join(path.read_bytes().splitlines(keepends=True)[:12])


def table() -> bytes:
    return (
        b"head_event\trelation\ttail_event\n"
        b"PersonX mends [a fence]. [a fence]\tInstanceOf\tbarrier\n"
        b"[PersonX mends a fence]. [PersonX mends a fence]\tInstanceOf\trepair\n"
    )


def causes() -> bytes:
    rows = json.loads((samples() / "causenet" / "everyday.json").read_bytes())[:30]
    return lines(*rows)


def relations_array() -> bytes:
    rows = json.loads((samples() / "causenet" / "everyday.json").read_bytes())
    return json.dumps(rows[:30]).encode()


def released() -> list[dict[str, Any]]:
    options = "A) It rains.  \nB) The road is wet.  \nC) Nothing.  \nD) The sun shines."
    common = {"options": options, "thinking_process": "Rain wets roads.", "model": "made-up"}
    return [
        {**common, "type": "direct", "question": "What follows?", "answer": "B) The road is wet.",
         "scenario": "A grey morning.", "chains": [["It rains", "The road is wet"]]},
        {**common, "type": "decision", "question": "What helps?", "answer": "A, C", "scenario": "s",
         "chains": [["a", "b", "c"], ["a", "c", "d"]]},
        {**common, "type": "counterfactual", "question": "What if not?", "answer": "C) Nothing.",
         "scenario": "s", "chains": [["x", "y"], ["Counterfactual_of_given_event (x)", "z"]]},
        {"type": "intervention", "crime": "A vase broke.", "facts": "The cat was in.",
         "Q": "Who?", "O": options, "A": "A) It rains."},
    ]  # fmt: skip


def released_array() -> bytes:
    return json.dumps(released()).encode()


def document() -> bytes:
    return (samples() / "com2" / "driving-test.yaml").read_bytes()


def questions_yaml() -> bytes:
    return (samples() / "accord" / "questions.yaml").read_bytes()[:6_000].rpartition(b"  - id:")[0]


def pairings_yaml() -> bytes:
    """Pairing templates of two questions."""
    pairing = (
        b"    - skill: spatial\n      term: kettle\n      end: source\n"
        b'      surface: "Suppose that {} [[appears|does not appear]] near {}"\n'
    )
    return b"pairings:\n  kettle:\n" + pairing + b"  lifeguard:\n" + pairing


def skills() -> bytes:
    """A file of one skill."""
    return (Path(skills_module.__file__).with_name("skills.yaml")).read_bytes()


def decisions() -> bytes:
    """A decision about a suggested pairing."""
    suggested = {"skill": "spatial", "term": "a", "end": "source"}
    return lines({"question": "q", "digest": "d", "suggested": suggested, "choice": "rejected"})


def commonsense_qa() -> bytes:
    choices = [{"label": label, "text": text} for label, text in zip("ABCDE", "abcde", strict=True)]
    stem = "Where is the kettle?"
    return lines(
        {"answerKey": "B", "id": "q1",
         "question": {"question_concept": "kettle", "choices": choices, "stem": stem}},
        {"id": "q2", "question": stem, "question_concept": "kettle", "answerKey": "C",
         "choices": {"label": list("ABCDE"), "text": ["a", "b", "c", "d", "e"]}},
    )  # fmt: skip


def dump() -> bytes:
    row = '/a/x\t/r/{}\t/c/en/{}/n\t/c/en/{}\t{{"weight": 1.0}}\n'
    facts = (("AtLocation", "kitchen"), ("UsedFor", "drink_tea"), ("IsA", "dish"))
    return "".join(row.format(name, "cup", end) for name, end in facts * 4).encode()


def packed_dump() -> bytes:
    return gzip.compress(dump())


def triples() -> bytes:
    return b"AtLocation\tcup\tkitchen\nUsedFor\tcup\tdrink tea\nIsA\tcup\tdish\n" * 4


def pairs() -> bytes:
    raw = (samples() / "accord" / "knowledge" / "AtLocation.csv").read_bytes()
    return b"".join(raw.splitlines(keepends=True)[:30])


@cache
def compiled() -> bytes:
    """A compiled knowledge base."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train.txt")
        path.write_bytes(triples())
        build(Reader(find_source(path), Wanted()), Path(folder, "out.kb"))
        return Path(folder, "out.kb").read_bytes()


@cache
def made_suite() -> Mapping[str, bytes]:
    """A small generated suite, by file."""
    recipe = Recipe(None, None, None, (1,), 1, 0, Rule.FREE, 1, 13, False)
    with tempfile.TemporaryDirectory() as folder:
        for _progress in generate(recipe.generator(lambda _text: None), Path(folder)):
            pass
        return {name: Path(folder, name).read_bytes() for name in (ITEMS, MANIFEST)}


def inspect_log() -> dict[str, Any]:
    sample = {"epoch": 1, "input": "Which?", "choices": ["one", "two"], "target": "A"}
    scores = [{"choice": {"value": value, "answer": "A"}} for value in ("C", "I")]
    return {
        "version": 2,
        "status": "success",
        "eval": {"task": "quiz", "model": "org/model", "config": {"limit": None}},
        "results": {"scores": [{"name": "choice", "metrics": {"accuracy": {"value": 0.5}}}]},
        "samples": [{"id": i, **sample, "scores": score} for i, score in enumerate(scores)],
    }


def inspect_json() -> bytes:
    return json.dumps(inspect_log()).encode()


def inspect_archive() -> bytes:
    log = inspect_log()
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        rows = log.pop("samples")
        archive.writestr("header.json", json.dumps(log))
        archive.writestr("summaries.json", json.dumps(rows))
        for row in rows:
            archive.writestr(f"samples/{row['id']}_epoch_1.json", json.dumps(row))
    return made.getvalue()


def harness_samples() -> bytes:
    gita = registry.load("gita")
    opened = gita.open(gita.samples())
    rows = []
    for number, (_key, story) in enumerate(stories(6)):
        layer = gita.layers[0].id
        question = gita.question(opened.item(number), Setting(), layer)
        assert question is not None
        scores = [["-1.0", "True"], ["-2.0", "False"]]
        requests = {
            f"gen_args_{i}": {"arg_0": "prompt", "arg_1": f" {choice}"}
            for i, choice in enumerate(question.options)
        }
        row = {"doc_id": number, "doc": story, "target": "true", "arguments": requests, "acc": 1.0}
        rows.append(row | {"resps": [[score] for score in scores], "filtered_resps": scores})
    return lines(*rows)


def harness_results() -> bytes:
    """The results that go with `harness_samples`."""
    return json.dumps(
        {
            "results": {_TASK: {"acc,none": 1.0}},
            "configs": {_TASK: {"num_fewshot": 2}},
            "n-samples": {_TASK: {"original": 6, "effective": 6}},
            "config": {"limit": None},
            "model_name": "org/model",
            "chat_template": None,
        }
    ).encode()


def tiered() -> bytes:
    states = {"porta": {"1": {"open": 2}, "3": {"open": 1}}}
    pair = {
        "example_id": "1-C0", "story_label": 1, "story_pred": 1, "conflict_label": [1, 3],
        "conflict_pred": [1, 3], "effects_label": states, "effects_pred": states,
        "preconditions_label": states, "preconditions_pred": states, "valid_explanation": True,
    }  # fmt: skip
    return json.dumps([pair] * 3).encode()


def answers() -> bytes:
    return lines(
        {"type": "direct", "options": ["a", "b"], "gold": "A", "answer": "B", "id": "1"},
        {"type": "decision", "options": "A) a\nB) b", "gold": ["A", "B"], "text": "Answer: A, B"},
    )


def detections() -> bytes:
    return lines(
        {"label": 1, "pred": 1, "p_yes": 0.7, "type": "noun", "event": "<a cat> ran"},
        {"label": 0, "pred": "No", "type": "verb", "event": "a cat <ran>"},
    )


def detection_columns() -> bytes:
    return b"0 0.1 0.9 1 1\n1 0.8 0.2 0 0\n"


def generations() -> bytes:
    return lines({"label": "animal", "pred": "animal", "type": "noun", "event": "<a cat> ran"})


def vote_lines() -> bytes:
    vote = {"annotator": "Anna", "round": 1, "task": "t1", "choice": "valid"}
    return lines(*({**vote, "at": f"2025-01-02T03:04:0{n}Z", "task": f"t{n}"} for n in range(5)))


def annotation() -> bytes:
    return b'{"votes": 5}\n'


def votes_beside() -> Mapping[str, bytes]:
    return {"tuples.jsonl": tuples(), "annotation.json": b'{"votes": 5}\n'}


def configuration() -> bytes:
    return (
        b"model: demo\nmodel_folders: [~/models]\ntheme: dusk\nlanguage: it\nconcurrency: 8\n"
        b'gpu_layers: 0\nprices: {input: 0.15, output: 0.60}\nkeymap:\n  browse.copy: "Y"\n'
    )


def prompts() -> bytes:
    return b'story_class:\n  - instruction: "Read it."\n    text: "{story}\\nIs it plausible?"\n'


def parses() -> bytes:
    words = (("A", "DET", 2, "det"), ("cat", "NOUN", 3, "nsubj"), ("ran", "VERB", 0, "root"))
    rows = (
        f"{i}\t{word}\t{word}\t{kind}\t_\t_\t{head}\t{how}\t_\t_\n"
        for i, (word, kind, head, how) in enumerate(words, 1)
    )
    return f"# text = A cat ran\n{''.join(rows)}\n".encode()


def progress() -> bytes:
    return b'{"lesson": "a", "title": "A", "step": 1, "steps": 2, "options": ["x"], "hands": [1]}'


def small_gguf() -> bytes:
    """A header with a few keys, words and one tensor of a few numbers."""

    def text(value: str) -> bytes:
        raw = value.encode()
        return struct.pack("<Q", len(raw)) + raw

    words = b"".join(map(text, ("<s>", "a", "cup", "kitchen")))
    keys = (
        text("general.architecture") + struct.pack("<I", 8) + text("llama"),
        text("general.name") + struct.pack("<I", 8) + text("Small"),
        *(
            text(f"llama.{name}") + struct.pack("<II", 4, value)
            for name, value in (
                ("context_length", 512), ("embedding_length", 64), ("block_count", 2),
                ("attention.head_count", 4), ("attention.head_count_kv", 4),
                ("feed_forward_length", 128),
            )
        ),
        text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 4) + words,
        text("tokenizer.ggml.token_type") + struct.pack("<IIQ4i", 9, 5, 4, 3, 1, 1, 1),
        text("tokenizer.chat_template") + struct.pack("<I", 8) + text("{{ messages }}"),
    )  # fmt: skip
    tensor = text("token_embd.weight") + struct.pack("<IQQIQ", 2, 64, 4, 0, 0)
    header = b"GGUF" + struct.pack("<IQQ", 3, 1, len(keys)) + b"".join(keys) + tensor
    return header + bytes(-len(header) % 32) + bytes(4 * 64 * 4)


def theme_seed() -> bytes:
    return (themes() / "dusk.yaml").read_bytes()


def lesson() -> bytes:
    return bundled()[0].read_bytes()
