"""The lock of a run under many programs at once that ask for it and take it."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.runs import locks
from core.text.errors import RunError

RUN = "a-run"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite"


def test_a_lock_that_a_killed_program_left_is_not_held_however_many_ask(store: Path) -> None:
    left = "import os, sys; from pathlib import Path; from core.runs import locks\n"
    left += f"with locks.hold(Path(sys.argv[1]), {RUN!r}): os._exit(1)"
    assert subprocess.run([sys.executable, "-c", left, store], check=False).returncode == 1
    assert list(store.parent.iterdir())
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(locks.is_held, store, RUN) for _ in range(300)]
        assert not any(each.result() for each in asked)


def test_a_run_can_be_begun_while_others_ask_whether_it_is_held(store: Path) -> None:
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            locks.is_held(store, RUN)

    asking = [threading.Thread(target=ask) for _ in range(2)]
    for thread in asking:
        thread.start()
    try:
        for _ in range(50):
            with locks.hold(store, RUN):
                assert locks.is_held(store, RUN)
    finally:
        done.set()
        for thread in asking:
            thread.join()


def test_no_two_have_it_at_once_while_others_let_go(store: Path) -> None:
    inside, seen, counting = 0, [], threading.Lock()
    refused: set[str] = set()

    def take() -> None:
        nonlocal inside
        for _ in range(40):
            try:
                with locks.hold(store, RUN):
                    with counting:
                        inside += 1
                        seen.append(inside)
                    time.sleep(0.001)
                    with counting:
                        inside -= 1
            except RunError as error:
                refused.add(error.what)

    with ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(take) for _ in range(4)]:
            each.result()
    assert set(seen) == {1}
    assert refused <= {f"Another program is just recording run {RUN}."}
    assert not list(store.parent.iterdir())


def test_where_nothing_can_be_locked_no_file_is_left(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*_asked: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("core.system.file_lock.fcntl.flock", no_locks)
    with pytest.raises(RunError, match="cannot be used"), locks.hold(store, RUN):
        pass
    assert not list(store.parent.iterdir())


def test_a_run_is_recorded_where_only_what_is_open_for_writing_can_be_locked_as_on_nfs(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock = fcntl.flock

    def as_nfs_does(descriptor: int, asked: int) -> None:
        if asked & fcntl.LOCK_EX and not fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_RDWR:
            raise OSError(errno.EBADF, "Bad file descriptor")
        flock(descriptor, asked)

    monkeypatch.setattr("core.system.file_lock.fcntl.flock", as_nfs_does)
    with locks.hold(store, RUN):
        assert locks.is_held(store, RUN)
    assert not locks.is_held(store, RUN)


def test_a_lock_is_made_through_no_link(store: Path) -> None:
    store.with_name(f"{store.name}.{RUN}.lock").symlink_to(store.with_name("nothing"))
    with pytest.raises(RunError, match="cannot be used"), locks.hold(store, RUN):
        pass
    assert not store.with_name("nothing").exists()
