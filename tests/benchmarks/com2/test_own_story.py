"""A case with all three tasks of the hard set, made from a person's own detective story."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.benchmarks.com2.benchmark import Com2
from core.benchmarks.com2.documents import read_item
from core.benchmarks.com2.item import HARD_SCENARIOS
from core.benchmarks.com2.questions import ANSWER, question
from core.benchmarks.com2.scenarios import derive
from core.benchmarks.com2.synthesis.one_item import Request
from core.benchmarks.com2.synthesis.own_story import make_from_story, read_own_story
from core.benchmarks.com2.synthesis.pipeline import JOURNAL
from core.benchmarks.com2.synthesis.provenance import Journal, Outcome
from core.benchmarks.com2.synthesis.stages import OWN_CASE as STAGES
from core.benchmarks.com2.synthesis.stages import Make, stage_wording
from core.contract.question import Form
from core.contract.setting import Setting
from core.files.folder_lock import lock_folder
from core.models.openai.client import OpenAIModel
from core.text.errors import ConfigError, DataError
from tests.benchmarks.com2.synthesised import CRIME, NO_CRIME, OWN_CASE, STORY
from tests.models.openai.faulty import FaultyServer, Reply, faulty_server


def replies(*texts: str) -> list[Reply]:
    return [Reply(pieces=(text,)) for text in texts]


async def made(
    server: FaultyServer, folder: Path, story: str = STORY, *, thinking: bool = True
) -> Outcome:
    model = await OpenAIModel.connect(server.url)
    try:
        request = Request(Make.CASE, 1, thinking=thinking)
        return await make_from_story(model, folder, request, story, Form.CHAT, lambda: "now")
    finally:
        await model.close()


async def test_a_story_becomes_a_case_with_the_three_tasks_of_the_hard_set(tmp_path: Path) -> None:
    with faulty_server(*replies(*OWN_CASE)) as server:
        outcome = await made(server, tmp_path)
    assert outcome.accepted, outcome
    item = read_item(tmp_path / "case.yaml")
    assert item.hard
    assert tuple(task.scenario for task in item.tasks) == HARD_SCENARIOS
    decision, intervention, counterfactual = item.tasks
    assert [derive(item, task).gold for task in item.tasks] == [{1, 2}, {1}, {1}]
    texts = {event.id: event.text for event in item.graph.events}
    assert texts[decision.bad] == CRIME[-1]
    assert [texts[event] for event in counterfactual.path] == list(NO_CRIME)
    assert intervention.do == {item.case.clue: True}
    assert all(task.thinking for task in item.tasks)
    opened = Com2().open(tmp_path / "case.yaml")
    for index in range(len(opened)):
        asked = question(opened.item(index), Setting(), ANSWER)
        assert asked is not None
        assert "Crime: The captain's watch vanished in the fog." in asked.text


async def test_every_stage_is_asked_about_the_story_and_recorded(tmp_path: Path) -> None:
    with faulty_server(*replies(*OWN_CASE)) as server:
        await made(server, tmp_path)
    journal = Journal(tmp_path / JOURNAL)
    assert journal.plan is not None
    assert set(journal.plan.wordings) == {stage.value for stage in STAGES}
    attempts = list(journal.attempts())
    assert [attempt.output for attempt in attempts] == list(OWN_CASE)
    assert {attempt.stage for attempt in attempts} == {stage.value for stage in STAGES}
    told = [heard["messages"][-1]["content"] for heard in server.heard]
    asked = [attempt.stage for attempt in attempts]
    assert [stage for stage, text in zip(asked, told, strict=True) if STORY in text] == [
        "criminal",
        "puzzle",
        "case-course",
    ]


async def test_without_thinking_five_replies_are_enough(tmp_path: Path) -> None:
    five = [OWN_CASE[i] for i in (0, 1, 3, 4, 6)]
    with faulty_server(*replies(*five)) as server:
        outcome = await made(server, tmp_path, thinking=False)
    assert outcome.accepted, outcome
    assert not any(task.thinking for task in read_item(tmp_path / "case.yaml").tasks)


async def test_a_stopped_case_goes_on_where_it_was(tmp_path: Path) -> None:
    journal, file = tmp_path / JOURNAL, tmp_path / "case.yaml"
    with faulty_server(*replies(*OWN_CASE, *OWN_CASE[3:])) as server:
        whole = await made(server, tmp_path)
        written = file.read_bytes()
        plan_and_three_replies = journal.read_text("utf-8").splitlines(keepends=True)[:4]
        journal.write_text("".join(plan_and_three_replies), "utf-8")
        file.unlink()
        assert await made(server, tmp_path) == whole
        assert await made(server, tmp_path) == whole
        assert len(server.heard) == 2 * len(OWN_CASE) - 3
        with pytest.raises(ConfigError):
            await made(server, tmp_path, STORY.replace("Tom", "Tim"))
    assert file.read_bytes() == written


async def test_a_case_that_another_program_makes_is_left_alone(tmp_path: Path) -> None:
    with faulty_server(*replies(*OWN_CASE)) as server:
        with lock_folder(tmp_path, ""), pytest.raises(DataError, match="Another program"):
            await made(server, tmp_path)
        assert not list(tmp_path.iterdir())
        assert (await made(server, tmp_path)).accepted


async def test_a_copied_course_of_events_is_rejected(tmp_path: Path) -> None:
    copied = stage_wording(STAGES[3]).examples[0].answer
    with faulty_server(*replies(*OWN_CASE[:3], copied, copied, copied)) as server:
        outcome = await made(server, tmp_path)
    assert (outcome.accepted, outcome.stage) == (False, "case-course")
    assert not (tmp_path / "case.yaml").exists()


@pytest.mark.parametrize("text", ["", "A spoon was gone. Ada took it.", "word " * 2000])
def test_a_story_of_the_wrong_length_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "story.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_own_story(file)
    assert str(file) in str(caught.value.where)
    assert caught.value.hint


def command(*words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-c", "from tui.cli.main import main; main()", "com2", "case", *words]
    return subprocess.run(line, capture_output=True, text=True, timeout=300, check=False)


def test_the_command_makes_a_case_and_tells_a_rejected_one(tmp_path: Path) -> None:
    story = tmp_path / "story.txt"
    story.write_text(STORY, encoding="utf-8")
    with faulty_server(*replies(*OWN_CASE)) as server:
        words = (str(story), "--out", str(tmp_path / "new"), "--model", server.url, "--json")
        found = command(*words)
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout) == {
        "file": str(tmp_path / "new" / "case.yaml"),
        "scenarios": ["decision", "intervention", "counterfactual"],
        "rejected": {},
    }
    # The prompts in it are the person's own; the items take the umask.
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    with faulty_server(*replies("Nobody")) as server:
        words = (str(story), "--out", str(tmp_path / "no"), "--model", server.url, "--tries", "1")
        found = command(*words)
    assert found.returncode == 1, found.stderr
    assert found.stdout.startswith("rejected in criminal: “Nobody” is not in the story.")


def test_a_story_that_is_not_there_is_reported(tmp_path: Path) -> None:
    found = command(str(tmp_path / "none.txt"), "--out", str(tmp_path / "new"))
    assert found.returncode == 2
    assert "none.txt" in found.stderr
    assert "Traceback" not in found.stderr
    assert not (tmp_path / "new").exists()
