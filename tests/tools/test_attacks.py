"""A short slice of every attack in `tools/attack/`, the same in every run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tools.attack import data, gguf, impossible, keys, packages, server, stores
from tools.attack.attempts import Tally
from tools.attack.readers import READERS, placed

ROOT = Path(__file__).parents[2]


def withstood(tally: Tally) -> None:
    assert tally.tried
    assert not tally.failures, tally.report()


def test_every_reader_reads_its_good_file(tmp_path: Path) -> None:
    """So that what is damaged below gets past the first line."""
    for name, reader in READERS.items():
        folder = tmp_path / name.replace(" ", "-")
        folder.mkdir()
        reader.read(placed(reader, folder, reader.seed()))


@pytest.mark.parametrize("name", READERS)
def test_damaged_files_are_read_or_refused(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    @settings(max_examples=4, suppress_health_check=list(HealthCheck))
    @given(st.randoms(use_true_random=False))
    def attacked(random: Random) -> None:
        tally = Tally("data")
        data.damage_one(tally, tmp_path_factory.mktemp("damaged") / "file", name, random, name)
        withstood(tally)

    attacked()


def test_files_that_never_end_or_never_answer_are_refused_by_every_reader() -> None:
    tally = impossible.attack(tuple(impossible.SMALL))
    withstood(tally)
    assert tally.tried == len(READERS) * len(impossible.SMALL)


def test_files_that_change_while_they_are_read_are_read_or_refused() -> None:
    withstood(impossible.attack(("growing", "shrinking"), only="g"))


def test_damaged_stores_are_read_or_refused_and_never_changed_by_reading() -> None:
    withstood(stores.attack(12, 0))


def test_packages_that_break_the_contract_end_in_a_message() -> None:
    withstood(packages.attack(8, 0))


def test_damaged_model_files_end_in_an_error_and_leave_the_session_as_it_was() -> None:
    withstood(gguf.attack(20, 0, asked_every=20))


def test_a_lying_server_ends_in_an_error_and_is_told_no_secret() -> None:
    withstood(server.attack(10, 0))


@pytest.mark.usefixtures("demo_model")
def test_random_keys_end_no_program() -> None:
    withstood(keys.attack(40, 0))


@pytest.mark.parametrize(("name", "tries"), [("kills", "12"), ("serve", "40")])
def test_programs_that_are_killed_or_flooded_lose_nothing(name: str, tries: str) -> None:
    """In a process of its own, which forks and opens many sockets."""
    words = [sys.executable, "-m", "tools.attack", name, "--tries", tries]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
