"""A collection of stories: lazily read, searched, found by id."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from core.benchmarks.gita.collection import StoryCollection, open_stories
from core.text.errors import DataError, NotFoundError

CHECKOUT = Path(__file__).resolve().parents[3]
SAMPLES = CHECKOUT / "samples" / "gita"
REAL = CHECKOUT.parent / "shared" / "data" / "gita4calamita"
needs_real = pytest.mark.skipif(
    not REAL.is_dir(), reason="needs the real data: GITA in shared/data/"
)


@pytest.fixture
def samples() -> StoryCollection:
    return open_stories(SAMPLES)


def many(path: Path, families: int) -> Path:
    """Families of a plausible and a cloze story, the cloze stories in a second half."""
    with path.open("w", encoding="utf-8") as handle:
        for kind in ("", "-C0"):
            for i in range(families):
                story: dict[str, Any] = {
                    "story_id": i,
                    "example_id": f"{i}{kind}",
                    "plausible": not kind,
                    "type": "cloze" if kind else None,
                    "actor": "Ada",
                    "location": "città",
                    "sentences": [f"Frase {i}.", "STRASSE", "Perché?", "d", "e"],
                }
                handle.write(json.dumps(story, ensure_ascii=bool(i % 2)) + "\n")
    return path


def test_the_shipped_stories(samples: StoryCollection) -> None:
    assert len(samples) == 300
    assert not samples.errors
    assert not samples.repairs
    assert samples.about.licence == "CC BY 4.0"
    entry = samples.entry(1)
    assert (entry.id, entry.label, entry.detail, entry.group) == (
        "0-O0",
        "Irene · cantina",
        "order",
        "0",
    )
    item = samples.item(1)
    assert [story.key for story in item.family] == ["0", "0-O0", "0-C0"]
    assert item.story is item.family[1]
    assert all(len(samples.item(i).story.gloss) == 5 for i in range(300))


@needs_real
def test_the_release_is_recognised_without_an_about_file() -> None:
    about = open_stories(REAL / "gita.json").about
    assert about.title == "GITA4CALAMITA"
    assert about.licence == "CC BY-NC-SA 4.0"
    assert "Pensa" in about.citation[0]


@needs_real
def test_families_of_the_release() -> None:
    collection = open_stories(REAL / "gita_docs.jsonl")
    families = {
        tuple(story.key for story in collection.item(i).family) for i in range(len(collection))
    }
    assert len(families) == 117
    assert sorted(map(len, families)) == [3] * 112 + [4] * 5
    assert ("81", "81-O0", "81-C0") in families


def test_a_family_is_collected_from_anywhere_in_the_file(tmp_path: Path) -> None:
    collection = open_stories(many(tmp_path / "x.jsonl", 40))
    assert [story.key for story in collection.item(7).family] == ["7", "7-C0"]
    assert [story.key for story in collection.item(47).family] == ["7", "7-C0"]


def test_matching_agrees_with_reading_every_story(tmp_path: Path) -> None:
    collection = open_stories(many(tmp_path / "x.jsonl", 60))
    stories = [collection.item(i).story for i in range(len(collection))]

    def slowly(text: str) -> list[int]:
        matching = []
        for i, story in enumerate(stories):
            parts = (story.key, story.actor, story.location, *story.sentences)
            if any(text.casefold() in part.casefold() for part in parts):
                matching.append(i)
        return matching

    for text in ("frase 1", "FRASE 59.", "straße", "PERCHÉ", "-c0", "ada", "no such", "e"):
        assert list(collection.matching(text)) == slowly(text), text
    assert list(collection.matching("perche\u0301")) == slowly("perché")  # as macOS types it
    assert list(collection.matching("")) == list(range(120))


def test_an_id_is_found_or_the_nearest_ids_are_named(samples: StoryCollection) -> None:
    assert samples.entry(samples.find("13-C0")).id == "13-C0"
    with pytest.raises(NotFoundError) as caught:
        samples.find("13-C9")
    assert "13-C0" in caught.value.hint
    with pytest.raises(NotFoundError):
        samples.find("")


def test_a_released_id_is_found_if_only_one_story_has_it(tmp_path: Path) -> None:
    story = {"story_id": 3, "plausible": True, "sentences": ["a"]}
    path = tmp_path / "x.json"
    inner = {"3": story | {"example_id": "old"}, "3-C0": story | {"example_id": "both"}}
    path.write_text(json.dumps(inner | {"3-C1": story | {"example_id": "both"}}))
    collection = open_stories(path)
    assert collection.find("old") == 0
    with pytest.raises(NotFoundError):
        collection.find("both")


def test_stories_are_read_from_the_opened_file(tmp_path: Path) -> None:
    path = many(tmp_path / "x.jsonl", 10)
    collection = open_stories(path)
    new = many(tmp_path / "y.jsonl", 3)
    new.replace(path)
    assert collection.item(9).story.sentences[0] == "Frase 9."


def test_a_file_cut_short_while_open_is_a_typed_error(tmp_path: Path) -> None:
    path = many(tmp_path / "x.jsonl", 10)
    collection = open_stories(path)
    with path.open("r+b") as handle:
        handle.truncate(100)
    with pytest.raises(DataError) as caught:
        collection.item(19)
    assert caught.value.where == f"{path}:20"


def test_the_index_holds_no_stories(tmp_path: Path) -> None:
    collection = open_stories(many(tmp_path / "x.jsonl", 1500))
    for i in range(len(collection)):
        collection.item(i)
    assert collection._story.cache_info().currsize <= 512


def test_a_folder_without_stories(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    with pytest.raises(DataError) as caught:
        open_stories(tmp_path)
    assert "stories.json" in caught.value.hint


def test_the_hash_depends_on_the_content_and_not_on_the_path(tmp_path: Path) -> None:
    hashes = set()
    for name in ("a.jsonl", "sub/b.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        hashes.add(open_stories(many(path, 3)).content_hash)
        (path.parent / "notes.txt").write_text("no part of the collection")
        hashes.add(open_stories(path).content_hash)
    assert len(hashes) == 1
    assert open_stories(many(tmp_path / "c.jsonl", 4)).content_hash not in hashes


@pytest.mark.parametrize(
    ("name", "text"),
    [("ABOUT.yaml", "title: Mine\n"), ("gloss.json", '{"0": {"sentences": ["one"]}}')],
)
def test_the_hash_covers_the_files_read_beside_the_stories(
    tmp_path: Path, name: str, text: str
) -> None:
    path = many(tmp_path / "x.jsonl", 3)
    without = open_stories(path)
    (tmp_path / name).write_text(text)
    with_it = open_stories(path)
    assert with_it.content_hash != without.content_hash
    (tmp_path / name).unlink()
    # Both still hash what they were opened from.
    assert open_stories(path).content_hash == without.content_hash != with_it.content_hash


def test_the_hash_is_that_of_the_opened_file(tmp_path: Path) -> None:
    path = many(tmp_path / "x.jsonl", 10)
    expected = open_stories(path).content_hash
    collection = open_stories(path)
    many(tmp_path / "y.jsonl", 3).replace(path)
    assert collection.content_hash == expected


@pytest.mark.parametrize("asked_before", [False, True])
def test_a_file_that_was_written_to_has_no_hash(tmp_path: Path, asked_before: bool) -> None:
    path = many(tmp_path / "x.jsonl", 10)
    collection = open_stories(path)
    if asked_before:
        assert collection.content_hash
    with path.open("ab") as handle:
        handle.write(b"\n")
    with pytest.raises(DataError, match="changed since it was opened") as caught:
        _ = collection.content_hash
    assert caught.value.where == str(path)
    assert "Open it again" in caught.value.hint
    assert open_stories(path).content_hash


def test_a_story_can_be_read_while_the_hash_is_computed(tmp_path: Path) -> None:
    collection = open_stories(many(tmp_path / "x.jsonl", 3000))
    expected = open_stories(tmp_path / "x.jsonl").content_hash
    with ThreadPoolExecutor() as pool:
        hashed = pool.submit(lambda: collection.content_hash)
        stories = [collection.item(i).story.key for i in range(0, 6000, 7)]
        assert hashed.result() == expected
    assert stories == [collection.entry(i).id for i in range(0, 6000, 7)]
