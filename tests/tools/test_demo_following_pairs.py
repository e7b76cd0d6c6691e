"""What the training of the demonstration model says of the bundled samples' words and concepts."""

from __future__ import annotations

import pytest

from tools.train_demo_model.abspyramid import third_person
from tools.train_demo_model.bundled_pairs import ASKED, is_asked_about, is_bundled
from tools.train_demo_model.cases import Case, bundled
from tools.train_demo_model.concepts import LISTS, senses
from tools.train_demo_model.following_pairs import follows, is_pair
from tools.train_demo_model.tokenizer import as_letters, pieces


def asked(word: str, concept: str, part: str = "noun") -> Case:
    text = f"In the sentence PersonX waits, does the meaning of {concept} encompass {word}?"
    return Case("abspyramid", "rung-1", "en", "", text, " ", ("Yes", "No"), 0, part=part)


@pytest.mark.parametrize(
    ("part", "word", "concept"),
    [
        *(("nouns", word, "animal") for word in ("elderly spaniel", "spaniel", "Spaniels")),
        *(("verbs", word, "continue") for word in ("go on", "goes on")),
        ("verbs", "belong", "be owned"),
    ],
)
def test_a_pair_of_the_samples_is_known_in_any_form(part: str, word: str, concept: str) -> None:
    assert is_bundled(part, word, concept)


def test_every_word_of_a_noun_or_verb_of_the_samples_is_asked_about_however_it_is_spelled() -> None:
    questions = [ASKED.search(case.text) for case in bundled("abspyramid") if is_pair(case)]
    words = {word for found in questions if found for word in found["word"].split()}
    assert len(words) > 300
    for word in words - {"of", "on", "up"}:
        for spelled in (word, f" {word}", word.capitalize(), f" {word.upper()}", f"[{word}"):
            assert all(is_asked_about(as_letters(piece)) for piece in pieces(spelled))
    assert not any(map(is_asked_about, ("Ġof", "Ġdinosaur", "Ġencompass", "<|bos|>", "Ā")))


@pytest.mark.parametrize("name", LISTS)
def test_no_pair_of_the_samples_is_told(name: str) -> None:
    part = name.split()[-1]
    pairs = [(word, concept) for word, above in senses(name) for concept in above]
    assert len(pairs) > 600
    assert not [pair for pair in pairs if is_bundled(part, *pair)]
    if part == "verbs":
        said = [(third_person(word), third_person(concept)) for word, concept in pairs]
        assert not [pair for pair in said if is_bundled(part, *pair)]


@pytest.mark.parametrize(
    ("word", "concept"),
    [("spaniel", "dog"), ("spaniels", "animals"), ("old Spaniel", "animal"), ("oak", "organism")],
)
def test_a_pair_follows_in_any_form_and_over_several_steps(word: str, concept: str) -> None:
    assert follows(asked(word, concept))


def test_what_no_list_says_does_not_follow() -> None:
    assert not follows(asked("spaniel", "fruit"))
    assert not follows(asked("zeppelin hangar", "building site"))


def test_an_event_is_no_pair() -> None:
    event = Case("abspyramid", "rung-1", "en", "", "Can we say so?", " ", ("Yes", "No"), 0)
    assert not is_pair(event)
    with pytest.raises(ValueError, match="no noun or verb"):
        follows(event)
