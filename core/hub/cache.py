"""The cache of Hugging Face on this machine, read without its library.

`models--OWNER--REPO/snapshots/COMMIT/FILE`, and the commit of a branch in `refs/main`.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from core.files import paths
from core.files.regular_file import read_regular
from core.text.errors import DataError

_REPOSITORY = re.compile(r"models--(.+?)--(.+)")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_LONGEST_REFERENCE = 200
"""Most bytes of a file that names a commit."""
_FALSE = frozenset({"", "0", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a cached file was published."""

    repository: str
    file: str
    revision: str
    """The commit."""

    def __str__(self) -> str:
        """In one word, as a run records it."""
        return f"hf:{self.repository}/{self.file}@{self.revision}"


def folder() -> Path:
    """The folder of the cache, which the environment may name; it need not exist."""
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    home = os.environ.get("HF_HOME", f"{cache}/huggingface")
    named = os.environ.get("HF_HUB_CACHE", os.environ.get("HUGGINGFACE_HUB_CACHE", f"{home}/hub"))
    return paths.expanded(os.path.expandvars(named))


def offline() -> bool:
    """Whether the environment forbids the network."""
    named = (os.environ.get(name, "") for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))
    return any(value.lower() not in _FALSE for value in named)


def origin_of(path: Path) -> Origin | None:
    """Where a file of the cache was published; None for any other file."""
    parts = path.absolute().parts
    for i in range(len(parts) - 4, -1, -1):
        match = _REPOSITORY.fullmatch(parts[i])
        if match and parts[i + 1] == "snapshots" and _COMMIT.fullmatch(parts[i + 2]):
            return Origin(f"{match[1]}/{match[2]}", "/".join(parts[i + 3 :]), parts[i + 2])
    return None


def snapshot(repository: str) -> Path | None:
    """The folder of a repository's main branch as it was last fetched by any program."""
    repo = folder() / f"models--{repository.replace('/', '--')}"
    try:
        raw = read_regular(repo / "refs" / "main", _LONGEST_REFERENCE, DataError)
        commit = raw.decode("ascii").strip()
    except (OSError, ValueError, DataError):
        return None
    folder_of_commit = repo / "snapshots" / commit
    return folder_of_commit if _COMMIT.fullmatch(commit) and folder_of_commit.is_dir() else None


def gguf_files(snapshot: Path) -> dict[str, Path]:
    """The GGUF files of a snapshot by their names in the repository."""
    return {
        path.relative_to(snapshot).as_posix(): path
        for path in snapshot.rglob("*")
        if path.suffix.lower() == ".gguf" and path.is_file()
    }
