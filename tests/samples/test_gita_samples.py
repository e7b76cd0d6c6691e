"""The bundled Italian stories: released schema, one edit per variant, gold labels, originality."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
import yaml

from core.text.language import LANGUAGES

CHECKOUT = Path(__file__).resolve().parents[2]
FOLDER = CHECKOUT / "samples" / "gita"
REAL = CHECKOUT.parent / "shared" / "data" / "gita4calamita" / "gita.json"

Story = dict[str, Any]
STORIES: dict[str, Story] = json.loads((FOLDER / "stories.json").read_text(encoding="utf-8"))
GLOSS: dict[str, Story] = json.loads((FOLDER / "gloss.json").read_text(encoding="utf-8"))

# GITA4CALAMITA, section 3, with "wearing" for "dressed" as in the released rows.
STATES = {
    "power", "location", "exist", "clean", "edible", "wet", "functional",
    "wearing", "open", "conscious", "temperature", "solid", "occupied", "in pieces",
}  # fmt: skip
FIELD_TYPES: dict[str, type | tuple[type, ...]] = {
    "story_id": int,
    "worker_id": str,
    "type": (str, type(None)),
    "idx": (int, type(None)),
    "aug": bool,
    "actor": str,
    "location": str,
    "objects": str,
    "sentences": list,
    "length": int,
    "example_id": str,
    "plausible": bool,
    "breakpoint": int,
    "confl_sents": list,
    "confl_pairs": list,
    "states": str,
}
# Articles and prepositions (also fused ones): they follow the noun, so they are no part of a frame.
FUNCTION_WORD = re.compile(
    r"il|lo|la|i|gli|le|l|un|uno|una|di|d|a|da|in|con|su|per|tra|fra"
    r"|(?:de|a|da|ne|su)(?:l|llo|lla|ll|i|gli|lle)"
)


def words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.lower())


def stem(word: str) -> str:
    """Singular and plural of a regular Italian noun share everything but the last vowel."""
    return word[:-1] if len(word) > 3 else word


def frame(sentence: str, actor: str, objects: str) -> tuple[str, ...]:
    """What is left of a sentence without its actor, its objects and the words they govern."""
    nouns = {stem(word) for word in words(f"{actor} {objects}")}
    return tuple(
        word
        for word in words(sentence)
        if not FUNCTION_WORD.fullmatch(word) and stem(word) not in nouns
    )


def changed(base: Story, variant: Story) -> list[int]:
    pairs = zip(base["sentences"], variant["sentences"], strict=True)
    return [index for index, (before, after) in enumerate(pairs) if before != after]


FAMILIES: dict[int, dict[str | None, Story]] = defaultdict(dict)
for _story in STORIES.values():
    FAMILIES[_story["story_id"]][_story["type"]] = _story
IMPLAUSIBLE = [key for key, story in STORIES.items() if not story["plausible"]]
VARIANTS = [(number, kind) for number in FAMILIES for kind in ("order", "cloze")]


@pytest.mark.parametrize("key", STORIES)
def test_a_story_has_the_released_schema(key: str) -> None:
    story = STORIES[key]
    assert list(story) == list(FIELD_TYPES)
    for field, kind in FIELD_TYPES.items():
        assert isinstance(story[field], kind), field
    letter = {None: "", "order": "-O0", "cloze": "-C0"}[story["type"]]
    assert story["example_id"] == key == f"{story['story_id']}{letter}"
    assert story["worker_id"] == "CTUI"
    assert story["aug"] is False
    assert story["idx"] == (None if story["type"] is None else 0)
    assert story["plausible"] is (story["type"] is None)
    assert story["states"] in STATES
    assert story["length"] == len(story["sentences"]) == 5


@pytest.mark.parametrize("key", STORIES)
def test_sentences_are_whole_and_distinct_and_name_the_listed_objects(key: str) -> None:
    story = STORIES[key]
    for sentence in story["sentences"]:
        assert sentence == sentence.strip()
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert sentence.count(".") == 1
    assert len(set(story["sentences"])) == 5
    spoken = " ".join(words(" ".join(story["sentences"])))
    for thing in story["objects"].split(", "):
        assert f" {' '.join(words(thing))} " in f" {spoken} ", thing


def test_a_hundred_families_have_all_three_variants() -> None:
    complete = [n for n, family in FAMILIES.items() if set(family) == {None, "order", "cloze"}]
    assert len(complete) == 100
    assert len(STORIES) == 3 * len(complete)


def test_every_state_and_every_sentence_pair_occurs_as_a_conflict() -> None:
    counts = Counter(STORIES[key]["states"] for key in IMPLAUSIBLE)
    assert set(counts) == STATES
    assert min(counts.values()) >= 10
    pairs = {tuple(STORIES[key]["confl_pairs"]) for key in IMPLAUSIBLE}
    assert pairs == set(itertools.combinations(range(5), 2))


@pytest.mark.parametrize("number", FAMILIES)
def test_an_order_story_is_one_swap(number: int) -> None:
    base, order = FAMILIES[number][None], FAMILIES[number]["order"]
    first, second = changed(base, order)
    assert base["sentences"][first] == order["sentences"][second]
    assert base["sentences"][second] == order["sentences"][first]


@pytest.mark.parametrize("number", FAMILIES)
def test_a_cloze_story_is_one_new_sentence(number: int) -> None:
    base, cloze = FAMILIES[number][None], FAMILIES[number]["cloze"]
    (position,) = changed(base, cloze)
    assert cloze["sentences"][position] not in base["sentences"]


@pytest.mark.parametrize(("number", "kind"), VARIANTS)
def test_a_variant_keeps_actor_and_place_and_its_conflict_touches_the_edit(
    number: int, kind: str
) -> None:
    base, variant = FAMILIES[number][None], FAMILIES[number][kind]
    assert (variant["actor"], variant["location"]) == (base["actor"], base["location"])
    assert set(variant["confl_pairs"]) & set(changed(base, variant))


@pytest.mark.parametrize("key", STORIES)
def test_gold_indices_agree(key: str) -> None:
    story = STORIES[key]
    if story["plausible"]:
        assert (story["breakpoint"], story["confl_sents"], story["confl_pairs"]) == (-1, [], [])
        return
    (evidence,) = story["confl_sents"]
    assert 0 <= evidence < story["breakpoint"] <= 4
    assert story["confl_pairs"] == [evidence, story["breakpoint"]]


def test_a_frame_ignores_actor_object_and_article() -> None:
    one = frame("Anna ha aperto la finestra con una chiave.", "Anna", "finestra, chiavi")
    line = "Il fabbro Ugo ha aperto il cassetto con il coltello."
    two = frame(line, "Ugo, fabbro", "cassetto, coltello")
    assert one == two == ("ha", "aperto")
    assert frame("Anna ha chiuso la finestra.", "Anna", "finestra") != one


def test_no_two_families_share_a_sentence_frame() -> None:
    owners: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for story in STORIES.values():
        for sentence in story["sentences"]:
            blanked = frame(sentence, story["actor"], story["objects"])
            assert blanked, sentence
            owners[blanked].add(story["story_id"])
    assert {blanked: ids for blanked, ids in owners.items() if len(ids) > 1} == {}


def test_every_story_has_an_english_gloss() -> None:
    assert list(GLOSS) == list(STORIES)
    for key, gloss in GLOSS.items():
        assert list(gloss) == ["sentences", "why", "whys"], key
        assert len(gloss["sentences"]) == 5, key
        assert all(text.endswith(".") for text in [*gloss["sentences"], gloss["why"]]), key


def test_every_story_has_an_explanation_in_every_language() -> None:
    said: set[str] = set()
    for key, gloss in GLOSS.items():
        assert {"en", *gloss["whys"]} == set(LANGUAGES), key
        for text in (gloss["why"], *gloss["whys"].values()):
            assert text.endswith("."), key
            assert text.count(".") == 1, key
            said.add(text)
    assert len(said) >= len(LANGUAGES) * len(STORIES) * 0.98


@pytest.mark.parametrize("key", STORIES)
def test_the_italian_explanation_speaks_of_its_story(key: str) -> None:
    """It names somebody or something of the sentences, and no person who is not in them."""
    sentences = " ".join(STORIES[key]["sentences"])
    own, theirs = words(GLOSS[key]["whys"]["it"]), {stem(word) for word in words(sentences)}
    assert {stem(word) for word in own if len(word) > 3} & theirs
    inner = re.findall(r"(?<!^)\b[A-Z]\w+", GLOSS[key]["whys"]["it"].replace(": ", " "))
    assert all(name in sentences for name in inner)


def test_one_italian_sentence_has_one_english_sentence_within_a_family() -> None:
    english: dict[tuple[int, str], set[str]] = defaultdict(set)
    for key, story in STORIES.items():
        for ours, theirs in zip(story["sentences"], GLOSS[key]["sentences"], strict=True):
            english[story["story_id"], ours].add(theirs)
    assert all(len(texts) == 1 for texts in english.values())
    assert len({text for texts in english.values() for text in texts}) == len(english)


def test_no_sentence_is_one_of_the_benchmark() -> None:
    if not REAL.exists():
        pytest.skip("needs the real data: GITA4CALAMITA in shared/data/")
    rows: dict[str, Story] = json.loads(REAL.read_text(encoding="utf-8"))
    theirs = {tuple(words(text)) for story in rows.values() for text in story["sentences"]}
    ours = {tuple(words(text)) for story in STORIES.values() for text in story["sentences"]}
    ours |= {tuple(words(text)) for gloss in GLOSS.values() for text in gloss["whys"].values()}
    assert len(theirs) > 500
    assert not ours & theirs


def test_the_collection_says_what_it_is() -> None:
    about = yaml.safe_load((FOLDER / "ABOUT.yaml").read_text(encoding="utf-8"))
    assert about["language"] == "it"
    assert about["licence"] == "CC BY 4.0"
    assert about["origin"] == "written for this program"
    assert "commonsense-tui contributors" in about["citation"][0]
    assert "GITA4CALAMITA" in about["citation"][1]
    assert "LREC-COLING 2024" in about["citation"][2]
    assert "not benchmark rows" in about["note"]
