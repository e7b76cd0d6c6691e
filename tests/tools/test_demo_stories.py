"""The generated stories: one conflict or none, all states and pairs, nothing from the samples."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.train_demo_model.gguf_file import read_record
from tools.train_demo_model.lexicon import STATE_NAMES, load_lexicon
from tools.train_demo_model.stories import STATES, Story, StoryWriter
from tools.train_demo_model.stream import (
    checksum,
    normalised,
    sample_sentences,
    training_sentences,
    training_story,
    unseen_stories,
)
from tools.train_demo_model.world import links

SAMPLES = Path(__file__).parents[2] / "samples"
SEED = 5


@pytest.fixture(scope="module")
def stories() -> list[Story]:
    """Of those that are generated; what is written by hand has tests of its own."""
    writers = (StoryWriter(load_lexicon(), Random(f"{SEED} {number}")) for number in range(900))
    return [writer.write(number % 2 == 0) for number, writer in enumerate(writers)]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), plausible=st.booleans(), state=st.sampled_from(STATES))
def test_a_story_has_its_declared_conflict(seed: int, plausible: bool, state: str) -> None:
    story = StoryWriter(load_lexicon(), Random(seed)).write(plausible, state)
    conflicts = [link for link in links(story.effects) if not link.holds]
    assert len(story.sentences) == 5
    if plausible:
        assert (conflicts, story.pair, story.state) == ([], None, None)
    else:
        (conflict,) = conflicts
        (source,) = conflict.sources
        assert story.pair == (source, conflict.later)
        assert story.state == state == STATE_NAMES.get(conflict.attribute, conflict.attribute)


def test_half_of_the_stories_are_plausible(stories: list[Story]) -> None:
    assert sum(story.plausible for story in stories) == len(stories) / 2


def test_all_states_pairs_and_operations_occur(stories: list[Story]) -> None:
    bad = [story for story in stories if not story.plausible]
    states = Counter(story.state for story in bad)
    assert set(states) == set(STATES)
    assert min(states.values()) > len(bad) / len(STATES) / 3
    assert {story.pair for story in bad} == set(combinations(range(5), 2))
    for group in (bad, [story for story in stories if story.plausible]):
        operations = Counter(story.operation for story in group)
        assert min(operations["order"], operations["cloze"]) > len(group) / 5


def test_every_state_has_many_objects_or_is_about_people() -> None:
    objects: Counter[str] = Counter()
    for family in load_lexicon().families:
        for attribute in family.states:
            objects[STATE_NAMES.get(attribute, attribute)] += len(family.entries)
    assert {state for state in STATES if objects[state] < 15} == {"conscious"}
    assert len(load_lexicon().actors) > 100


def test_no_placeholder_or_doubled_space_is_left(stories: list[Story]) -> None:
    for story in stories:
        for sentence in story.sentences:
            assert sentence[0].isupper()
            assert sentence.endswith(".")
            assert not {"{", "}", "/", "|", ":", "="} & set(sentence)
            assert "  " not in sentence
            assert "' " not in sentence.replace("po' ", "")


def test_training_never_uses_the_frames_kept_for_measuring(stories: list[Story]) -> None:
    assert not any(any(story.new_frames) for story in stories)
    unseen = list(unseen_stories(SEED, 60, new_frames=True))
    for story in unseen:
        assert sum(story.new_frames) >= 2
        assert all(story.new_frames[position] for position in story.pair or ())
    said = {normalised(text) for story in stories for text in story.sentences}
    kept = {
        normalised(text)
        for story in unseen
        for text, new in zip(story.sentences, story.new_frames, strict=True)
        if new
    }
    assert not said & kept


def test_measuring_stories_are_not_training_stories(stories: list[Story]) -> None:
    trained = {story.sentences for story in stories}
    assert not any(story.sentences in trained for story in unseen_stories(SEED, 100, False))


def test_the_stream_repeats_itself() -> None:
    assert list(training_sentences(SEED, 40)) == list(training_sentences(SEED, 40))
    assert list(training_sentences(SEED, 40)) != list(training_sentences(SEED + 1, 40))


def test_blocked_sentences_disappear_and_nothing_else_changes() -> None:
    free = [training_story(SEED, index) for index in range(60)]
    victim = free[7]
    assert victim is not None
    blocked = frozenset({normalised(victim.sentences[2].upper())})
    again = [training_story(SEED, index, blocked) for index in range(60)]
    for before, after in zip(free, again, strict=True):
        assert before is not None
        hit = any(normalised(text) in blocked for text in before.sentences)
        assert after == (None if hit else before)
    assert again[7] is None


def test_sample_sentences_are_read_from_json_and_json_lines(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"0": {"sentences": ["Anna  ride.", "Ciao!"]}}))
    (tmp_path / "b.jsonl").write_text('{"sentences": ["È tardi."]}\n\n{"other": ["no"]}\n')
    assert sample_sentences(tmp_path) == {"anna ride", "ciao", "è tardi"}
    assert sample_sentences(tmp_path / "absent") == frozenset()


def test_no_sample_sentence_is_in_the_stream_of_the_bundled_model() -> None:
    """The file says which sentences were left out of its training stories.

    When these are the sentences of today's samples nothing is left to check. Otherwise a slice of
    the unfiltered stream must be free of them; `check_stream` replays the whole.
    """
    record = read_record(SAMPLES / "models" / "demo-q8_0.gguf")
    blocked = sample_sentences(SAMPLES)
    assert blocked
    if checksum(blocked) != record.blocked_checksum:
        said = {normalised(text) for text in training_sentences(record.seed, 3000)}
        assert not said & blocked
