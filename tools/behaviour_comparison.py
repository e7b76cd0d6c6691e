"""Compares two recordings that tools/behaviour.py made."""

from __future__ import annotations

import fnmatch
import json
import re
from collections import Counter
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

NAMES: tuple[tuple[str, str, str], ...] = (
    # The files it is replaced in, the name before as a regular expression, the name after.
    ("help/*", r"(?<=commonsense-tui )layers\b", "blocks"),
    ("help/main.txt", r"(?m)^( +)layers\b", r"\1blocks"),
    ("help/export.txt", r"--layers\b", "--blocks"),
    ("[he]*/*", r"--twin\b", "--contrast"),
    ("errors/*", r"--layers\b", "--blocks"),
)
"""Names that changed on purpose: they are replaced in the recording before."""

EXPECTED: dict[str, str] = {}
"""Files of a recording that may differ, with the reason."""

NOISE = (
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(\+00:00|Z)?", "<time>"),
    (r'("seconds": )[\d.e-]+', r"\1<seconds>"),
    # How often a run says how far it is depends on how fast the machine is.
    (r"(?m)^.*\b\d+/\d+ asked.*\n", ""),
    (r"\b\d+(\.\d+)? (m?s|tokens?/s|tok/s)\b *", "<duration> "),
)
"""What differs between two runs of the same tree."""


def read(folder: Path) -> dict[str, str]:
    """The files of a recording without what differs from run to run."""
    files = {}
    for file in sorted(folder.rglob("*")):
        if not file.is_file():
            continue
        text = file.read_bytes().decode("utf-8", "backslashreplace")
        for pattern, word in NOISE:
            text = re.sub(pattern, word, text)
        files[file.relative_to(folder).as_posix()] = text
    return files


def renamed(name: str, text: str) -> str:
    """A file of the recording before with the names of after."""
    for files, pattern, new in NAMES:
        if fnmatch.fnmatch(name, files):
            text = re.sub(pattern, new, text)
    return text


def lines_of(name: str, text: str, *, loose: bool) -> list[str]:
    """What is compared; loosely, how text is spaced and wrapped does not matter.

    A new name of another length moves what stands behind it.
    """
    if name.endswith(".jsonl"):
        rows = [line for line in text.splitlines() if line.startswith("{")]
        text = "\n".join(json.dumps(json.loads(row), indent=1, ensure_ascii=False) for row in rows)
    if not loose:
        return text.splitlines()
    if name.startswith("screens/"):
        return [re.sub(r"[ ─━]+", " ", line).strip() for line in text.splitlines()]
    return re.sub(r" (?=--?\w)|(?<=[.:]) ", "\n", " ".join(text.split())).splitlines()


def differences(
    before: dict[str, str], after: dict[str, str], *, rename: bool
) -> Iterator[tuple[str, list[str]]]:
    """The files that differ, with their differences."""
    for name in sorted(before.keys() | after.keys()):
        if name not in before or name not in after:
            yield name, [f"only in {'BEFORE' if name in before else 'AFTER'}"]
            continue
        old = renamed(name, before[name]) if rename else before[name]
        loose = old != before[name]
        was, now = (lines_of(name, text, loose=loose) for text in (old, after[name]))
        if was != now:
            yield name, list(unified_diff(was, now, lineterm="", n=1))[2:]


def compare(before: Path, after: Path, most: int, *, rename: bool) -> int:
    """Print how two recordings differ; 1 where they do and should not."""
    old, new = read(before), read(after)
    found = dict(differences(old, new, rename=rename))
    alike: dict[str, list[str]] = {}
    unexpected = Counter[str]()
    for name, diff in found.items():
        reason = next((EXPECTED[key] for key in EXPECTED if fnmatch.fnmatch(name, key)), "")
        if reason:
            print(f"{name}: differs as expected, {reason}")
            continue
        unexpected[name.partition("/")[0]] += 1
        change = [line for line in diff if not line.startswith((" ", "@@"))]
        alike.setdefault("\n".join(change), []).append(name)
    for first, *others in alike.values():
        diff = found[first]
        print(f"--- {first}")
        print("\n".join(line if len(line) < 240 else f"{line[:240]}…" for line in diff[:most]))
        if len(diff) > most:
            print(f"… {len(diff) - most} more lines")
        if others:
            print(
                f"The same in {len(others)} more: {', '.join(others[:5])}{'…' * (len(others) > 5)}"
            )
    every = Counter(name.partition("/")[0] for name in old.keys() | new.keys())
    differing = Counter(name.partition("/")[0] for name in found)
    for kind, count in sorted(every.items()):
        same_count = count - differing[kind]
        print(f"{kind}: {same_count} of {count} files the same, {unexpected[kind]} not as expected")
    return 1 if unexpected.total() else 0
