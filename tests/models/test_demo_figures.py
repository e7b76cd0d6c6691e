"""What the program knows of the bundled model's figures belongs to the bundled file."""

from __future__ import annotations

from core.contract.registry import load, open_collection
from core.contract.setting import Setting
from core.models.demo_figures import Figure, demo_figures
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
                assert sum(one.is_about(name, question) for one in known.figures) == 1


def test_a_figure_is_at_chance_unless_its_interval_is_above_the_constant_answer() -> None:
    def figure(interval: tuple[float, float] | None) -> Figure:
        return Figure("gita", ("story_class",), {}, 40, "accuracy", 0.6, interval, 0.5)

    assert figure(None).at_chance
    assert figure((0.45, 0.75)).at_chance
    assert figure((0.5, 0.7)).at_chance
    assert not figure((0.51, 0.69)).at_chance
