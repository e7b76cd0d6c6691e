"""The published tables that ship: sound in themselves, and named as the program names things."""

from __future__ import annotations

from functools import cache

import pytest

from core.benchmarks.com2.scoring import PARTS, macro
from core.contract import registry
from core.contract.question import Answer, OptionScore
from core.contract.setting import Setting
from core.exchange.published.library import names, table, tables
from core.exchange.published.table import LOST, NO_FIGURE, RowKind, Unit
from core.text.errors import NotFoundError

LAYERS = {
    "abspyramid": ("rung-1", "false-1", "generation"),
    "com2": ("answer",),
    "gita": ("story_class", "conflict_detec", "physical_state"),
}
"""Task layers whose verdicts give every figure that papers publish too."""


@cache
def figure_names(benchmark_name: str) -> frozenset[str]:
    """The names of the figures of a run of a benchmark over its bundled items."""
    benchmark = registry.load(benchmark_name)
    collection = benchmark.open(benchmark.samples())
    verdicts = []
    for layer in LAYERS[benchmark_name]:
        # A seventh of the items has every scenario and relation.
        for i in range(0, len(collection), 7):
            if question := benchmark.question(collection.item(i), Setting(), layer):
                scores = tuple(OptionScore(-1.0 - k) for k in range(len(question.options)))
                verdicts.append(benchmark.score(question, Answer(scores, text="a thing")))
    summary = benchmark.summarise(verdicts, benchmark.profiles[0])
    return frozenset(figure.name for figure in summary.figures)


def test_tables_are_listed_by_benchmark_and_number() -> None:
    listed = names()
    assert len(listed) == len(set(listed)) == 24
    numbered = [name for name in listed if name.startswith("abspyramid-table-")]
    assert [int(name.rpartition("-")[2]) for name in numbered] == [
        *range(1, 8),
        *range(13, 21),
    ]
    assert [published.name for published in tables()] == listed


def test_an_unknown_table_is_a_typed_error_with_a_suggestion() -> None:
    with pytest.raises(NotFoundError, match="com2-tabel-2") as error:
        table("com2-tabel-2")
    assert "Did you mean “com2-table-2”?" in error.value.hint


@pytest.mark.parametrize("name", ["", "../published/com2-table-2", "com2-table-2.yaml", "a\x00b"])
def test_only_the_names_of_tables_are_looked_up(name: str) -> None:
    with pytest.raises(NotFoundError):
        table(name)


@pytest.mark.parametrize("name", names())
def test_a_table_names_benchmarks_layers_and_figures_of_the_program(name: str) -> None:
    published = table(name)
    benchmark = registry.load(published.benchmark)
    assert name.startswith(f"{published.benchmark}-")
    layers = {layer.id for layer in benchmark.layers}
    for column in published.columns:
        assert column.layer is None or column.layer in layers
        assert column.metric is None or column.metric in figure_names(published.benchmark)
    metrics = [column.metric for column in published.columns if column.metric]
    assert len(metrics) == len(set(metrics))


@pytest.mark.parametrize("name", names())
def test_every_figure_says_where_it_is_printed_and_keeps_its_digits(name: str) -> None:
    published = table(name)
    figures = list(published.figures())
    cells = [(row, i) for row in published.rows for i in range(len(published.columns))]
    without = sum(row.texts[i] in {NO_FIGURE, LOST} for row, i in cells)
    assert len(figures) == len(cells) - without
    for figure in figures:
        assert (figure.benchmark, figure.table) == (published.benchmark, name)
        assert figure.paper == published.paper
        assert figure.source == published.source
        assert float(figure.text.replace(",", "")) == figure.value
        assert set(published.conditions) <= set(figure.conditions)


def test_lost_cells_are_the_six_that_the_notes_tell_of() -> None:
    lost = [
        (published.name, published.columns[i].name)
        for published in tables()
        for row in published.rows
        for i, text in enumerate(row.texts)
        if text == LOST
    ]
    assert lost == [("abspyramid-table-4", "Verb Acc")] * 6


def test_people_and_trivial_answers_have_rows_of_their_own() -> None:
    kinds = {
        (published.name, row.name): row.kind
        for published in tables()
        for row in published.rows
        if row.kind not in {RowKind.MODEL, RowKind.DATA}
    }
    assert kinds == {
        ("abspyramid-agreement", "Annotators"): RowKind.HUMAN,
        ("abspyramid-table-4", "Random"): RowKind.RANDOM,
        ("abspyramid-table-4", "Majority Vote"): RowKind.MAJORITY,
        ("abspyramid-table-20", "Random"): RowKind.RANDOM,
        ("abspyramid-table-20", "Majority Vote"): RowKind.MAJORITY,
        ("com2-people", "Annotators"): RowKind.HUMAN,
    }


def test_conditions_of_a_row_come_on_top_of_those_of_its_table() -> None:
    figures = {
        (figure.row, figure.column): figure for figure in table("abspyramid-table-4").figures()
    }
    asked = figures["ChatGPT (10-shot ICL), LLM API", "Noun Acc"].conditions
    assert (asked["task"], asked["split"], asked["shots"]) == ("detection", "test", "10")
    assert "1,000" in asked["data"]
    trained = figures["BERT-base, PLM + FT", "Noun Acc"].conditions
    assert "shots" not in trained
    assert trained["training"] == "fine-tuned on each relation"


def test_the_averages_of_com2_deviate_as_the_notes_say() -> None:
    main, hard = ([f"{part} {s.value}" for s in PARTS[part]] for part in ("main", "hard"))
    off: dict[str, list[float]] = {"main average": [], "hard average": []}
    published = table("com2-table-2")
    for row in published.rows:
        scores = {
            column.metric: value or 0.0
            for column, value in zip(published.columns, row.values, strict=True)
        }
        for average, parts in (("main average", main), ("hard average", hard)):
            off[average].append(abs(macro([scores[part] for part in parts]) - scores[average]))
        of_both = macro([scores["main average"], scores["hard average"]])
        assert scores["overall"] == pytest.approx(of_both, abs=0.0051)
    # Rounding the scores and their average to two digits adds up to .01 at most.
    assert sum(value > 0.0101 for value in off["main average"]) == 9
    assert max(off["main average"]) == pytest.approx(0.122)
    assert sum(value > 0.0101 for value in off["hard average"]) == 1
    assert max(off["hard average"]) == pytest.approx(0.0367, abs=1e-4)


@pytest.mark.parametrize("name", ["abspyramid-table-1", "abspyramid-table-3", "com2-table-1"])
def test_counts_add_up_to_the_totals_that_are_printed(name: str) -> None:
    published = table(name)
    counted = [i for i, column in enumerate(published.columns) if column.unit is Unit.COUNT]
    if name == "com2-table-1":
        for row in published.rows:
            *parts, total = (value or 0 for value in row.values)
            assert sum(parts) == total
        return
    *relations, pooled = published.rows
    for i in counted:
        assert sum(row.values[i] or 0 for row in relations) == pooled.values[i]
    for row in published.rows:
        total, *splits = (row.values[i] or 0 for i in counted)
        assert sum(splits) == total


def test_the_training_data_of_com2_do_not_add_up_as_the_notes_say() -> None:
    published = table("com2-training")
    *parts, total = (value or 0 for value in published.rows[0].values)
    assert (sum(parts), total) == (8368, 8386)
    assert "8,368" in published.notes[0]
    assert "8,386" in published.notes[0]


@pytest.mark.parametrize(("name", "most"), [("5", 0.07), ("19", 0.06)])
def test_pooled_accuracies_deviate_as_the_notes_say(name: str, most: float) -> None:
    split = {"5": "Test", "19": "Valid"}[name]
    counts = table("abspyramid-table-1")
    at = [column.name for column in counts.columns].index(split)
    weights = {row.name: row.values[at] or 0 for row in counts.rows}
    published = table(f"abspyramid-table-{name}")
    columns = [column.name for column in published.columns]
    off = []
    for row in published.rows:
        scores = {column: value or 0 for column, value in zip(columns, row.values, strict=True)}
        relations = ("Noun", "Verb", "Event")
        mean = sum(weights[r] * scores[f"{r} Acc"] for r in relations) / weights["All"]
        off.append(abs(scores["All Acc"] - mean))
    assert round(max(off), 2) == most


def test_two_models_have_the_same_figures_without_training_as_the_notes_say() -> None:
    rows = {row.label: row.texts for row in table("abspyramid-table-14").rows}
    assert rows["Falcon (7B), 0%"] == rows["Llama2 (7B), 0%"]


def test_the_metrics_of_gita_are_published_under_a_profile_of_the_program() -> None:
    published = table("gita-metrics")
    assert published.conditions["profile"] in registry.load("gita").profiles
    assert {column.unit for column in published.columns} == {Unit.SHARE}
