"""What each layer asks, and what is right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from core.benchmarks.com2.benchmark import Com2
from core.benchmarks.com2.graph import Rule
from core.benchmarks.com2.item import Case, Com2Item, Scenario
from core.benchmarks.com2.prompts import Wordings, wordings
from core.benchmarks.com2.questions import ANSWER, BROKEN, LAYERS, MOST_LINKS, question
from core.benchmarks.com2.scenarios import derive
from core.benchmarks.com2.switches import switches
from core.contract.question import Question, Scoring
from core.contract.setting import Setting
from core.files.prompt_files import read_wording
from core.text.errors import DataError
from tests.benchmarks.com2.graphs import advice, graph, item, options, task

BENCH = Com2()
SAMPLES = BENCH.open(BENCH.samples())
ROAD = graph(
    "rain wet slow late",
    "wet skid crash",
    "truck crash",
    "grit skid",
    on=("rain", "truck"),
    groups=(("crash", Rule.ALL, "skid truck"), ("skid", Rule.INHIBITOR, "grit")),
)
DIRECT = task(
    Scenario.DIRECT,
    options(ROAD, "a circus", "late", "a parade"),
    "rain wet slow late",
    thinking="First the road.",
)
DECISION = task(
    Scenario.DECISION, advice("skid", "slow", "truck"), "rain wet skid crash", bad="crash"
)
ITEM = item(ROAD, DIRECT, DECISION)


def ask(layer: str, made: Com2Item = ITEM, **values: str) -> Question | None:
    words = {key.replace("__", "."): value for key, value in values.items()}
    return question(made, Setting.of(switches(made), words), layer)


def asked(layer: str, made: Com2Item = ITEM, **values: str) -> Question:
    found = ask(layer, made, **values)
    assert found is not None
    return found


def links(made: Com2Item = ITEM, **values: str) -> list[str]:
    """Whether each link of the chain leads on, as the gold answers say."""
    found = [ask(f"link-{i}", made, **values) for i in range(1, MOST_LINKS + 1)]
    assert all(q is None or q.gold is not None for q in found)
    return [q.options[q.gold or 0] for q in found if q is not None]


# Links


def test_there_is_a_layer_for_each_of_eight_links_a_broken_one_and_the_question() -> None:
    ids = [*(f"link-{i}" for i in range(1, 9)), "broken", "answer"]
    assert [layer.id for layer in LAYERS] == ids
    assert all(layer.optional for layer in LAYERS[:-1])


def test_every_link_of_the_chain_is_asked_and_no_other() -> None:
    assert links() == ["yes", "yes", "yes"]
    first = asked("link-1")
    assert "It is rain" in first.text
    assert "It is wet" in first.text
    assert first.options == ("yes", "no")
    assert first.scoring is Scoring.LOGLIKELIHOOD
    assert ask("link-4") is None


def test_cut_links_and_links_behind_absent_events_do_not_hold() -> None:
    assert links(event__wet="do=0") == ["no", "no", "no"]
    # Set from outside, it happens: but not because of what came before.
    assert links(event__slow="do=1") == ["yes", "no", "yes"]
    assert links(event__wet="imagine=1") == ["no", "yes", "yes"]


def test_a_removed_link_does_not_hold() -> None:
    assert links(edits='[["unlink","wet","slow"]]') == ["yes", "no", "no"]


def test_a_chain_whose_event_was_removed_is_not_asked() -> None:
    assert links(edits='[["remove","slow"]]') == []


def test_a_drifting_link_never_holds() -> None:
    made = graph("flu tea leaf", on=("flu",), drifting=("tea leaf",))
    asks = item(made, task(Scenario.TRANSITION, options(made, "leaf", "x"), "flu tea leaf"))
    assert links(asks) == ["yes", "no"]
    assert links(asks, event__leaf="do=1") == ["yes", "no"]
    together = graph(
        *("flu tea leaf", "boom leaf"),
        on=("flu", "boom"),
        groups=(("leaf", Rule.ALL, "tea boom"),),
        drifting=("tea leaf",),
    )
    assert links(replace(asks, graph=together)) == ["yes", "no"]


def test_a_group_link_holds_only_with_all_its_causes() -> None:
    assert links(scenario="decision") == ["yes", "yes", "yes"]
    assert links(scenario="decision", event__truck="do=0") == ["yes", "yes", "no"]
    # The crash happens all the same, for a reason of its own.
    other = replace(
        ROAD, events=tuple(replace(e, leak=float(e.id in {"rain", "crash"})) for e in ROAD.events)
    )
    assert links(item(other, DECISION)) == ["yes", "yes", "no"]


def test_an_inhibitor_link_does_not_hold() -> None:
    made = item(ROAD, task(Scenario.DIRECT, options(ROAD, "skid", "x"), "grit skid"))
    assert links(made, event__grit="do=1") == ["no"]
    assert links(made) == ["no"]


def test_settings_are_put_into_the_prompt_in_words() -> None:
    text = asked(
        "link-3", event__truck="do=0", event__rain="observe=1", event__wet="imagine=1"
    ).text
    told = text.splitlines()[:3]
    assert sorted(told) == sorted(
        [
            "Somebody makes sure that this does not happen: It is truck.",
            "It was observed: It is rain.",
            "Imagine that this had happened: It is wet.",
        ]
    )
    assert len(asked("link-3").text.splitlines()) == 3


@pytest.mark.parametrize(
    ("language", "yes"), [("en", "yes"), ("it", "sì"), ("zh", "是"), ("xx", "yes")]
)
def test_links_are_asked_in_the_language_of_the_item(language: str, yes: str) -> None:
    assert asked("link-1", replace(ITEM, language=language)).options[0] == yes


def test_braces_in_an_event_are_plain_text() -> None:
    made = graph("a b", on=("a",), texts={"a": "It says {effect}", "b": "It says {cause}"})
    found = asked("link-1", item(made, task(Scenario.DIRECT, options(made, "b"), "a b")))
    assert found.text.count("It says {effect}") == 1
    assert found.text.count("It says {cause}") == 1


def test_a_decision_without_a_chain_asks_the_longest_one_to_the_bad_outcome() -> None:
    made = item(ROAD, replace(DECISION, path=()))
    assert links(made) == ["yes", "yes", "yes"]
    assert "It is rain" in asked("link-1", made).text
    assert "It is crash" in asked("link-3", made).text
    # The same links are asked whatever a person sets.
    assert links(made, event__truck="do=0") == ["yes", "yes", "no"]
    assert links(made, event__grit="do=1") == ["yes", "no", "no"]
    # Without the rain nothing leads to a crash in the item's own world.
    dry = replace(ROAD, events=tuple(replace(event, leak=0.0) for event in ROAD.events))
    assert links(replace(made, graph=dry)) == []
    assert links(item(ROAD, replace(DECISION, path=(), bad=""))) == []


# The broken link


PUMPED = graph(
    "rain pool queue",
    "pump noise",
    "pump pool",
    on=("rain",),
    groups=(("pool", Rule.INHIBITOR, "pump"),),
)


def broken(made: Com2Item, **values: str) -> str:
    """The two events of the broken link, and the right answer; empty where none is asked."""
    found = ask(BROKEN, made, **values)
    if found is None:
        return ""
    ends = [line.partition("It is ")[2].rstrip(".") for line in found.text.splitlines()[-3:-1]]
    return " ".join((*ends, found.options[found.gold or 0]))


def test_the_broken_link_is_the_first_that_the_setting_breaks() -> None:
    surviving = task(
        Scenario.INTERVENTION,
        options(PUMPED, "noise", "queue"),
        "pump noise",
        distractors=("rain pool queue",),
        do={"pump": True},
    )
    made = item(PUMPED, surviving)
    assert links(made) == ["yes"]
    assert broken(made) == "rain pool no"
    found = asked(BROKEN, made)
    assert found.text.startswith("Somebody makes sure that this happens: It is pump.")
    # The pump has stopped: every link of that chain leads on again.
    assert broken(made, event__pump="do=0") == ""
    # The pool is there all the same, whatever brings it about: its link is cut.
    assert broken(made, event__pool="do=1") == "rain pool no"
    # The chain breaks where the link is cut; it was nowhere broken before.
    assert broken(made, event__pump="do=0", event__queue="do=1") == "pool queue no"


def test_links_from_an_event_imagined_absent_do_not_hold() -> None:
    made = graph("rain pool queue", "sun match crowd", on=("rain",))
    imagined = task(
        Scenario.COUNTERFACTUAL,
        options(made, "crowd", "queue"),
        "sun match crowd",
        distractors=("rain pool queue",),
        imagine={"rain": False, "sun": True},
    )
    assert links(item(made, imagined)) == ["yes", "yes"]
    assert broken(item(made, imagined)) == "rain pool no"
    # Nothing led on before either, so that what is imagined has broken nothing.
    dry = replace(made, events=tuple(replace(event, leak=0.0) for event in made.events))
    assert broken(item(dry, imagined)) == ""
    # The factual world is the one that was seen.
    seen = replace(imagined, imagine={"rain": False}, observe={"rain": True})
    chance = replace(made, events=tuple(replace(event, leak=0.1) for event in made.events))
    assert broken(item(chance, seen)) == "rain pool no"


def test_a_drifting_link_of_another_chain_is_broken() -> None:
    made = graph("flu tea rest", "tea leaf boom", on=("flu",), drifting=("leaf boom",))
    drifts = task(
        Scenario.TRANSITION,
        options(made, "rest", "boom"),
        "flu tea rest",
        distractors=("flu tea leaf boom",),
    )
    assert broken(item(made, drifts)) == "leaf boom no"
    assert asked(BROKEN, item(made, drifts)).layer == "broken"


def test_no_broken_link_is_asked_when_none_is_broken() -> None:
    assert broken(ITEM) == ""
    assert broken(item(ROAD)) == ""
    assert broken(item(ROAD, replace(DIRECT, distractors=(("wet", "skid"),)))) == ""
    # Links of the path itself have rungs of their own.
    same = replace(DIRECT, distractors=(("rain", "wet", "slow"),), do={"wet": False})
    assert links(item(ROAD, same)) == ["no", "no", "no"]
    assert broken(item(ROAD, same)) == ""


def test_always_saying_yes_fails_most_samples_of_three_scenarios() -> None:
    asks = [(one, one.tasks[0].scenario) for one in map(SAMPLES.item, range(0, len(SAMPLES), 4))]
    for scenario in Scenario:
        of = [one for one, kind in asks if kind is scenario]
        said = [found for one in of if (found := ask(BROKEN, one)) is not None]
        assert all(found.gold == 1 for found in said)
        if scenario in {Scenario.DIRECT, Scenario.DECISION}:
            assert not said
        else:
            assert len(said) > 0.9 * len(of)


# The scenario's question


def test_the_question_has_lettered_options_and_the_derived_gold() -> None:
    found = asked(ANSWER)
    assert found.options == ("a circus", "It is late.", "a parade")
    for line in ("Question: What then?", "A) a circus", "B) It is late.", "C) a parade"):
        assert line in found.text.splitlines()
    assert (found.gold, found.golds, found.multiple) == (1, (), False)
    assert found.scoring is Scoring.GENERATED


def test_a_decision_has_several_right_options() -> None:
    found = asked(ANSWER, scenario="decision")
    assert (found.gold, found.golds, found.multiple) == (None, (0, 2), True)


def test_the_right_answer_follows_what_a_person_sets() -> None:
    # Nothing happens that any option names: nobody knows the answer.
    dry = asked(ANSWER, event__rain="do=0")
    assert (dry.gold, dry.golds) == (None, ())
    assert "Somebody makes sure that this does not happen: It is rain." in dry.text
    gritted = asked(ANSWER, scenario="decision", event__grit="do=1")
    assert gritted.golds == ()


def test_the_released_answer_is_gold_until_the_world_is_changed() -> None:
    released = item(ROAD, replace(DIRECT, released=frozenset({2})))
    assert asked(ANSWER, released).gold == 2
    assert asked(ANSWER, released, thinking="on").gold == 2
    assert asked(ANSWER, released, extent="all").gold == 2
    assert asked(ANSWER, released, event__grit="do=1").gold == 1
    assert asked(ANSWER, released, edits='[["unlink","grit","skid"]]').gold == 1


def test_slow_thinking_is_in_the_prompt_only_when_wanted() -> None:
    assert "First the road." not in asked(ANSWER).text
    given_ = asked(ANSWER, thinking="on")
    assert "First the road." in given_.text
    assert (given_.tags["thinking"], asked(ANSWER).tags["thinking"]) == ("given", "")
    assert "thinking" not in {s.key for s in switches(item(ROAD, DECISION))}


def test_a_case_tells_its_crime_and_facts() -> None:
    case = Case("The lamp is out.", ("rain", "A plain sentence."), ("skid",), "grit")
    made = item(ROAD, replace(DIRECT, scenario=Scenario.INTERVENTION), case=case, hard=True)
    text = asked(ANSWER, made).text
    for line in ("Crime: The lamp is out.", "1. It is rain.", "2. A plain sentence."):
        assert line in text.splitlines()
    assert asked(ANSWER, made).tags["part"] == "hard"
    shorter = asked(ANSWER, made, edits='[["remove","rain"]]').text
    assert "1. A plain sentence." in shorter.splitlines()


def test_a_graph_without_tasks_asks_nothing() -> None:
    assert all(ask(layer.id, item(ROAD)) is None for layer in LAYERS)


# The paper's prompts


ENDS = {
    ("main", Scenario.DIRECT): ("based on commonsense", "'Answer: B)_____'"),
    ("main", Scenario.TRANSITION): ("based on commonsense", "'Answer: B)_____'"),
    ("main", Scenario.INTERVENTION): ("based on commonsense", "'Answer: B)_____'"),
    ("main", Scenario.COUNTERFACTUAL): ("multi-choice counterfactual", "'Answer: B)_____'"),
    ("main", Scenario.DECISION): ("multi-select question", "'Answer: A)_____B)____'"),
    ("hard", Scenario.INTERVENTION): ("a puzzle about a crime", "'Answer: A)_____'"),
    ("hard", Scenario.COUNTERFACTUAL): ("some facts of a crime", "'Answer: A)_____'"),
    ("hard", Scenario.DECISION): ("some facts of a crime", "'Answer: A)_____B)____'"),
}


@pytest.mark.parametrize(("part", "scenario"), ENDS)
def test_each_scenario_is_asked_with_the_prompt_of_the_paper(part: str, scenario: Scenario) -> None:
    inside, end = ENDS[part, scenario]
    case = Case("A crime.", ()) if part == "hard" else None
    made = item(ROAD, replace(DIRECT, scenario=scenario), case=case, hard=case is not None)
    prompt = asked(ANSWER, made).instruction
    assert prompt.startswith("You are given a ")
    assert inside in prompt
    assert prompt.rstrip("\n").endswith(end)
    assert "\n" not in prompt.strip()


def test_the_prompt_file_has_six_prompts() -> None:
    found = wordings()
    assert len({*found.main.values(), *found.hard.values()}) == 6


def test_an_instruction_stands_before_the_question_in_both_forms() -> None:
    found = asked(ANSWER)
    base = found.base()
    assert base.startswith("You are given")
    assert base.index("Question: ") > base.index("'Answer: B)_____'")
    turns = found.chat(system=True)
    assert [turn.role for turn in turns] == ["system", "user"]
    assert turns[0].content.endswith("'Answer: B)_____'")


def test_malformed_prompt_files_are_a_typed_error(tmp_path: Path) -> None:
    file = tmp_path / "prompts.yaml"
    file.write_text(yaml.safe_dump({"main": "no mapping"}), encoding="utf-8")
    with pytest.raises(DataError):
        read_wording(file, Wordings)
    with pytest.raises(DataError):
        read_wording(tmp_path / "none.yaml", Wordings)


# Every bundled item


def test_a_person_intervenes_in_the_imagined_world_and_the_evidence_stays() -> None:
    made = SAMPLES.item(SAMPLES.find("away-goal:counterfactual"))
    assert made.tasks[0].observe == {"limp": True}
    assert links(made, scenario="counterfactual") == ["yes"] * 4
    # Without the shots nobody limps, but that is not how the evening was.
    untouched = asked(ANSWER, made, scenario="counterfactual", event__shots="do=0")
    assert untouched.gold == asked(ANSWER, made, scenario="counterfactual").gold == 2
    cut = links(made, scenario="counterfactual", event__belief="do=0")
    assert cut == ["yes", "no", "no", "no"]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, len(SAMPLES) - 1), st.data())
def test_every_sample_asks_its_chain_and_its_question(index: int, data: st.DataObject) -> None:
    made = SAMPLES.item(index)
    one = data.draw(st.sampled_from(made.tasks))
    found = asked(ANSWER, made, scenario=one.scenario.value)
    gold = derive(made, one).gold
    assert gold is not None
    assert set(found.golds) == gold if one.multiple else {found.gold} == gold
    said = links(made, scenario=one.scenario.value)
    assert len(said) == len(one.path) - 1 if one.path else len(said) >= 4
    assert set(said) <= {"yes", "sì", "是"}
    event = data.draw(st.sampled_from(made.graph.events)).id
    changed = {f"event__{event}": data.draw(st.sampled_from(["do=0", "do=1", "imagine=0"]))}
    for answer in links(made, scenario=one.scenario.value, **changed):
        assert answer in {"yes", "no", "sì", "是", "否"}
