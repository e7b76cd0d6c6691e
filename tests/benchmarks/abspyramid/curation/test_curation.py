"""A whole curation: its files, its figures, killed and gone on with."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import aclosing
from pathlib import Path

import pytest

from core.benchmarks.abspyramid.curation.candidates import Collector
from core.benchmarks.abspyramid.curation.cleaner import Rule
from core.benchmarks.abspyramid.curation.files import CANDIDATES, CLEANED, MANIFEST, TUPLES
from core.benchmarks.abspyramid.curation.parse import Parse
from core.benchmarks.abspyramid.curation.pipeline import (
    Curation,
    curate,
    parses_by_event,
    read_events,
    report,
)
from core.benchmarks.abspyramid.curation.prompts import format_list, wordings
from core.benchmarks.abspyramid.tuple_reader import read_tuples
from core.benchmarks.abspyramid.tuples import Relation
from core.models.protocol import Ability, ModelInfo
from core.text.errors import DataError, ModelError
from tests.benchmarks.abspyramid.curation import parses
from tests.benchmarks.abspyramid.curation.parses import parse, text_of
from tests.benchmarks.abspyramid.curation.test_collecting import few_verbs
from tests.benchmarks.abspyramid.curation.writing_model import WritingModel
from tests.files.room import room_for

EVENTS = (parses.CAT, parses.THEY_DO, parses.WHO_WON, parses.FOOD, parses.SHE_WON, parses.SLEEP)
CAFE = parse("cafés/café/NOUN/2/nsubj", "𝑥-chase/chase/VERB/0/root")


def write(prompt: str) -> str:
    """Ten concepts that are those of the prompt only."""
    word = prompt.rsplit('"', 2)[-2].split()[-1].strip("?")
    kind = "thing" if "but not" in prompt[-80:] else "kind"
    return format_list(tuple(f"{kind} {letter} of {word}" for letter in "abcdefghij"))


def curation(
    made: Iterable[Parse] = EVENTS, model: WritingModel | None = None, **more: object
) -> Curation:
    made = tuple(made)
    collector = Collector(wordings(), few_verbs, model or WritingModel(write), **more)  # type: ignore[arg-type]
    return Curation(tuple(map(text_of, made)), parses_by_event(made), None, collector, "few")


async def done(work: Curation, folder: Path, *, resume: bool = False) -> list[int]:
    return [number async for number in curate(work, folder, resume=resume)]


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


async def test_every_stage_writes_its_file(tmp_path: Path) -> None:
    work = curation()
    count = len(work.instances)
    assert await done(work, tmp_path) == list(range(count + 1))
    assert [line["dropped"] for line in lines(tmp_path / CLEANED)] == [
        None, "light-verb", "relative", None, "stopwords", None,
    ]  # fmt: skip
    assert [line["event"] for line in lines(tmp_path / "instances.jsonl")] == [
        "a <cat> chased a mouse into its burrow",
        "a cat <chased> a mouse into its burrow",
        "a cat chased a <mouse> into its burrow",
        "a cat chased a mouse into its <burrow>",
        "<a cat chased a mouse into its burrow>",
        "PersonX <have> a lot of food",
        "PersonX have a lot of <food>",
        "<PersonX have a lot of food>",
        "PersonX am going to <sleep>",
        "<PersonX am going to sleep>",
    ]
    assert len(lines(tmp_path / CANDIDATES)) == count == 10


async def test_made_tuples_are_read_like_the_release(tmp_path: Path) -> None:
    work = curation((*EVENTS, CAFE))
    await done(work, tmp_path)
    found = list(read_tuples(tmp_path / TUPLES))
    figures = report(work, tmp_path)
    assert len(found) == figures.tuples
    assert {one.label for one in found} == {None}
    assert {one.relation for one in found} == set(Relation)
    assert [one.concepts[0] for one in found if one.instance == "cat"] == [
        f"{kind} {letter} of cat" for kind in ("kind", "thing") for letter in "abcdefghij"
    ]
    chased = [one for one in found if one.instance == "chased"]
    assert [one.concepts[0] for one in chased] == ["act"]
    assert {one.head for one in found} >= {"cafés 𝑥-chase"}
    rows = lines(tmp_path / TUPLES)
    assert {row["source"] for row in rows} == {"model", "negative", "wordnet"}
    assert {row.get("meaning") for row in rows if row["source"] == "wordnet"} == {
        "pursue someone sexually or romantically, at length"
    }


async def test_the_figures_add_up(tmp_path: Path) -> None:
    work = curation()
    await done(work, tmp_path)
    made = report(work, tmp_path)
    assert dict(made.dropped) == {
        Rule.UNPARSED: 0,
        Rule.LIGHT_VERB: 1,
        Rule.RELATIVE: 1,
        Rule.STOPWORDS: 1,
        Rule.MARKUP: 0,
        Rule.REPEATED: 0,
    }
    assert (made.events, made.kept) == (6, 3)
    assert dict(made.instances) == {Relation.NOUN: 4, Relation.VERB: 3, Relation.EVENT: 3}
    assert dict(made.concepts) == {Relation.NOUN: 40, Relation.VERB: 1, Relation.EVENT: 30}
    assert (made.negatives, made.missing, made.unread) == (70, 0, 0)
    assert dict(made.senses) == {"scored": 1, "unknown": 2}
    assert made.tuples == len(lines(tmp_path / TUPLES)) == 141


async def test_a_killed_run_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    await done(curation(), tmp_path / "whole")
    whole = {f.name: f.read_bytes() for f in (tmp_path / "whole").iterdir()}
    body = whole[CANDIDATES]
    for number, cut in enumerate((0, 1, len(body) // 3, body.index(b"\n") + 1, len(body) - 1)):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / MANIFEST).write_bytes(whole[MANIFEST])
        (folder / CANDIDATES).write_bytes(body[:cut])
        model = WritingModel(write)
        await done(curation(model=model), folder, resume=True)
        assert {f.name: f.read_bytes() for f in folder.iterdir()} == whole
        assert (len(model.asked) < 14) == (body[:cut].count(b"\n") > 0)


async def test_two_programs_cannot_write_the_same_curation(tmp_path: Path) -> None:
    async with aclosing(curate(curation(), tmp_path)) as first:
        assert await anext(first) == 0
        with pytest.raises(DataError, match="Another program"):
            await done(curation(), tmp_path, resume=True)
        assert [number async for number in first][-1] == 10
    assert await done(curation(), tmp_path, resume=True) == [10]


async def test_a_failing_model_leaves_what_was_written(tmp_path: Path) -> None:
    count = 0

    def stops(prompt: str) -> str:
        nonlocal count
        count += 1
        if count == 5:
            raise ModelError("The engine ended.")
        return write(prompt)

    with pytest.raises(ModelError):
        await done(curation(model=WritingModel(stops)), tmp_path)
    assert len(lines(tmp_path / CANDIDATES)) == 3
    assert not (tmp_path / TUPLES).exists()
    await done(curation(), tmp_path, resume=True)
    assert len(lines(tmp_path / CANDIDATES)) == 10


async def test_a_curation_whose_last_line_does_not_fit_is_not_called_finished(
    tmp_path: Path,
) -> None:
    await done(curation(), tmp_path / "whole")
    whole = (tmp_path / "whole" / CANDIDATES).read_bytes()
    with room_for(len(whole) - 5), pytest.raises(DataError, match="cannot be written"):
        await done(curation(), tmp_path / "short")
    assert len(lines(tmp_path / "short" / CANDIDATES)) == 9
    await done(curation(), tmp_path / "short", resume=True)
    assert (tmp_path / "short" / CANDIDATES).read_bytes() == whole


async def test_existing_files_are_not_overwritten(tmp_path: Path) -> None:
    await done(curation(), tmp_path)
    before = {f.name: f.read_bytes() for f in tmp_path.iterdir()}
    with pytest.raises(DataError, match="already"):
        await done(curation(), tmp_path)
    other = ModelInfo("other", "x", "f" * 64, frozenset({Ability.GENERATE}))
    for work, said in (
        (curation(EVENTS[:2]), "other events or parses"),
        (curation(seed=1), "another seed"),
        (curation(shots=1), "another number of worked examples"),
        (curation(negatives=False), "another choice of negatives"),
        (curation(model=WritingModel(write, other)), "another model"),
    ):
        with pytest.raises(DataError, match=said):
            await done(work, tmp_path, resume=True)
    assert {f.name: f.read_bytes() for f in tmp_path.iterdir()} == before
    await done(curation(), tmp_path, resume=True)
    assert {f.name: f.read_bytes() for f in tmp_path.iterdir()} == before


async def test_a_person_s_own_file_of_that_name_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / TUPLES).write_text("mine")
    with pytest.raises(DataError, match="belongs to no curation"):
        await done(curation(), tmp_path)
    assert [f.name for f in tmp_path.iterdir()] == [TUPLES]


@pytest.mark.parametrize(
    ("line", "said"), [(b"{}\n", "no candidates"), (b"\xff\n", "no candidates")]
)
async def test_damaged_candidate_files_are_refused(tmp_path: Path, line: bytes, said: str) -> None:
    await done(curation(), tmp_path)
    path = tmp_path / CANDIDATES
    first, second, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + line)
    with pytest.raises(DataError, match=said) as error:
        await done(curation(), tmp_path, resume=True)
    assert error.value.where == f"{path}:2"
    path.write_bytes(second + first + b"".join(rest))
    with pytest.raises(DataError, match="another instance"):
        await done(curation(), tmp_path, resume=True)


async def test_damaged_manifests_are_refused(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text("{")
    with pytest.raises(DataError, match="cannot be read"):
        await done(curation(), tmp_path, resume=True)


async def test_without_a_model_verbs_have_hypernyms(tmp_path: Path) -> None:
    collector = Collector(wordings(), few_verbs, None)
    made = EVENTS[:1]
    work = Curation(tuple(map(text_of, made)), parses_by_event(made), None, collector)
    await done(work, tmp_path)
    figures = report(work, tmp_path)
    assert dict(figures.concepts) == {Relation.NOUN: 0, Relation.VERB: 2, Relation.EVENT: 0}
    assert dict(figures.senses) == {"first": 1}
    assert figures.missing == 0


def test_events_are_lines_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "events.txt"
    path.write_bytes(b"\xef\xbb\xbfa cat slept\r\n\n  dogs bark \n")
    assert read_events(path) == ("a cat slept", "dogs bark")
    for raw, line, said in (
        (b"\n \n", "", "no event"),
        (b"a\n" + b"x" * 1001, ":2", "1,000 characters"),
        (b"a\n\xff", ":2", "UTF-8"),
    ):
        path.write_bytes(raw)
        with pytest.raises(DataError, match=said) as error:
            read_events(path)
        assert error.value.where == f"{path}{line}"
    with pytest.raises(DataError, match="no such file"):
        read_events(tmp_path / "none")


@pytest.mark.parametrize("text", ["", "A text without a line break"])
async def test_candidates_are_written_through_no_link(tmp_path: Path, text: str) -> None:
    precious, folder = tmp_path / "precious.txt", tmp_path / "curation"
    precious.write_text(text)
    await done(curation(), folder)
    (folder / CANDIDATES).unlink()
    (folder / CANDIDATES).symlink_to(precious)
    with pytest.raises(DataError, match="not a regular file"):
        await done(curation(), folder, resume=True)
    assert precious.read_text() == text
