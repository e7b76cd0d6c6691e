"""Damaged, hostile and impossible files, given to every reader."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from pathlib import Path
from random import Random

from tools.attack.attempts import Tally, memory_limit, note
from tools.attack.mutators import mutated, packed_again
from tools.attack.readers import READERS, placed

TRIES = 20_000
_MOST_MIB = 6_000


def attack(tries: int, seed: int, only: str = "") -> Tally:
    """Give each reader damaged files, one reader after the other."""
    tally = Tally("data")
    names = [name for name in READERS if only in name]
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        for number, name in zip(range(tries), itertools.cycle(names), strict=False):
            note(f"data {number:,} of {tries:,}: {name}, failed {len(tally.failures)}")
            damage_one(
                tally, Path(folder, "file"), name, Random(f"{seed} {number}"), f"{name} #{number}"
            )
    return tally


def damage_one(tally: Tally, folder: Path, name: str, random: Random, title: str) -> None:
    """Damage the good file of a reader, and let it be read."""
    reader = READERS[name]
    raw = reader.seed()
    if reader.packed:
        damaged = packed_again(random, raw, reader.packed)
    else:
        damaged = mutated(random, raw, structured=len(raw) < 200_000)
    folder.mkdir()
    try:
        path = placed(reader, folder, damaged)
        with tally.attempt(title):
            reader.read(path)
    finally:
        shutil.rmtree(folder)


def main(tries: int, seed: int, only: str) -> Tally:
    """Run it as a program of its own."""
    memory_limit(_MOST_MIB)
    return attack(tries, seed, only)
