"""Replies as models write them, in three languages, and what must be read in them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.answers.reader import Reading, read
from core.contract.question import Status

FOUR = ("the car skids", "the meeting is missed", "the road stays dry", "nothing happens")
SIX = ("grit the road", "slow down", "call a taxi", "leave early", "stay at home", "take the bus")
ZH = ("汽车打滑", "错过会议", "道路保持干燥", "什么都没有发生")
IT = ("l'auto sbanda", "la riunione salta", "la strada resta asciutta", "non succede nulla")
PAIRS = ("0 and 1", "0 and 2", "0 and 3", "1 and 2", "2 and 3")

SINGLE = [
    # English markers
    ("Answer: B", "B"),
    ("answer: b", "B"),
    ("ANSWER: B.", "B"),
    ("Answer: (B)", "B"),
    ("Answer: B)", "B"),
    ("Answer: [B]", "B"),
    ('Answer: "B"', "B"),
    ("Answer:B", "B"),
    ("Banswer: B", "B"),
    ("Answer:\nB", "B"),
    ("Answer:\n\nB", "B"),
    ("**Answer:** B", "B"),
    ("**Answer: B**", "B"),
    ("### Final Answer: **B**", "B"),
    ("Ans: C", "C"),
    ("The answer is B", "B"),
    ("The answer is: B", "B"),
    ("So the correct answer is (C).", "C"),
    ("The correct option is D.", "D"),
    ("The answer to the question is option C.", "C"),
    ("The right answer would be A.", "A"),
    ("Answer: A", "A"),
    ("Answer: A because the road is wet", "A"),
    ("Answer: B because the road is wet", "B"),
    ("Answer: B - the meeting is missed", "B"),
    ("Answer: B) the meeting is missed", "B"),
    ("Answer: B. the meeting is missed.", "B"),
    ("Answer: Option B", "B"),
    ("Answer: the meeting is missed", "B"),
    ("Answer: The meeting is missed.", "B"),
    ("The answer is \\boxed{B}.", "B"),
    ("\\boxed{\\text{C}}", "C"),
    ("$\\boxed{A}$", "A"),
    ("I would choose B.", "B"),
    ("Therefore C is the correct answer.", "C"),
    ('{"reason": "wet", "answer": "B"}', "B"),
    ("Answer: b) the meeting is missed", "B"),
    ("The answer is clearly B", "B"),
    ("Thus, the answer is therefore C", "C"),
    ("Answer: I'd go with B", "B"),
    ("Answer: B rather than A", "B"),
    ("Answer: B (not A)", "B"),
    ("A: the car\nB: the meeting\nAnswer: C", "C"),
    # The last announcement wins
    ("Answer: A) but wait, the truck was late. Answer: C)", "C"),
    ("Answer: A\n\nNo, that is wrong.\n\nAnswer: D", "D"),
    ("The answer is A. Hmm. Actually the answer is B.", "B"),
    ("Answer: C\nThis answer is based on the chain of events.", "C"),
    ("Answer: B\nExplanation of the answer: the road was wet.", "B"),
    ("Answer: B\n\nA) is wrong because it is dry.", "B"),
    ("Answer: B. A is wrong.", "B"),
    ("Answer: B) the meeting is missed, unlike A) where the car skids", "B"),
    # Thinking
    ("<think>Answer: A</think>Answer: C", "C"),
    ("<think>\nThe answer is A.\n</think>\n\nC", "C"),
    ("The template opened it. Answer: A</think>\nAnswer: B", "B"),
    # The whole reply
    ("B", "B"),
    ("b", "B"),
    ("(B)", "B"),
    ("B)", "B"),
    ("B.", "B"),
    ("**B**", "B"),
    (" \n B \n", "B"),
    ("B) the meeting is missed", "B"),
    ("the meeting is missed", "B"),
    ("The meeting\nis missed.", "B"),
    ("The road is wet.\nthe meeting is missed\n", "B"),
    # Italian
    ("Risposta: B", "B"),
    ("La risposta è B", "B"),
    ("La risposta è la B.", "B"),
    ("La risposta corretta è: C", "C"),
    ("La risposta giusta è l'opzione D.", "D"),
    ("**Risposta finale:** (A)", "A"),
    ("L'opzione corretta è la lettera C", "C"),
    ("Risposta: A perché la strada è bagnata", "A"),
    ("Scelgo la B.", "B"),
    ("La mia scelta è D", "D"),
    ("Soluzione: B)", "B"),
    # Chinese
    ("答案：B", "B"),
    ("答案:B", "B"),
    ("答案是B", "B"),
    ("答案是：Ｂ", "B"),
    ("正确答案为C。", "C"),
    ("答案：Ｂ）", "B"),
    ("答案为：选项B", "B"),
    ("综上，正确选项为 B", "B"),
    ("【答案】B", "B"),
    ("因此选B。", "B"),
    ("我选择C，因为道路湿滑。", "C"),
    ("故选：D", "D"),
    ("答案：B因为道路湿滑", "B"),
    ("答：Ａ", "A"),
    ("Ｂ", "B"),
    ("<think>答案：A</think>答案：D", "D"),
]

NOTHING = [
    "",
    "I do not know.",
    "Answer: A good choice",
    "Answer: A good choice is not A",
    "A good choice is the car.",
    "Answer: I think it depends",
    "Answer: not B",
    "The answer is not B.",
    "Answer:",
    "Answer: none of these",
    "The plan Because.",
    "B is a vitamin.",
    "Unanswered: the car",
    "选项B是错误的",
    "不选B",
    "Answer: A-level students",
    "Answer: A.M.",
    "Answer: B's car",
    "the car skids on the ice",
    "Risposta: A causa della pioggia",
    "Risposta: non lo so",
    "答案不是B",
]

MULTIPLE = [
    ("Answer: A), B), D), F)", "ABDF"),
    ("Answer: A)_____B)____", "AB"),
    ("Answer: A, B, D, F.", "ABDF"),
    ("Answers: [B, D]", "BD"),
    ('Answers: ["B", "D"]', "BD"),
    ("Answer: A and C", "AC"),
    ("Answer: A, B and D", "ABD"),
    ("Answer: ABD", "ABD"),
    ("Answer: A B D", "ABD"),
    ("Answer: A/C", "AC"),
    ("Answer: A & C", "AC"),
    ("Answer: (A), (C)", "AC"),
    ("Answer: A; C; E", "ACE"),
    ("Answer: a, c", "AC"),
    ("Answer: B, B", "B"),
    ("Answer: C", "C"),
    ("The correct answers are A and D.", "AD"),
    ("Answer: A) grit the road, B) slow down", "AB"),
    ("Answer: A) gritting it, C) calling one", "AC"),
    ("Answer:\nA) grit the road\nC) call a taxi", "AC"),
    ("Answer:\n- A) grit the road\n- C) call a taxi", "AC"),
    ("Answer: grit the road, slow down", "AB"),
    ("Answer: A), C). B) is wrong because it is dry.", "AC"),
    ("Answer: A) and C). Option B) is wrong.", "AC"),
    ("Answer: A\n\nWait. Answer: B, C", "BC"),
    ("Answer:\n1. A) grit the road\n2. C) call a taxi", "AC"),
    ("Answer: both B and D", "BD"),
    ("Answer: only C", "C"),
    ("Answer: A, B (C is wrong)", "AB"),
    ("Answer: A), B). C) would not help.", "AB"),
    ("\\boxed{A, C}", "AC"),
    ("$\\boxed{A}$ and $\\boxed{C}$", "AC"),
    ("A, C", "AC"),
    ("A) C) F)", "ACF"),
    ("a, c", "AC"),
    ("grit the road\nslow down", "AB"),
    ("Risposte: A e C", "AC"),
    ("Le risposte corrette sono A, B ed F.", "ABF"),
    ("Risposta: A, C, E", "ACE"),
    ("Risposta: a e c", "AC"),
    ("答案：A、C、D", "ACD"),
    ("答案：ＡＢＤ", "ABD"),
    ("答案是A和C。", "AC"),
    ("正确答案为：A），B），D）", "ABD"),
    ("因此选ACD。", "ACD"),
]

AMBIGUOUS = [
    "Answer: A, B",
    "Answer: A and B",
    "Answer: A or B",
    "Answer: A/B",
    "Answer: AB",
    "Answer: B\nC",
    "Answer: A) the car skids, B) the meeting is missed",
    "Answer: B) the car skids",
    "A, B",
    "the car skids\nthe meeting is missed",
    "Risposta: A o B",
    "答案：A或B",
    "答案：AB",
]


def places(letters: str) -> tuple[int, ...]:
    return tuple(ord(letter) - ord("A") for letter in letters)


@pytest.mark.parametrize(("text", "letter"), SINGLE)
def test_one_option_is_read(text: str, letter: str) -> None:
    found = read(text, FOUR)
    assert (found.status, found.picked) == (Status.OK, places(letter))


@pytest.mark.parametrize("text", NOTHING)
def test_nothing_is_read_where_no_option_is_named(text: str) -> None:
    assert read(text, FOUR).status is Status.NO_ANSWER


@pytest.mark.parametrize(("text", "letters"), MULTIPLE)
def test_all_options_are_read_in_multiple_select(text: str, letters: str) -> None:
    found = read(text, SIX, multiple=True)
    assert (found.status, found.picked) == (Status.OK, places(letters))


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_two_options_where_one_was_asked_for_are_ambiguous(text: str) -> None:
    assert read(text, FOUR) == Reading(Status.AMBIGUOUS)


@pytest.mark.parametrize("text", ["Answer: A or B", "答案：A或者B", "Risposta: A oppure B"])
def test_alternatives_are_ambiguous_in_multiple_select_too(text: str) -> None:
    assert read(text, SIX, multiple=True).status is Status.AMBIGUOUS


@pytest.mark.parametrize("text", ["Answer: F", "Answer: (E)", "答案：Ｇ", "Risposta: H.", "E"])
def test_a_letter_that_was_not_offered_is_out_of_range(text: str) -> None:
    assert read(text, FOUR).status is Status.OUT_OF_RANGE


@pytest.mark.parametrize("text", ["Answer: A, G", "Answer: ABG", "Answer: A) B) H)"])
def test_one_letter_out_of_range_spoils_multiple_select(text: str) -> None:
    assert read(text, SIX, multiple=True).status is Status.OUT_OF_RANGE


@pytest.mark.parametrize(
    "text",
    ["<think>Answer: B", "Answer: B\n<think>or is it A", "<think>a</think><think>b", "<THINK>B"],
)
def test_thinking_that_never_ends_is_truncated(text: str) -> None:
    assert read(text, FOUR).status is Status.TRUNCATED
    assert read(text, FOUR, complete=False).status is Status.TRUNCATED


@pytest.mark.parametrize("text", ["First, the road is", "Answer:", "Answer: A", "Answer: A, B"])
def test_a_reply_that_was_cut_before_its_answer_ended_is_truncated(text: str) -> None:
    assert read(text, SIX, multiple=True, complete=False).status is Status.TRUNCATED


def test_an_answer_before_the_cut_counts() -> None:
    found = read("Answer: B\n\nThe reason is that the", FOUR, complete=False)
    assert (found.status, found.picked) == (Status.OK, (1,))


@pytest.mark.parametrize(
    ("text", "options", "picked"),
    [
        ("Yes", ("yes", "no"), 0),
        ("yes.", ("yes", "no"), 0),
        ("No, it does not.", ("yes", "no"), 1),
        ("No. The road is dry.", ("yes", "no"), 1),
        ("Yes, because it rains.", ("yes", "no"), 0),
        ("Yes it does.", ("yes", "no"), 0),
        ("It rains, so the road is wet.\nAnswer: yes", ("yes", "no"), 0),
        ("The answer is no.", ("yes", "no"), 1),
        ("Answer: No", ("no", "yes"), 0),
        ("Sì", ("sì", "no"), 0),
        ("Sì, perché piove.", ("sì", "no"), 0),
        ("Risposta: no", ("sì", "no"), 1),
        ("La risposta è sì.", ("sì", "no"), 0),
        ("Yes", ("sì", "no"), 0),
        ("是", ("是", "否"), 0),
        ("是的，因为下雨。", ("是", "否"), 0),
        ("否。", ("是", "否"), 1),
        ("不是。", ("是", "否"), 1),
        ("答案：否", ("是", "否"), 1),
        ("答案是：是", ("是", "否"), 0),
        ("No", ("是", "否"), 1),
    ],
)
def test_yes_and_no(text: str, options: tuple[str, ...], picked: int) -> None:
    found = read(text, options)
    assert (found.status, found.picked) == (Status.OK, (picked,))


@pytest.mark.parametrize("text", ["Not at all.", "By no means.", "I disagree.", "It cannot.", "n"])
def test_ways_of_saying_no_are_no(text: str) -> None:
    assert read(text, ("yes", "no")).picked == (1,)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("No one knows.", ("yes", "no")),
        ("Yesterday it rained.", ("yes", "no")),
        ("Nothing happens.", ("yes", "no")),
        ("Answer: A", ("yes", "no")),
        ("是否下雨不清楚", ("是", "否")),
        ("Sicuramente", ("sì", "no")),
        ("Non so.", ("sì", "no")),
    ],
)
def test_words_that_begin_like_yes_or_no_are_neither(text: str, options: tuple[str, ...]) -> None:
    assert read(text, options).status is Status.NO_ANSWER


@pytest.mark.parametrize("text", ["Answer: yes or no", "Answer: yes/no", "Yes, it rains.\nNo."])
def test_yes_and_no_at_once_are_ambiguous(text: str) -> None:
    assert read(text, ("yes", "no")).status is Status.AMBIGUOUS


@pytest.mark.parametrize(
    ("text", "picked"), [("Answer: 0 and 2", 1), ("2 and 3", 4), ("Answer: 1 and 2.", 3)]
)
def test_options_are_named_by_their_texts(text: str, picked: int) -> None:
    assert read(text, PAIRS, lettered=False).picked == (picked,)


def test_no_part_of_a_text_is_an_option() -> None:
    assert read("Answer: 0 and 10", PAIRS).status is Status.NO_ANSWER
    assert read("Answer: rain and wind", ("rain", "snow")).status is not Status.OK
    assert read("Answer: rainy", ("rain", "snow")).status is Status.NO_ANSWER


def test_a_text_that_two_options_share_names_neither() -> None:
    assert read("Answer: rain", ("rain", "Rain.", "snow")).status is Status.NO_ANSWER
    assert read("Answer: B", ("rain", "Rain.", "snow")).picked == (1,)


def test_letters_count_only_where_they_were_shown() -> None:
    assert read("Answer: A", ("true", "false"), lettered=False).status is Status.NO_ANSWER
    assert read("Answer: B", ("B", "A")).picked == (0,)


@pytest.mark.parametrize(("text", "picked"), [("答案：错过会议", 1), ("错过会议。", 1)])
def test_texts_in_chinese(text: str, picked: int) -> None:
    assert read(text, ZH).picked == (picked,)


def test_texts_in_italian() -> None:
    assert read("Risposta: la riunione salta", IT).picked == (1,)
    assert read("Risposta: L’auto sbanda.", IT).picked == (0,)


PIECES = st.sampled_from(
    ["Answer:", "answer is", "答案：", "选", "Risposta:", "A", "B)", "(C)", "F", "Z.", "AB", "and",
     "or", "e", "、", ",", "\n", "\n\n", " ", "\\boxed{", "}", "<think>", "</think>", "yes", "no",
     "the car skids", "the", "**", "_", "Ａ", "：", "不", "è", "is", "not"]
)  # fmt: skip
REPLIES = st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=60)
OPTIONS = st.one_of(
    st.just(FOUR), st.just(SIX), st.just(("yes", "no")), st.just(ZH),
    st.lists(st.text(max_size=8), max_size=30).map(tuple),
)  # fmt: skip


@given(REPLIES, OPTIONS, st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=400, deadline=None)
def test_nothing_is_picked_that_was_not_offered(
    text: str, options: tuple[str, ...], multiple: bool, complete: bool, lettered: bool
) -> None:
    found = read(text, options, multiple=multiple, complete=complete, lettered=lettered)
    assert set(found.picked) <= set(range(len(options)))
    assert found.picked == tuple(sorted(set(found.picked)))
    assert bool(found.picked) == (found.status is Status.OK)
    assert multiple or len(found.picked) <= 1


@given(st.lists(st.sampled_from("ABCDEF"), min_size=1, max_size=6, unique=True))
def test_whatever_is_written_in_the_format_asked_for_is_read(letters: list[str]) -> None:
    wanted = places("".join(sorted(letters)))
    for text in (
        "Answer: " + ", ".join(f"{letter})" for letter in letters),
        "Answer: " + "".join(f"{letter})____" for letter in letters),
        "答案：" + "、".join(letters),
        "Risposta: " + " e ".join(letters),
    ):
        assert read(text, SIX, multiple=True).picked == wanted, text


def test_a_long_reply_is_read_at_once() -> None:
    pieces = (
        "answer to ",
        "A, ",
        "<think></think>",
        "选",
        "the the ",
        "\\boxed{",
        "Answer: A",
        " ",
    )
    begun = time.process_time()
    for piece in pieces:
        for start in ("", "answer", "答案", "Answer: A", "Answer:"):
            read(start + piece * 5000, SIX, multiple=True)
    assert time.process_time() - begun < 20
