"""Corpora of replies, read by the program and by a person."""

from __future__ import annotations

import time

import pytest

from core.answers.reader import read
from tests.answers.corpora import read_corpus


@pytest.mark.parametrize(
    "name", ["first_replies.jsonl", "second_replies.jsonl", "further_replies.jsonl"]
)
def test_nearly_all_replies_are_read_as_a_person_reads_them(name: str) -> None:
    replies = read_corpus(name)
    readable = [reply for reply in replies if reply.person]
    wrong = [reply for reply in replies if reply.wrong]
    unread = [reply for reply in replies if reply.unread]
    assert len(replies) >= 300
    assert len(wrong) < 0.005 * len(replies), wrong
    assert len(unread) < 0.02 * len(readable), unread


def test_typos_and_ways_of_speaking_are_what_is_not_read_in_a_corpus_by_another_writer() -> None:
    replies = read_corpus("third_replies.jsonl")
    readable = [reply for reply in replies if reply.person]
    assert (len(replies), len(readable)) == (606, 548)
    assert len([reply for reply in replies if reply.wrong]) == 0
    assert len([reply for reply in replies if reply.unread]) <= 21


def test_continued_questions_and_cut_replies_of_a_fourth_corpus_are_read_as_told() -> None:
    replies = read_corpus("fourth_replies.jsonl")
    readable = [reply for reply in replies if reply.person]
    assert (len(replies), len(readable)) == (398, 351)
    assert len([reply for reply in replies if reply.wrong]) <= 2
    assert len([reply for reply in replies if reply.unread]) <= 13


def test_fifth_and_sixth_corpora_by_two_more_writers_are_read_as_told() -> None:
    for name, counts, wrong, unread in (
        ("fifth_replies.jsonl", (524, 481), 0, 9),
        ("sixth_replies.jsonl", (569, 524), 0, 51),
    ):
        replies = read_corpus(name)
        readable = [reply for reply in replies if reply.person]
        assert (len(replies), len(readable)) == counts
        assert len([reply for reply in replies if reply.wrong]) <= wrong
        assert len([reply for reply in replies if reply.unread]) <= unread


def test_a_corpus_in_the_proportions_of_real_replies_is_read_nearly_always() -> None:
    # By a writer who saw neither the rules nor the other corpora, and read first when the rules of
    # this version were finished.
    replies = read_corpus("seventh_replies.jsonl")
    readable = [reply for reply in replies if reply.person]
    assert (len(replies), len(readable)) == (441, 405)
    assert len([reply for reply in replies if reply.wrong]) <= 2
    assert len([reply for reply in replies if reply.unread]) <= 2


@pytest.mark.parametrize(
    ("reply", "picked"),
    [
        ("| Option | Fits? |\n|---|---|\n| A | no |\n| B | yes |\n| C | no |", (1,)),
        ("A? No. B? No. C? Yes.", (2,)),
        ("Not A. Not B.", (2,)),
        ("The second option.", (1,)),
        ("La terza opzione.", (2,)),
        ("If it were warm, the answer would be A. It is cold: B.", (1,)),
        ("~~A~~ B", (1,)),
        ("B<|im_end|>\n<|im_start|>user\nAnd now?<|im_end|>\nC", (1,)),
        ("Final answer: A\n\nFinal answer: C", ()),
        ("Answer: A. I can't decide between these.", ()),
    ],
)
def test_tables_ordinals_suppositions_and_withdrawals_are_read(
    reply: str, picked: tuple[int, ...]
) -> None:
    assert read(reply, ("umbrella", "bucket", "hat")).picked == picked


@pytest.mark.parametrize(
    "reply",
    [
        "**Correct:**\n1. A\n2. C\n\n**Incorrect:**\n1. B",
        "Plausible: A, C\nImplausible: B",
        '{"correct": ["A", "C"], "incorrect": ["B"]}',
        "A)..C)..",
        "- A\n- C",
        "Answer: A) umbrella\nAnswer: C) hat",
        "- A) ✅ keeps dry\n- B) ❌ no use\n- C) ✅ keeps dry",
        "A: yes\nB: no\nC: yes",
        "A) possible\nB) impossible\nC) possible",
        "1. **umbrella** (A)\n2. **hat** (C)",
    ],
)
def test_options_judged_one_by_one_are_picked_where_they_are_judged_right(reply: str) -> None:
    assert read(reply, ("umbrella", "bucket", "hat"), multiple=True).picked == (0, 2)


def test_verdicts_on_single_sentences_are_none_on_the_story() -> None:
    judged = "Sentence 1: true\nSentence 2: true\nSentence 3: false"
    assert read(f"{judged}\n\nOverall: false", ("true", "false")).picked == (1,)
    assert read(judged, ("true", "false")).picked == ()


def test_a_further_question_that_a_reply_asks_itself_is_not_its_answer() -> None:
    options = ("umbrella", "bucket", "hat")
    for mark in (
        "Question:",
        "Domanda:",
        "问题：",
        "Story 2:",
        "The following story is implausible.",
    ):
        reply = f"B\n\n{mark} Where is it?\nAnswer: A"
        assert read(reply, options).picked == (1,)
    assert read("Question: which one?\nAnswer: C", options).picked == (2,)
    assert read("Let me restate it.\nQuestion: which one?\nAnswer: C", options).picked == (2,)


def test_replies_that_are_easily_misread_are_rather_left_unread() -> None:
    replies = read_corpus("trap_replies.jsonl")
    assert not [reply.text for reply in replies if reply.wrong]
    assert len([reply for reply in replies if reply.unread]) <= 2


@pytest.mark.parametrize(
    ("reply", "pair"),
    [
        ("The first sentence conflicts with the fifth.", "1 and 5"),
        ("Le due frasi incompatibili sono la seconda e la quarta.", "2 and 4"),
        ("La terza frase contraddice l'ultima: il lago è ghiacciato.", "3 and 5"),
        ("First, she leaves. It is sentences 2 and 4.", "2 and 4"),
        ("The first is fine. Sentences 3 and 4 conflict.", "3 and 4"),
    ],
)
def test_a_sentence_is_named_by_its_place_alone(reply: str, pair: str) -> None:
    pairs = tuple(f"{first} and {then}" for first in range(1, 6) for then in range(first + 1, 6))
    assert read(reply, pairs).picked == (pairs.index(pair),)


def test_a_pair_that_does_not_contradict_itself_is_not_the_answer() -> None:
    pairs = ("1 and 2", "1 and 3", "2 and 3", "2 and 4")
    for after in ("Sentence 3 does not contradict sentence 1.", "(Sentence 3 is fine with 1.)"):
        assert read(f"Sentence 4 contradicts sentence 2. {after}", pairs).picked == (3,)


@pytest.mark.parametrize(
    ("reply", "options", "picked"),
    [
        ("The abstraction is invalid.", ("Yes", "No"), 1),
        ("Certainly. Coffee is a beverage.", ("Yes", "No"), 0),
        ("Certo, è una conseguenza naturale.", ("sì", "no"), 0),
        ("Of course, here is my view: the answer is no.", ("yes", "no"), 1),
        ("Certainly not.", ("yes", "no"), 1),
        ("会的。", ("会", "不会"), 0),
        ("是的，很可能。", ("会", "不会"), 0),
        ("不会的。", ("会", "不会"), 1),
        ("The state concerned is wetness.", ("open", "wet"), 1),
        ("Edibility", ("edible", "open"), 0),
        ("Given that, she needs a lawyer.\n\n∴ B", ("doctor", "lawyer"), 1),
    ],
)
def test_an_answer_is_read_that_is_said_in_other_words(
    reply: str, options: tuple[str, ...], picked: int
) -> None:
    assert read(reply, options).picked == (picked,)


@pytest.mark.parametrize("reply", ["Certainly!", "Of course! Let me think about it."])
def test_a_greeting_is_no_yes(reply: str) -> None:
    assert read(reply, ("yes", "no")).picked == ()


def test_meanings_name_the_letters_beside_them() -> None:
    replies = {reply.text: reply for reply in read_corpus("first_replies.jsonl")}
    assert replies["It is the garage."].program == (3,)


@pytest.mark.parametrize(
    "piece",
    ["A, ", "A and ", "not A ", "选", "it is ", "so ", "story that ", '{"a": ', "A: b ", "1 and ",
     "story is not ", "wait ", "\\text{", "grit the road ", "except A "],
)  # fmt: skip
@pytest.mark.parametrize("start", ["", "not "])
def test_the_time_of_reading_grows_with_the_length_of_a_hostile_reply(
    start: str, piece: str
) -> None:
    options = ("grit the road", "slow down", "call a taxi")
    begun = time.process_time()
    read(start + piece * (10_000 // len(piece)), options, multiple=True)
    assert time.process_time() - begun < 3
