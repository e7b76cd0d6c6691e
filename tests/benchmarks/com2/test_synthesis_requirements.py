"""Each stated requirement: an answer that breaks just it is rejected for just that reason."""

from __future__ import annotations

import time
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.com2.synthesis.cases import check_puzzle, read_criminal, read_story
from core.benchmarks.com2.synthesis.item_builder import build
from core.benchmarks.com2.synthesis.reply_reader import (
    ACTIONS,
    read_asked,
    read_chains,
    read_events,
    read_puzzle,
    read_thinking,
)
from core.benchmarks.com2.synthesis.reply_values import Asked, Chains, Choice, Thinking
from core.benchmarks.com2.synthesis.requirements import (
    check_about,
    check_asked,
    check_chains,
    check_copied,
    check_thinking,
)
from core.benchmarks.com2.synthesis.stages import CHAIN_NAMES, Make
from core.benchmarks.generation.rejection import Reason, Rejected
from tests.benchmarks.com2.synthesised import ANSWERS, OTHER, PUZZLE, ROOT, SOUND, STORY

SCENARIOS = [make for make in Make if make is not Make.CASE]


def chains(make: Make) -> Chains:
    return read_chains(ANSWERS[make][1], CHAIN_NAMES[make])


def judge(make: Make, chain_text: str, question: str) -> None:
    proposal = read_chains(chain_text, CHAIN_NAMES[make])
    check_chains(proposal, make, ROOT)
    asked = read_asked(question)
    check_asked(asked, make, proposal)
    build("x", make, proposal, asked)


BROKEN = [
    (Make.DIRECT, 1, "5. The farmer", "5. The farmer waits\n6. The farmer", Reason.LENGTH),
    (Make.DIRECT, 1, "\n5. The farmer buys a second field", "", Reason.LENGTH),
    (Make.DIRECT, 1, SOUND[0], "A ski lift breaks", Reason.ROOT),
    (Make.DIRECT, 1, SOUND[2], "The SKIERS wait, for hours!", Reason.REPEATED),
    (Make.DIRECT, 1, "3. The hut", "4. The hut", Reason.UNREADABLE),
    (Make.DIRECT, 1, SOUND[1], "x" * 200, Reason.TEXT),
    (Make.DIRECT, 1, SOUND[1], "?!", Reason.TEXT),
    (Make.DECISION, 1, "High probability:", "Low probability:", Reason.ORDER),
    (Make.DECISION, 1, "Low probability:", "Lower chances:", Reason.ORDER),
    (Make.INTERVENTION, 1, OTHER[-1], SOUND[-1], Reason.TAIL),
    (Make.INTERVENTION, 1, OTHER[2], SOUND[2], Reason.REPEATED),
    (Make.TRANSITION, 1, "(link 3)", "(link 5)", Reason.LINK),
    (Make.TRANSITION, 1, " (link 2)", "", Reason.LINK),
    (Make.TRANSITION, 1, "Sound:", "Sound (link 1):", Reason.LINK),
    (Make.COUNTERFACTUAL, 1, "The mountain is flat for a day", ROOT, Reason.ROOT),
    (Make.DIRECT, 2, "in the end?", "once the skiers wait for hours?", Reason.LEAK),
    (Make.DIRECT, 2, "in the end?", "before the farmer buys a second field?", Reason.LEAK),
    (Make.DIRECT, 2, f"{ROOT}. What", "What", Reason.ROOT),
    (Make.DIRECT, 2, f"B) {SOUND[-1]}", "B) The farmer sells his field", Reason.TAIL),
    (Make.DIRECT, 2, "in the end?", "in the end.", Reason.TEXT),
    (Make.DIRECT, 2, "Soup is forbidden", "the skis are melted down.", Reason.REPEATED),
    (Make.DIRECT, 2, "\nC) The hut moves to the valley\nD) Soup is forbidden", "", Reason.OPTIONS),
    (Make.DIRECT, 2, "Answer: B", "Answer: C", Reason.ANSWER),
    (Make.DIRECT, 2, "Answer: B", "Answer: B, C", Reason.ANSWER),
    (Make.DIRECT, 2, "Answer: B", "Answer: none", Reason.UNREADABLE),
    (Make.DIRECT, 2, "\nAnswer: B", "", Reason.UNREADABLE),
    (Make.DIRECT, 2, "Soup is forbidden", "Soup is forbidden [stops 2]", Reason.OPTIONS),
    (Make.DIRECT, 2, "Soup is forbidden", SOUND[2], Reason.OPTIONS),
    (Make.INTERVENTION, 2, "Soup is forbidden", SOUND[1], Reason.OPTIONS),
    (Make.DECISION, 2, "[stops 3]", "[stops 1]", Reason.OPTIONS),
    (Make.DECISION, 2, "[stops 3]", "[stops 5]", Reason.OPTIONS),
    (Make.DECISION, 2, "[stops 3]", "[stops 12]", Reason.OPTIONS),
    (Make.DECISION, 2, "Answer: A, C", "Answer: A", Reason.ANSWER),
    (Make.DECISION, 2, "Answer: A, C", "Answer: A, B, C", Reason.ANSWER),
    (Make.DECISION, 2, ", and the farmer buys a second field", "", Reason.ROOT),
    (Make.TRANSITION, 2, OTHER[-1], "The mayor sings", Reason.TAIL),
    (Make.INTERVENTION, 2, "Cuts link: 2", "Cuts link: 6", Reason.LINK),
    (Make.INTERVENTION, 2, ", but a second cabin brings hot lunch up", "", Reason.ROOT),
    (Make.INTERVENTION, 2, f"A) {SOUND[-1]}", "A) The farmer sells out", Reason.TAIL),
    (Make.INTERVENTION, 2, "Answer: B", "Answer: A", Reason.ANSWER),
    (Make.COUNTERFACTUAL, 2, "the mountain is flat for a day", "it rained", Reason.ROOT),
]


@pytest.mark.parametrize("make", SCENARIOS)
def test_valid_replies_are_accepted(make: Make) -> None:
    judge(make, ANSWERS[make][1], ANSWERS[make][2])


@pytest.mark.parametrize(("make", "at", "old", "new", "reason"), BROKEN)
def test_an_invalid_reply_is_rejected_with_its_reason(
    make: Make, at: int, old: str, new: str, reason: Reason
) -> None:
    answers = list(ANSWERS[make])
    assert old in answers[at]
    answers[at] = answers[at].replace(old, new, 1)
    with pytest.raises(Rejected) as error:
        judge(make, answers[1], answers[2])
    assert error.value.reason is reason
    assert error.value.what


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        *((f"{action}:", "Comparison:", Reason.ACTIONS) for action in ACTIONS[:2]),
        (" So the answer is A.", "", Reason.MISTAKE),
        ("So the answer is A.", "So the answer is B.", Reason.MISTAKE),
        ("Wait, nothing", "Yet nothing", Reason.MISTAKE),
        ("Answer: B", "Answer: A", Reason.ANSWER),
        ("Answer: B", "Answer: Z", Reason.ANSWER),
        ("from what happened.", "from that. So the answer is C.", Reason.MISTAKE),
        ("It must follow", "The causal chain says so: it must follow", Reason.CHAINS_NAMED),
        ("I know the start and look for the end.", "…", Reason.TEXT),
        ("\nAnswer: B", "", Reason.UNREADABLE),
        ("Answer: B", "Answer: B\nDivide: Again.", Reason.UNREADABLE),
    ],
)
def test_thinking_must_contain_a_mistake_and_its_correction(
    old: str, new: str, reason: Reason
) -> None:
    text = ANSWERS["direct"][-1]
    options = [option.text for option in read_asked(ANSWERS["direct"][2]).options]
    check_thinking(read_thinking(text), options, frozenset({1}))
    assert old in text
    with pytest.raises(Rejected) as error:
        check_thinking(read_thinking(text.replace(old, new, 1)), options, frozenset({1}))
    assert error.value.reason is reason


def test_thinking_must_come_to_the_right_option_after_its_mistake() -> None:
    text = ANSWERS["direct"][-1].replace("ption B", "ption C")
    with pytest.raises(Rejected) as error:
        check_thinking(read_thinking(text), ["a b", "c d", "e f", "g h"], frozenset({1}))
    assert error.value.reason is Reason.MISTAKE


def test_thinking_is_in_the_first_person() -> None:
    text = ANSWERS["direct"][-1].replace("I know", "We know").replace("I remember", "There was")
    with pytest.raises(Rejected) as error:
        check_thinking(read_thinking(text), ["a b", "c d", "e f", "g h"], frozenset({1}))
    assert error.value.reason is Reason.TEXT


@pytest.mark.parametrize(
    ("text", "share", "taken"),
    [
        ("1. A dog digs\n2. The neighbours begin to search their gardens", 0.0, True),
        ("Options:\nC) the NEIGHBOURS begin to search their gardens!", 0.0, True),
        ("1. A dog digs up the whole garden\n2. The neighbours begin to search", 0.0, False),
        ("1. The neighbours begin to search their gardens\n2. And they find a clock", 0.5, False),
        ("1. The neighbours begin to search their gardens", 0.5, True),
        ("With threshold effect (link 2):\n1. Snow", 0.0, False),
        ("", 0.0, False),
    ],
)
def test_a_worked_example_is_not_copied(text: str, share: float, taken: bool) -> None:
    example = "With threshold effect (link 2):\n3. The neighbours begin to search their gardens"
    if taken:
        with pytest.raises(Rejected, match="of a worked example") as error:
            check_copied(text, [example], share)
        assert error.value.reason is Reason.COPIED
    else:
        check_copied(text, [example], share)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Clue: There was coffee on the chain", "Clue: Tom sold coffee on deck.", Reason.CLUE),
        ("3. Vera fed", "3. THERE was coffee on the chain when Vera fed", Reason.CLUE),
        ("B) Tom", "B) Tim", Reason.CRIMINAL),
        ("C) Vera", "C) Ida", Reason.REPEATED),
        ("\nC) Vera", "", Reason.OPTIONS),
        ("First suspected: A", "First suspected: B", Reason.MISTAKE),
        ("First suspected: A", "First suspected: D", Reason.UNREADABLE),
        ("First suspected: A", "First suspected: A, C", Reason.UNREADABLE),
        ("Because of fact: 1", "Because of fact: 9", Reason.LINK),
        ("\n2. Tom sold coffee on deck\n3. Vera fed the gulls", "", Reason.OPTIONS),
        ("Clue: There was coffee on the chain\n", "", Reason.UNREADABLE),
    ],
)
def test_a_puzzle_keeps_its_clue_and_names_its_suspects(old: str, new: str, reason: Reason) -> None:
    check_puzzle(read_puzzle(PUZZLE), "Tom")
    assert old in PUZZLE
    with pytest.raises(Rejected) as error:
        check_puzzle(read_puzzle(PUZZLE.replace(old, new, 1)), "Tom")
    assert error.value.reason is reason


def test_the_criminal_is_named_in_the_story() -> None:
    assert read_criminal(" Tom.\n", read_story(STORY)) == "Tom"
    for wrong, reason in (("Otto", Reason.CRIMINAL), ("", Reason.TEXT), ("To", Reason.CRIMINAL)):
        with pytest.raises(Rejected) as error:
            read_criminal(wrong, STORY)
        assert error.value.reason is reason
    with pytest.raises(Rejected):
        read_story("A theft. The end.")


@pytest.mark.parametrize("make", SCENARIOS)
def test_json_says_the_same_as_lines(make: Make) -> None:
    for read, text in (
        (lambda t: read_chains(t, CHAIN_NAMES[make]), ANSWERS[make][1]),
        (read_asked, ANSWERS[make][2]),
        (read_thinking, ANSWERS[make][3]),
    ):
        found = read(text)
        as_json = msgspec.json.encode(found).decode()
        assert read(as_json) == found
        assert read(f"```json\n{as_json}\n```") == found


@pytest.mark.parametrize(
    "text",
    [
        '{"question": "Why?", "options": [], "answer": ["A"], "more": 1}',
        '{"question": 3, "options": [], "answer": ["A"]}',
        '{"question": "Why?"',
        "[" * 5000,
        "[]",
    ],
)
def test_json_is_read_strictly(text: str) -> None:
    with pytest.raises(Rejected) as error:
        read_asked(text)
    assert error.value.reason is Reason.UNREADABLE


@given(st.text(max_size=300))
def test_any_text_is_read_or_rejected(text: str) -> None:
    for read in (
        read_events,
        read_asked,
        read_thinking,
        read_puzzle,
        lambda t: read_chains(t, CHAIN_NAMES[Make.TRANSITION]),
        lambda t: read_chains(t, CHAIN_NAMES[Make.DIRECT]),
    ):
        with suppress(Rejected):
            assert isinstance(read(text), msgspec.Struct)


@given(st.data())
def test_any_answer_is_checked_without_another_error(data: st.DataObject) -> None:
    words = st.sampled_from([*SOUND, *OTHER, ROOT, "", "\x1b", "A", "…"])
    texts = st.lists(words, max_size=7).map(tuple)
    make = data.draw(st.sampled_from(SCENARIOS))
    asked = Asked(
        data.draw(words),
        tuple(
            msgspec.convert({"text": text, "stops": data.draw(st.integers(-3, 12))}, type=Choice)
            for text in data.draw(texts)
        ),
        data.draw(texts),
        data.draw(words),
        data.draw(st.integers(-3, 9)),
    )
    with suppress(Rejected):
        check_asked(asked, make, chains(make))
        assert build("x", make, chains(make), asked).tasks[0].question == asked.question
    with pytest.raises(Rejected):
        check_thinking(Thinking((), data.draw(texts)), ["a", "b"], frozenset({0}))


@pytest.mark.parametrize("make", SCENARIOS)
def test_thinking_that_is_about_another_event_is_rejected(make: Make) -> None:
    thinking = read_thinking(ANSWERS[make][3])
    check_about(thinking, ROOT)
    with pytest.raises(Rejected, match="must speak of") as error:
        check_about(thinking, "A dog digs up the flower bed")
    assert error.value.reason is Reason.ROOT


def test_a_fence_with_thousands_of_blanks_is_read_soon() -> None:
    started = time.process_time()
    with pytest.raises(Rejected):
        read_thinking("```" + " " * 19_000 + "b")
    assert time.process_time() - started < 2
    assert read_thinking('```json\n{"steps": [], "answer": ["A"]}\n```').answer == ("A",)
