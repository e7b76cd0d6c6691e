"""The model card: what the model is, how it was trained, and the tables of what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import gguf

from tools.train_demo_model.cases import BENCHMARKS, bundled
from tools.train_demo_model.causes import load_schemas
from tools.train_demo_model.concepts import activity_numbers, holding
from tools.train_demo_model.figures import Answer, Figures, grid, rows
from tools.train_demo_model.following_pairs import follows, is_pair
from tools.train_demo_model.gguf_file import read_record
from tools.train_demo_model.tasks import rows_asked
from tools.train_demo_model.written import written_families

_TEMPLATE = Path(__file__).with_name("card.md")
_ROW_TITLES = {
    "story_class": "1: plausible or not",
    "conflict_detec": "2: which sentences conflict",
    "physical_state": "3: which state",
}
_HEAD = (
    "| Layer | Language | n (clusters) | Chance | Best constant | Accuracy | "
    "Best constant, balanced | Balanced accuracy | Better than a constant |"
)


def write_card(
    path: Path,
    model: Path,
    found: Mapping[str, Mapping[str, Sequence[Answer]]],
    sweep: Sequence[Answer],
) -> None:
    """Write the card for `model` with what was measured, through a temporary file."""
    record = read_record(model)
    fields = gguf.GGUFReader(model).fields

    def size_of(key: str) -> int:
        return int(fields[key].contents())

    drawn: Counter[str] = Counter()
    for stage in record.stages:
        drawn.update(rows_asked(stage.seed, stage.steps, stage.continued))
    pairs = [case for case in bundled("abspyramid") if is_pair(case) and case.gold == 0]
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
        stories=sum(stage.stories for stage in record.stages),
        families=len(written_families()),
        accord=drawn["accord"],
        com2=drawn["com2"],
        abspyramid=drawn["abspyramid"],
        plain=drawn["plain"],
        chains=len(load_schemas()),
        italian=len(load_schemas("it")),
        everyday=sum(len(holding(f"everyday {part}")) for part in ("nouns", "verbs")),
        activities=len(activity_numbers()),
        pairs=len(pairs),
        following=sum(map(follows, pairs)),
        blocked=record.blocked,
        steps=record.steps,
        schedule=record.schedule,
        minutes=round(record.seconds / 60),
        forgotten=record.forgotten,
        seed=record.seed,
    )
    sections = [text]
    for benchmark, sets in found.items():
        sections.append(f"## {BENCHMARKS[benchmark]}\n")
        sections += [_table(f"{name}", answers) for name, answers in sets.items()]
        if benchmark == "accord":
            sections.append(_grid(sweep))
    part = path.with_suffix(".part")
    part.write_text("\n".join(sections), encoding="utf-8")
    part.replace(path)


def _table(name: str, answers: Sequence[Answer]) -> str:
    lines = [f"### {name}", "", _HEAD, "|---" * 9 + "|"]
    lines += [
        " | ".join(("", _title(row), language, *_cells(found), "")).strip()
        for (row, language), found in rows(answers).items()
    ]
    return "\n".join([*lines, ""])


def _title(row: str) -> str:
    return _ROW_TITLES.get(row, row)


def _cells(found: Figures) -> tuple[str, ...]:
    verdict = {True: "yes", False: "no", None: ""}[found.above]
    return (
        f"{found.n} ({found.clusters})",
        _share(found.chance),
        _share(found.constant),
        _share(found.accuracy, found.interval),
        _share(found.even),
        _share(found.balanced, found.balanced_interval),
        verdict,
    )


def _share(value: float | None, interval: tuple[float, float] | None = None) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" + (f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "")


def _grid(sweep: Sequence[Answer]) -> str:
    """Whole trees of the bundled questions by hops and distractors."""
    cells = grid(sweep)
    across = sorted({distractors for _, distractors in cells})
    lines = [
        "### Whole trees by hops and distractors",
        "",
        "The sweep over the bundled questions; the right answer is implied by the statements.",
        "Accuracy with its interval (chance 0.2), and in brackets the number of trees.",
        "",
        "| Hops | "
        + " | ".join(f"{number} distractor{'s' * (number != 1)}" for number in across)
        + " |",
        "|---" * (1 + len(across)) + "|",
    ]
    for hops in sorted({hops for hops, _ in cells}):
        shown = [cells.get((hops, distractors)) for distractors in across]
        told = [
            "" if found is None else f"{_share(found.accuracy, found.interval)} ({found.n})"
            for found in shown
        ]
        lines.append(" | ".join((f"| {hops}", *told, "")).strip())
    return "\n".join([*lines, ""])
