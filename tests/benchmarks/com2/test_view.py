"""What an item looks like under a setting."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.benchmarks.com2.benchmark import Com2
from core.benchmarks.com2.graph import Rule
from core.benchmarks.com2.item import Case, Com2Item, Scenario, letter
from core.benchmarks.com2.scenarios import derive
from core.benchmarks.com2.switches import EDITS, switches
from core.benchmarks.com2.view import view
from core.contract.setting import Setting
from core.contract.view import Graph, Grid, Link, Node, Note, Role, Statement, Statements, View
from core.text.errors import SettingError
from tests.benchmarks.com2.graphs import advice, graph, item, options, task

BENCH = Com2()
SAMPLES = BENCH.open(BENCH.samples())
ROAD = graph(
    "rain wet slow late",
    "wet skid crash",
    "truck crash",
    "grit skid",
    "fog slow",
    "wet moss",
    on=("rain", "truck"),
    groups=(("crash", Rule.ALL, "skid truck"), ("skid", Rule.INHIBITOR, "grit")),
    drifting=("wet moss",),
)
DIRECT = task(Scenario.DIRECT, options(ROAD, "a circus", "late"), "rain wet slow late")
DECISION = task(Scenario.DECISION, advice("skid", "slow", "truck"), bad="crash")
ITEM = item(ROAD, DIRECT, DECISION, title="The wet road")


def look(made: Com2Item = ITEM, **values: str) -> View:
    words = {"extent": "all"} | {key.replace("__", "."): value for key, value in values.items()}
    return view(made, Setting.of(switches(made), words))


def drawn(seen: View) -> Graph:
    (found,) = [block for block in seen.sections if isinstance(block, Graph)]
    return found


def node(seen: View, event: str) -> Node:
    (found,) = [node for node in drawn(seen).nodes if node.id == event]
    return found


def link(seen: View, source: str, target: str) -> Link:
    (found,) = [x for x in drawn(seen).links if (x.source, x.target) == (source, target)]
    return found


def question_of(seen: View) -> tuple[Statement, ...]:
    (found,) = [
        block
        for block in seen.sections
        if isinstance(block, Statements) and block.title.startswith("Question")
    ]
    return found.statements


def notes(seen: View) -> str:
    return "\n".join(block.text for block in seen.sections if isinstance(block, Note))


def badges(seen: View) -> list[str]:
    return [badge.text for badge in seen.badges]


# Events


def test_each_event_is_shown_as_happening_or_absent() -> None:
    seen = look()
    roles = {node.id: node.role for node in drawn(seen).nodes}
    assert {event for event, role in roles.items() if role is Role.ABSENT} == {
        "grit",
        "fog",
        "moss",
    }
    assert {event for event, role in roles.items() if role is Role.PLAIN} == {
        *("rain", "wet", "slow", "late", "skid", "crash", "truck")
    }
    assert node(seen, "wet").note == "happens: because of “It is rain.”"
    assert node(seen, "rain").note == "happens: by itself"


def test_an_intervention_is_marked_and_cuts_what_leads_to_it() -> None:
    seen = look(event__wet="do=0")
    assert (node(seen, "wet").role, node(seen, "wet").sign) == (Role.FORCED, "do=0")
    assert link(seen, "rain", "wet").role is Role.CUT
    assert link(seen, "wet", "slow").role is Role.PLAIN
    assert node(seen, "slow").role is Role.ABSENT
    assert node(seen, "slow").sign == "changed"
    assert node(seen, "truck").role is Role.PLAIN
    assert "none of its causes" in node(seen, "slow").note


def test_an_event_that_starts_to_happen_is_marked_as_changed() -> None:
    dry = replace(ROAD, events=tuple(replace(e, leak=0.0) for e in ROAD.events))
    changed = look(item(dry, DIRECT), event__fog="do=1")
    assert {n.id for n in drawn(changed).nodes if n.role is Role.CHANGED} == {"slow", "late"}


def test_the_three_verbs_look_different() -> None:
    assert node(look(event__rain="do=1"), "rain").role is Role.FORCED
    assert node(look(event__rain="observe=1"), "rain").role is Role.OBSERVED
    imagined = look(event__rain="imagine=0")
    assert node(imagined, "rain").role is Role.IMAGINED
    assert node(imagined, "wet").role is Role.ABSENT


def test_why_an_event_does_not_happen_names_the_rule() -> None:
    assert "prevented by “It is grit.”" in node(look(event__grit="do=1"), "skid").note
    lacking = node(look(event__truck="do=0"), "crash").note
    assert "needed together" in lacking
    assert "“It is truck.” is missing" in lacking


def test_links_are_labelled_with_their_type() -> None:
    seen = look()
    drifting = link(seen, "wet", "moss")
    assert drifting.role is Role.DISTRACTOR
    assert "scene drift" in drifting.note
    assert node(seen, "moss").role is Role.ABSENT
    hindering = link(seen, "grit", "skid")
    assert (hindering.role, hindering.label, hindering.note) == (Role.HINDERS, "", "")
    assert link(seen, "skid", "crash").label == "all needed"


def test_a_cut_inhibitor_link_keeps_its_label() -> None:
    cut = link(look(event__skid="do=1"), "grit", "skid")
    assert (cut.role, cut.label, cut.note) == (Role.CUT, "", "prevents")


def test_probabilities_are_shown_where_links_have_them() -> None:
    made = graph("rain wet", leaks={"rain": 0.25})
    seen = look(item(made))
    assert node(seen, "wet").sign == "p=0.25"
    assert node(seen, "wet").role is Role.ABSENT


def test_only_relevant_events_are_drawn_unless_all_are_wanted() -> None:
    words = Setting.of(switches(ITEM), {})
    some = {node.id for node in drawn(view(ITEM, words)).nodes}
    assert some == {"rain", "wet", "slow", "late", "fog"}
    assert len(drawn(look()).nodes) == len(ROAD.events)
    assert "not drawn" in drawn(view(ITEM, words)).note


def test_every_event_and_the_graph_can_be_set_from_where_they_stand() -> None:
    known = {switch.key for switch in switches(ITEM)}
    seen = look()
    assert {node.state_switch for node in drawn(seen).nodes} <= known
    assert drawn(seen).edits_switch == EDITS.key
    assert EDITS.key in known


def test_edits_are_drawn() -> None:
    seen = look(edits='[["add","hail","Hail falls"],["link","hail","slow"],["remove","truck"]]')
    assert node(seen, "hail").text == "Hail falls"
    assert link(seen, "hail", "slow").role is Role.PLAIN
    assert "truck" not in {node.id for node in drawn(seen).nodes}


# Badges


@pytest.mark.parametrize(
    ("values", "rung"),
    [
        ({}, "rung 1: see"),
        ({"event__rain": "observe=1"}, "rung 1: see"),
        ({"event__rain": "do=1"}, "rung 2: do"),
        ({"event__rain": "do=1", "event__truck": "observe=1"}, "rung 2: do"),
        ({"event__rain": "imagine=0"}, "rung 3: imagine"),
        ({"event__rain": "imagine=0", "event__truck": "do=1"}, "rung 3: imagine"),
    ],
)
def test_the_rung_of_the_ladder_of_causation_is_shown(values: dict[str, str], rung: str) -> None:
    found = badges(look(**values))
    assert [badge for badge in found if badge.startswith("rung")] == [rung]
    assert "direct" in found


def test_a_swapped_cause_depends_on_the_mechanism() -> None:
    sure = graph("rain late", "fog late", leaks={"rain": 0.5, "fog": 0.5})
    made = replace(sure, links=tuple(replace(link, strength=0.7) for link in sure.links))
    swap = {"event__rain": "imagine=0", "event__fog": "imagine=1", "event__late": "observe=1"}
    swap["mechanism"] = "noisy-or"
    assert "depends on mechanism choice" in badges(look(item(made), **swap))
    del swap["event__fog"]
    assert "depends on mechanism choice" not in badges(look(item(made), **swap))
    assert "noisy-OR, illustrative" in badges(look(item(made), **swap))


# The task


def test_the_derived_answer_is_marked_with_its_reason() -> None:
    seen = look()
    found = question_of(seen)
    assert found[0].text == "What then?"
    assert [(s.number, s.role, s.note) for s in found[1:]] == [
        ("A", Role.PLAIN, ""),
        ("B", Role.GOOD, "derived"),
    ]
    assert "From the graph: happens: because of “It is slow.”." in notes(seen)


def test_the_derived_answer_changes_with_the_world() -> None:
    seen = look(event__wet="do=0")
    assert [s.role for s in question_of(seen)[1:]] == [Role.PLAIN, Role.PLAIN]
    assert "No gold answer: none of the options' events happens" in notes(seen)


def test_a_decision_lists_the_smallest_cuts() -> None:
    seen = look(scenario="decision")
    assert [s.role is Role.GOOD for s in question_of(seen)[1:]] == [True, False, True]
    assert "Smallest cuts" in notes(seen)
    assert "“It is truck.”" in notes(seen)


def test_a_released_answer_that_the_graph_contradicts_is_reported() -> None:
    made = item(ROAD, replace(DIRECT, released=frozenset({0})))
    seen = look(made)
    assert [(s.role, s.note) for s in question_of(seen)[1:]] == [
        (Role.GOOD, "released"),
        (Role.PLAIN, "derived"),
    ]
    assert "released answer is another" in notes(seen)
    own = look(made, event__fog="do=1")
    assert [(s.role, s.note) for s in question_of(own)[1:]] == [
        (Role.PLAIN, ""),
        (Role.GOOD, "derived"),
    ]
    assert "released answer is another" not in notes(own)


def test_the_view_says_that_the_equations_are_an_interpretation() -> None:
    assert "this program's own reading" in notes(look())
    assert "this program's own reading" in notes(look(item(ROAD)))


def test_the_note_on_chains_appears_only_where_there_are_chains() -> None:
    assert "The chains of Com² are text." in notes(look())
    alone = notes(look(item(ROAD)))
    assert "Com²" not in alone
    assert "this program's own reading" in alone


def test_warnings_of_reading_are_shown() -> None:
    assert "a link was dropped" in notes(look(replace(ITEM, warnings=("a link was dropped",))))


def test_options_are_lettered() -> None:
    assert [letter(i) for i in (0, 1, 25, 26)] == ["A", "B", "Z", "A"]


# Cases


CASE = graph(
    "footprint boots burnwell",
    "debt arthur",
    "footprint arthur",
    on=("debt",),
    groups=(("arthur", Rule.INHIBITOR, "footprint"),),
)
DETECTIVE = item(
    CASE,
    task(
        Scenario.INTERVENTION,
        options(CASE, "arthur", "burnwell"),
        "footprint boots burnwell",
        do={"footprint": True},
    ),
    case=Case("A coronet is gone.", ("debt", "It is night."), ("arthur", "burnwell"), "footprint"),
    hard=True,
)


def suspects(seen: View) -> list[tuple[str, ...]]:
    (grid,) = [block for block in seen.sections if isinstance(block, Grid)]
    return [tuple(cell.text for cell in row) for row in grid.rows]


def test_a_case_shows_its_facts_and_suspects_without_and_with_the_clue() -> None:
    seen = look(DETECTIVE)
    blocks = {b.title: b.statements for b in seen.sections if isinstance(b, Statements)}
    assert [s.text for s in blocks["The crime"]] == ["A coronet is gone."]
    assert [s.text for s in blocks["What is known"]] == ["It is debt.", "It is night."]
    assert suspects(seen) == [("It is arthur.", "✓", "–"), ("It is burnwell.", "–", "✓")]


def test_a_case_may_lose_a_suspect_or_its_clue() -> None:
    assert len(suspects(look(DETECTIVE, edits='[["remove","arthur"]]'))) == 1
    seen = look(DETECTIVE, edits='[["remove","footprint"]]')
    assert not [block for block in seen.sections if isinstance(block, Grid)]


# Errors and every sample


@pytest.mark.parametrize(
    "values",
    [
        {"event__rain": "observe=0"},
        {"event__grit": "observe=1"},
        {"edits": '[["remove","nowhere"]]'},
    ],
)
def test_an_impossible_world_is_a_typed_error(values: dict[str, str]) -> None:
    with pytest.raises(SettingError):
        look(**values)


def test_what_evidence_tells_is_no_change_of_the_imagined_world() -> None:
    made = SAMPLES.item(SAMPLES.find("away-goal:counterfactual"))
    roles = {node.id: node.role for node in drawn(look(made)).nodes}
    # The swollen ankle was there before, and that it was is known from the limping.
    assert roles["sore"] is Role.PLAIN
    assert roles["save"] is Role.CHANGED


@settings(max_examples=40, deadline=None)
@given(st.integers(0, len(SAMPLES) - 1), st.data())
def test_the_view_of_every_sample_agrees_with_its_derivation(
    index: int, data: st.DataObject
) -> None:
    made = SAMPLES.item(index)
    one = data.draw(st.sampled_from(made.tasks))
    seen = look(made, scenario=one.scenario.value)
    good = {i for i, s in enumerate(question_of(seen)[1:]) if s.role is Role.GOOD}
    assert good == derive(made, one).gold
    places = {node.id: place for place, node in enumerate(drawn(seen).nodes)}
    assert list(places) == [event.id for event in made.graph.events]
    assert all(x.source in places and x.target in places for x in drawn(seen).links)
    event = data.draw(st.sampled_from(made.graph.events)).id
    set_ = look(made, scenario=one.scenario.value, **{f"event__{event}": "do=0"})
    assert [node.id for node in drawn(set_).nodes] == list(places)
    before = {node.id: node.role for node in drawn(seen).nodes}
    for other in drawn(set_).nodes:
        # Only what an event leads to can change when it is set.
        if other.id != event and other.id not in made.graph.descendants(event):
            assert other.role is before[other.id]
