"""The figures from which the program knows where the bundled model is at chance."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from core.models.demo_figures import Figure
from core.models.model_files import fingerprint
from tools.train_demo_model.figures import Answer, Figures, grid

_LAYERS = {"link": ("link", "broken"), "rung": ("rung", "false")}
_TREES = ("answer", "twin", "hop")
"""ACCORD's layers that ask about a tree; each question is tagged with the size of its own."""
_DIGITS = 3
"""As many as the model card has."""
_COMMENT = """\
# What the bundled model reaches on the bundled items, by which the program says where it is at
# chance. Written by `python -m tools.train_demo_model.evaluate`; the model card has all figures.
"""


def write_figures(
    path: Path,
    model: Path,
    found: Mapping[str, Sequence[Answer]],
    sweep: Sequence[Answer],
) -> None:
    """Write what the model reaches on the bundled items of each benchmark, and on all trees."""
    known = [figure for name, answers in found.items() for figure in figures(name, answers)]
    lines = [
        f"- {json.dumps(asdict(figure), ensure_ascii=False)}"
        for figure in (*known, *tree_figures(sweep))
    ]
    text = "\n".join((f'{_COMMENT}fingerprint: "{fingerprint(model)}"', "figures:", *lines, ""))
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def figures(benchmark: str, answers: Sequence[Answer]) -> Iterator[Figure]:
    """A figure for each layer or, where one answer is always right in each, of several together."""
    groups: dict[tuple[str, tuple[tuple[str, str], ...]], list[Answer]] = {}
    for answer in answers:
        case = answer.case
        if case.options:
            groups.setdefault(
                _group(case.benchmark, case.layer, case.language, case.part), []
            ).append(answer)
    for (layer, tags), group in groups.items():
        measure, value, interval, constant = Figures.of(group).compared
        yield Figure(
            benchmark=benchmark,
            layers=_LAYERS.get(layer, (layer,)),
            tags=dict(tags),
            n=len(group),
            measure=measure,
            value=round(value, _DIGITS),
            interval=_rounded(interval),
            constant=round(constant, _DIGITS),
        )


def tree_figures(sweep: Sequence[Answer]) -> Iterator[Figure]:
    """A figure for each size of ACCORD's trees, as in the grid of the model card."""
    for (hops, distractors), found in grid(sweep).items():
        yield Figure(
            benchmark="accord",
            layers=_TREES,
            tags={},
            n=found.n,
            measure="accuracy",
            value=round(found.accuracy, _DIGITS),
            interval=_rounded(found.interval),
            constant=round(found.constant or 0.0, _DIGITS),
            at_least={"hops": hops, "distractors": distractors},
        )


def _rounded(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    return interval and (round(interval[0], _DIGITS), round(interval[1], _DIGITS))


def _group(
    benchmark: str, layer: str, language: str, part: str
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A layer with the tags that tell its questions apart; links and concepts are together."""
    if benchmark == "com2":
        return ("answer" if layer == "answer" else "link"), (("language", language),)
    if benchmark == "abspyramid":
        return "rung", (("relation", part),)
    return layer, ()
