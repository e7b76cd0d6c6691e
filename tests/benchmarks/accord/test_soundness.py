"""Soundness flags: each fails on an item that has just that fault, and only then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from core.benchmarks.accord.grounding.instance import Structure
from core.benchmarks.accord.grounding.records import Record, record_of
from core.benchmarks.accord.soundness import Check, Flag, check, sound
from core.benchmarks.accord.trees.consequences import Claim, ConsequencesError, consequences
from core.benchmarks.accord.trees.matrix import Matrix
from core.benchmarks.accord.trees.path import Pairing, paths
from core.benchmarks.accord.trees.skills import End
from core.benchmarks.accord.trees.tree import Template
from tests.benchmarks.accord.grounded import (
    MATRIX,
    RELATIONS,
    Facts,
    chain,
    grounded,
    grounder,
    rich,
    structures,
)

WORDS = [f"w{number}" for number in range(40)]
EVERYWHERE = Facts(**{name: [(word, word) for word in WORDS] for name in RELATIONS})
SOUND = record_of(grounded(grounder(EVERYWHERE).ground(chain(2, 1))).instance.implying("B"))


def failing(record: Record, knowledge: Facts = EVERYWHERE) -> dict[Check, str]:
    flags = check(record, MATRIX, knowledge)
    assert [flag.check for flag in flags] == list(Check)
    return {flag.check: flag.evidence for flag in flags if not flag.passed}


def with_term(label: str, variable: int, term: str) -> Record:
    terms = list(SOUND.terms[label])
    terms[variable] = term
    return replace(SOUND, terms={**SOUND.terms, label: tuple(terms)})


def with_facts(*pairs: tuple[str, str], relation: str = "AtLocation") -> Facts:
    return Facts(**{**EVERYWHERE.pairs, relation: {*EVERYWHERE.pairs[relation], *pairs}})


def test_a_sound_item_passes_with_evidence() -> None:
    flags = check(SOUND, MATRIX, EVERYWHERE)
    assert sound(flags)
    evidence = {flag.check: flag.evidence for flag in flags}
    between = SOUND.terms["B"][1]
    why = [f"spatial({between}, the planet)", f"spatial(galaxy, {between})"]
    assert evidence[Check.ONE_IMPLIED] in {
        f"Only B follows, no fact itself: {' & '.join(order)}." for order in (why, why[::-1])
    }
    assert evidence[Check.ANTI_FACTUAL] == "Statements in the knowledge base: none of 9."
    assert not sound([*flags, Flag(Check.TREE, False, "")])


def test_two_implied_choices_are_found() -> None:
    # Copy A, which is negated, takes over the intermediate of copy B: what B says holds for A too.
    record = with_term("A", 1, SOUND.terms["B"][1])
    found = failing(record)
    assert found[Check.ONE_IMPLIED].startswith("What follows is A, B,")
    assert found[Check.NO_CONTRADICTION].endswith("but the other statements say otherwise.")
    assert Check.NO_REPEAT in found


def test_a_wrong_implied_choice_is_found() -> None:
    bare = Matrix.of(MATRIX.skills, [e for e in MATRIX.entries if e.first == "causal"])
    flags = {flag.check: flag for flag in check(SOUND, bare, EVERYWHERE)}
    assert not flags[Check.ONE_IMPLIED].passed
    assert flags[Check.ONE_IMPLIED].evidence.startswith("What follows is none")


def test_a_fact_is_found() -> None:
    statement = (SOUND.terms["C"][1], "the planet")
    found = failing(SOUND, with_facts(statement))
    assert list(found) == [Check.ANTI_FACTUAL]
    assert found[Check.ANTI_FACTUAL] == (
        f"not spatial({statement[0]}, the planet) in copy C is a fact of the knowledge base."
    )


def test_a_fact_in_another_sense_is_found() -> None:
    term = SOUND.terms["C"][1]
    assert list(failing(SOUND, with_facts((f"{term}/n", "the planet")))) == [Check.ANTI_FACTUAL]


def test_the_evidence_says_whether_the_conclusion_is_a_fact() -> None:
    """The authors' program never looks at what an item concludes."""
    knowledge = with_facts(("galaxy", "the planet"))
    assert not failing(SOUND, knowledge)
    told = [check(SOUND, MATRIX, base)[2].evidence for base in (knowledge, EVERYWHERE)]
    assert told[0].startswith("Only B follows, a fact itself:")
    assert told[1].startswith("Only B follows, no fact itself:")


def test_a_missing_fact_is_found() -> None:
    found = failing(replace(SOUND, factual=(1,)))
    assert found == {
        Check.FACTUAL: f"not spatial({SOUND.terms['A'][1]}, the planet) in copy A is no fact of "
        "the knowledge base."
    }


def test_a_term_from_outside_the_relation_is_found() -> None:
    found = failing(with_term("B", 1, "nowhere"))
    assert list(found) == [Check.IN_RELATION]
    assert found[Check.IN_RELATION].endswith("has a term from outside AtLocation.")


@pytest.mark.parametrize("spelled", ["{}", "{}/n", "{}/v"])
def test_a_repeated_term_is_found(spelled: str) -> None:
    term = spelled.format(SOUND.terms["B"][3])
    found = failing(with_term("A", 3, term))
    kept = SOUND.terms["B"][3]
    assert found == {
        Check.NO_REPEAT: f"“{kept}” stands at V3 in copy A and at V3 in copy B.",
    }


@pytest.mark.parametrize(
    ("term", "what"),
    [
        ("galaxy", "an answer choice"),
        ("Galaxy", "an answer choice"),
        ("galaxy/n", "an answer choice"),
        ("planet", "what the question is about"),
        ("the planet", "the pairing term"),
    ],
)
def test_a_term_of_the_question_inside_is_found(term: str, what: str) -> None:
    knowledge = Facts(
        **{
            name: [(word, word) for word in [*WORDS, "galaxy/n", "planet", "the planet"]]
            for name in RELATIONS
        }
    )
    found = failing(with_term("A", 3, term), knowledge)
    assert found[Check.NO_CHOICE_INSIDE] == f"“{term}” at V3 in copy A is {what}."


@pytest.mark.parametrize(
    ("record", "says"),
    [
        (with_term("B", 0, "the moon"), "does not name the pairing term"),
        (with_term("B", 2, "the sun"), "Copy B does not name its answer choice"),
        (replace(SOUND, pairing=replace(SOUND.pairing, skill="causal")), "no causal template"),
        (replace(SOUND, pairing=replace(SOUND.pairing, end=End.SOURCE)), "does not name"),
    ],
)
def test_a_missing_pairing_statement_is_found(record: Record, says: str) -> None:
    assert says in failing(record)[Check.PAIRED]


@pytest.mark.parametrize("label", ["A", "B", "C"])
def test_an_item_of_one_hop_is_about_its_choices(label: str) -> None:
    made = grounded(grounder(EVERYWHERE).ground(chain(1))).instance
    record = record_of(made.implying(label))
    assert not failing(record)
    terms = {**record.terms, label: ("the planet", "another")}
    assert Check.PAIRED in failing(replace(record, terms=terms))


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"templates": SOUND.templates[:2]}, "A template names a variable|term for every"),
        ({"templates": (*SOUND.templates[:2], Template(0, "spatial", 2))}, "do not connect"),
        ({"templates": (*SOUND.templates[:2], Template(1, "spatial", 9))}, "does not exist"),
        ({"templates": (*SOUND.templates[:2], Template(1, "magic", 3))}, "no skill “magic”"),
        ({"hops": 1}, "There are 2 hops"),
        ({"distractors": 2}, "There are 2 hops, 1 distractor, not"),
        ({"path": (1, 0)}, "The path is not"),
        ({"answer_variable": 0}, "The path is not"),
        ({"pairing_variable": 99}, "The path is not"),
        ({"chosen": "Z"}, "is not one of the choices"),
        ({"terms": {"A": SOUND.terms["A"]}}, "not those of the answer choices"),
        ({"terms": {**SOUND.terms, "A": ("x",)}}, "not have a term for every variable"),
    ],
)
def test_templates_that_form_no_tree_are_found(fields: dict[str, Any], says: str) -> None:
    flags = check(replace(SOUND, **fields), MATRIX, EVERYWHERE)
    assert not any(flag.passed for flag in flags)
    assert any(part in flags[0].evidence for part in says.split("|"))


def test_a_missing_relation_is_found() -> None:
    flags = check(SOUND, MATRIX, Facts(AtLocation=[]))
    assert flags[0].evidence == "The knowledge base has no relation Causes."


@pytest.mark.parametrize(
    "fault",
    [
        lambda: with_term("B", 1, "\x1b[2Jescape"),
        lambda: replace(SOUND, pairing=replace(SOUND.pairing, skill="\x1b[2J")),
        lambda: replace(SOUND, templates=(Template(0, "\x1b[2J", 1),)),
    ],
)
def test_control_characters_in_evidence_are_escaped(fault: Callable[[], Record]) -> None:
    for flag in check(fault(), MATRIX, EVERYWHERE):
        assert "\x1b" not in flag.evidence


@given(structures(6))
@settings(max_examples=80, deadline=None)
def test_conclusions_of_paths_follow_from_the_statements(item: Structure) -> None:
    said = [Claim(f"v{t.source}", t.skill, f"v{t.target}") for t in item.tree.templates]
    derived = consequences(said, MATRIX)
    assert set(said) <= derived.keys()
    for index in range(item.tree.size):
        for end in End:
            for path in paths(item.tree, MATRIX, Pairing(index, end)):
                end_of = path.conclusion(item.tree)
                claim = Claim(f"v{end_of.source}", end_of.skill, f"v{end_of.target}")
                assert claim in derived


def test_consequences_agree_with_reduction_in_every_order() -> None:
    """Two distant templates can be reduced first, which no path does."""
    said = [
        Claim("dog", "type_of", "animal"),
        Claim("animal", "type_of", "being"),
        Claim("being", "requires", "air"),
    ]
    derived = consequences(said, MATRIX)
    assert {claim for claim in derived if claim not in said} == {
        Claim("dog", "type_of", "being"),
        Claim("animal", "requires", "air"),
        Claim("dog", "requires", "air"),
    }
    assert derived[said[0]] is None
    assert derived[Claim("animal", "requires", "air")] is not None


def test_cyclic_statements_terminate() -> None:
    said = [Claim("a", "causal", "b"), Claim("b", "causal", "a"), Claim("c", "causal", "c")]
    assert set(consequences(said, MATRIX)) == set(said)


def test_too_many_consequences_are_an_error() -> None:
    names = [f"t{number}" for number in range(60)]
    said = [Claim(one, skill, two) for skill in MATRIX.skills for one in names for two in names]
    with pytest.raises(ConsequencesError, match="More than 10,000 claims"):
        consequences(said, MATRIX)


def test_every_flag_passes_on_a_knowledge_base_with_senses() -> None:
    knowledge = rich()
    for seed in range(20):
        made = grounded(grounder(knowledge).ground(chain(3, 2), seed=seed))
        assert not failing(record_of(made.instance), knowledge)
