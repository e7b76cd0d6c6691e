"""What the program knows of the bundled model's figures belongs to the bundled file."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from core.contract.registry import load, open_collection
from core.contract.setting import Setting
from core.models.demo_figures import DemoFigures, Figure, demo_figures, figures_file
from core.models.model_files import fingerprint
from core.models.resolver import demo_file


def test_the_figures_are_of_the_bundled_model() -> None:
    assert demo_figures().fingerprint == fingerprint(demo_file())


def test_every_bundled_question_with_options_has_a_figure() -> None:
    known = demo_figures()
    for name in ("gita", "accord", "com2", "abspyramid"):
        bench = load(name)
        collection = open_collection(bench, bench.samples())
        item = collection.item(0)
        for layer in bench.layers:
            question = bench.question(item, Setting(), layer.id)
            if question is not None and question.gold is not None and not question.open:
                assert any(one.is_about(name, question) for one in known.figures)


def guessed(known: DemoFigures, item: int = 0, **values: str) -> list[str]:
    """The layers of a reasoning tree at which the bundled model is at chance."""
    accord = load("accord")
    tree = open_collection(accord, accord.samples()).item(item)
    setting = Setting.of(accord.switches(tree), values)
    asked = [(layer.id, accord.question(tree, setting, layer.id)) for layer in accord.layers]
    return [
        layer
        for layer, question in asked
        if question is not None and known.at_chance(known.fingerprint, "accord", question)
    ]


@pytest.mark.parametrize(
    ("hops", "distractors", "layers"),
    [
        ("1", "0", []),
        ("1", "3", []),
        ("2", "0", []),
        ("2", "1", []),
        ("3", "0", ["answer"]),
        ("3", "1", ["hop-3", "answer"]),
        ("4", "0", ["hop-3", "answer"]),
        # Nothing of these sizes was measured: no easier than the largest that was.
        ("3", "2", ["hop-3", "answer"]),
        ("5", "1", ["hop-3", "hop-4", "hop-5", "answer"]),
    ],
)
def test_whole_trees_of_three_hops_and_more_are_at_chance(
    hops: str, distractors: str, layers: list[str]
) -> None:
    known = demo_figures()
    assert guessed(known, hops=hops, distractors=distractors) == ["bare", *layers]


def test_the_twin_of_a_tree_at_chance_is_at_chance_too() -> None:
    other = {"hops": "3", "distractors": "0", "implied": "A"}
    assert guessed(demo_figures(), **other) == ["bare", "answer", "twin"]
    assert guessed(demo_figures(), **other | {"hops": "1"}) == ["bare"]


def test_the_sweep_is_at_chance_where_its_trees_have_three_hops() -> None:
    accord, known = load("accord"), demo_figures()
    sweep = open_collection(accord, next(iter(accord.more_samples())))
    found = set()
    for index in range(0, len(sweep), 7):
        question = accord.question(sweep.item(index), Setting(), "answer")
        if question is not None:
            guessing = known.at_chance(known.fingerprint, "accord", question)
            found.add((question.tags["hops"], guessing))
    assert found == {("1", False), ("2", False), ("3", True), ("4", True)}


def test_the_figures_of_whole_trees_are_those_of_the_card() -> None:
    card = figures_file().with_name("MODEL_CARD.md").read_text(encoding="utf-8")
    grid = card.partition("### Whole trees by hops and distractors")[2].partition("\n## ")[0]
    shown = {}
    for line in grid.splitlines():
        if found := re.match(r"\| (\d) \|(.*)\|", line):
            for distractors, cell in enumerate(found[2].split("|")):
                if cell.strip():
                    value, low, high, n = re.findall(r"[\d.]+", cell)
                    size = (int(found[1]), distractors)
                    shown[size] = (float(value), (float(low), float(high)), int(n))
    known = {
        (figure.at_least["hops"], figure.at_least["distractors"]): (
            figure.value,
            figure.interval,
            figure.n,
        )
        for figure in demo_figures().figures
        if figure.at_least
    }
    assert known == shown
    assert len(known) == 10


def test_the_figure_about_the_size_asked_counts_and_not_one_over_all_sizes() -> None:
    good = Figure("accord", ("answer",), {}, 107, "accuracy", 0.5, (0.4, 0.6), 0.2)
    bad = replace(good, value=0.2, interval=(0.1, 0.3), at_least={"hops": 3, "distractors": 0})
    for figures in ((good, bad), (bad, good)):
        known = DemoFigures("sha256:1", figures)
        assert guessed(known, hops="2") == []
        assert guessed(known, hops="3") == ["answer"]


def test_a_figure_is_at_chance_unless_its_interval_is_above_the_constant_answer() -> None:
    def figure(interval: tuple[float, float] | None) -> Figure:
        return Figure("gita", ("story_class",), {}, 40, "accuracy", 0.6, interval, 0.5)

    assert figure(None).at_chance
    assert figure((0.45, 0.75)).at_chance
    assert figure((0.5, 0.7)).at_chance
    assert not figure((0.51, 0.69)).at_chance
