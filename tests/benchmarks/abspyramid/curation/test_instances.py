"""Instances: the paper's examples, and what its release brackets."""

from __future__ import annotations

import pytest
from hypothesis import given

from core.benchmarks.abspyramid.curation.head_events import head_event
from core.benchmarks.abspyramid.curation.instances import instances
from core.benchmarks.abspyramid.curation.parse import Parse
from core.benchmarks.abspyramid.curation.people import replace_people
from core.benchmarks.abspyramid.tuples import Relation
from tests.benchmarks.abspyramid.curation import parses
from tests.benchmarks.abspyramid.curation.parses import parse
from tests.benchmarks.abspyramid.curation.test_cleaning import some_parses


def found(made: Parse, relation: Relation) -> list[str]:
    head = head_event(replace_people(made))
    return [head.text[i.start : i.end] for i in instances(head) if i.relation is relation]


@pytest.mark.parametrize(
    ("made", "nouns", "verbs"),
    [
        (parses.CAT, ["cat", "mouse", "burrow"], ["chased"]),
        (parses.FOOD, ["food"], ["have"]),
        (parses.SLEEP, [], ["sleep"]),
    ],
)
def test_the_examples_of_the_paper_are_reproduced(
    made: Parse, nouns: list[str], verbs: list[str]
) -> None:
    assert found(made, Relation.NOUN) == nouns
    assert found(made, Relation.VERB) == verbs


def noun(*words: str) -> list[str]:
    """The nouns of "... fell", whose words are given."""
    verb = len(words) + 1
    return found(parse(*(w.replace("@", str(verb)) for w in words), "fell/fall/VERB/0/root"),
                 Relation.NOUN)  # fmt: skip


@pytest.mark.parametrize(
    ("words", "nouns"),
    [
        (("a/a/DET/3/det", "fluffy/fluffy/ADJ/3/amod", "cat/cat/NOUN/@/nsubj"), ["fluffy cat"]),
        (
            ("the/the/DET/3/det", "communal/communal/ADJ/3/amod",
             "experience/experience/NOUN/@/nsubj", "of/of/ADP/5/case",
             "theater/theater/NOUN/3/nmod"),
            ["communal experience of theater"],
        ),
        (
            ("PersonX/p/PROPN/2/nsubj", "saw/see/VERB/0/root", "PersonX's/p/PROPN/4/nmod:poss",
             "country/country/NOUN/2/obj"),
            ["country"],
        ),
        (("their/they/PRON/2/nmod:poss", "country/country/NOUN/@/nsubj"), ["country"]),
        (("details/detail/NOUN/@/nsubj", "seen/see/VERB/1/acl"), ["details seen"]),
        (
            ("dogs/dog/NOUN/@/nsubj", "that/that/PRON/3/nsubj", "bark/bark/VERB/1/acl:relcl"),
            ["dogs"],
        ),
        (
            ("cats/cat/NOUN/@/nsubj", "and/and/CCONJ/4/cc", "old/old/ADJ/4/amod",
             "dogs/dog/NOUN/1/conj"),
            ["cats", "old dogs"],
        ),
        (
            ("all/all/DET/2/det", "kinds/kind/NOUN/@/nsubj", "of/of/ADP/4/case",
             "lots/lot/NOUN/2/nmod", "of/of/ADP/7/case", "the/the/DET/7/det",
             "cakes/cake/NOUN/4/nmod"),
            ["cakes"],
        ),
        (
            ("a/a/DET/2/det", "majority/majority/NOUN/@/nsubj", "of/of/ADP/4/case",
             "them/they/PRON/2/nmod"),
            [],
        ),
        (("the/the/DET/2/det", "group/group/NOUN/@/nsubj"), ["group"]),
        (
            ("the/the/DET/2/det", "group/group/NOUN/@/nsubj", "in/in/ADP/4/case",
             "town/town/NOUN/2/nmod"),
            ["group in town"],
        ),
    ],
)  # fmt: skip
def test_nouns_with_their_modifiers(words: tuple[str, ...], nouns: list[str]) -> None:
    if any("VERB/0/root" in word for word in words):
        assert found(parse(*words), Relation.NOUN) == nouns
    else:
        assert noun(*words) == nouns


def test_a_predicate_noun_leaves_its_subject_out() -> None:
    made = parse(
        "the/the/DET/2/det",
        "man/man/NOUN/6/nsubj",
        "was/be/AUX/6/cop",
        "a/a/DET/6/det",
        "good/good/ADJ/6/amod",
        "doctor/doctor/NOUN/0/root",
    )
    assert found(made, Relation.NOUN) == ["man", "good doctor"]
    assert found(made, Relation.VERB) == []


def test_verbs_of_clauses_with_their_particles() -> None:
    made = parse(
        "he/he/PRON/3/nsubj:pass",
        "was/be/AUX/3/aux:pass",
        "gunned/gun/VERB/0/root",
        "down/down/ADP/3/compound:prt",
        "and/and/CCONJ/6/cc",
        "started/start/VERB/3/conj",
        "bleeding/bleed/VERB/6/xcomp",
    )
    head = head_event(replace_people(made))
    verbs = [i for i in instances(head) if i.relation is Relation.VERB]
    assert [(i.lemma, i.particle) for i in verbs] == [("gun", "down"), ("start", ""), ("bleed", "")]
    assert found(made, Relation.VERB) == ["gunned", "started", "bleeding"]


def test_going_somewhere_is_reduced_to_going() -> None:
    made = parse(
        "I/i/PRON/3/nsubj",
        "am/be/AUX/3/aux",
        "going/go/VERB/0/root",
        "to/to/ADP/5/case",
        "town/town/NOUN/3/obl",
    )
    assert found(made, Relation.VERB) == ["going"]


def test_the_whole_event_is_always_the_last_instance() -> None:
    head = head_event(parses.CAT)
    *_, last = instances(head)
    assert (last.relation, last.start, last.end) == (Relation.EVENT, 0, len(head.text))


@given(some_parses())
def test_instances_lie_in_the_event_and_are_whole_words(made: Parse) -> None:
    head = head_event(replace_people(made))
    edges = {end for span in head.spans for end in span}
    every = instances(head)
    assert len({(i.start, i.end, i.relation) for i in every}) == len(every)
    for one in every:
        assert 0 <= one.start < one.end <= len(head.text)
        assert {one.start, one.end} <= edges
