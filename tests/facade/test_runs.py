"""Runs in a notebook: recorded, listed, read and compared as the command line does."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import commonsense_tui as ct
from core.text.errors import SettingError
from tests.cli.support import run
from tests.facade.conftest import LIMIT

Pair = tuple[ct.RecordedRun, ct.RecordedRun]


def test_a_run_is_continued_and_asks_nothing_twice(
    model: ct.LoadedModel, pair: Pair, store: Path
) -> None:
    heard: list[ct.Progress] = []
    again = ct.evaluate(model, ct.open("gita"), store, limit=LIMIT, on_progress=heard.append)
    assert again.id == pair[0].id
    assert [progress.verdict for progress in heard if progress.verdict] == []
    assert [r.id for r in ct.runs(store)] == [r.id for r in pair]


async def test_a_run_is_made_and_read_while_an_event_loop_runs(
    model: ct.LoadedModel, tmp_path: Path
) -> None:
    made = ct.evaluate(model, ct.open("gita"), tmp_path / "runs.sqlite", limit=1, setting={})
    assert {each["item"] for each in made.verdicts()} == {ct.open("gita")[0].id}


def test_a_run_has_the_plan_that_was_asked_for(model: ct.LoadedModel, tmp_path: Path) -> None:
    made = ct.evaluate(
        model, ct.open("gita"), tmp_path / "runs.sqlite", limit=2, shots=1, seed=7,
        shot_rule="varied", form="base",
    )  # fmt: skip
    plan = made.record.plan
    assert (plan.limit, plan.shots, plan.seed, plan.shot_rule) == (2, 1, 7, "varied")
    assert plan.form is ct.Form.BASE


def test_priors_are_asked_where_they_are_wanted(
    model: ct.LoadedModel, pair: Pair, tmp_path: Path
) -> None:
    made = ct.evaluate(model, ct.open("gita"), tmp_path / "runs.sqlite", limit=2, prior=True)
    for each in made.verdicts():
        assert len(each["priors"]) == len(each["options"])
    assert {each["priors"] for each in pair[0].verdicts()} == {None}
    assert made.to_pandas()["priors"].tolist() == [each["priors"] for each in made.verdicts()]


def test_repeats_in_own_words_are_those_of_the_command(
    model: ct.LoadedModel, tmp_path: Path
) -> None:
    store, file = tmp_path / "runs.sqlite", tmp_path / "prompts.yaml"
    file.write_text('story_class: ["A: {story} True?", "{story} Can it be?", "B: {story}"]\n')
    made = ct.evaluate(model, ct.open("gita"), store, limit=3, prompts=file)
    [repeats] = made.repeats()
    assert repeats.title == "3 wordings of the prompts"
    assert [run.id for run in repeats.runs] == [run.id for run in ct.runs(store)]
    assert repeats.runs[0].id == made.id
    words = ("--limit", "3", "--prompts", str(file), "--store", str(store), "--json")
    [printed] = run("evaluate", "gita", *words).json["repeats"]
    spread = {each["figure"]: each for each in repeats.spread()}
    assert spread.keys() == printed["spread"].keys()
    for name, each in spread.items():
        expected = printed["spread"][name]
        assert (each["mean"], each["sd"]) == (expected["mean"], expected["sd"])
        assert (each["low"], each["high"]) == (expected["min"], expected["max"])
        assert each["values"] == printed["values"][name]
    assert repeats.to_pandas()["figure"].tolist() == list(spread)


def test_repeats_in_other_orders_and_with_other_seeds(
    model: ct.LoadedModel, tmp_path: Path
) -> None:
    made = ct.evaluate(
        model, ct.open("accord"), tmp_path / "runs.sqlite", limit=2, shots=1, permute=2, seeds=2
    )
    assert [each.title for each in made.repeats()] == [
        "2 orders of the options",
        "2 draws of worked examples",
        "2 draws of worked examples, each in 2 orders of the options",
    ]


def test_repeats_that_would_be_alike_are_refused(
    model: ct.LoadedModel, pair: Pair, store: Path, tmp_path: Path
) -> None:
    refused = tmp_path / "runs.sqlite"
    with pytest.raises(ct.SettingError, match="no options with letters") as caught:
        ct.evaluate(model, ct.open("gita"), refused, permute=2)
    assert "--" not in str(caught.value)
    with pytest.raises(ct.SettingError, match="Without worked examples"):
        ct.evaluate(model, ct.open("accord"), refused, seeds=2)
    with pytest.raises(ct.SettingError, match="0 repeats"):
        ct.evaluate(model, ct.open("accord"), refused, permute=0)
    with pytest.raises(ct.ConfigError):
        ct.evaluate(model, ct.open("gita"), refused, prompts=tmp_path / "none.yaml")
    with (
        ct.load_model(f"replay:{pair[0].id}", store=store) as record,
        pytest.raises(ct.ModelError, match="in other ways"),
    ):
        ct.evaluate(record, ct.open("accord"), refused, permute=2)
    assert not refused.exists()
    assert pair[0].repeats() == []


def test_a_store_that_is_not_there_has_no_runs(tmp_path: Path) -> None:
    assert ct.runs(tmp_path / "nothing.sqlite") == []
    assert not (tmp_path / "nothing.sqlite").exists()


def test_records_are_those_of_the_command_export(pair: Pair, store: Path, tmp_path: Path) -> None:
    file = tmp_path / "verdicts.jsonl"
    ids = [each.id for each in pair]
    assert run("runs", "export", *ids, "--to", str(file), "--store", str(store)).code == 0
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert lines == [record for each in pair for record in each.verdicts()]


def test_figures_are_those_of_the_command_show(pair: Pair, store: Path) -> None:
    printed = run("runs", "show", pair[0].id, "--store", str(store), "--json").json
    figures = pair[0].figures()
    assert {each.name: each.value for each in figures} == printed["metrics"]
    assert figures["Accuracy"] is figures[0]
    assert len(figures) == len(printed["metrics"])
    assert "demonstration" in str(figures)
    with pytest.raises(ct.NotFoundError, match="Accuracy"):
        figures["Acuracy"]
    with pytest.raises(ct.NotFoundError):
        pair[0].figures("nothing")


def test_the_frame_has_every_record(pair: Pair) -> None:
    records, frame = pair[0].verdicts(), pair[0].to_pandas()
    assert list(frame.columns) == list(records[0])
    assert frame["right"].tolist() == [each["right"] for each in records]
    assert frame["scores"].tolist() == [each["scores"] for each in records]
    right = sum(each["right"] is True for each in records if each["layer"] == "story_class")
    assert frame[frame["layer"] == "story_class"]["right"].sum() == right
    figures = pair[0].figures()
    table = figures.to_pandas().set_index("figure")
    assert table.loc["Accuracy", "n"] == figures["Accuracy"].n == LIMIT
    assert table.loc["Accuracy", "value"] == right / LIMIT
    assert (table.loc["Accuracy", "low"], table.loc["Accuracy", "high"]) == (
        figures["Accuracy"].interval
    )


def test_without_pandas_the_error_names_the_extra(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ct.ExportError, match=r"commonsense-tui\[notebook\]"):
        pair[0].to_pandas()
    assert pair[0].verdicts()


def test_a_comparison_is_that_of_the_command_compare(pair: Pair, store: Path) -> None:
    ids = [each.id for each in pair]
    printed = run("runs", "compare", *ids, "--store", str(store), "--json").json
    comparison = ct.compare(*pair)
    layers = {each["layer"]: each for each in comparison.layers()}
    assert set(layers) == set(printed["layers"])
    for name, expected in printed["layers"].items():
        layer = layers[name]
        assert [layer["first"], layer["second"]] == expected["values"]
        assert layer["difference"] == expected["difference"]
        assert [layer["low"], layer["high"]] == (expected["interval"] or [None, None])
        assert (layer["first_only"], layer["second_only"]) == (
            expected["only_a"],
            expected["only_b"],
        )
        assert layer["p"] == expected["p"]
        assert layer["n"] == expected["n"]
    assert list(comparison.to_pandas()["n"]) == [each["n"] for each in comparison.layers()]
    assert list(comparison.result.unlike) == printed["differs"]
    for text in (str(comparison), comparison._repr_html_()):
        assert all(name in text for name in (*ids, *layers, "worked examples"))


def test_runs_of_two_stores_are_not_compared(
    model: ct.LoadedModel, pair: Pair, tmp_path: Path
) -> None:
    other = ct.evaluate(model, ct.open("gita"), tmp_path / "other.sqlite", limit=1)
    with pytest.raises(ct.RunError, match="two stores"):
        ct.compare(pair[0], other)


def test_a_plot_is_that_of_the_command_plot(
    pair: Pair, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [each.id for each in pair]
    mine, printed = tmp_path / "mine.svg", tmp_path / "printed.svg"
    forest = ct.plot("forest", *pair)
    assert forest.save(mine) == mine
    assert run("runs", "plot", "forest", *ids, "--to", printed, "--store", store).code == 0
    assert mine.read_bytes() == printed.read_bytes()
    picture = forest._repr_png_()
    assert picture is not None
    assert picture.startswith(b"\x89PNG")
    assert "Plausible?" in str(forest)
    with pytest.raises(ct.ExportError):
        forest.save(mine)
    with pytest.raises(ct.ExportError, match="No run"):
        ct.plot("layers")
    with pytest.raises(ct.ExportError, match="compares runs"):
        ct.plot("forest", pair[0])
    monkeypatch.delitem(sys.modules, "core.exchange.plots.drawing", raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib.style", None)
    monkeypatch.delitem(sys.modules, "core.exchange.plots.style", raising=False)
    assert forest._repr_png_() is None


def test_published_tables_are_those_of_the_command() -> None:
    listed = run("published", "list", "--json").json["tables"]
    assert [table.name for table in ct.published_tables()] == [each["name"] for each in listed]
    figures = list(ct.published_table("com2-table-2").figures())
    assert len(figures) > 50
    with pytest.raises(ct.NotFoundError):
        ct.published_table("com2-table-99")


@pytest.mark.parametrize(
    ("number", "where"),
    [
        ({"limit": -1}, "limit"),
        ({"limit": 0}, "limit"),
        ({"shots": -1}, "shots"),
        ({"seed": 2**63}, "seed"),
        ({"concurrency": -1}, "concurrency"),
    ],
)
def test_a_number_that_cannot_be_is_refused_before_a_run_is_recorded(
    model: ct.LoadedModel, tmp_path: Path, number: dict[str, int], where: str
) -> None:
    store = tmp_path / "runs.sqlite"
    with pytest.raises(SettingError, match="This cannot be") as refused:
        ct.evaluate(model, ct.open("gita"), store, **number)  # type: ignore[arg-type]
    assert refused.value.where == where
    assert ct.runs(store) == []


def test_a_name_in_the_place_of_what_it_names_is_refused_in_words(
    model: ct.LoadedModel, tmp_path: Path
) -> None:
    store = tmp_path / "runs.sqlite"
    with pytest.raises(SettingError, match="no loaded model: 'demo'"):
        ct.evaluate("demo", ct.open("gita"), store)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="no opened collection: 'gita'"):
        ct.evaluate(model, "gita", store)  # type: ignore[arg-type]
    assert not store.exists()
