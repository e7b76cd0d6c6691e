"""Released rows of Com²: every form of them, what is derived from chains, and malformed rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.benchmarks.com2.benchmark import Com2
from core.benchmarks.com2.item import Com2Item, Scenario
from core.benchmarks.com2.released import parts_of, released_item
from core.benchmarks.com2.scenarios import agrees, derive
from core.contract.setting import Setting
from core.text.errors import DataError
from tests.benchmarks.com2.released_rows import BAKERY, BUTTER, OPTIONS, case, row

BENCH = Com2()


def read(fields: Mapping[str, Any]) -> Com2Item:
    return released_item(parts_of(fields, "main.json:1"), "main-1")


def repairs(fields: Mapping[str, Any]) -> str:
    return "; ".join(parts_of(fields, "main.json:1").repairs)


def right(fields: Mapping[str, Any]) -> list[int] | None:
    found = read(fields).tasks[0].released
    return None if found is None else sorted(found)


def derived(fields: Mapping[str, Any]) -> tuple[set[int] | None, str]:
    item = read(fields)
    found = derive(item, item.tasks[0])
    return (None if found.gold is None else set(found.gold)), found.why


# The scenarios


def test_direct_is_checked_against_the_tail_of_its_chain() -> None:
    item = read(row())
    assert [event.text for event in item.graph.events] == BAKERY
    assert len(item.graph.links) == 4
    assert derived(row())[0] == {0} == item.tasks[0].released
    wrong = read(row(answer="B) The croissants come out flat"))
    assert agrees(wrong.tasks[0], derive(wrong, wrong.tasks[0])) is False
    assert "another one" in repr(BENCH.view(wrong, Setting()).sections)
    assert item.tasks[0].thinking == "Heat first, then dough."


def test_reco_is_read_as_transition_with_the_sound_chain_first() -> None:
    fields = row(type="reco", chains=[BAKERY, BUTTER, [*BUTTER[:4], "A tram is late"]])
    task = read(fields).tasks[0]
    assert task.scenario is Scenario.TRANSITION
    assert [len(chain) for chain in task.distractors] == [5, 5]
    assert derived(fields)[0] == {0}


def test_an_intervention_leaves_the_tail_of_the_second_chain() -> None:
    fields = row(type="intervention", chains=[BAKERY, BUTTER], answer="B) Pastry, somehow")
    item = read(fields)
    assert item.graph.roots == ("a1",)
    assert len(item.graph.events) == 9
    assert derived(fields)[0] == {1} == item.tasks[0].released
    assert "answer's text" in repairs(fields)
    assert derived(row(type="intervention", chains=[BAKERY, [*BUTTER[:4], BAKERY[4]]]))[0] is None


@pytest.mark.parametrize("begun", [0, 1, 3])
def test_a_counterfactual_happens_only_where_it_is_imagined(begun: int) -> None:
    second = [*BAKERY[:begun], *[f"In space: {text}" for text in BUTTER[begun:4]], BUTTER[4]]
    fields = row(type="counterfactual", chains=[BAKERY, second], answer="B.")
    item = read(fields)
    assert len(item.graph.events) == 10 - begun
    assert list(item.tasks[0].imagine.values()) == [False, True]
    assert derived(fields)[0] == {1} == item.tasks[0].released


def test_a_wrapped_counterfactual_is_unwrapped_with_a_repair_note() -> None:
    fields = row(
        type="counterfactual",
        chains=[BAKERY, ["Counterfactual_of_given_event (The oven stays cold)", *BUTTER[1:]]],
        answer="B",
    )
    assert read(fields).graph.event("b1").text == "The oven stays cold"
    assert "Counterfactual_of_given_event" in repairs(fields)
    assert derived(fields)[0] == {1}


def test_nothing_is_derived_for_a_decision() -> None:
    fields = row(type="decision", chains=[BAKERY, BUTTER], answer="A, C.")
    task = read(fields).tasks[0]
    assert task.multiple
    assert task.released == {0, 2}
    assert read(fields).graph.event(task.bad).text == BAKERY[-1]
    assert "not derivable" in derived(fields)[1]
    question = BENCH.question(read(fields), Setting(), "answer")
    assert question is not None
    assert question.golds == (0, 2)


@pytest.mark.parametrize(
    "fields",
    [
        row(chains=None),
        row(chains=[]),
        row(chains=[[*BAKERY[:4], "Nobody offers this"]]),
        row(options=["The bakery sells no bread that day", "the bakery sells no bread that day."]),
        row(type="intervention", chains=[BAKERY], answer="B"),
        row(type="intervention", chains=None, answer="B"),
        row(type="reco", chains=[[*BAKERY[:4], "Nobody offers this"], BUTTER]),
    ],
)
def test_a_note_says_when_the_options_do_not_have_exactly_one_tail(fields: dict[str, Any]) -> None:
    gold, why = derived(fields)
    assert gold is None
    assert "not derivable" in why
    assert right(fields) is not None
    assert "not derivable" in repr(BENCH.view(read(fields), Setting()).sections)


def test_events_that_occur_twice_and_chains_of_unequal_length_are_kept() -> None:
    twice = [*BAKERY[:3], BAKERY[1], BAKERY[4]]
    fields = row(type="counterfactual", chains=[twice, ["A frost comes", *BUTTER[2:]]], answer="B")
    task = read(fields).tasks[0]
    assert [len(chain) for chain in (*task.distractors, task.path)] == [5, 4]
    assert len(read(fields).graph.events) == 5 + 4
    assert "twice" in repairs(fields)


# Options and answers


@pytest.mark.parametrize(
    "options",
    [
        OPTIONS,
        OPTIONS.replace("  \n", "\n"),
        OPTIONS.replace("  \n", " "),
        OPTIONS.replace("  \n", " \\n"),
        OPTIONS.replace(")", "."),
        ["The bakery sells no bread that day.", "The croissants come out flat.", "Hat", "Tram"],
        ["A) The bakery sells no bread that day.", "B) The croissants come out flat.", "C) x"],
        {"A": "The bakery sells no bread that day.", "B": "The croissants come out flat."},
        {"A)": "The bakery sells no bread that day.", "B)": "The croissants come out flat."},
    ],
)
def test_options_are_read_in_every_form(options: Any) -> None:
    task = read(row(options=options)).tasks[0]
    assert [option.text for option in task.options][:2] == [
        "The bakery sells no bread that day.",
        "The croissants come out flat.",
    ]
    assert repairs(row(options=options)) == ""
    assert derived(row(options=options))[0] == {0}


def test_unusual_option_letters_are_repaired() -> None:
    swapped = {"B": "It rains.", "A": "It snows."}
    assert right(row(options=swapped, answer="A) It snows.")) == [1]
    assert "called B, A" in repairs(row(options=swapped))
    assert "no letters" in repairs(row(options="It rains.\nIt snows.", answer="It snows"))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("C) The baker buys a hat.", [2]),
        ("C) The baker buys a hat", [2]),
        ("C", [2]),
        ("(C)", [2]),
        ("C.", [2]),
        ("the baker buys a hat", [2]),
        (["C"], [2]),
        ("", None),
        (None, None),
    ],
)
def test_a_single_answer_is_matched_by_its_letter(answer: Any, expected: list[int] | None) -> None:
    assert right(row(answer=answer)) == expected
    assert ("states no answer" in repairs(row(answer=answer))) == (expected is None)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("A, C, D", [0, 2, 3]),
        ("A, C and D.", [0, 2, 3]),
        ("B", [1]),
        ("A) The bakery sells no bread that day.  \nD) A tram is late.", [0, 3]),
        ("A) The bakery sells no bread that day., C) The baker buys a hat", [0, 2]),
        (["A) x", "D) A tram is late."], [0, 3]),
        (["A", "B"], [0, 1]),
    ],
)
def test_a_decision_may_have_several_right_options(answer: Any, expected: list[int]) -> None:
    assert right(row(type="decision", answer=answer)) == expected


def test_a_letter_inside_an_option_is_not_an_answer() -> None:
    options = ["Follow plan B. Then rest.", "Sleep late.", "Eat first."]
    answer = "A) Follow plan B. Then rest. \nC) Eat first."
    assert right(row(type="decision", options=options, answer=answer)) == [0, 2]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        (row(type="reko"), "Did you mean “reco”"),
        (row(type=None), "no text"),
        (row(type=7), "no text"),
        (row(question=None), "question"),
        (row(question=["a"]), "question"),
        (row(options=None), "options"),
        (row(options="A) alone"), "1 options"),
        (row(options=["a", 7]), "no text"),
        (row(options=[f"option {i}" for i in range(27)]), "27 options"),
        (row(answer="E) Nobody."), "E"),
        (row(answer="A, B"), "several"),
        (row(answer="perhaps"), "perhaps"),
        (row(answer=3), "no text"),
        (case(type="direct"), "detective case"),
        (case(facts=None), "facts"),
        (case(facts=[{}]), "facts"),
        (case(crime=""), "crime"),
    ],
)
def test_a_malformed_row_is_a_typed_error_with_its_place(fields: Any, says: str) -> None:
    with pytest.raises(DataError, match=r"^main\.json:1: ") as error:
        parts_of(fields, "main.json:1")
    assert says in str(error.value)


@pytest.mark.parametrize("chains", [7, "a -> b", {"a": 1}, [["a", 1]], [["a"] * 101], [["a"]] * 21])
def test_a_question_survives_malformed_chains(chains: Any) -> None:
    assert right(row(chains=chains)) == [0]
    assert "without them" in repairs(row(chains=chains))
    assert read(row(chains=chains)).warnings


# Anything at all


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=8,
)
KEYS = ("type", "question", "options", "answer", "chains", "crime", "facts", "Q", "O", "A")
TEXT = st.text("ABCDZ).,:;-> \nxy→\\", max_size=24)
CHAINS = st.lists(
    st.lists(st.sampled_from(["a", "b", "c.", "C", " ", "d"]), max_size=6), max_size=4
)


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(st.sampled_from(KEYS), JSON | TEXT),
    st.sampled_from([*Scenario, "reco", None]),
    CHAINS | JSON,
    TEXT | st.lists(TEXT, max_size=3) | st.dictionaries(TEXT, TEXT, max_size=3),
    TEXT | JSON,
)
def test_any_row_is_read_or_is_a_typed_error(
    fields: dict[str, Any], kind: str | None, chains: Any, options: Any, answer: Any
) -> None:
    changed = row(**{"type": kind, "chains": chains, "options": options, "answer": answer})
    for tried in (changed, changed | {"options": OPTIONS}, row(**fields), case(**fields)):
        try:
            item = read(tried)
        except DataError as error:
            found = error
        else:
            usable(item)
            continue
        assert found.where == "main.json:1"


def usable(item: Com2Item) -> None:
    (task,) = item.tasks
    assert len(task.options) >= 2
    assert task.released is None or task.released <= set(range(len(task.options)))
    assert task.multiple or task.released is None or len(task.released) == 1
    assert set(task.path) <= {event.id for event in item.graph.events}
    assert derive(item, task).why
    for layer in BENCH.layers:
        BENCH.question(item, Setting(), layer.id)
    assert BENCH.view(item, Setting()).sections
