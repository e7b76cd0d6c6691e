"""Whole runs against a server that answers, fails, lies and breaks off."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from core.benchmarks.com2.collection import open_items
from core.benchmarks.com2.documents import read_item
from core.benchmarks.com2.graph import Fault
from core.benchmarks.com2.scenarios import derive
from core.benchmarks.com2.synthesis.one_item import Request
from core.benchmarks.com2.synthesis.pipeline import JOURNAL, Synthesis, synthesise
from core.benchmarks.com2.synthesis.provenance import Journal, Outcome
from core.benchmarks.com2.synthesis.shots import read_shots
from core.benchmarks.com2.synthesis.stages import Make
from core.contract.question import Form
from core.files.folder_lock import lock_folder
from core.models.openai.client import OpenAIModel
from core.models.openai.requests import Limits
from core.text.errors import ConfigError, DataError, ModelError
from tests.benchmarks.com2.synthesised import ANSWERS, SOUND
from tests.models.openai.faulty import FaultyServer, Reply, faulty_server

EVENTS = Path(__file__).parent / "recorded" / "events.txt"
LIMITS = Limits(tries=2, first_wait=0.01, timeout=60.0)


def replies(*texts: str) -> list[Reply]:
    return [Reply(pieces=(text,)) for text in texts]


async def made(
    server: FaultyServer,
    folder: Path,
    kind: str,
    *,
    count: int = 1,
    tries: int = 3,
    seed: int = 0,
    thinking: bool = True,
) -> tuple[Counter[str], list[Outcome]]:
    model = await OpenAIModel.connect(server.url, limits=LIMITS)
    outcomes: list[Outcome] = []
    make = Make(kind)
    try:
        work = Synthesis(
            model,
            folder,
            Request(make, count, seed, tries, thinking),
            read_shots(EVENTS, make),
            Form.CHAT,
            lambda: "2026-01-01T00:00:00Z",
        )
        return await synthesise(work, outcomes.append), outcomes
    finally:
        await model.close()


@pytest.mark.parametrize("kind", list(Make))
async def test_every_kind_becomes_an_item_whose_answer_follows_from_its_graph(
    kind: str, tmp_path: Path
) -> None:
    with faulty_server(*replies(*ANSWERS[kind])) as server:
        counts, (outcome,) = await made(server, tmp_path, kind)
    assert counts == {"accepted": 1}, outcome
    item = read_item(tmp_path / f"{outcome.item}.yaml")
    (task,) = item.tasks
    stated = ANSWERS[kind][-1].rpartition("Answer: ")[2]
    letters = {"ABCDEF".index(letter) for letter in stated.split(", ")}
    assert derive(item, task).gold == letters
    assert task.thinking.count("Self-Refinement: Wait") == 1
    assert len(open_items(tmp_path)) == 1
    assert len(server.heard) == len(ANSWERS[kind])


async def test_a_transition_graph_marks_its_faults_on_the_links_that_were_named(
    tmp_path: Path,
) -> None:
    with faulty_server(*replies(*ANSWERS["transition"])) as server:
        await made(server, tmp_path, "transition")
    graph = read_item(tmp_path / "transition-0001.yaml").graph
    faults = {(link.cause, link.effect): link.fault for link in graph.links if link.fault}
    assert faults == {("b3", "b4"): Fault.SCENE_DRIFT, ("c2", "c3"): Fault.THRESHOLD_EFFECT}


async def test_a_case_has_another_suspect_until_the_clue_is_found(tmp_path: Path) -> None:
    from core.benchmarks.com2.query import Query
    from core.benchmarks.com2.worlds import world

    with faulty_server(*replies(*ANSWERS["case"])) as server:
        await made(server, tmp_path, "case")
    item = read_item(tmp_path / "case-0001.yaml")
    assert item.case is not None
    without, with_clue = world(item.graph, Query()), world(item.graph, Query(do={"clue": True}))
    assert [without.happens(s) for s in item.case.suspects] == [True, False, False]
    assert [with_clue.happens(s) for s in item.case.suspects] == [False, True, False]


async def test_the_model_is_told_why_its_answer_was_rejected(tmp_path: Path) -> None:
    events, chain, *rest = ANSWERS["direct"]
    short = "\n".join(chain.splitlines()[:4])
    with faulty_server(*replies(events, short, chain, *rest)) as server:
        counts, _ = await made(server, tmp_path, "direct")
    assert counts == {"accepted": 1}
    told = server.heard[2]["messages"][-1]["content"]
    assert "has 4 events; it must have 5 events and 4 links" in told
    assert "has 4 events" not in server.heard[1]["messages"][-1]["content"]
    reasons = [attempt.reason for attempt in Journal(tmp_path / JOURNAL).attempts()]
    assert reasons == ["", "length", "", "", ""]


async def test_replies_that_stay_wrong_are_rejected_and_make_no_item(tmp_path: Path) -> None:
    with faulty_server(*replies(ANSWERS["direct"][0], "I would rather not.")) as server:
        counts, outcomes = await made(server, tmp_path, "direct", count=2, tries=2)
    assert counts == {"chain-direct: unreadable": 2}
    assert [outcome.accepted for outcome in outcomes] == [False, False]
    assert not list(tmp_path.glob("*.yaml"))
    written = [a.output for a in Journal(tmp_path / JOURNAL).attempts()]
    assert written.count("I would rather not.") == 4


async def test_the_same_request_is_made_again_for_a_model_that_samples(tmp_path: Path) -> None:
    events, *rest = ANSWERS["direct"]
    refused = ["I would rather not."] * 2
    with faulty_server(*replies(events, *refused, *rest)) as server:
        counts, _ = await made(server, tmp_path, "direct")
    assert counts == {"accepted": 1}
    heard = [request["messages"] for request in server.heard]
    assert heard[2] == heard[3] != heard[1]


async def test_a_chain_of_the_worked_examples_is_rejected(tmp_path: Path) -> None:
    events, chain, *rest = ANSWERS["direct"]
    copied = chain.replace(SOUND[2], "The neighbours begin to search their gardens")
    with faulty_server(*replies(events, copied, chain, *rest)) as server:
        counts, _ = await made(server, tmp_path, "direct")
    assert counts == {"accepted": 1}
    reasons = [attempt.reason for attempt in Journal(tmp_path / JOURNAL).attempts()]
    assert reasons == ["", "copied", "", "", ""]


async def test_busy_servers_are_retried_and_refusals_are_not(tmp_path: Path) -> None:
    good = replies(*ANSWERS["direct"])
    with faulty_server(Reply(status=503), good[0], Reply(status=429), *good[1:]) as server:
        counts, _ = await made(server, tmp_path / "busy", "direct")
    assert counts == {"accepted": 1}
    assert len(server.heard) == len(good) + 2
    with faulty_server(Reply(status=400, body="no")) as server:
        with pytest.raises(ModelError, match="400"):
            await made(server, tmp_path / "refused", "direct")
        assert len(server.heard) == 1


@pytest.mark.parametrize("fault", [Reply(status=401), Reply(pieces=("1. A",), breaks_off=True)])
async def test_an_interrupted_run_resumes_without_asking_twice(
    fault: Reply, tmp_path: Path
) -> None:
    events, chain, *rest = ANSWERS["direct"]
    with faulty_server(*replies(events, chain), fault) as server:
        with pytest.raises(ModelError):
            await made(server, tmp_path, "direct")
        known = len(list(Journal(tmp_path / JOURNAL).attempts()))
        # It is the same server to the run, whose address is part of what it is.
        server.replies[:] = replies(*rest)
        server.heard.clear()
        counts, _ = await made(server, tmp_path, "direct")
        assert (known, counts) == (2, {"accepted": 1})
        assert len(server.heard) == len(rest)
        server.heard.clear()
        before = (tmp_path / JOURNAL).read_bytes()
        assert (await made(server, tmp_path, "direct"))[0] == {"accepted": 1}
        assert not server.heard
        assert (tmp_path / JOURNAL).read_bytes() == before


async def test_a_run_resumes_from_a_journal_cut_at_any_byte(tmp_path: Path) -> None:
    with faulty_server(*replies(*ANSWERS["direct"])) as server:
        await made(server, tmp_path, "direct")
        whole = (tmp_path / JOURNAL).read_bytes()
        lines = whole.splitlines(keepends=True)
        for kept in range(1, len(lines)):
            (tmp_path / JOURNAL).write_bytes(b"".join(lines[:kept]) + lines[kept][:-1])
            server.replies[:] = replies(*ANSWERS["direct"][kept - 1 :] or ("nothing",))
            assert (await made(server, tmp_path, "direct"))[0] == {"accepted": 1}
            assert (tmp_path / JOURNAL).read_bytes() == whole


async def test_a_folder_refuses_another_run(tmp_path: Path) -> None:
    with faulty_server(*replies(*ANSWERS["direct"])) as server:
        await made(server, tmp_path, "direct")
        with pytest.raises(ConfigError, match="begun with another"):
            await made(server, tmp_path, "direct", seed=1)
        (tmp_path / JOURNAL).write_text('{"type":"plan"}\n')
        with pytest.raises(DataError, match="no provenance"):
            await made(server, tmp_path, "direct")


async def test_a_run_beside_another_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    with faulty_server(*replies(*ANSWERS["direct"])) as server:
        await made(server, tmp_path, "direct")
        cut = (tmp_path / JOURNAL).read_bytes()[:-1]
        (tmp_path / JOURNAL).write_bytes(cut)
        with lock_folder(tmp_path, ""), pytest.raises(DataError, match="Another program"):
            await made(server, tmp_path, "direct")
    assert (tmp_path / JOURNAL).read_bytes() == cut


async def test_no_event_is_a_root_twice_and_every_one_is_in_the_provenance(tmp_path: Path) -> None:
    events, chain, question, thinking = ANSWERS["direct"]
    second = chain.replace(SOUND[0], "A choir loses its scores")
    asked = question.replace(SOUND[0], "A choir loses its scores")
    thought = thinking.replace("a cable car that stops half way", "a choir that loses its scores")
    answers = (events, chain, question, thinking, second, asked, thought)
    with faulty_server(*replies(*answers)) as server:
        counts, _ = await made(server, tmp_path, "direct", count=2)
    assert counts == {"accepted": 2}
    titles = [read_item(tmp_path / f"direct-000{i}.yaml").title for i in (1, 2)]
    assert titles == [SOUND[0], "A choir loses its scores"]
    first, *others = [json.loads(line) for line in (tmp_path / JOURNAL).read_text().splitlines()]
    assert first["type"] == "plan"
    assert first["model"] == "tiny"
    assert all(line["time"] for line in others)
    assert [line["item"] for line in others if line["type"] == "outcome"] == [
        "direct-0001",
        "direct-0002",
    ]


async def test_hostile_events_are_rejected(tmp_path: Path) -> None:
    hostile = "1. \x1b[2J wiped out\n2. " + "long " * 100 + "\n3. \u202eback to front"
    with faulty_server(*replies(hostile)) as server:
        counts, _ = await made(server, tmp_path, "direct", tries=1)
    assert counts == {"events-abstract: text": 1}


async def test_events_of_the_last_request_for_them_are_taken(tmp_path: Path) -> None:
    sound = ANSWERS["direct"]
    with faulty_server(*replies("None comes to mind.", "Nor now.", *sound)) as server:
        counts, _ = await made(server, tmp_path, "direct", tries=1)
    assert counts == {"accepted": 1}


async def test_thinking_is_not_asked_when_not_wanted(tmp_path: Path) -> None:
    *needed, _ = ANSWERS["direct"]
    with faulty_server(*replies(*needed)) as server:
        counts, _ = await made(server, tmp_path, "direct", thinking=False)
        assert len(server.heard) == len(needed)
    assert counts == {"accepted": 1}
    assert read_item(tmp_path / "direct-0001.yaml").tasks[0].thinking == ""


async def test_the_provenance_is_written_through_no_link(tmp_path: Path) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("A text without a line break")
    for name, target in (("erased", precious), ("made", tmp_path / "nothing")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / JOURNAL).symlink_to(target)
        with faulty_server() as server:
            with pytest.raises(DataError, match="not a regular file"):
                await made(server, folder, "direct")
            assert not server.heard
    assert precious.read_text() == "A text without a line break"
    assert not (tmp_path / "nothing").exists()
