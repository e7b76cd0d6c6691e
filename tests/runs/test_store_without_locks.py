"""Stores on a file system that cannot lock files, as some network file systems cannot."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.terminals import COMMAND
from tools.attack.made_stores import made_store

LIBRARY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int refused(int handle) {
    const char *folder = getenv("FOLDER_WITHOUT_LOCKS");
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (!folder || length < 0) return 0;
    path[length] = 0;
    if (strncmp(path, folder, strlen(folder))) return 0;
    errno = atoi(getenv("ERROR_OF_LOCKS"));
    return 1;
}

static int passed_on(const char *name, int handle, int command, void *more) {
    int locks = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
    if (locks && refused(handle)) return -1;
    int (*next)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, name);
    return next(handle, command, more);
}

#define PASSED_ON(name) \
    int name(int handle, int command, ...) { \
        va_list rest; \
        va_start(rest, command); \
        void *more = va_arg(rest, void *); \
        va_end(rest); \
        return passed_on(#name, handle, command, more); \
    }
PASSED_ON(fcntl)
PASSED_ON(fcntl64)

int flock(int handle, int operation) {
    if (refused(handle)) return -1;
    return ((int (*)(int, int))dlsym(RTLD_NEXT, "flock"))(handle, operation);
}
"""
"""Locks in one folder fail; `fcntl` takes one pointer or number more, whatever it is for."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs Linux and a C compiler to take the locks of files away")
    folder = tmp_path_factory.mktemp("library")
    (folder / "locks.c").write_text(LIBRARY, encoding="ascii")
    made = folder / "locks.so"
    words = [compiler, "-shared", "-fPIC", "-o", made, folder / "locks.c", "-ldl"]
    subprocess.run(words, check=True)
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "network"
    made.mkdir()
    return made


@pytest.fixture(params=["ENOLCK", "ENOTSUP"])
def without_locks(request: pytest.FixtureRequest, library: Path, folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "LD_PRELOAD": str(library),
        "FOLDER_WITHOUT_LOCKS": str(folder),
        "ERROR_OF_LOCKS": str(getattr(errno, request.param)),
    }


def ran(without_locks: dict[str, str], *words: object) -> subprocess.CompletedProcess[str]:
    command = [COMMAND, *map(str, words)]
    return subprocess.run(command, env=without_locks, capture_output=True, text=True, check=False)


def test_a_store_is_read_there(without_locks: dict[str, str], folder: Path) -> None:
    store = made_store(folder / "runs.sqlite")
    before = store.read_bytes()
    for words in (("runs", "list"), ("runs", "verify")):
        done = ran(without_locks, *words, "--store", store)
        assert (done.returncode, done.stderr) == (0, ""), words
        assert done.stdout
    assert store.read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["runs.sqlite"]


def test_a_store_with_verdicts_in_a_second_file_is_not_half_read(
    without_locks: dict[str, str], folder: Path
) -> None:
    store = made_store(folder / "runs.sqlite")
    store.with_name("runs.sqlite-wal").write_bytes(b"verdicts")
    done = ran(without_locks, "runs", "list", "--store", store)
    assert done.returncode == 2
    assert "second file" in done.stderr


@pytest.mark.usefixtures("demo_model")
def test_writing_there_is_refused_soon_and_leaves_no_file(
    without_locks: dict[str, str], folder: Path, tmp_path: Path
) -> None:
    store = folder / "runs.sqlite"
    done = ran(without_locks, "evaluate", "gita", "--limit", 1, "--store", store)
    assert done.returncode == 2
    assert "cannot lock files" in done.stderr
    assert "local disk" in done.stderr
    local = made_store(tmp_path / "local.sqlite")
    done = ran(without_locks, "runs", "backup", "--to", store, "--store", local)
    assert done.returncode == 2
    assert "cannot lock files" in done.stderr
    assert list(folder.iterdir()) == []
