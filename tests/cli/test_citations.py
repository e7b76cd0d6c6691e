"""`runs cite`."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

from core.exchange.published.released import RELEASED, questions_hash
from core.runs.store import Store
from tests.cli.support import ok, recorded, run


def cited(store: Path, *names: str) -> dict[str, list[dict[str, object]]]:
    """What is cited, by kind."""
    kinds: dict[str, list[dict[str, object]]] = {}
    for each in ok("runs", "cite", *names, "--store", store, "--json").json["cite"]:
        kinds.setdefault(each["kind"], []).append(each)
    return kinds


def test_the_program_the_items_and_the_model_are_cited(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    name = recorded(store, benchmark="gita")
    kinds = cited(store, name)
    assert version("commonsense-tui") in str(kinds["program"][0]["cite"])
    [items] = kinds["items"]
    assert items["licence"] == "CC BY 4.0"
    assert "Giulia Pensa" in str(items["cite"])
    assert items["runs"] == [name]
    [model] = kinds["model"]
    with Store(store) as opened:
        assert opened.run(name).plan.fingerprint in str(model["cite"])
    printed = ok("runs", "cite", name, "--store", store).out
    assert "Giulia Pensa, Ekhi Azurmendi" in printed
    assert printed.startswith("program: commonsense-tui, MIT\n")


def test_what_several_runs_share_is_cited_once(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    names = [recorded(store, benchmark=benchmark) for benchmark in ("gita", "shapes")]
    kinds = cited(store, *names, names[0])
    assert [items["runs"] for items in kinds["items"]] == [[names[0]], [names[1]]]
    assert [model["runs"] for model in kinds["model"]] == [names]
    assert len(kinds["program"]) == 1


def test_items_that_are_gone_are_named_as_such(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    items = tmp_path / "stories.json"
    source = Path(__file__).parents[2] / "samples" / "gita" / "stories.json"
    text = source.read_text("utf-8").replace("Irene", "Ada")
    items.write_text(text, encoding="utf-8")
    name = recorded(store, items, benchmark="gita")
    items.unlink()
    assert "not at hand" in str(cited(store, name)["items"][0]["cite"])


def test_an_unknown_run_is_named(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    recorded(store)
    refused = run("runs", "cite", "nobody", "--store", store)
    assert refused.code == 2
    assert "nobody" in refused.err


def test_the_paper_of_the_benchmark_is_cited_where_the_items_do_not_name_it(tmp_path: Path) -> None:
    store, items = tmp_path / "runs.sqlite", tmp_path / "stories.json"
    source = Path(__file__).parents[2] / "samples" / "gita" / "stories.json"
    items.write_text(source.read_text("utf-8").replace("Irene", "Ada"), encoding="utf-8")
    own, bundled = recorded(store, items, benchmark="gita"), recorded(store, benchmark="gita")
    [paper] = cited(store, own)["benchmark"]
    assert paper["name"] == "GITA"
    assert "CALAMITA Challenge" in str(paper["cite"])
    assert paper["runs"] == [own]
    assert "benchmark" not in cited(store, bundled)
    items.unlink()
    assert "CALAMITA Challenge" in str(cited(store, own)["benchmark"][0]["cite"])


def test_a_released_collection_is_recognised_though_its_items_are_not_at_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, items = tmp_path / "runs.sqlite", tmp_path / "stories.json"
    source = Path(__file__).parents[2] / "samples" / "gita" / "stories.json"
    items.write_text(source.read_text("utf-8").replace("Irene", "Ada"), encoding="utf-8")
    name = recorded(store, items, benchmark="gita")
    items.unlink()
    with Store(store) as opened:
        known = questions_hash(opened, name, "story_class")
    monkeypatch.setitem(RELEASED, ("gita", ""), replace(RELEASED["gita", ""], hash=known))
    kinds = cited(store, name)
    assert "authors released" in str(kinds["items"][0]["cite"])
    assert "CALAMITA Challenge" in str(kinds["benchmark"][0]["cite"])
