"""Which engines and addresses a person may name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from core.runs.engines.dask_engine import DaskEngine, dask_engine
from core.text.errors import SettingError
from tests.cli.support import run

COMMANDS = (
    ("evaluate", "com2"),
    ("accord", "generate", "--out", "made"),
    ("abspyramid", "curate", "events.txt", "--out", "made"),
    ("com2", "synthesise", "--kind", "direct", "--out", "made"),
)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1:8786", "tcp://localhost:8786", "tcp://[::1]:8786", "tls://node-1.example.org:8786"],
)
def test_this_machine_and_what_is_encrypted_are_allowed(address: str) -> None:
    assert dask_engine(address).address in (address, f"tcp://{address}")


@pytest.mark.parametrize(
    "address", ["10.0.0.7:8786", "tcp://node-1:8786", "tcp://127.0.0.1.example.org:8786"]
)
def test_another_machine_needs_a_word(address: str) -> None:
    with pytest.raises(SettingError, match=r"is beyond this machine\. .* Add --allow-network\."):
        dask_engine(address)
    assert dask_engine(address, allow_network=True).address.endswith(address)


@pytest.mark.parametrize(
    "address",
    ["", "node-1", "tcp://node-1", "ws://127.0.0.1:1", "tcp://:1", "[::1:80", "a:b"],
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(SettingError, match="is no address of a scheduler"):
        dask_engine(address, allow_network=True)


def test_two_workers_are_started_where_nothing_is_named() -> None:
    assert dask_engine() == DaskEngine("", 2)
    assert dask_engine(workers=5) == DaskEngine("", 5)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--engine", "ray"), "There is no engine “ray”"),
        (("--workers", "3"), "Add --engine dask"),
        (("--address", "127.0.0.1:1"), "Add --engine dask"),
        (("--engine", "dask", "--address", "127.0.0.1:1", "--workers", "2"), "Leave out --workers"),
        (("--engine", "dask", "--address", "tcp://10.0.0.7:1"), "Add --allow-network"),
    ],
)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_command_refuses_what_makes_no_sense(
    command: tuple[str, ...],
    words: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "events.txt").write_text("a cat sleeps\n")
    refused = run(*command, *words)
    assert refused.code == 2
    assert said in refused.err
    assert not (tmp_path / "made").exists()


def test_without_the_extra_a_person_is_told_how_to_add_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    refused = run("evaluate", "com2", "--engine", "dask")
    assert refused.code == 2
    assert "pip install 'commonsense-tui[dask]'" in refused.err


def test_workers_put_no_questions_together() -> None:
    refused = run("evaluate", "com2", "--engine", "dask", "--batch", "4")
    assert refused.code == 2
    assert "workers would put others together than the whole" in refused.err
