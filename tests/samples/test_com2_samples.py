"""The bundled causal event graphs: counts, chains, golds that follow, distinct texts and frames."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import yaml

from core.benchmarks.com2.benchmark import Com2
from core.benchmarks.com2.documents import read_item
from core.benchmarks.com2.item import Scenario
from core.benchmarks.com2.query import Query, run_query
from core.benchmarks.com2.questions import ANSWER
from core.benchmarks.com2.scenarios import derive, sound
from core.contract.setting import Setting
from core.runs.common_setting import common_setting
from core.runs.questions import QuestionSource
from core.runs.records import SkippedItems

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


def chances(item: Item) -> dict[str, float]:
    """The circumstances that only chance decides, each with its probability."""
    return {
        event: parts["leak"]
        for event, parts in item["events"].items()
        if 0 < parts.get("leak", 0) < 1
    }


def worlds(item: Item, observed: Mapping[str, int]) -> list[tuple[float, dict[str, int]]]:
    """Every outcome of chance that agrees with what was observed, with its probability."""
    found = []
    odds = chances(item)
    for outcome in itertools.product((0, 1), repeat=len(odds)):
        chance = dict(zip(odds, outcome, strict=True))
        if all(occurs(item, event, chance) == bool(value) for event, value in observed.items()):
            weight = math.prod(odds[e] if value else 1 - odds[e] for e, value in chance.items())
            found.append((weight, chance))
    whole = sum(weight for weight, _ in found)
    return [(weight / whole, chance) for weight, chance in found]


def occurs(item: Item, event: str, fixed: Mapping[str, int]) -> bool:
    """Whether an event happens by certain links, some events being `fixed` from outside."""
    if event in fixed:
        return bool(fixed[event])
    groups = [group for group in item.get("groups", []) if group["effect"] == event]
    grouped = {cause for group in groups for cause in group["causes"]}
    alone = [
        link["from"]
        for link in item["links"]
        if link["to"] == event and link["from"] not in grouped
    ]
    blocked = any(
        occurs(item, cause, fixed)
        for group in groups
        if group["rule"] == "inhibitor"
        for cause in group["causes"]
    )
    together = any(
        all(occurs(item, cause, fixed) for cause in group["causes"])
        for group in groups
        if group["rule"] == "all-of"
    )
    leak = item["events"][event].get("leak", 0)
    return not blocked and bool(
        leak or together or any(occurs(item, each, fixed) for each in alone)
    )


def probability(
    item: Item, event: str, do: Mapping[str, int], observed: Mapping[str, int] | None = None
) -> float:
    """The probability of an event after `do`, given what was observed before it."""
    return sum(
        weight
        for weight, chance in worlds(item, observed or {})
        if occurs(item, event, {**chance, **do})
    )


def happens(
    item: Item, event: str, do: Mapping[str, int], observed: Mapping[str, int] | None = None
) -> bool:
    """Whether an event surely happens after `do`; fails where chance decides it."""
    certainty = round(probability(item, event, do, observed), 9)
    assert certainty in {0, 1}, event
    return bool(certainty)


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
        if option.get("event") in tails
        and happens(item, option["event"], world, task.get("observe"))
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
    assert len(ITEMS) - len(cases) >= 50
    assert len(cases) >= 7
    assert {scenario for scenario in SCENARIOS if counts[scenario] >= 20} == set(SCENARIOS)
    assert languages["it"] >= 5
    assert languages["zh"] >= 4
    assert languages["en"] > len(ITEMS) / 2
    links = {name for name, scenario in TASKS if "path" in ITEMS[name]["tasks"][scenario]}
    assert sum("path" in ITEMS[name]["tasks"][scenario] for name, scenario in TASKS) >= 100
    assert links == set(ITEMS), "every item has a first link to ask about"
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
    observed = task.get("observe", {})
    assert len(right) == 1
    assert all(happens(item, event, world, observed) for event in task["path"])
    for number, option in enumerate(task["options"]):
        if "event" in option:
            assert happens(item, option["event"], world, observed) == (number in right)
    for chain in task.get("distractors", []):
        assert not happens(item, chain[-1], world, observed)
        if scenario in {"intervention", "counterfactual"}:
            assert happens(item, chain[-1], {}), "the chain is not cut, it never ran"


@pytest.mark.parametrize(
    "name", [name for name, item in ITEMS.items() if "intervention" in item["tasks"]]
)
def test_an_intervention_cuts_one_chain_and_another_from_the_same_root_survives(name: str) -> None:
    item, task = ITEMS[name], ITEMS[name]["tasks"]["intervention"]
    surviving, (cut,) = task["path"], task["distractors"]
    assert surviving[0] == cut[0]
    assert not set(task["do"]) & {*surviving, *cut}
    assert happens(item, cut[-1], {})
    assert not happens(item, cut[-1], task["do"])
    assert happens(item, surviving[-1], task["do"])
    # In a case the clue, which clears the one who was suspected first, also convicts the other.
    assert happens(item, surviving[-1], {}) == ("case" not in item)


COUNTERFACTUALS = [name for name, scenario in TASKS if scenario == "counterfactual"]


@pytest.mark.parametrize("name", COUNTERFACTUALS)
def test_the_evidence_of_a_counterfactual_settles_what_chance_left_open(name: str) -> None:
    item, task = ITEMS[name], ITEMS[name]["tasks"]["counterfactual"]
    assert task["observe"]
    assert not set(task["observe"]) & {event for chain in chains(task) for event in chain}
    assert 0 < probability(item, next(iter(task["observe"])), {}) < 1
    assert {tuple(chance.items()) for _, chance in worlds(item, task["observe"])} == {
        tuple((event, 1) for event in chances(item))
    }


def test_imagining_differs_from_doing_in_every_counterfactual() -> None:
    differing = 0
    for name in COUNTERFACTUALS:
        item = read_item(FOLDER / f"{name}.yaml")
        task = item.task(Scenario.COUNTERFACTUAL)
        assert task is not None
        graph = sound(item.graph)
        done = run_query(graph, Query(do=task.imagine)).p
        imagined = run_query(graph, Query(observe=task.observe, imagine=task.imagine)).p
        raw = ITEMS[name]["tasks"]["counterfactual"]
        for event in (option["event"] for option in raw["options"] if "event" in option):
            for p, observed in ((done, {}), (imagined, raw["observe"])):
                oracle = probability(ITEMS[name], event, raw["imagine"], observed)
                assert p[event] == pytest.approx(oracle)
        # Without the evidence another of the options is the likelier ending.
        differing += imagined[task.path[-1]] > 0.999 and done[task.path[-1]] < 0.5
    assert (differing, len(COUNTERFACTUALS)) == (34, 34)


@pytest.mark.parametrize("name", ITEMS)
def test_the_program_reads_every_item_and_derives_the_same_golds(name: str) -> None:
    item = read_item(FOLDER / f"{name}.yaml")
    assert item.warnings == ()
    derived = {task.scenario.value: derive(item, task).gold for task in item.tasks}
    raw = ITEMS[name]
    assert derived == {scenario: frozenset(gold(raw, scenario)) for scenario in raw["tasks"]}


def test_a_run_with_slow_thinking_asks_exactly_the_questions_that_have_some() -> None:
    benchmark = Com2()
    collection = benchmark.open(FOLDER)
    items = [collection.item(position) for position in range(len(collection))]
    common = common_setting(QuestionSource(benchmark, collection, {"thinking": "on"}))
    asked = [
        benchmark.question(item, Setting.of(benchmark.switches(item), {"thinking": "on"}), ANSWER)
        for item in items
        if any(switch.key == "thinking" for switch in benchmark.switches(item))
    ]
    having = [name for name, task in TASKS if "thinking" in ITEMS[name]["tasks"][task]]
    assert all(question is not None and "Slow thinking:" in question.text for question in asked)
    assert len(asked) == len(having) >= 8
    assert common.skipped == SkippedItems(len(TASKS) - len(having), len(TASKS))


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


def test_the_place_of_the_right_option_does_not_reveal_it() -> None:
    places: Counter[int] = Counter()
    for name, scenario in TASKS:
        if scenario != "decision":
            (right,) = gold(ITEMS[name], scenario)
            places[right] += 1
    assert max(places.values()) - min(places[place] for place in range(4)) <= 2


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_length_does_not_reveal_a_right_option(scenario: str) -> None:
    """Right options are longest, and shortest, in no more questions than by chance."""
    asked = [ITEMS[name] for name, other in TASKS if other == scenario]
    chance = 0.0
    longest = shortest = 0
    for item in asked:
        right = gold(item, scenario)
        lengths = [len(text) for text in texts(item, scenario)]
        chance += len(right) / len(lengths)
        longest += any(lengths[number] == max(lengths) for number in right)
        shortest += any(lengths[number] == min(lengths) for number in right)
        assert max(lengths) <= 1.6 * min(lengths), (item["id"], scenario)
    assert longest <= chance
    assert shortest <= chance
    # Never the longest or shortest would give the answer away too.
    assert longest >= chance / 2
    assert shortest >= chance / 2


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
