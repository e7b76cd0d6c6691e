"""`com2 synthesise` on the command line, with the bundled model and with a server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.benchmarks.com2.documents import read_item
from core.benchmarks.com2.synthesis.pipeline import JOURNAL
from core.benchmarks.com2.synthesis.provenance import Journal
from tests.benchmarks.com2.synthesised import ANSWERS
from tests.models.openai.faulty import Reply, faulty_server

EVENTS = Path(__file__).parent / "recorded" / "events.txt"


def command(*words: str) -> subprocess.CompletedProcess[str]:
    line = [
        sys.executable,
        "-c",
        "from tui.cli.main import main; main()",
        "com2",
        "synthesise",
        *words,
    ]
    return subprocess.run(line, capture_output=True, text=True, timeout=300, check=False)


def test_a_server_makes_an_item(tmp_path: Path) -> None:
    answers = [Reply(pieces=(text,)) for text in ANSWERS["direct"]]
    with faulty_server(*answers) as server:
        found = command(
            *("--model", server.url, "--out", str(tmp_path), "--kind", "direct"),
            *("--n", "1", "--shots", str(EVENTS), "--json"),
        )
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout) == {"folder": str(tmp_path), "accepted": 1, "rejected": {}}
    assert read_item(tmp_path / "direct-0001.yaml").tasks


def test_the_bundled_model_writes_nothing_that_is_accepted(tmp_path: Path) -> None:
    found = command(
        *("--model", "demo", "--out", str(tmp_path), "--kind", "direct"),
        *("--n", "1", "--tries", "1", "--shots", str(EVENTS)),
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith("0 of 1 items accepted")
    journal = Journal(tmp_path / JOURNAL)
    assert journal.plan is not None
    assert journal.plan.source == "demo"
    (outcome,) = journal.outcomes()
    assert not outcome.accepted
    assert outcome.reason


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--kind", "sideways"), "There is no kind “sideways”"),
        (("--kind", "direct", "--shots", "nowhere.txt"), "There is no such file"),
        (("--kind", "direct", "--form", "prose"), "no prompt form"),
    ],
)
def test_mistyped_arguments_are_reported(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    found = command("--out", str(tmp_path / "new"), *words)
    assert found.returncode == 2
    assert said in found.stderr
    assert "Traceback" not in found.stderr
    assert not (tmp_path / "new").exists()
