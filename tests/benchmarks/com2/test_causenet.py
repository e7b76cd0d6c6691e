"""CauseNet's format: neighbourhoods of concepts, opened cycles, sources and broken rows."""

from __future__ import annotations

import bz2
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.benchmarks.com2.benchmark import Com2
from core.benchmarks.com2.causenet import MOST_CONCEPTS, SELDOM, acyclic
from core.benchmarks.com2.collection import open_items
from core.benchmarks.com2.documents import read_item
from core.benchmarks.com2.graph import CausalEventGraph
from core.benchmarks.com2.item import Com2Item
from core.benchmarks.com2.query import Query, run_query
from core.benchmarks.com2.writer import save
from core.contract.setting import Setting
from core.text.errors import DataError, NotFoundError
from tests.benchmarks.com2.damage import open_damaged

BENCH = Com2()
EVERYDAY = Path(__file__).resolve().parents[3] / "samples" / "causenet" / "everyday.json"


def relation(cause: str, effect: str, *sources: dict[str, Any]) -> dict[str, Any]:
    """A row as CauseNet has it, without `sources` as in the sample where there are none."""
    row: dict[str, Any] = {
        "causal_relation": {"cause": {"concept": cause}, "effect": {"concept": effect}}
    }
    return row | {"sources": list(sources)} if sources else row


def sentence(text: str, kind: str = "clueweb12_sentence") -> dict[str, Any]:
    return {"type": kind, "payload": {"sentence": text, "path_pattern": "x"}}


def opened(tmp_path: Path, rows: Iterable[Any], name: str = "relations.jsonl") -> Any:
    path = tmp_path / name
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return open_items(path)


def chain(words: str) -> list[dict[str, Any]]:
    return [relation(*pair.split(">")) for pair in words.split()]


def concepts(item: Com2Item) -> list[str]:
    return [event.id for event in item.graph.events]


def links(graph: CausalEventGraph) -> set[str]:
    return {f"{link.cause}>{link.effect}" for link in graph.links}


def around(tmp_path: Path, words: str, centre: str) -> Com2Item:
    collection = opened(tmp_path, chain(words))
    item: Com2Item = collection.item(collection.find(centre))
    return item


# What belongs to a concept


def test_an_item_holds_causes_and_effects_within_two_links(tmp_path: Path) -> None:
    item = around(tmp_path, "a>b b>c c>d d>e e>f x>d d>y c>q y>z y>e", "d")
    assert concepts(item) == ["d", "c", "e", "x", "y", "b", "f", "z"]
    assert links(item.graph) == {"b>c", "c>d", "x>d", "d>e", "d>y", "y>e", "e>f", "y>z"}
    assert item.id == item.title == "d"


def test_causes_of_effects_and_effects_of_causes_stay_out(tmp_path: Path) -> None:
    assert concepts(around(tmp_path, "a>b b>c b>other stranger>c", "a")) == ["a", "b", "c", "other"]
    assert concepts(around(tmp_path, "a>b b>c b>other stranger>c", "c")) == [
        "c",
        "b",
        "stranger",
        "a",
    ]


def test_relations_with_more_sources_come_first(tmp_path: Path) -> None:
    rows = [
        relation("a", "seldom", sentence("One.")),
        relation("a", "often", sentence("One."), sentence("Two.")),
    ]
    collection = opened(tmp_path, rows)
    assert concepts(collection.item(collection.find("a"))) == ["a", "often", "seldom"]


def test_a_large_neighbourhood_is_bounded_and_says_so(tmp_path: Path) -> None:
    rows = [relation("hub", f"effect_{i}") for i in range(100)]
    rows += [relation(f"cause_{i}", "hub") for i in range(5)]
    rows += [relation("effect_0", f"far_{i}") for i in range(7)]
    collection = opened(tmp_path, rows)
    item = collection.item(collection.find("hub"))
    assert len(item.graph.events) == MOST_CONCEPTS
    assert {f"cause_{i}" for i in range(5)} <= set(concepts(item))
    assert not any(name.startswith("far") for name in concepts(item))
    assert f"{1 + 100 + 5 + 7 - MOST_CONCEPTS} of 113 concepts" in item.warnings[0]


def test_a_link_says_where_it_was_found(tmp_path: Path) -> None:
    rows = [
        relation(
            "wet_floor",
            "fall",
            {"type": "wikipedia_infobox", "payload": {"infobox_title": "Falls"}},
            sentence("A wet floor\n may cause a fall."),
            sentence("Wet floors cause falls."),
        ),
        relation("fall", "bruise"),
        relation("wet_floor", "fall", sentence("Floors, when wet, cause falls.")),
    ]
    collection = opened(tmp_path, rows)
    graph = collection.item(0).graph
    link = graph.link("wet_floor", "fall")
    assert link.source == (
        "relations.jsonl:1, relations.jsonl:3, 4 sources: clueweb12 sentence × 3, wikipedia infobox"
    )
    assert link.evidence == "“A wet floor may cause a fall.”"
    assert graph.link("fall", "bruise").source == "relations.jsonl:2, no source named"
    drawn = BENCH.view(collection.item(0), Setting()).sections[0]
    assert "4 sources" in repr(drawn)
    assert "A wet floor may cause a fall" in repr(drawn)
    assert [repair.what for repair in collection.repairs] == [
        "“wet_floor” → “fall” was said before, at relations.jsonl:1"
    ]


@pytest.mark.parametrize(
    "sources",
    [None, [], [7], ["text"], [{"type": None}], [{"payload": {"sentence": 7}}], [{"payload": []}]],
)
def test_relations_survive_malformed_sources(tmp_path: Path, sources: Any) -> None:
    collection = opened(tmp_path, [relation("a", "b") | {"sources": sources}])
    assert len(collection.item(0).graph.links) == 1
    assert not collection.errors


# Cycles


def test_a_cycle_is_opened_away_from_the_concept_with_a_warning(tmp_path: Path) -> None:
    item = around(tmp_path, "a>b b>c c>a", "a")
    assert links(item.graph) == {"a>b", "c>a"}
    assert item.warnings[0] == (
        "A cycle was opened: the link from “b” to “c” is left out, because “c” leads to “b” here."
    )
    assert "cycle was opened" in repr(BENCH.view(item, Setting()).sections)
    assert links(around(tmp_path, "a>b b>a", "b").graph) == {"a>b"}


def test_a_concept_that_causes_itself_is_a_repair(tmp_path: Path) -> None:
    collection = opened(tmp_path, chain("a>a a>b"))
    assert len(collection) == 2
    assert collection.repairs[0].where.endswith("relations.jsonl:1")
    assert "causes itself" in collection.repairs[0].what


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=40, unique=True))
def test_only_links_that_close_a_cycle_are_left_out(pairs: list[tuple[int, int]]) -> None:
    pairs = [(a, b) for a, b in pairs if a != b]
    taken, left_out = acyclic(pairs)
    graph = nx.DiGraph()
    expected = []
    for a, b in pairs:
        if a in graph and b in graph and nx.has_path(graph, b, a):
            continue
        graph.add_edge(a, b)
        expected.append((a, b))
    assert taken == expected
    assert sorted(taken + left_out) == sorted(pairs)
    assert nx.is_directed_acyclic_graph(graph)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(*[st.sampled_from("abcdefgh")] * 2), min_size=1, max_size=30))
def test_every_concept_of_any_graph_can_be_looked_at(
    tmp_path: Path, pairs: list[tuple[str, str]]
) -> None:
    whole = nx.DiGraph((a, b) for a, b in pairs if a != b)
    if not whole:
        return
    collection = opened(tmp_path, [relation(a, b) for a, b in pairs])
    assert {collection.entry(i).id for i in range(len(collection))} == set(whole)
    for i in range(len(collection)):
        item = collection.item(i)
        back = nx.single_source_shortest_path_length(whole.reverse(), item.id, 2)
        ahead = nx.single_source_shortest_path_length(whole, item.id, 2)
        assert set(concepts(item)) == {*back, *ahead}
        left_out = sum("cycle was opened" in warning for warning in item.warnings)
        assert len(item.graph.links) + left_out >= whole.subgraph(concepts(item)).size() - 22
        assert all(whole.has_edge(link.cause, link.effect) for link in item.graph.links)
        assert BENCH.view(item, Setting()).sections
        detail = f"{whole.in_degree(item.id)} cause"
        assert collection.entry(i).detail.startswith(detail)


# Our own graph


def test_every_everyday_concept_opens_and_can_be_seen_set_and_imagined() -> None:
    collection = open_items(EVERYDAY)
    assert len(collection) == 399
    assert not collection.errors
    assert not collection.repairs
    assert collection.about.title.startswith("An everyday causal graph")
    item = collection.item(collection.find("heavy rain"))
    assert not any("cycle" in warning for warning in item.warnings)
    seen = run_query(item.graph, Query(observe={"mould": True})).p
    done = run_query(item.graph, Query(do={"mould": True})).p
    plain = run_query(item.graph, Query()).p
    assert plain["thunderstorm"] == pytest.approx(SELDOM)
    assert seen["heavy_rain"] > done["heavy_rain"] == pytest.approx(plain["heavy_rain"])
    imagined = Query(observe={"heavy_rain": True}, imagine={"heavy_rain": False})
    assert run_query(item.graph, imagined).p["flooded_cellar"] == pytest.approx(0)
    for verb in ("do", "observe", "imagine"):
        chosen = Setting.of(BENCH.switches(item), {"event.heavy_rain": f"{verb}=1"})
        assert BENCH.view(item, chosen) != BENCH.view(item, Setting())
    for i in range(0, len(collection), 7):
        assert BENCH.view(collection.item(i), Setting()).sections


def test_concepts_are_found_and_searched_with_spaces_or_without() -> None:
    collection = open_items(EVERYDAY)
    assert collection.find("wet_road") == collection.find("wet road")
    assert list(collection.matching("WET ROAD")) == list(collection.matching("wet_road"))
    assert collection.find("wet_road") in collection.matching("wet road")
    assert len(collection.matching("")) == 399
    assert list(collection.matching("no such thing")) == []
    with pytest.raises(NotFoundError, match="wet_road"):
        collection.find("wet_raod")


def test_a_neighbourhood_can_be_saved_and_read_again() -> None:
    collection = open_items(EVERYDAY)
    item = collection.item(collection.find("heavy_rain"))
    again = read_item(save(item, Setting()))
    assert links(again.graph) == links(item.graph)


def test_nothing_is_asked_about_a_concept() -> None:
    item = open_items(EVERYDAY).item(0)
    assert {BENCH.question(item, Setting(), layer.id) for layer in BENCH.layers} == {None}


# Real data


def test_the_sample_opens(shared_data: Path) -> None:
    path = shared_data / "causenet" / "causenet-sample.json"
    if not path.is_file():
        pytest.skip("needs the real data: CauseNet's sample in shared/data/")
    rows = json.loads(path.read_text(encoding="utf-8"))
    found = [
        tuple(row["causal_relation"][end]["concept"] for end in ("cause", "effect")) for row in rows
    ]
    pairs = {pair for pair in found if pair[0] != pair[1]}
    collection = open_items(path)
    assert not collection.errors
    assert {collection.entry(i).id for i in range(len(collection))} == {
        end for pair in pairs for end in pair
    }
    assert len(collection.repairs) == len(rows) - len(pairs)
    for i in range(len(collection)):
        assert {(link.cause, link.effect) for link in collection.item(i).graph.links} <= pairs


# Files


def test_the_array_the_lines_and_the_packed_lines_are_the_same_graph(tmp_path: Path) -> None:
    rows = [relation("a", "b", sentence("A brings b.")), relation("b", "c")]
    lines = opened(tmp_path, rows)
    (tmp_path / "array.json").write_text(json.dumps(rows, indent=2), encoding="utf-8")
    text = (tmp_path / "relations.jsonl").read_bytes()
    (tmp_path / "packed.jsonl.bz2").write_bytes(bz2.compress(text))
    for name in ("array.json", "packed.jsonl.bz2"):
        other = open_items(tmp_path / name)
        assert [other.entry(i) for i in range(3)] == [lines.entry(i) for i in range(3)]
        assert links(other.item(1).graph) == links(lines.item(1).graph)
        assert "1 source: clueweb12 sentence" in repr(other.item(0).graph.link("a", "b"))
    whole = open_items(tmp_path)
    assert len(whole) == 3
    assert len(whole.repairs) == 4
    assert "3 sources" in whole.item(0).graph.link("a", "b").source


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (relation("", "b"), "empty"),
        (relation("_ ", "b"), "empty"),
        (relation("a" * 201, "b"), "longer"),
        ({"causal_relation": {"cause": {"concept": "a"}}}, "effect"),
        ({"causal_relation": {"cause": "a", "effect": "b"}}, "cause"),
        ({"causal_relation": 7}, "causal_relation"),
        ({"sources": []}, "causal_relation"),
        (relation("a", "b") | {"sources": 7}, "sources"),
        (7, "object"),
    ],
)
def test_a_malformed_row_is_told_by_line_and_the_others_open(
    tmp_path: Path, row: Any, says: str
) -> None:
    collection = opened(tmp_path, [relation("x", "y"), row, relation("y", "z")])
    assert len(collection) == 3
    (error,) = collection.errors
    assert error.where.endswith("relations.jsonl:2")
    assert says in str(error)


def test_many_malformed_rows_are_counted(tmp_path: Path) -> None:
    collection = opened(tmp_path, [relation("x", "y"), *[{"no": 1}] * 2500])
    assert len(collection.errors) == 1001
    assert "1,500 more" in str(collection.errors[-1])


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data(), name=st.sampled_from(["a.json", "a.jsonl", "a.jsonl.bz2"]))
def test_any_damage_is_read_around_or_is_a_typed_error(
    tmp_path: Path, data: st.DataObject, name: str
) -> None:
    rows = [relation("ab", "cd", sentence("Ab.")), relation("cd", "ef"), relation("ef", "ab")]
    collection = open_damaged(tmp_path / name, rows, data)
    if collection is None:
        return
    for i in range(len(collection)):
        assert BENCH.view(collection.item(i), Setting()).sections


def test_a_packed_file_that_breaks_off_is_a_typed_error(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl.bz2"
    path.write_bytes(bz2.compress(json.dumps(relation("a", "b")).encode())[:-8])
    with pytest.raises(DataError, match="unpacked"):
        open_items(path)


OPENED = """
import resource, sys, time
from pathlib import Path
from core.benchmarks.com2.collection import open_items

start = time.process_time()
found = open_items(Path(sys.argv[1]))
spent = time.process_time() - start
found.item(17)
status = Path("/proc/self/status")
if status.exists():
    # Its own peak: under Linux ru_maxrss begins with that of the process that started it.
    peak = status.read_text().partition("VmHWM:")[2].split()[0]
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(len(found), spent, peak)
"""
"""Prints the number of concepts, seconds of processor and KiB at the peak."""


def test_a_hundred_thousand_relations_open_fast_and_small(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    with path.open("w", encoding="utf-8") as handle:
        for i in range(100_000):
            cause, effect = f"concept_{i * 7919 % 80_000}", f"concept_{i * i % 79_999}"
            row = relation(cause, effect, sentence(f"Thing {i} brings about another thing."))
            handle.write(json.dumps(row) + "\n")
    command = [sys.executable, "-c", OPENED, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    count, spent, peak = map(float, done.stdout.split())
    assert count > 35_000
    assert spent < 8
    assert peak < 200 * 1024


# The command line


def run(*words: str) -> str:
    command = [sys.executable, "-c", "from tui.cli.start import main; main()", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return done.stdout


def test_the_command_line_shows_queries_and_asks_nothing() -> None:
    assert "muddy field" in run("show", "com2", "heavy_rain", "--data", str(EVERYDAY))
    folder = str(EVERYDAY.parent)
    answer = json.loads(
        run("com2", "query", "heavy_rain", "--data", folder, "--do", "heavy_rain=1", "--json")
    )
    assert answer["p"]["wet_road"] == 1
    assert answer["p"]["thunderstorm"] == pytest.approx(SELDOM)
    assert run("questions", "com2", "--data", folder, "--jsonl") == ""
