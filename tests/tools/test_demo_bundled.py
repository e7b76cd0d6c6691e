"""The bundled model file and its card, measured through llama.cpp."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.contract.registry import load, open_collection
from core.contract.setting import Setting
from tools.train_demo_model.cases import bundled, of_row, of_story
from tools.train_demo_model.evaluate import ROOT, answered
from tools.train_demo_model.figures import FEWEST
from tools.train_demo_model.following_pairs import follows, is_pair
from tools.train_demo_model.gguf_file import read_record
from tools.train_demo_model.prompts import CHOICES, LAYERS, prompt
from tools.train_demo_model.scoring import Scorer
from tools.train_demo_model.stream import unseen_stories
from tools.train_demo_model.tasks import KINDS, unseen

WORDS = [
    "In the",
    " tenth",
    " thetenth",
    " t",
    "t",
    " ",
    "  ",
    "Ġt",
    "\n",
    " zyzzyva",
    " Suppose",
    ".",
]
MODELS = Path(__file__).parents[2] / "samples" / "models"
TEMPLATE = ROOT / "tools" / "train_demo_model" / "card.md"
BUNDLED = MODELS / "demo-q8_0.gguf"


def test_the_bundled_model_is_small_and_has_room() -> None:
    assert BUNDLED.stat().st_size <= 15_000_000
    with Scorer(BUNDLED, positions=16) as scorer:
        assert scorer.trained_context >= 2048


@pytest.mark.parametrize(
    ("count", "least", "least_explained"),
    [(40, 25, 7), pytest.param(120, 71, 20, marks=pytest.mark.slow)],
)
def test_the_bundled_model_beats_chance_on_unseen_stories(
    count: int, least: int, least_explained: int
) -> None:
    """New stories; so many right by guessing have a probability of about 0.08 and 0.03."""
    stories = list(unseen_stories(4242, count, new_frames=False))
    with Scorer(BUNDLED) as scorer:
        answers = [answered(scorer, case) for story in stories for case in of_story(story, "")]
    right = Counter(answer.case.layer for answer in answers if answer.right)
    assert right["story_class"] >= least
    assert right["physical_state"] >= least_explained


@pytest.mark.parametrize(
    ("benchmark", "kind", "least"),
    [
        ("accord", "bare", 22),
        ("accord", "hop-1", 22),
        ("accord", "hop-2", 22),
        ("com2", "link", 41),
        ("abspyramid", "noun", 41),
        ("abspyramid", "everyday-noun", 38),
        ("abspyramid", "everyday-verb", 38),
        ("abspyramid", "event", 41),
    ],
)
def test_the_bundled_model_beats_chance_on_unseen_prompts(
    benchmark: str, kind: str, least: int
) -> None:
    """60 new prompts; so many right by guessing have a probability below 0.03."""
    write = next(one for one in KINDS[benchmark] if one.name == kind).write
    cases = [of_row(asked, kind) for asked in unseen(4242, kind, 60, write)]
    with Scorer(BUNDLED) as scorer:
        assert sum(answered(scorer, case).right for case in cases) >= least


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=60) | st.lists(st.sampled_from(WORDS)).map("".join))
def test_tokens_of_any_text_stand_for_that_text(text: str) -> None:
    """A merge whose result is no token once took the blank of " tenth" away."""
    if not hasattr(test_tokens_of_any_text_stand_for_that_text, "scorer"):
        test_tokens_of_any_text_stand_for_that_text.scorer = Scorer(BUNDLED, 16)  # type: ignore[attr-defined]
    scorer = test_tokens_of_any_text_stand_for_that_text.scorer  # type: ignore[attr-defined]
    assert scorer.text(scorer.tokens(text)) == text


def test_the_model_card_belongs_to_the_bundled_file() -> None:
    text = (MODELS / "MODEL_CARD.md").read_text(encoding="utf-8")
    record = read_record(BUNDLED)
    assert f"{record.parameters:,}" in text
    assert f"--steps {record.steps} --seed {record.seed} --schedule {record.schedule}" in text
    assert f"{record.forgotten:,} tokens, every spelling" in text
    assert "demonstration, not a result" in text
    shares = re.findall(r"(\d\.\d{3}) \[(\d\.\d{3}), (\d\.\d{3})\]", text)
    assert len(shares) > 60
    assert all(float(low) <= float(value) <= float(high) for value, low, high in shares)


def test_the_model_card_counts_the_pairs_that_follow_from_what_training_tells() -> None:
    pairs = [case for case in bundled("abspyramid") if is_pair(case) and case.gold == 0]
    card = " ".join((MODELS / "MODEL_CARD.md").read_text(encoding="utf-8").split())
    assert f"Of their {len(pairs)} true pairs {sum(map(follows, pairs))} follow" in card


def test_the_model_card_says_what_has_no_row() -> None:
    com2 = load("com2")
    collection = open_collection(com2, com2.samples())
    asked = [
        com2.question(collection.item(index), Setting(), "answer")
        for index in range(len(collection))
    ]
    several = sum(question is not None and question.multiple for question in asked)
    record = read_record(BUNDLED)
    card = " ".join((MODELS / "MODEL_CARD.md").read_text(encoding="utf-8").split())
    template = " ".join(TEMPLATE.read_text(encoding="utf-8").split())
    for text, blocked in ((card, str(record.blocked)), (template, "{blocked}")):
        assert f"fewer than {FEWEST} cases" in text
        assert f"the {several} bundled decisions of Com²" in text
        assert f"{blocked} sentences that the bundled stories had at the time of training" in text


def test_choices_of_a_layer_do_not_change_the_prompts_tokens() -> None:
    with Scorer(BUNDLED) as scorer:
        for story in unseen_stories(8, 3, new_frames=True):
            for layer in LAYERS:
                text = prompt(layer, story.sentences)
                scores = scorer.log_likelihoods(text, CHOICES[layer])
                assert len(scores) == len(CHOICES[layer])
                assert max(scores) < 0
