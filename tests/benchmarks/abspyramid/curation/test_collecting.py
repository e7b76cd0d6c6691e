"""Candidates: hypernyms of a verb in its sense, and a model's lists, refused with reasons."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.benchmarks.abspyramid.curation.candidates import (
    FIRST,
    ONLY,
    SCORED,
    TRIES,
    Collector,
    choose_sense,
    shortfall,
)
from core.benchmarks.abspyramid.curation.instances import Instance
from core.benchmarks.abspyramid.curation.prompts import format_list, wordings
from core.benchmarks.abspyramid.tuples import Relation
from core.benchmarks.abspyramid.wordnet import Sense, find_wordnet
from core.contract.question import Form
from core.models.protocol import Ability, ModelInfo
from tests.benchmarks.abspyramid.curation.writing_model import WritingModel

HEAD = "PersonX was gunned down"
GUNNED = Instance(HEAD, Relation.VERB, 12, 18, "gun", "down")
CAT = Instance("a cat slept", Relation.NOUN, 2, 5)
TEN = tuple(f"concept {chr(ord('a') + i)}" for i in range(10))
NO_SCORES = ModelInfo("server", "http", "", frozenset({Ability.GENERATE}))


KNOWN = {
    "gun": [Sense("gun.v.01", "shoot with a gun", ("shoot", "hit", "pip", "Gun"))],
    "chase": [
        Sense("chase.v.01", "go after with the intent to catch", ("pursue", "follow")),
        Sense("chase.v.02", "cut a groove into", ("cut",)),
        Sense("chase.v.03", "pursue someone sexually or romantically, at length", ("act",)),
    ],
    "give up": [Sense("give_up.v.01", "lose or be forced to stop", ())],
}


def few_verbs(verb: str) -> Sequence[Sense]:
    """The senses of three verbs."""
    return KNOWN.get(verb, [])


def collector(model: WritingModel | None, **more: object) -> Collector:
    return Collector(wordings(), few_verbs, model, **more)  # type: ignore[arg-type]


async def test_the_hypernyms_of_a_verb_are_its_concepts() -> None:
    made = await collector(None).collect(GUNNED)
    assert made.concepts == ("shoot", "hit", "pip")
    assert [(r.text, r.reason) for r in made.refused] == [("Gun", "instance")]
    assert made.sense is not None
    assert (made.sense.name, made.sense.how) == ("gun.v.01", ONLY)
    assert (made.negatives, made.answers) == ((), ())


async def test_a_verb_is_looked_up_with_its_particle_first() -> None:
    made = await collector(None).collect(
        Instance("they gave up", Relation.VERB, 5, 9, "give", "up")
    )
    assert made.sense is not None
    assert made.sense.name == "give_up.v.01"


async def test_the_sense_is_the_one_whose_gloss_is_likeliest_a_token() -> None:
    """The test's model gives every gloss one score, so the longest is the likeliest a token."""
    model = WritingModel(lambda prompt: "")
    made = await collector(model).collect(Instance("a cat chased", Relation.VERB, 6, 12, "chase"))
    assert made.sense is not None
    assert (made.sense.name, made.sense.how) == ("chase.v.03", SCORED)
    assert made.concepts == ("act",)
    ((prompt, glosses),) = model.scored
    assert prompt == 'In the sentence "a cat chased," the verb "chased" means to'
    assert glosses[0] == " go after with the intent to catch"


async def test_a_model_that_does_not_score_leaves_the_first_sense() -> None:
    model = WritingModel(lambda prompt: "", NO_SCORES)
    chosen = await choose_sense(KNOWN["chase"], "", model)
    assert chosen is not None
    assert (chosen.sense.name, chosen.how) == ("chase.v.01", FIRST)
    assert model.scored == []
    assert await choose_sense((), "", model) is None


async def test_a_verb_missing_from_wordnet_has_no_concepts() -> None:
    made = await collector(None).collect(Instance("it blorked", Relation.VERB, 3, 10, "blork"))
    assert (made.concepts, made.sense) == ((), None)
    bare = Collector(wordings(), None, None)
    assert (await bare.collect(GUNNED)).concepts == ()


async def test_ten_concepts_and_ten_negatives() -> None:
    others = tuple(text.replace("concept", "thing") for text in TEN)
    model = WritingModel(lambda p: format_list(others if "but not hypernyms" in p[-60:] else TEN))
    made = await collector(model).collect(CAT)
    assert (made.concepts, made.negatives) == (TEN, others)
    assert shortfall(made, negatives=True) == 0
    assert [(a.negative, a.number, a.reason) for a in made.answers] == [
        (False, 1, ""),
        (True, 1, ""),
    ]
    assert made.answers[0].output == format_list(TEN)
    without = await collector(model, negatives=False).collect(CAT)
    assert (without.concepts, without.negatives) == (TEN, ())


async def test_too_few_concepts_are_asked_for_again_with_other_examples() -> None:
    answers = iter(
        ["Cats are animals.", format_list(("animal", "the cat", "pet")), format_list(TEN)]
    )
    model = WritingModel(lambda prompt: next(answers))
    made = await collector(model, negatives=False).collect(CAT)
    assert made.concepts == ("animal", "pet", *TEN[:8])
    assert [(r.text, r.reason) for r in made.refused] == [("the cat", "instance")]
    assert [bool(a.reason) for a in made.answers] == [True, False, False]
    assert len({a.prompt for a in made.answers}) == TRIES
    assert len(set(map(str, model.asked))) == TRIES


async def test_the_list_of_a_worked_example_is_not_taken() -> None:
    example = wordings().of(Relation.NOUN, negative=False).examples[3].answers
    model = WritingModel(lambda prompt: format_list(example))
    made = await collector(model, negatives=False).collect(CAT)
    assert made.concepts == ()
    assert {a.reason for a in made.answers} == {"It is the answer of a worked example."}


async def test_asking_ends_after_the_allowed_tries() -> None:
    model = WritingModel(lambda prompt: format_list(("animal", "animal")))
    made = await collector(model).collect(CAT)
    assert (made.concepts, made.negatives) == (("animal",), ())
    assert len(model.asked) == 2 * TRIES
    assert shortfall(made, negatives=True) == 9 + 10


async def test_a_list_cut_by_the_token_limit_loses_its_last_entry() -> None:
    endless = ", ".join(f"({i}) w{'x' * i}" for i in range(1, 140))
    model = WritingModel(lambda prompt: endless)
    made = await collector(model, negatives=False).collect(CAT)
    assert len(made.concepts) == 10
    assert [a.complete for a in made.answers] == [False]
    assert made.answers[0].reason == ""


async def test_chat_prompts_are_asked_as_turns() -> None:
    model = WritingModel(lambda prompt: format_list(TEN) + "\nI hope this helps!")
    made = await collector(model, form=Form.CHAT, negatives=False).collect(CAT)
    assert made.concepts == TEN
    assert all(isinstance(prompt, tuple) for prompt in model.asked)


async def test_the_verb_of_the_paper_has_its_concept_in_wordnet() -> None:
    """A row of the release: "PersonX was <gunned> down", whose concept "shoot" is valid."""
    wordnet = find_wordnet()
    if wordnet is None:
        pytest.skip("needs WordNet: apt install wordnet-base")
    made = await Collector(wordings(), wordnet.verb_senses, None).collect(GUNNED)
    assert "shoot" in made.concepts
    replied = Instance("replied", Relation.VERB, 0, 7, "reply")
    made = await Collector(wordings(), wordnet.verb_senses, None).collect(replied)
    assert "say" in made.concepts
    assert made.sense is not None
    assert made.sense.gloss == "react verbally"
