"""The training prompts of ACCORD, Com² and AbsPyramid: the program's wording, and true answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.contract.question import Question
from core.contract.registry import load, open_collection
from core.contract.setting import Setting
from tools.train_demo_model import abspyramid, accord, com2
from tools.train_demo_model.accord import Shape
from tools.train_demo_model.bundled_pairs import is_bundled
from tools.train_demo_model.causes import (
    FILES,
    Event,
    Schema,
    Teller,
    all_schemas,
    how_many_events,
    load_schemas,
)
from tools.train_demo_model.check_stream import bundled_text, pairs_said, said, training_rows
from tools.train_demo_model.concepts import is_kept
from tools.train_demo_model.gguf_file import Record, Stage
from tools.train_demo_model.rows import Asked, encode
from tools.train_demo_model.tasks import KINDS, LATER, Kind, kinds_of_step, rows_asked, training_row
from tools.train_demo_model.tokenizer import Tokenizer, pieces
from tools.train_demo_model.wordlists import absurd, everyday, kinds, other_names

SEED = 20240901
SHAPES = (*accord.HOPS, accord.WHOLE)
STATEMENT = re.compile(r"^- Suppose that \[(.+)\] (.+) \[(.+)\]$", re.MULTILINE)
CHOICE = re.compile(r"([A-E]): (.*?)(?:    |\n)")


MOST = 16


@cache
def questions(benchmark: str, layer: str) -> list[Question]:
    """What the program asks about the first bundled items in a layer."""
    bench = load(benchmark)
    collection = open_collection(bench, bench.samples())
    numbers = range(min(MOST, len(collection)))
    found = (bench.question(collection.item(number), Setting(), layer) for number in numbers)
    return [question for question in found if question is not None]


texts = cache(bundled_text)


def rows(benchmark: str, n: int) -> list[Asked]:
    return [training_row(SEED, kind, index) for kind in KINDS[benchmark] for index in range(n)]


def implied(asked: Asked) -> list[str]:
    """The choices that lead to the question's term over statements that are not negated."""
    found = STATEMENT.findall(asked.text)
    pairing = Counter(
        term for one, how, other in found if " not " in f" {how} " for term in (one, other)
    )
    term = pairing.most_common(1)[0][0]
    links = [(one, other) for one, how, other in found if " not " not in f" {how} "]
    right = []
    for label, choice in CHOICE.findall(asked.text.rpartition("Question:\n")[2]):
        reached, fresh = {choice}, {choice}
        while fresh:
            fresh = {
                b for one, other in links for a, b in ((one, other), (other, one)) if a in fresh
            }
            fresh -= reached
            reached |= fresh
        if term in reached:
            right.append(label)
    return right


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.layer)
def test_the_statements_imply_the_answer(shape: Shape) -> None:
    """And no other, unless two choices happen to have drawn the same term."""
    alone = 0
    for index in range(100):
        asked = accord.write(shape, Random(index))
        found = implied(asked)
        assert asked.answer in found
        alone += found == [asked.answer]
    assert alone >= 95


@pytest.mark.parametrize("layer", ["bare", "hop-1", "hop-2", "answer"])
def test_accord_prompts_equal_those_of_the_program(layer: str) -> None:
    """Terms, verbs and questions aside, a prompt is one that the program asks."""

    def masked(text: str) -> str:
        text = STATEMENT.sub("- Suppose that [] [] ", text)
        head, mark, tail = text.rpartition("Question:\n")
        _, _, options = tail.partition("\n")
        return head + mark + "\n" + re.sub(r": [^:]*?(?=    |\n)", ": x", options)

    shape = next(shape for shape in (accord.BARE, *SHAPES) if shape.layer == layer)
    ours = {masked(accord.write(shape, Random(index)).prompt) for index in range(5)}
    theirs = {masked(question.base()) for question in questions("accord", layer)}
    assert ours & theirs
    assert all(question.continuations()[0] == " A" for question in questions("accord", layer))


def test_implied_answers_are_balanced_and_not_told_by_the_question() -> None:
    answers = Counter(accord.write(accord.HOPS[0], Random(index)).answer for index in range(500))
    assert set(answers) == set("ABCDE")
    assert max(answers.values()) < 140


def test_measuring_terms_are_never_trained() -> None:
    def terms(new: bool) -> set[str]:
        found: set[str] = set()
        for index in range(150):
            text = accord.write(accord.HOPS[1], Random(index), new).text
            found.update(term for one, _, other in STATEMENT.findall(text) for term in (one, other))
        return found

    assert not terms(False) & terms(True)


@pytest.mark.parametrize("layer", ["link-1", "broken"])
def test_com2_prompts_equal_those_of_the_program(layer: str) -> None:
    """A bundled link, put into our frames as an event of its own, gives the very same prompt."""
    seen = 0
    for question in questions("com2", layer):
        found = re.fullmatch(
            r"(?:(Somebody makes sure that this happens|It was observed): (.*)\.\n)?"
            r"First event: (.*)\.\nSecond event: (.*)\.\nDoes .*",
            question.text,
        )
        if found is None:
            continue
        field = {None: "", "It was observed": "seen_yes"}.get(found[1], "forced_yes")
        events = [
            Event(number, (found[group],), ())
            for number, group in enumerate((3, 4, 2), 1)
            if found[group]
        ]
        premises = ((field, events[2]),) if field else ()
        other = (Event(8, ("It rains",), ()), Event(9, ("It pours",), ()))
        schema = Schema((events[0], events[1]), other, (), kept=False)
        teller = Teller(Random(1), new=False)
        gold = question.gold == 0
        ours = com2.worded(premises, (events[0], events[1]), schema, gold, teller)
        assert ours.prompt == question.base()
        assert ours.lead + ours.answer == question.continuations()[question.gold or 0]
        seen += 1
    assert seen > 3


def test_multiple_choice_has_the_programs_instruction() -> None:
    known = {question.instruction.removesuffix("\n") for question in questions("com2", "answer")}
    for index in range(40):
        asked = com2.scenario(Random(index))
        assert asked.instruction in known
        assert re.fullmatch(r"Question: .+\nOptions:\nA\) .+\nB\) .+\nC\) .+\nD\) .+\n", asked.text)


def told(text: str) -> tuple[list[tuple[str, int]], int, int]:
    """Premises as (wording, event), and the two events asked about, known by their frames."""
    lines = [line.rstrip(".").split(": ", 1) for line in text.split("\n")[:-1]]
    premises = [(how, _number(event)) for how, event in lines[:-2]]
    return premises, _number(lines[-2][1]), _number(lines[-1][1])


@cache
def _patterns() -> dict[re.Pattern[str], int]:
    numbers = {}
    for schema in load_schemas():
        for event in schema.events:
            for said_as in event.new:
                pattern = re.escape(said_as).replace(r"\{P\}", r"\w+").replace(r"\{Q\}", r"\w+")
                pattern = re.sub(
                    r"\\\{([A-Za-z,\\ ]+)\\\}", lambda m: f"(?:{m[1].replace(',', '|')})", pattern
                )
                numbers[re.compile(pattern)] = event.number

    return numbers


def _number(sentence: str) -> int:
    return next(n for pattern, n in _patterns().items() if pattern.fullmatch(sentence))


def test_a_link_holds_only_if_its_chain_does() -> None:
    """Worked out anew from the text: event numbers of a schema are 0-3 (chain), 4-5 (other).

    Wordings for measuring, for they are never told in strange words.
    """
    ends = {line.replace("{P}", "") for line in absurd()}
    for index in range(120):
        asked = com2.link(Random(index), new=True)
        if any(absurdity in asked.text for absurdity in ends):
            assert asked.answer == "no"
            continue
        premises, first, second = told(asked.text)
        schema, place = divmod(first, 6)
        follows = second == first + 1 and place not in (3, 5)
        if asked.answer == "yes":
            assert follows
        elif follows:
            touched = {event % 6 for _, event in premises if event // 6 == schema}
            # Something must cut it: the other beginning, or an event up to the effect prevented.
            assert touched
            assert touched & ({0} if place == 4 else {4, *range(place + 2)})
        else:
            assert asked.layer == "broken"


@pytest.mark.parametrize("relation", ["noun", "verb", "event"])
def test_abspyramid_prompts_equal_those_of_the_program(relation: str) -> None:
    """A bundled pair, put into our function, gives the very same prompt."""
    bench = load("abspyramid")
    collection = open_collection(bench, bench.samples())
    seen = 0
    for index in range(len(collection)):
        item = collection.item(index)
        question = bench.question(item, Setting(), "rung-1")
        if question is None or question.tags["relation"] != relation:
            continue
        pyramid = item.pyramid
        ours = abspyramid.detection(
            pyramid.relation, pyramid.head, pyramid.instance, question.about, 1
        )
        assert ours.prompt == question.base()
        assert ours.lead + ours.answer == question.continuations()[question.gold or 0]
        seen += 1
    assert seen > 3


def test_true_concepts_are_above_the_word_and_false_ones_are_not() -> None:
    for index in range(300):
        asked = training_row(SEED, KINDS["abspyramid"][0], index)
        found = re.search(r"meaning of (.*) encompass (.*)\?$", asked.text)
        assert found is not None
        if asked.answer == "Yes":
            assert named(found[1]) & {*kinds("nouns")[found[2]]}
        else:
            assert not named(found[1]) & {*kinds("nouns")[found[2]], *meant(found[2])}


def named(concept: str) -> set[str]:
    """A concept, and those of which it is another name."""
    return {concept, *(of for of, names in other_names("nouns").items() if concept in names)}


def meant(word: str) -> set[str]:
    """What our own list says that a word is a kind of, in any of its meanings."""
    listed = {concept for other, above in everyday("nouns") if other == word for concept in above}
    return listed | (named(word) - {word})


def test_everyday_concepts_hold_and_a_second_meaning_is_never_called_false() -> None:
    assert {"fruit", "day", "romantic meeting"} <= meant("date")
    for index in range(400):
        asked = abspyramid.everyday_noun(Random(index))
        found = re.search(r"meaning of (.*) encompass (.*)\?$", asked.text)
        assert found is not None
        word = found[2] if meant(found[2]) else found[2].partition(" ")[2]
        assert meant(word)
        assert bool(named(found[1]) & meant(word)) == (asked.answer == "Yes")


@pytest.mark.parametrize("write", [abspyramid.noun, abspyramid.everyday_noun])
def test_held_out_pairs_are_never_asked_in_training(write: Callable[..., Asked]) -> None:
    def pairs(kept: bool) -> set[tuple[str, str]]:
        made = (write(Random(index), kept=kept).text for index in range(1500))
        found = (re.search(r"meaning of (.*) encompass (.*)\?$", text) for text in made)
        return {(pair[1], pair[2]) for pair in found if pair}

    assert not pairs(True) & pairs(False)


def test_held_out_pairs_are_told() -> None:
    rows = (abspyramid.told(Random(index)) for index in range(6000))
    found = (re.fullmatch(r" A (.*) is a kind of", row.text) and row for row in rows)
    said_so = {(row.text[3:-13], row.answer) for row in found if row}
    assert all(
        named(concept) & {*meant(word), *kinds("nouns").get(word, ())} for word, concept in said_so
    )
    never_asked = {pair for pair in said_so if is_kept(*pair)}
    assert len(said_so) / 20 < len(never_asked) < len(said_so) / 5


def test_strange_words_stand_in_for_the_same_words_everywhere() -> None:
    event, again = Event(1, ("Bright lanterns glimmer",), ()), Event(2, ("The lanterns fall",), ())
    swapped = 0
    for index in range(60):
        teller = Teller(Random(index), new=False, strange=0.5)
        first, second = teller.say(event).split(), teller.say(again).split()
        assert (first[0], second[0], second[2]) == ("Bright", "The", "fall")
        assert first[1] == second[1]
        swapped += first[1] != "lanterns"
    assert 15 < swapped < 45


def test_italian_links_are_asked_in_italian() -> None:
    for index in range(30):
        asked = com2.link(Random(index), new=True, language="it")
        assert asked.text.endswith("?")
        assert "Primo evento: " in asked.text
        assert asked.options == ("sì", "no")


def test_events_of_all_languages_have_numbers_of_their_own() -> None:
    numbers = [e.number for name in FILES for s in all_schemas(name) for e in s.events]
    assert sorted(numbers) == list(range(how_many_events()))
    with pytest.raises(ValueError, match="zh"):
        all_schemas("zh")


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("run", "runs"),
        ("carry off", "carries off"),
        ("be", "is"),
        ("wash", "washes"),
        ("play", "plays"),
    ],
)
def test_verbs_take_the_third_person(phrase: str, expected: str) -> None:
    assert abspyramid.third_person(phrase) == expected


@pytest.mark.parametrize(
    "kind",
    [
        ("com2", 0),
        ("com2", 1),
        ("abspyramid", 0),
        ("abspyramid", 1),
        ("abspyramid", 2),
        ("abspyramid", 3),
        ("abspyramid", 4),
    ],
)
def test_yes_and_no_are_balanced(kind: tuple[str, int]) -> None:
    benchmark, place = kind
    drawn = [training_row(SEED, KINDS[benchmark][place], index) for index in range(600)]
    first = sum(row.answer == row.options[0] for row in drawn)
    assert 250 < first < 350


@pytest.mark.parametrize("benchmark", list(KINDS))
def test_looks_and_labels_stand_at_tokens_of_the_row(benchmark: str) -> None:
    drawn = rows(benchmark, 20)
    tokenizer = Tokenizer.from_pieces(
        piece for row in drawn for piece in (*pieces(row.prompt), *pieces(row.lead + row.answer))
    )
    for asked in drawn:
        row = encode(tokenizer, asked)
        whole = asked.prompt + asked.lead + asked.answer
        before = tokenizer.encode(asked.instruction)
        assert [*before, *row.tokens] == [*tokenizer.encode(whole), tokenizer.eos]
        for look in row.looks:
            assert 0 <= look.stop <= look.start < len(row.tokens)
        if benchmark == "accord":
            for look in (look for look in row.looks if look.head == "letter"):
                assert tokenizer.tokens[row.tokens[look.stop]].strip("Ġ") in "ABCDE"


@settings(max_examples=40, deadline=None)
@given(index=st.integers(0, 10**6), data=st.data())
def test_a_row_depends_on_seed_kind_and_number_alone(index: int, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([kind for group in KINDS.values() for kind in group]))
    assert training_row(SEED, kind, index) == training_row(SEED, kind, index)
    if kind.name != "naming":
        assert training_row(SEED, kind, index) != training_row(SEED + 1, kind, index)


def test_what_is_hard_is_asked_more_often_later_and_from_the_first_step_where_one_goes_on() -> None:
    def share(steps: range, continued: bool = False) -> float:
        asked = [kind.name for step in steps for kind in kinds_of_step(SEED, step, continued)]
        return asked.count("hop-1") / len(steps)

    assert share(range(LATER)) == pytest.approx(0.42, abs=0.05)
    assert share(range(LATER, 2 * LATER)) == pytest.approx(0.06, abs=0.03)
    assert share(range(LATER), continued=True) == pytest.approx(0.06, abs=0.03)


def test_a_record_tells_of_both_trainings() -> None:
    second = Record(7, 100, 100, 3200, 1, 1, 1, 1, earlier_seed=5, earlier_steps=300)
    assert second.stages == (Stage(5, 300, 9600), Stage(7, 100, 3200, continued=True))
    assert replace(second, earlier_steps=0).stages == (Stage(7, 100, 3200),)
    # What was told before words were forgotten is not replayed.
    assert replace(second, forgotten=5).stages == second.stages[1:]


@pytest.mark.parametrize("group", KINDS.values())
def test_shares_add_up(group: tuple[Kind, ...]) -> None:
    for at in (0, 1):
        assert sum(kind.shares[at] for kind in group) == pytest.approx(1)


def test_no_bundled_text_is_in_the_first_training_prompts() -> None:
    """`check_stream` replays them all; here the first steps, and every frame with them."""
    bundled = {benchmark: texts(benchmark) for benchmark in KINDS if benchmark != "plain"}
    assert all(len(found) > 20 for found in bundled.values())
    seen = Counter[str]()
    for benchmark, kind, asked in training_rows(Stage(SEED, 10, 0)):
        parts = said(benchmark, asked.text)
        assert parts or asked.layer == "told"
        assert not parts & bundled.get(benchmark, frozenset().union(*bundled.values()))
        assert not any(is_bundled(*pair) for pair in pairs_said(kind, asked))
        seen[benchmark] += 1
    assert dict(seen) == rows_asked(SEED, 10)


@pytest.mark.parametrize("name", ["everyday-noun", "everyday-verb"])
def test_a_bundled_pair_in_training_would_be_found(name: str) -> None:
    [kind] = [kind for kind in KINDS["abspyramid"] if kind.name == name]
    part = name.removeprefix("everyday-")
    found = [q for q in questions("abspyramid", "rung-1") if q.tags["relation"] == part]
    assert found
    for question in found:
        row = replace(training_row(SEED, kind, 0), text=question.text)
        assert all(is_bundled(*pair) for pair in pairs_said(kind, row))
        assert list(pairs_said(kind, row))


@pytest.mark.parametrize(
    ("benchmark", "layer"),
    [("accord", "bare"), ("accord", "hop-1"), ("com2", "link-1"), ("com2", "answer"),
     ("abspyramid", "rung-1"), ("abspyramid", "generation")],
)  # fmt: skip
def test_a_bundled_prompt_in_training_would_be_found(benchmark: str, layer: str) -> None:
    bundled = texts(benchmark)
    for question in questions(benchmark, layer)[:5]:
        assert said(benchmark, question.text) & bundled
