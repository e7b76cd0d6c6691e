"""The bundled causal event graphs: counts, chains, golds that follow, distinct texts and frames."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import yaml

from core.benchmarks.com2.documents import read_item
from core.benchmarks.com2.scenarios import derive

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDER = CHECKOUT / "samples" / "com2"
EVERYDAY = CHECKOUT / "samples" / "causenet" / "everyday.json"

Item = dict[str, Any]
Task = dict[str, Any]
SCENARIOS = ("direct", "decision", "transition", "intervention", "counterfactual")
FILES = sorted(path for path in FOLDER.glob("*.yaml") if path.name != "ABOUT.yaml")
# Read when tests are collected, so by the fastest loader that there is.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
ITEMS: dict[str, Item] = {
    path.stem: yaml.load(path.read_text(encoding="utf-8"), LOADER) for path in FILES
}
TASKS = [(item, scenario) for item in ITEMS for scenario in ITEMS[item]["tasks"]]


def happens(item: Item, event: str, do: Mapping[str, int]) -> bool:
    """The event in the item's own world, or in that after `do`: certain links, switches by leak."""
    if event in do:
        return bool(do[event])
    groups = [group for group in item.get("groups", []) if group["effect"] == event]
    grouped = {cause for group in groups for cause in group["causes"]}
    alone = [
        link["from"]
        for link in item["links"]
        if link["to"] == event and link["from"] not in grouped
    ]
    blocked = any(
        happens(item, cause, do)
        for group in groups
        if group["rule"] == "inhibitor"
        for cause in group["causes"]
    )
    together = any(
        all(happens(item, cause, do) for cause in group["causes"])
        for group in groups
        if group["rule"] == "all-of"
    )
    leak = item["events"][event].get("leak", 0)
    return not blocked and (leak or together or any(happens(item, each, do) for each in alone))


def gold(item: Item, scenario: str) -> set[int]:
    task = item["tasks"][scenario]
    if scenario == "decision":
        return {
            number
            for number, option in enumerate(task["options"])
            if "prevents" in option and not happens(item, task["bad"], {option["prevents"]: 0})
        }
    tails = {chain[-1] for chain in chains(task)}
    world = {**task.get("do", {}), **task.get("imagine", {})}
    if scenario in {"direct", "transition"}:
        tails = {task["path"][-1]}
    return {
        number
        for number, option in enumerate(task["options"])
        if option.get("event") in tails and happens(item, option["event"], world)
    }


def chains(task: Task) -> list[list[str]]:
    return [task["path"], *task.get("distractors", [])] if "path" in task else []


def texts(item: Item, scenario: str) -> list[str]:
    return [
        option["text"] if "text" in option else item["events"][option["event"]]["text"]
        for option in item["tasks"][scenario]["options"]
    ]


def plain(text: str) -> str:
    return text.casefold().strip(" .。")


def test_the_samples_have_the_declared_counts() -> None:
    counts = Counter(scenario for _, scenario in TASKS)
    languages = Counter(item["language"] for item in ITEMS.values())
    cases = [item for item in ITEMS.values() if "case" in item]
    assert len(ITEMS) - len(cases) >= 40
    assert len(cases) >= 7
    assert {scenario for scenario in SCENARIOS if counts[scenario] >= 20} == set(SCENARIOS)
    assert languages["it"] >= 5
    assert languages["zh"] >= 4
    assert languages["en"] > len(ITEMS) / 2
    assert sum("thinking" in ITEMS[item]["tasks"][scenario] for item, scenario in TASKS) >= 8
    assert sum(any("strength" in link for link in item["links"]) for item in ITEMS.values()) >= 12


@pytest.mark.parametrize("name", ITEMS)
def test_every_item_is_well_formed(name: str) -> None:
    item = ITEMS[name]
    assert item["id"] == name
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
    graph = nx.DiGraph((link["from"], link["to"]) for link in item["links"])
    assert set(graph) == set(item["events"])
    assert nx.is_directed_acyclic_graph(graph)
    assert 2 <= len(item["tasks"]) <= 5
    if item["language"] != "en":
        assert all(event.get("gloss") for event in item["events"].values())


@pytest.mark.parametrize(("name", "scenario"), TASKS)
def test_a_chain_has_five_events_and_none_between_is_in_the_question(
    name: str, scenario: str
) -> None:
    item, task = ITEMS[name], ITEMS[name]["tasks"][scenario]
    links = {(link["from"], link["to"]): link for link in item["links"]}
    for chain in chains(task):
        assert len(set(chain)) == 5
        assert all(pair in links for pair in itertools.pairwise(chain))
        for event in chain[1:]:
            assert plain(item["events"][event]["text"]) not in plain(task["question"])
    drift = [
        sum("fault" in links[pair] for pair in itertools.pairwise(chain)) for chain in chains(task)
    ]
    assert drift == ([0, *[1] * (len(drift) - 1)] if scenario == "transition" else [0] * len(drift))


@pytest.mark.parametrize(("name", "scenario"), TASKS)
def test_the_graph_decides_every_task(name: str, scenario: str) -> None:
    item, task = ITEMS[name], ITEMS[name]["tasks"][scenario]
    right = gold(item, scenario)
    if scenario == "decision":
        assert happens(item, task["bad"], {})
        assert len(task["options"]) in {5, 6}
        assert 2 <= len(right) < len(task["options"])
        return
    world = {**task.get("do", {}), **task.get("imagine", {})}
    assert len(task["options"]) == 4
    assert len(right) == 1
    assert all(happens(item, event, world) for event in task["path"])
    for number, option in enumerate(task["options"]):
        if "event" in option:
            assert happens(item, option["event"], world) == (number in right)
    for chain in task.get("distractors", []):
        assert not happens(item, chain[-1], world)
        if scenario in {"intervention", "counterfactual"}:
            assert happens(item, chain[-1], {}), "the chain is not cut, it never ran"


@pytest.mark.parametrize("name", ITEMS)
def test_the_program_reads_every_item_and_derives_the_same_golds(name: str) -> None:
    item = read_item(FOLDER / f"{name}.yaml")
    assert item.warnings == ()
    derived = {task.scenario.value: derive(item, task).gold for task in item.tasks}
    raw = ITEMS[name]
    assert derived == {scenario: frozenset(gold(raw, scenario)) for scenario in raw["tasks"]}


@pytest.mark.parametrize("name", [name for name, item in ITEMS.items() if "case" in item])
def test_the_clue_changes_the_answer_of_a_case(name: str) -> None:
    item = ITEMS[name]
    case = item["case"]
    assert set(item["tasks"]) == {"decision", "intervention", "counterfactual"}
    assert item["tasks"]["intervention"]["do"] == {case["clue"]: 1}
    options = [option.get("event") for option in item["tasks"]["intervention"]["options"]]
    assert sorted(options) == sorted(case["suspects"])

    def guilty(do: Mapping[str, int]) -> list[str]:
        return [suspect for suspect in case["suspects"] if happens(item, suspect, do)]

    before, after = guilty({}), guilty({case["clue"]: 1})
    assert len(before) == len(after) == 1
    assert before != after


def test_no_text_appears_in_two_items() -> None:
    owners: dict[str, set[str]] = defaultdict(set)
    for name, item in ITEMS.items():
        events = [plain(event["text"]) for event in item["events"].values()]
        assert len(set(events)) == len(events)
        for scenario in item["tasks"]:
            options = [plain(text) for text in texts(item, scenario)]
            assert len(set(options)) == len(options)
            events += options
        for text in events:
            owners[text].add(name)
    assert {text for text, names in owners.items() if len(names) > 1} == set()


def runs(question: str, language: str) -> Iterator[tuple[str, ...]]:
    """Every five words in a row; in Chinese, every eight characters."""
    pattern, length = (r"\w", 8) if language == "zh" else (r"\w+", 5)
    words = re.findall(pattern, question.casefold())
    yield from zip(*(words[start:] for start in range(length)), strict=False)


def test_no_two_questions_share_a_frame() -> None:
    opening: Counter[tuple[str, ...]] = Counter()
    frames: dict[tuple[str, ...], set[str]] = defaultdict(set)
    bare: Counter[str] = Counter()
    for name, scenario in TASKS:
        item = ITEMS[name]
        question = item["tasks"][scenario]["question"].casefold()
        for event in item["events"].values():
            question = question.replace(event["text"].casefold(), "")
        bare[question] += 1
        asked = list(runs(item["tasks"][scenario]["question"], item["language"]))
        opening[asked[0]] += 1
        for run in asked:
            frames[run].add(name)
    assert {question for question, count in bare.items() if count > 1} == set()
    assert {run for run, names in frames.items() if len(names) > 1} == set()
    assert max(opening.values()) == 1


def test_position_and_length_do_not_reveal_the_right_option() -> None:
    single = [(ITEMS[name], scenario) for name, scenario in TASKS if scenario != "decision"]
    places: Counter[int] = Counter()
    longest = shortest = 0
    for item, scenario in single:
        (right,) = gold(item, scenario)
        lengths = [len(text) for text in texts(item, scenario)]
        places[right] += 1
        longest += lengths[right] == max(lengths)
        shortest += lengths[right] == min(lengths)
    assert max(places.values()) - min(places[place] for place in range(4)) <= 2
    assert longest / len(single) < 0.35
    assert shortest / len(single) < 0.35


def test_right_options_occur_in_every_position() -> None:
    places = Counter(
        place
        for name, scenario in TASKS
        if scenario == "decision"
        for place in gold(ITEMS[name], scenario)
    )
    decisions = sum(scenario == "decision" for _, scenario in TASKS)
    assert all(decisions * 0.25 < places[place] < decisions * 0.75 for place in range(5))


def test_the_everyday_graph_is_one_large_dag() -> None:
    rows = json.loads(EVERYDAY.read_text(encoding="utf-8"))
    assert all(
        list(row) == ["causal_relation"]
        and {end: list(side) for end, side in row["causal_relation"].items()}
        == {"cause": ["concept"], "effect": ["concept"]}
        for row in rows
    )
    pairs = [
        (relation["cause"]["concept"], relation["effect"]["concept"])
        for relation in (row["causal_relation"] for row in rows)
    ]
    assert len(set(pairs)) == len(pairs)
    graph = nx.DiGraph(pairs)
    assert len(graph) >= 300
    assert len({concept.casefold() for concept in graph}) == len(graph)
    assert all(re.fullmatch(r"[a-z]+([_-][a-z]+)*", concept) for concept in graph)
    assert nx.is_directed_acyclic_graph(graph)
    assert max(map(len, nx.weakly_connected_components(graph))) > 0.9 * len(graph)
    assert nx.dag_longest_path_length(graph) >= 8


@pytest.mark.parametrize("folder", [FOLDER, EVERYDAY.parent])
def test_the_about_file_lists_the_files(folder: Path) -> None:
    about = yaml.safe_load((folder / "ABOUT.yaml").read_text(encoding="utf-8"))
    assert about["origin"] == "written for commonsense-tui"
    assert about["licence"] == "CC BY 4.0"
    assert all(list(folder.glob(pattern)) for pattern in about["files"])
