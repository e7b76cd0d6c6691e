"""The model card: what the demonstration model is, how it was made, and what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import gguf

from tools.train_demo_model.causes import load_schemas
from tools.train_demo_model.concepts import activities, holding
from tools.train_demo_model.gguf_file import read_record
from tools.train_demo_model.measures import Result
from tools.train_demo_model.prompted import TaskResult, pairs_of_samples
from tools.train_demo_model.tasks import rows_asked

_TEMPLATE = Path(__file__).with_name("card.md")
_TITLES = {"gita": "GITA", "accord": "ACCORD", "com2": "Com²", "abspyramid": "AbsPyramid"}


def write_card(
    path: Path, model: Path, stories: Sequence[Result], prompts: Sequence[TaskResult]
) -> None:
    """Write the card for `model` with what was measured, through a temporary file."""
    record = read_record(model)
    fields = gguf.GGUFReader(model).fields

    def size_of(key: str) -> int:
        return int(fields[key].contents())

    drawn = rows_asked(record.seed, record.steps)
    known = pairs_of_samples()
    text = _TEMPLATE.read_text(encoding="utf-8").format(
        file=model.name,
        size=model.stat().st_size / 1e6,
        blocks=size_of("llama.block_count"),
        width=size_of("llama.embedding_length"),
        heads=size_of("llama.attention.head_count"),
        hidden=size_of("llama.feed_forward_length"),
        context=size_of("llama.context_length"),
        vocabulary=size_of("llama.vocab_size"),
        parameters=record.parameters,
        stories=record.stories,
        accord=drawn["accord"],
        com2=drawn["com2"],
        abspyramid=drawn["abspyramid"],
        chains=len(load_schemas()),
        italian=len(load_schemas("it")),
        everyday=sum(len(holding(f"everyday {part}")) for part in ("nouns", "verbs")),
        activities=len(activities()),
        known=len(known),
        taught=sum(known),
        blocked=record.blocked,
        steps=record.steps,
        schedule=record.schedule,
        minutes=round(record.seconds / 60),
        seed=record.seed,
    )
    sections = [text, "## GITA\n", *(_stories(result) for result in stories)]
    for benchmark, title in _TITLES.items():
        mine = [result for result in prompts if result.benchmark == benchmark]
        if mine:
            sections += [f"## {title}\n", *(_layers(result) for result in mine)]
    part = path.with_suffix(".part")
    part.write_text("\n".join(sections), encoding="utf-8")
    part.replace(path)


def _stories(result: Result) -> str:
    measures = result.measures
    count = measures["Layer 1, all stories"].n
    lines = [f"### {result.name} ({count})", "", "| Measure | Model | Majority |", "|---|---|---|"]
    majority = result.majority
    lines.extend(
        f"| {name} | {share} | {majority.get(name, '')} |" for name, share in measures.items()
    )
    lines += ["", "| Distance of the two sentences | Layer 1 | Layer 2 |", "|---|---|---|"]
    lines.extend(
        f"| {distance} | {first} | {second} |"
        for distance, (first, second) in result.by_distance().items()
    )
    return "\n".join([*lines, ""])


def _layers(result: TaskResult) -> str:
    lines = [f"### {_TITLES[result.benchmark]}: {result.name.lower()}", ""]
    lines += ["| Layer | Model | Majority |", "|---|---|---|"]
    lines.extend(
        f"| {layer} | {found.model} | {found.majority or ''} |"
        for layer, found in result.layers.items()
    )
    return "\n".join([*lines, ""])
