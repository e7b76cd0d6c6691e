"""The figures of the model card, worked out by hand, and what the program knows of them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from core.contract.registry import load, open_collection
from core.contract.setting import Setting
from core.files.prompt_files import read_wording
from core.models.demo_figures import DemoFigures
from core.models.resolver import demo_file
from tools.train_demo_model.card import write_card
from tools.train_demo_model.cases import BENCHMARKS, Case, bundled, generated, sweep
from tools.train_demo_model.causes import load_schemas
from tools.train_demo_model.figures import Answer, Figures, rows
from tools.train_demo_model.known_figures import figures, write_figures

CASE = Case("com2", "link-1", "en", "", "A?", " ", ("yes", "no"), 0)


def answers(right_yes: int, yes: int, right_no: int, no: int) -> list[Answer]:
    """So many answers, a cluster each."""
    found = []
    for gold, right, n in ((0, right_yes, yes), (1, right_no, no)):
        for number in range(n):
            case = replace(CASE, gold=gold, cluster=f"{gold} {number}")
            found.append(Answer(case, gold if number < right else 1 - gold))
    return found


def test_balanced_accuracy_is_the_mean_by_gold_answer() -> None:
    found = Figures.of(answers(80, 100, 10, 20))
    assert (found.n, found.clusters, found.chance) == (120, 120, 0.5)
    assert found.constant == pytest.approx(100 / 120)
    assert found.accuracy == pytest.approx(90 / 120)
    assert (found.even, found.balanced) == (0.5, pytest.approx(0.65))
    assert found.balanced_interval is not None
    low, high = found.balanced_interval
    # The standard error is the root of (.8 × .2 / 100 + .5 × .5 / 20) / 4.
    assert high - low == pytest.approx(2 * 2.09 * 0.0594, abs=0.05)
    assert low < 0.65 < high


def test_always_the_same_answer_is_not_above_chance() -> None:
    assert Figures.of(answers(100, 100, 0, 20)).above in (False, None)
    assert Figures.of(answers(95, 100, 18, 20)).above is True


def test_clusters_widen_an_interval() -> None:
    rng = Random(1)
    single, families = [], []
    for number in range(120):
        case = replace(CASE, gold=number % 2, cluster=str(number))
        right = rng.random() < 0.7 if number % 4 == 0 else single[-1].right if single else True
        answer = Answer(case, case.gold if right else 1 - case.gold)
        single.append(answer)
        families.append(replace(answer, case=replace(case, cluster=str(number // 4))))
    alone, together = Figures.of(single), Figures.of(families)
    assert alone.balanced == together.balanced
    assert alone.balanced_interval is not None
    assert together.balanced_interval is not None
    width = alone.balanced_interval[1] - alone.balanced_interval[0]
    assert together.balanced_interval[1] - together.balanced_interval[0] > 1.3 * width


def test_one_gold_answer_has_no_balanced_accuracy() -> None:
    found = Figures.of(answers(30, 40, 0, 0))
    assert (found.balanced, found.above, found.constant) == (None, None, 1.0)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_every_set_has_cases_with_a_gold_option(benchmark: str) -> None:
    for name, cases in generated(benchmark, 12).items():
        assert cases, name
        assert all(case.gold < len(case.options) for case in cases if case.options)
        assert len({case.cluster for case in cases}) > 8


def test_draws_of_one_chain_are_one_cluster() -> None:
    links = [case for case in generated("com2", 200)["Held-out topics"] if case.layer != "answer"]
    chains = {case.cluster for case in links if case.language == "en"}
    assert len(chains) <= len(load_schemas(kept=True))


def test_links_are_added_up_over_layers_and_apart_by_language() -> None:
    italian = [
        replace(answer, case=replace(answer.case, language="it"))
        for answer in answers(20, 20, 5, 20)
    ]
    found = rows([*answers(30, 30, 0, 0), *italian])
    assert found["all links", "en"].n == 30
    assert found["all links", "it"].balanced == pytest.approx((1 + 0.25) / 2)


def test_the_program_knows_where_the_model_is_at_chance() -> None:
    """English links are answered well, Italian ones always with yes."""
    told = []
    for case in bundled("com2"):
        if case.options and case.layer != "answer" and case.language != "zh":
            said = case.gold if case.language == "en" else 0
            told.append(Answer(case, said))
    known = DemoFigures("sha256:1", tuple(figures("com2", told)))
    bench = load("com2")
    collection = open_collection(bench, bench.samples())
    seen = set()
    for index in range(len(collection)):
        question = bench.question(collection.item(index), Setting(), "link-2")
        if question is None or question.tags["language"] == "zh":
            continue
        language = question.tags["language"]
        seen.add(language)
        assert known.at_chance("sha256:1", "com2", question) == (language == "it")
        assert not known.at_chance("sha256:2", "com2", question)
        assert not known.at_chance("sha256:1", "gita", question)
    assert seen == {"en", "it"}


def test_whole_trees_have_a_figure_for_each_size(tmp_path: Path) -> None:
    """One hop is answered well, three are guessed; the file says so for larger ones too."""
    case = replace(next(sweep()), options=tuple("ABCDE"))
    told = []
    for number in range(100):
        for part, right in (("1 0", True), ("1 2", True), ("3 0", number % 5 == 0)):
            gold = number % 5
            asked = replace(case, part=part, gold=gold, cluster=str(number))
            told.append(Answer(asked, gold if right else (gold + 1) % 5))
    file = tmp_path / "figures.yaml"
    write_figures(file, demo_file(), {}, told)
    known = read_wording(file, DemoFigures)
    assert [(figure.at_least, figure.n, figure.value) for figure in known.figures] == [
        ({"hops": 1, "distractors": 0}, 100, 1.0),
        ({"hops": 1, "distractors": 2}, 100, 1.0),
        ({"hops": 3, "distractors": 0}, 100, 0.2),
    ]
    assert {(figure.measure, figure.constant) for figure in known.figures} == {("accuracy", 0.2)}
    bench = load("accord")
    item = open_collection(bench, bench.samples()).item(0)
    for hops, at_chance in (("1", False), ("2", False), ("3", True), ("4", True)):
        setting = Setting.of(bench.switches(item), {"hops": hops})
        question = bench.question(item, setting, "answer")
        assert question is not None
        assert known.at_chance(known.fingerprint, "accord", question) == at_chance


def test_every_place_of_the_card_is_filled(tmp_path: Path) -> None:
    path = tmp_path / "MODEL_CARD.md"
    write_card(path, demo_file(), {}, [])
    text = path.read_text(encoding="utf-8")
    assert "# Demonstration model" in text
    assert not re.findall(r"\{[a-z_]+(?::[^}]*)?\}", text)
