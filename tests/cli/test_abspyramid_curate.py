"""`abspyramid curate` and `abspyramid split`."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest

from core.benchmarks.abspyramid import wordnet
from core.benchmarks.abspyramid.curation.parse import Parse
from core.benchmarks.abspyramid.curation.prompts import format_list
from core.benchmarks.abspyramid.tuple_reader import read_tuples
from core.files.shipped import samples
from tests.benchmarks.abspyramid.curation import parses
from tests.benchmarks.abspyramid.curation.parses import parse, text_of, write_conllu
from tests.cli.support import ok, run, spawn
from tests.models.openai.faulty import Reply, faulty_server

pytest.importorskip("conllu", reason="needs conllu: make install-tests")
EVENTS = (parses.CAT, parses.THEY_DO, parses.WHO_WON, parses.FOOD, parses.SHE_WON, parses.SLEEP)
TEN = format_list(tuple(f"kind {letter}" for letter in "abcdefghij"))


@pytest.fixture
def given(tmp_path: Path) -> tuple[str | Path, ...]:
    """The words that name the events and their parses."""
    return _given(tmp_path, *EVENTS)


@pytest.fixture
def installed() -> None:
    """Skips where there is no WordNet."""
    if wordnet.find_wordnet() is None:
        pytest.skip("needs WordNet: apt install wordnet-base")


def _given(folder: Path, *made: Parse) -> tuple[str | Path, ...]:
    events = folder / "events.txt"
    events.write_text("\n".join(map(text_of, made)), encoding="utf-8")
    return (events, "--parses", write_conllu(folder / "parses.conllu", *made))


def test_curating_without_a_model(
    given: tuple[str | Path, ...], tmp_path: Path, installed: None
) -> None:
    target = tmp_path / "made"
    words = ("abspyramid", "curate", *given, "--no-model", "--out", target)
    found = ok(*words, "--json").json
    assert (found["events"], found["kept"]) == (6, 3)
    assert found["dropped"] == {
        "unparsed": 0,
        "light-verb": 1,
        "relative": 1,
        "stopwords": 1,
        "markup": 0,
        "repeated": 0,
    }
    assert found["instances"] == {"noun": 4, "verb": 3, "event": 3}
    assert found["senses"] == {"first": 3}
    assert found["concepts"]["noun"] == found["concepts"]["event"] == found["missing"] == 0
    tuples = list(read_tuples(target / "tuples.jsonl"))
    assert len(tuples) == found["tuples"] == found["concepts"]["verb"] > 0
    assert {one.instance for one in tuples} <= {"chased", "have", "sleep"}
    assert "rest" in {one.concepts[0] for one in tuples if one.instance == "sleep"}
    again = run(*words)
    assert again.code == 2
    assert "--resume" in again.err
    printed = ok(*words, "--resume").out
    assert "3 of 6 events kept" in printed
    assert "1 dropped: subject and light verb only" in printed
    assert "parsed once only" in printed


def test_curating_with_a_server(given: tuple[str | Path, ...], tmp_path: Path) -> None:
    with faulty_server(Reply(pieces=(TEN,))) as server:
        words = ("abspyramid", "curate", *given, "--model", server.url, "--no-negatives")
        found = ok(*words, "--out", tmp_path / "made", "--json").json
    assert found["concepts"]["noun"] == 40
    assert found["concepts"]["event"] == 30
    assert (found["negatives"], found["missing"], found["unread"]) == (0, 0, 0)
    assert found["senses"].keys() <= {"first", "unknown"}
    asked = server.heard[0]["messages"][-1]["content"]
    assert asked == (
        '11. Given the sentence "a cat chased a mouse into its burrow," what is the list of '
        'hypernyms of "cat?"'
    )


def test_hostile_answers_are_refused_with_reasons(
    given: tuple[str | Path, ...], tmp_path: Path
) -> None:
    hostile = "(1) \x1b[2Jred, (2) <b>, (3) fine thing, (4) " + "long " * 20
    with faulty_server(Reply(pieces=(hostile,))) as server:
        words = ("abspyramid", "curate", *given, "--model", server.url, "--no-negatives")
        ran = ok(*words, "--out", tmp_path / "made")
    assert "\x1b" not in ran.out + ran.err
    assert "refused: markup" in ran.out
    assert "refused: long" in ran.out
    tuples = list(read_tuples(tmp_path / "made" / "tuples.jsonl"))
    assert {t.concepts[0] for t in tuples if t.relation.value != "verb"} == {"fine thing"}


def test_a_killed_curation_resumes(given: tuple[str | Path, ...], tmp_path: Path) -> None:
    # The last reply does not come before the kill, however late that is.
    quick = [Reply(pieces=(TEN,))] * 8
    with faulty_server(*quick, Reply(delay=600)) as server:
        words = ["abspyramid", "curate", *map(str, given), "--model", server.url, "--out"]
        target = tmp_path / "made"
        path = target / "candidates.jsonl"
        with spawn(*words, str(target)) as process:
            while process.poll() is None and not (path.exists() and path.stat().st_size):
                time.sleep(0.05)
            process.send_signal(signal.SIGKILL)
        assert 0 < path.read_bytes().count(b"\n") < 10
        assert not (target / "tuples.jsonl").exists()
        server.replies[:] = [Reply(pieces=(TEN,))]
        ok(*words, str(target), "--resume")
        ok(*words, str(tmp_path / "whole"))
    for name in ("candidates.jsonl", "tuples.jsonl", "cleaned.jsonl", "instances.jsonl"):
        assert (target / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_incomplete_events_are_found_by_parsing_anew(tmp_path: Path) -> None:
    passive = parse(
        "the/the/DET/3/det",
        "norman/norman/ADJ/3/amod",
        "army/army/NOUN/4/nsubj:pass",
        "weakened/weaken/VERB/0/root",
    )
    given = _given(tmp_path, passive, parses.CAT)
    anew = write_conllu(tmp_path / "anew.conllu", parses.NORMAN, parses.CAT)
    words = ("abspyramid", "curate", *given, "--reparses", anew, "--no-model")
    found = ok(*words, "--out", tmp_path / "made", "--json").json
    assert (found["dropped"]["changed"], found["kept"]) == (1, 1)


def test_without_wordnet_it_says_so(
    given: tuple[str | Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wordnet, "FOLDERS", ())
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    monkeypatch.delenv("WNHOME", raising=False)
    ran = ok("abspyramid", "curate", *given, "--no-model", "--out", tmp_path / "made")
    assert "apt install wordnet-base" in ran.err
    assert "3 verbs: not in WordNet" in ran.out


def test_what_is_asked_wrongly(given: tuple[str | Path, ...], tmp_path: Path) -> None:
    events, *named = given
    target = ("--out", tmp_path / "made")
    for words, said in (
        ((events,), "Curating needs the events' parses"),
        ((events, *named, "--model", "demo"), "exclude each other"),
        ((events, "--parser", "stanza"), "no parser “stanza”"),
        ((events, "--parser", "spacy:/tmp"), "spaCy"),
        ((events, "--reparses", named[1]), "--parses"),
        ((tmp_path / "none", *named), "no such file"),
        ((events, "--parses", events), "10 columns"),
    ):
        ran = run("abspyramid", "curate", *words, "--no-model", *target)
        assert ran.code == 2, words
        assert said in ran.err
    assert not (tmp_path / "made").exists()


def test_the_bundled_model_writes_and_is_read_or_refused(tmp_path: Path, demo_model: None) -> None:
    given = _given(tmp_path, parses.SLEEP)
    found = ok(
        *("abspyramid", "curate", *given, "--model", "demo", "--shots", "2"),
        *("--out", tmp_path / "made", "--json"),
    ).json
    assert found["instances"] == {"noun": 0, "verb": 1, "event": 1}
    assert found["concepts"]["event"] + found["negatives"] + found["missing"] == 20
    (_, event) = (tmp_path / "made" / "candidates.jsonl").read_text().splitlines()
    assert all(answer["output"] is not None for answer in json.loads(event)["answers"])


ROWS = [
    {"event": f"<cats> number {i}", "concept": concept, "label": label, "type": "noun"}
    for i in range(20)
    for concept, label in (("animal", 1), ("pet", 0), ("being", 1))
]


def test_splitting_writes_both_tasks_as_they_are_released(tmp_path: Path) -> None:
    path = tmp_path / "labelled.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    words = ("abspyramid", "split", path, "--seed", "5")
    found = ok(*words, "--out", tmp_path / "a", "--json").json
    assert found["detection"]["sets"] == {"noun": {"train": 48, "valid": 6, "test": 6}}
    assert found["generation"]["sets"] == {"noun": {"train": 36, "valid": 2, "test": 2}}
    assert ok("abspyramid", "stats", tmp_path / "a", "--json").json["head_events"] == 20
    path.write_text("\n".join(map(json.dumps, ROWS[::-1])), encoding="utf-8")
    printed = ok(*words, "--out", tmp_path / "b").out
    assert "(80:10:10)" in printed
    assert "48 train, 6 valid, 6 test" in printed
    files = sorted((tmp_path / "a").rglob("*.json"))
    assert len(files) == 12
    for file in files:
        other = tmp_path / "b" / file.relative_to(tmp_path / "a")
        assert file.read_bytes() == other.read_bytes()


def test_the_bundled_tuples_are_split_with_their_references(tmp_path: Path) -> None:
    bundled = samples() / "abspyramid"
    found = ok("abspyramid", "split", bundled, "--out", tmp_path / "a", "--json").json
    sizes = {
        task: sum(n for of in found[task]["sets"].values() for n in of.values())
        for task in ("detection", "generation")
    }
    rows = list(read_tuples(bundled / "Detection"))
    assert sizes["detection"] == len(rows)
    valid = {(t.marked, t.relation, c) for t in rows if t.label for c in t.concepts}
    named = {
        (t.marked, t.relation, c) for t in read_tuples(bundled / "Generation") for c in t.concepts
    }
    assert sizes["generation"] == len(valid | named)
    ran = run("abspyramid", "split", bundled / "Generation", "--out", tmp_path / "b")
    assert ran.code == 2
    assert "--ratios 90:5:5" in ran.err


def test_splitting_one_task_and_what_is_asked_wrongly(tmp_path: Path) -> None:
    path = tmp_path / "labelled.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    words = ("abspyramid", "split", path, "--out", tmp_path / "a")
    ok(*words, "--ratios", "90:5:5")
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["Generation"]
    for more, said in (((), "already"), (("--ratios", "1:1:1"), "80:10:10 (detection)")):
        ran = run(*words, *more)
        assert ran.code == 2
        assert said in ran.err
    rows = [*ROWS[:1], {"event": "<a cat> slept", "concept": "x", "type": "noun"}, *ROWS]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    ran = run("abspyramid", "split", path, "--out", tmp_path / "b")
    assert ran.code == 2
    assert f"{path}:2" in ran.err
    assert not (tmp_path / "b").exists()
