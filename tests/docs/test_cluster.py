"""What the page about clusters says of servers."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.runs.store import Store
from tests.cli.support import ok
from tests.models.openai.faulty import Reply, faulty_server


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
