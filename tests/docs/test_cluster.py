"""What the page about clusters says of servers and of parts of a collection."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.contract import registry
from core.files.shipped import samples
from core.runs.questions import Examples, QuestionSource, layer_questions
from core.runs.shots import RANDOM
from core.runs.store import Store
from tests.cli.support import ok
from tests.models.openai.faulty import Reply, faulty_server

PART = 21
"""Items of the part: the families stay whole."""


@pytest.mark.parametrize(
    ("configured", "options", "at_once"),
    [("", (), 8), ("concurrency: 5", (), 5), ("concurrency: 5", ("--concurrency", "3"), 3)],
)
def test_a_server_is_asked_several_questions_at_once(
    configured: str,
    options: tuple[str, ...],
    at_once: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = tmp_path / "config.yaml"
    own.write_text(configured)
    monkeypatch.setattr("core.files.paths.config", lambda: own)
    store = tmp_path / "runs.sqlite"
    # No answer is given before so many are asked for at once.
    with faulty_server(Reply(pieces=("Answer: true",), company=at_once)) as server:
        command = ("evaluate", "gita", "--model", server.url, "--limit", "12", "--store", store)
        ok(*command, *options)
    assert server.most_at_once == at_once
    with Store(store, create=False) as opened:
        [run] = opened.runs()
    assert run.verdicts == len(server.heard) >= 12


@pytest.mark.parametrize(("shots", "same"), [(0, True), (2, False)])
def test_a_part_asks_what_the_whole_asks_only_without_worked_examples(
    shots: int, same: bool, tmp_path: Path
) -> None:
    gita = registry.load("gita")
    stories = json.loads((samples() / "gita" / "stories.json").read_text(encoding="utf-8"))
    part = tmp_path / "part.json"
    part.write_text(json.dumps(dict(list(stories.items())[:PART])), encoding="utf-8")
    prompts = []
    for path in (part, gita.samples()):
        source = QuestionSource(gita, gita.open(path))
        layer = gita.layers[0]
        asked = layer_questions(source, layer, None, Examples(shots, RANDOM, 1234))
        prompts.append([source.full_question(one, layer).base() for one in asked[:PART]])
    assert len(prompts[0]) == PART
    assert (prompts[0] == prompts[1]) is same
