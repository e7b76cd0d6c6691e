"""Making stories: the steps, the draft, and the file they are saved to."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.benchmarks.gita.author import StoryAuthor
from core.benchmarks.gita.collection import open_stories
from core.benchmarks.gita.item import PAIRS, STATES, Kind, Story
from core.contract.setting import Choice
from core.contract.view import Note, Role, Statements
from core.files.lock_file import held
from core.text.errors import DataError, SettingError

BLOCK = "Ada apre il forno. Ada inforna la torta. Ada chiude il forno! Aspetta. La torta è cotta."
ANSWERS = {
    "actor": "Ada",
    "location": "cucina",
    "objects": "forno, torta",
    "s0": BLOCK,
    "order_variant": "yes",
    "order": "1,0,2,3,4",
    "order_pair": "0,1",
    "order_state": "open",
    "cloze_variant": "yes",
    "cloze_sentence": "0",
    "cloze_text": "Ada chiude il forno.",
    "cloze_pair": "0,1",
    "cloze_state": "open",
}


def stories(path: Path) -> list[Story]:
    collection = open_stories(path)
    assert not collection.errors
    assert not collection.repairs
    return [collection.item(i).story for i in range(len(collection))]


def answer_steps(answers: dict[str, str], wanted: dict[str, str]) -> list[str]:
    """Answer every step from `wanted`; return the keys of the steps in order."""
    asked = []
    while (step := StoryAuthor().next_step(answers)) is not None:
        assert step.help
        asked.append(step.switch.key)
        answers[step.switch.key] = step.switch.parse(wanted[step.switch.key])
        assert len(asked) < 40
    return asked


def test_the_steps_follow_the_annotation() -> None:
    singles = dict(zip(["s0", "s1", "s2", "s3", "s4"], ["A.", "B.", "C.", "D.", "E."], strict=True))
    asked = answer_steps({}, ANSWERS | singles)
    assert asked == [
        *("actor", "location", "objects", "s0", "s1", "s2", "s3", "s4"),
        *("order_variant", "order", "order_pair", "order_state"),
        *("cloze_variant", "cloze_sentence", "cloze_text", "cloze_pair", "cloze_state"),
    ]


def test_a_pasted_block_fills_all_five_sentences() -> None:
    assert "s1" not in answer_steps({}, ANSWERS)
    by_lines = ANSWERS | {"s0": "A\nB\n\nC\nD\nE"}
    block = StoryAuthor().preview(by_lines).sections[0]
    assert isinstance(block, Statements)
    assert [s.text for s in block.statements] == list("ABCDE")


def test_a_first_sentence_with_two_ends_is_one_sentence() -> None:
    step = StoryAuthor().next_step({**ANSWERS, "s0": "Ada dice: ciao! Poi esce."})
    assert step is not None
    assert step.switch.key == "s1"


def test_variants_may_be_skipped(tmp_path: Path) -> None:
    answers: dict[str, str] = {}
    asked = answer_steps(answers, ANSWERS | {"order_variant": "no", "cloze_variant": "no"})
    assert asked[-2:] == ["order_variant", "cloze_variant"]
    assert StoryAuthor().save(answers, tmp_path / "x.json") == ("0",)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("order", "0,1,2,3,4"),
        ("order", "0,1"),
        ("order_pair", "1,0"),
        ("order_pair", "2,3"),
        ("cloze_pair", "1,4"),
        ("cloze_text", "Ada apre il forno."),
        ("cloze_state", "happy"),
        ("actor", " "),
    ],
)
def test_an_invalid_answer_is_asked_again(key: str, value: str) -> None:
    step = StoryAuthor().next_step(ANSWERS | {key: value})
    assert step is not None
    assert step.switch.key == key


@pytest.mark.parametrize(
    ("changes", "allowed"),
    [
        ({"cloze_sentence": "3"}, {(0, 3), (1, 3), (2, 3), (3, 4)}),
        ({"order": "0,3,2,1,4"}, {(0, 1), (0, 3), (1, 2), (1, 3), (1, 4), (2, 3), (3, 4)}),
    ],
    ids=["cloze", "order"],
)
def test_a_conflict_pair_without_a_changed_sentence_is_refused_with_the_reason(
    changes: dict[str, str], allowed: set[tuple[int, int]]
) -> None:
    key = "order_pair" if "order" in changes else "cloze_pair"
    taken = set()
    for pair in PAIRS:
        answers = ANSWERS | changes | {"cloze_text": "Ada esce."}
        answers |= {"order_pair": "1,2"} if key == "cloze_pair" else {"cloze_pair": "0,1"}
        answers |= {"order": "0,2,1,3,4"} if key == "cloze_pair" else {}
        step = StoryAuthor().next_step(answers | {key: f"{pair[0]},{pair[1]}"})
        if step is None:
            taken.add(pair)
            continue
        assert step.switch.key == key
        assert "plausible story" in step.problem
        assert "Choose a pair with" in step.problem
    assert taken == allowed


def test_moved_sentences_with_equal_words_count_as_changed() -> None:
    same = ANSWERS | {"s0": "A\nA\nC\nD\nE", "order": "1,0,2,3,4", "cloze_text": "B"}
    assert StoryAuthor().next_step(same) is None


def test_the_released_conflict_pairs_are_valid_answers(shared_data: Path) -> None:
    """The rule is the release's own, wherever a variant is the swap or replacement that it says."""
    collection = open_stories(shared_data / "gita4calamita" / "gita.json")
    counted, refused = 0, set()
    for i in range(len(collection)):
        item = collection.item(i)
        story = item.story
        base = next(member for member in item.family if member.kind is Kind.PLAUSIBLE)
        if story.conflict is None or story.breakpoint is None:
            continue
        both = zip(base.sentences, story.sentences, strict=True)
        differ = {n for n, (one, other) in enumerate(both) if one != other}
        swapped = sorted(base.sentences) == sorted(story.sentences)
        replaced = len(differ) == 1 and story.kind is Kind.CLOZE
        if not differ or not (swapped or replaced):
            continue
        answers = ANSWERS | {f"s{n}": text for n, text in enumerate(base.sentences)}
        pair = f"{story.conflict},{story.breakpoint}"
        if swapped:
            order = [base.sentences.index(text) for text in story.sentences]
            answers |= {"order": ",".join(map(str, order)), "order_pair": pair}
        else:
            (place,) = differ
            answers |= {"cloze_sentence": str(place), "cloze_text": story.sentences[place]}
            answers |= {"cloze_pair": pair}
        step = StoryAuthor().next_step(answers)
        if step is not None and step.switch.key.endswith("_pair"):
            refused.add(story.key)
        counted += 1
    assert counted > 200
    # Two released cloze stories are annotated with sentences that both stand as they did.
    assert refused == {"10-C0", "68-C0"}


def test_fourteen_states_and_ten_pairs_are_offered() -> None:
    answers = {k: v for k, v in ANSWERS.items() if not k.startswith("cloze")}
    for key, count in (("order_pair", 10), ("order_state", 14)):
        step = StoryAuthor().next_step({k: v for k, v in answers.items() if k != key})
        assert step is not None
        assert isinstance(step.switch, Choice)
        assert len(set(step.switch.values)) == count


def test_the_preview_marks_the_pair_and_explains_the_next_step() -> None:
    done = StoryAuthor().preview(ANSWERS)
    titles = [section.title for section in done.sections if isinstance(section, Statements)]
    assert titles == ["Plausible story", "Order variant", "Cloze variant"]
    order = done.sections[1]
    assert isinstance(order, Statements)
    assert [s.role for s in order.statements[:3]] == [Role.CAUSE, Role.BREAK, Role.PLAIN]
    assert [(link.source, link.target, link.label) for link in order.links] == [
        (order.statements[0].id, order.statements[1].id, "open")
    ]
    empty = StoryAuthor().preview({})
    assert [type(section) for section in empty.sections] == [Note]


def test_saved_stories_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "x.json"
    assert StoryAuthor().save(ANSWERS, path) == ("0", "0-O0", "0-C0")
    plausible, order, cloze = stories(path)
    assert plausible.plausible
    assert plausible.conflict is None
    assert plausible.sentences[2] == "Ada chiude il forno!"
    assert order.sentences[:2] == ("Ada inforna la torta.", "Ada apre il forno.")
    assert cloze.sentences[0] == "Ada chiude il forno."
    for story in (order, cloze):
        assert (story.conflict, story.breakpoint, story.state) == (0, 1, "open")
        assert story.raw["confl_pairs"] == [0, 1]
        assert story.type == story.kind.value
    assert plausible.raw["objects"] == "forno, torta"


words = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=30)
sentence = words.map(lambda text: " ".join(text.split())).filter(bool)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(sentence, min_size=5, max_size=5, unique=True),
    st.permutations(range(5)).filter(lambda order: order != list(range(5))),
    st.sampled_from(STATES),
    sentence,
    st.sampled_from([".json", ".jsonl"]),
)
def test_any_finished_draft_is_read_back(
    tmp_path: Path, texts: list[str], order: list[int], state: str, new: str, suffix: str
) -> None:
    path = tmp_path / f"x{suffix}"
    path.unlink(missing_ok=True)
    answers = ANSWERS | {f"s{i}": text for i, text in enumerate(texts)}
    moved_place = next(place for place, origin in enumerate(order) if place != origin)
    answers |= {"order": ",".join(map(str, order)), "order_state": state}
    answers |= {"order_pair": f"{moved_place},4" if moved_place < 4 else "3,4"}
    answers |= {"cloze_text": f"{new} altro" if new in texts else new}
    if StoryAuthor().next_step(answers) is not None:
        return
    for count in (1, 2):
        StoryAuthor().save(answers, path)
        saved = stories(path)
        assert len(saved) == 3 * count
    assert [story.story_id for story in saved] == [0, 0, 0, 1, 1, 1]
    plausible, moved, _ = saved[3:]
    assert tuple(plausible.sentences[i] for i in order) == moved.sentences
    assert moved.kind is Kind.ORDER
    assert moved.state == state


def story(**fields: Any) -> dict[str, Any]:
    return {"story_id": 6, "example_id": "6", "sentences": ["a", "b"], "plausible": True} | fields


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.json", json.dumps({"6": story(extra=[1.0, None])}, indent=1)),
        ("x.json", json.dumps([story(), story(example_id="6-C0")])),
        ("x.json", '{"6": %s, "6": %s}\n\n' % ((json.dumps(story()),) * 2)),
        ("x.jsonl", json.dumps(story()) + "\n" + json.dumps(story(example_id="6-C0"))),
    ],
    ids=["object", "list", "repeated key", "lines"],
)
def test_saving_keeps_the_stories_of_the_file_byte_for_byte(
    tmp_path: Path, name: str, content: str
) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    path.chmod(0o640)
    before = open_stories(path)
    raws = [before.item(i).story.raw for i in range(len(before))]
    assert StoryAuthor().save(ANSWERS, path) == ("7", "7-O0", "7-C0")
    assert path.read_text(encoding="utf-8").startswith(content.rstrip()[:-1].rstrip())
    after = open_stories(path)
    assert [after.item(i).story.raw for i in range(len(raws))] == raws
    assert len(after) == len(raws) + 3
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.json", b""),
        ("x.json", b"{}"),
        ("x.json", b"my diary"),
        ("x.json", b'{"6": {"sentences": 5}, "7": %s}' % json.dumps(story()).encode()),
        ("x.json", b'{"test": {"6": %s}}' % json.dumps(story()).encode()),
        ("x.json", json.dumps(story()).encode()),
        ("x.jsonl", b'{"doc_id": 0, "doc": %s}\n' % json.dumps(story()).encode() * 2),
    ],
    ids=["empty", "no story", "no JSON", "bad story", "splits", "single story", "harness log"],
)
def test_a_file_without_stories_is_refused_and_unchanged(
    tmp_path: Path, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError):
        StoryAuthor().save(ANSWERS, path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_an_unfinished_draft_is_not_saved(tmp_path: Path) -> None:
    unfinished = {k: v for k, v in ANSWERS.items() if k != "order_state"}
    with pytest.raises(SettingError) as caught:
        StoryAuthor().save(unfinished, tmp_path / "x.json")
    assert caught.value.where == "order_state"
    assert not list(tmp_path.iterdir())


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        StoryAuthor().save(ANSWERS, tmp_path)


def test_half_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError):
        StoryAuthor().save(ANSWERS | {"actor": "\ud800"}, tmp_path / "x.json")
    assert not list(tmp_path.iterdir())


def test_saving_through_a_symbolic_link_keeps_the_link(tmp_path: Path) -> None:
    target = tmp_path / "real.json"
    StoryAuthor().save(ANSWERS, target)
    link = tmp_path / "link.json"
    link.symlink_to(target)
    StoryAuthor().save(ANSWERS, link)
    assert link.is_symlink()
    assert len(stories(target)) == 6


def test_stories_that_are_saved_at_once_are_all_there(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    with ThreadPoolExecutor(3) as pool:
        saved = list(pool.map(lambda _: StoryAuthor().save(ANSWERS, path), range(15)))
    assert sorted(key for keys in saved for key in keys) == sorted(
        story.example_id for story in stories(path)
    )
    assert len(stories(path)) == 45
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_being_written_for_long_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.benchmarks.gita.story_writer._PATIENCE", 0.1)
    with held(tmp_path / ".own.json.lock"), pytest.raises(DataError, match="Another program"):
        StoryAuthor().save(ANSWERS, tmp_path / "own.json")
    StoryAuthor().save(ANSWERS, tmp_path / "own.json")


def test_stories_are_written_through_no_link_whose_name_can_be_guessed(tmp_path: Path) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("A precious text")
    (tmp_path / f".own-{os.getpid()}.json").symlink_to(precious)
    StoryAuthor().save(ANSWERS, tmp_path / "own.json")
    assert precious.read_text() == "A precious text"
    assert not (tmp_path / "own.json").is_symlink()
