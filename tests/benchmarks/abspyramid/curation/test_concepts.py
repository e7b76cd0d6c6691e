"""Lists that models write are read strictly, and concepts are taken or refused with a reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.abspyramid.curation.concept_lists import (
    MOST_CHARACTERS,
    MOST_WORDS,
    ConceptFilter,
    Refusal,
    comparison_key,
    read_list,
)
from core.benchmarks.abspyramid.curation.prompts import format_list, wordings
from core.benchmarks.abspyramid.tuples import Relation
from core.benchmarks.generation.rejection import Rejected
from core.contract.question import Form, Message
from core.text.errors import DataError


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("(1) animal, (2) small pet, (3) being.", ("animal", "small pet", "being")),
        ("  (1) animal; (2) pet\nSure! (3) more", ("animal", "pet")),
        ("(1) animal\n(2) pet\n(3) being", ("animal", "pet", "being")),
        ("1. animal\n2) pet\n\n3. being", ("animal", "pet")),
        ("(1) animal, (3) pet", ("animal",)),
        ("(1) a, b and c, (2) d", ("a, b and c", "d")),
        ("(1) , (2) x", ("", "x")),
        ("(1) only", ("only",)),
    ],
)
def test_numbered_lists_are_parsed(text: str, entries: tuple[str, ...]) -> None:
    assert read_list(text) == entries


def test_a_truncated_list_loses_its_last_entry() -> None:
    assert read_list("(1) animal, (2) small p", complete=False) == ("animal",)
    with pytest.raises(Rejected):
        read_list("(1) ani", complete=False)


@pytest.mark.parametrize(
    "text", ["", "animal, pet", "Sure: (1) animal, (2) pet", "(2) animal", "- animal", "(1)animal"]
)
def test_other_text_is_not_a_list(text: str) -> None:
    with pytest.raises(Rejected, match="no numbered list"):
        read_list(text)


def test_an_endless_answer_is_not_read() -> None:
    with pytest.raises(Rejected, match="20000"):
        read_list("(1) x, " * 10_000)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", Refusal.BLANK),
        ("42!", Refusal.BLANK),
        ("The Cat", Refusal.INSTANCE),
        ("a cat.", Refusal.INSTANCE),
        ("An animal", Refusal.REPEATED),
        ("animal\x1b[2J", Refusal.MARKUP),
        ("<animal>", Refusal.MARKUP),
        ("pet\u202e", Refusal.MARKUP),
        (" ".join(["word"] * (MOST_WORDS + 1)), Refusal.LONG),
        ("x" * (MOST_CHARACTERS + 1), Refusal.LONG),
    ],
)
def test_a_rejected_concept_has_a_reason(text: str, reason: Refusal) -> None:
    sieve = ConceptFilter("cat")
    sieve.add(["animal", text, "mammal"])
    assert sieve.taken == ["animal", "mammal"]
    assert [(r.text, r.reason) for r in sieve.refused] == [(text, reason.value)]


def test_negatives_are_disjoint_from_concepts() -> None:
    sieve = ConceptFilter("cat", ("animal",))
    sieve.add(["Animals", "the animal", "mouse"])
    assert sieve.taken == ["Animals", "mouse"]


@given(st.lists(st.text(max_size=100)), st.integers(0, 5))
def test_accepted_concepts_are_short_plain_and_new(texts: list[str], wanted: int) -> None:
    sieve = ConceptFilter("cat", wanted=wanted)
    sieve.add(texts)
    assert len(sieve.taken) <= wanted
    assert len({comparison_key(text) for text in sieve.taken}) == len(sieve.taken)
    for text in sieve.taken:
        assert text.isprintable()
        assert text == text.strip() != ""
        assert len(text) <= MOST_CHARACTERS
        assert not set("<>") & set(text)


@given(st.text())
def test_any_reply_is_parsed_without_an_error(text: str) -> None:
    try:
        found = read_list(text)
    except Rejected:
        return
    assert found
    assert all(isinstance(entry, str) for entry in found)


words = st.text("abc xyz-", min_size=1).map(str.strip).filter(bool)


@given(st.lists(words, min_size=1, max_size=12))
def test_lists_as_examples_write_them_are_read_back(entries: list[str]) -> None:
    assert read_list(format_list(tuple(entries))) == tuple(entries)


def test_the_prompts_are_the_paper_s() -> None:
    """Tables 8 and 9, with the first example that they print."""
    noun = wordings().of(Relation.NOUN, negative=False)
    text = noun.prompt("the cat slept", "cat", Form.BASE)
    assert isinstance(text, str)
    lines = text.split("\n")
    assert lines[0] == (
        "In this task, you need to list the hypernyms of an instance. Hypernyms are words that "
        "represent broader categories or concepts."
    )
    assert lines[1] == (
        '1. Given the sentence "the clinic had resumed its work," what is the list of hypernyms '
        'of "clinic?"'
    )
    assert lines[2].startswith("(1) medical facility, (2) healthcare center, ")
    assert lines[2].endswith("(10) diagnostic center.")
    assert lines[-2] == (
        '11. Given the sentence "the cat slept," what is the list of hypernyms of "cat?"'
    )
    assert lines[-1] == ""
    negative = wordings().of(Relation.EVENT, negative=True).prompt("x", "x", Form.CHAT)
    assert isinstance(negative, tuple)
    first, answer, *_, last = negative
    assert first == Message(
        "user",
        "In this task, you need to list some related phrases but not abstract descriptions of an "
        'event.\n\n1. Please list related phrases of the event "PersonX surfs the web" but not '
        "abstract descriptions of it.",
    )
    assert answer.role == "assistant"
    assert answer.content.startswith("(1) typing a URL, (2) website, ")
    assert answer.content.endswith("(10) bandwidth.")
    assert last.content.startswith("11. ")
    assert [turn.role for turn in negative] == ["user", "assistant"] * 10 + ["user"]


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("relation", [Relation.NOUN, Relation.EVENT])
def test_the_ten_examples_have_ten_acceptable_answers(relation: Relation, negative: bool) -> None:
    wording = wordings().of(relation, negative=negative)
    assert len(wording.examples) == 10
    for example, positive in zip(
        wording.examples, wordings().of(relation, negative=False).examples, strict=True
    ):
        sieve = ConceptFilter(
            example.instance or example.head, positive.answers if negative else ()
        )
        sieve.add(example.answers)
        assert (len(sieve.taken), sieve.refused) == (10, [])
        assert (example.head, example.instance) == (positive.head, positive.instance)
        assert example.instance in example.head


def test_placeholders_are_filled_once() -> None:
    noun = wordings().of(Relation.NOUN, negative=False)
    text = noun.prompt("the {instance} slept {head}", "{head}", Form.BASE)
    assert isinstance(text, str)
    assert 'sentence "the {instance} slept {head}," what' in text
    assert 'hypernyms of "{head}?"' in text


def test_another_order_of_the_examples_has_the_same_examples() -> None:
    noun = wordings().of(Relation.NOUN, negative=False)
    plain, other = (noun.prompt("x", "y", Form.BASE, order=order) for order in ("", "1"))
    assert isinstance(plain, str)
    assert isinstance(other, str)
    assert plain != other
    assert noun.prompt("x", "y", Form.BASE, order="1") == other
    answers = [{a for a in text.split("\n") if a.startswith("(1)")} for text in (plain, other)]
    assert answers[0] == answers[1]
    few = noun.prompt("x", "y", Form.BASE, order="1", shots=2)
    assert isinstance(few, str)
    assert few.split("\n")[:5] == other.split("\n")[:5]
    assert few.split("\n")[5].startswith("3. Given the sentence")


def test_a_users_own_prompts_are_used(own_prompts: list[str]) -> None:
    assert wordings().sense == own_prompts[0]


def test_malformed_own_prompts_are_refused(own_prompts: list[str]) -> None:
    from core.files import paths

    path = paths.config().parent / "prompts" / "abspyramid" / "curating.yaml"
    for text, line, said in (
        ("", ":1", "is empty"),
        ("sense: x", ":1", "lacks positive, negative"),
        ("sense: x\npositive: {}\nnegative: {}", ":2", "lacks noun, event"),
        ("a: &a [x]\nb: *a", ":2", "alias"),
        ("!!python/object/apply:os.system [ls]", ":1", "names with values"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(DataError, match=said) as error:
            wordings()
        assert error.value.where == f"{path}{line}"
