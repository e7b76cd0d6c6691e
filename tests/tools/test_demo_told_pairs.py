"""Which words and concepts of the bundled samples the demonstration model was told about."""

from __future__ import annotations

import pytest

from core.files.shipped import samples
from tools.train_demo_model.cases import Case, bundled
from tools.train_demo_model.told_pairs import is_pair, is_told


def asked(word: str, concept: str, part: str = "noun") -> Case:
    text = f"In the sentence PersonX waits, does the meaning of {concept} encompass {word}?"
    return Case("abspyramid", "rung-1", "en", "", text, " ", ("Yes", "No"), 0, part=part)


@pytest.mark.parametrize(
    ("word", "concept"),
    [("spaniel", "dog"), ("spaniels", "animals"), ("old Spaniel", "animal"), ("oak", "organism")],
)
def test_a_pair_is_told_in_any_form_and_over_several_steps(word: str, concept: str) -> None:
    assert is_told(asked(word, concept))


def test_what_no_list_says_is_not_told() -> None:
    assert not is_told(asked("spaniel", "fruit"))
    assert not is_told(asked("zeppelin hangar", "building site"))


def test_an_event_is_no_pair() -> None:
    event = Case("abspyramid", "rung-1", "en", "", "Can we say so?", " ", ("Yes", "No"), 0)
    assert not is_pair(event)
    with pytest.raises(ValueError, match="no noun or verb"):
        is_told(event)


def test_most_true_pairs_of_the_samples_are_told_and_the_card_says_how_many() -> None:
    pairs = [case for case in bundled("abspyramid") if is_pair(case) and case.gold == 0]
    told = sum(map(is_told, pairs))
    card = " ".join((samples() / "models" / "MODEL_CARD.md").read_text("utf-8").split())
    assert f"of their {len(pairs)} true pairs of word and concept training told {told};" in card
