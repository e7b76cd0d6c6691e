"""Damaged model files: listed, loaded, asked, read inside; and the next request in the session."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from contextlib import aclosing, suppress
from pathlib import Path
from random import Random

from core.models.blocks import TraceCell
from core.models.inspectable import readable
from core.models.llama.client import LlamaModel
from core.models.model_files import check_memory, describe, find_models
from core.text.errors import CommonsenseError
from tests.gguf_files import Tiny, duplicate_token, not_a_number, write
from tools.attack.attempts import Tally, note
from tools.attack.mutators import TEXTS

TRIES = 2_000
_ASKED_EVERY = 3
"""One file in so many is loaded and asked; of the others the header is read, which is quick."""
_LOAD_SECONDS = 60.0
_LOOK_SECONDS = 0.01
ARCHITECTURES = ("llama", "qwen2", "gemma", "phi2", "mamba")


def seeds(folder: Path) -> list[Path]:
    """Small good models, and two that llama.cpp does not survive."""
    made = [
        write(folder / f"{name}.gguf", Tiny(architecture=name, width=32, hidden=64))
        for name in ARCHITECTURES
    ]
    return [*made, duplicate_token(folder / "twice.gguf"), not_a_number(folder / "nan.gguf")]


def damaged(random: Random, raw: bytes) -> bytes:
    """The file with damage where it hurts: mostly in the header, which is at its beginning."""
    changed = bytearray(raw)
    end = 30_000 if random.random() < 0.85 else len(raw)
    for _ in range(random.choice((1, 1, 2, 8))):
        at = random.randrange(min(end, len(changed)))
        match random.randrange(6):
            case 0:
                changed[at] ^= 1 << random.randrange(8)
            case 1:
                small = random.choice((0, 1, 2**31 - 1, 2**32 - 1))
                changed[at : at + 4] = small.to_bytes(4, "little")
            case 2:
                large = random.choice((0, 2**40, 2**63, 2**64 - 1))
                changed[at : at + 8] = large.to_bytes(8, "little")
            case 3:
                del changed[at : at + random.choice((1, 8, 400))]
            case 4:
                changed[at:at] = random.choice(TEXTS[:12]).encode("utf-8", "surrogatepass")
            case _:
                if random.random() < 0.2:
                    del changed[at:]
    return bytes(changed)


def attack(tries: int, seed: int, asked_every: int = _ASKED_EVERY) -> Tally:
    """Try so many files in one session, which a good model must still be askable in."""
    tally = Tally("gguf")
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        asyncio.run(_session(tally, Path(folder), tries, seed, asked_every))
    return tally


async def _session(tally: Tally, folder: Path, tries: int, seed: int, asked_every: int) -> None:
    before = _children()
    good = seeds(folder)
    raws = [path.read_bytes() for path in good]
    kept = await LlamaModel.load(good[0])
    expected = await kept.score("the cup", [" yes", " no"])
    await _read(kept)
    usual = _peak(kept.worker.pid)
    inside = folder / "damaged"
    inside.mkdir()
    path = inside / "m.gguf"
    for number in range(tries):
        note(f"gguf {number:,} of {tries:,}, failed {len(tally.failures)}")
        random = Random(f"{seed} {number}")
        path.write_bytes(damaged(random, random.choice(raws)))
        name = f"gguf #{number}"
        with tally.attempt(name):
            find_models([inside])
            describe(path)
            check_memory(path)
        if number % asked_every == 0:
            started = time.monotonic()
            memory = asyncio.create_task(_most_memory(_children()))
            await _asked(tally, path, name)
            memory.cancel()
            tally.measure(name, time.monotonic() - started, await memory - usual)
            if await kept.score("the cup", [" yes", " no"]) != expected:
                tally.fail(name, "a good model answers otherwise than before")
    await kept.close()
    left = _children() - before
    if left:
        tally.fail("the end", f"processes that are left: {left}")


async def _asked(tally: Tally, path: Path, name: str) -> None:
    """Load the file, ask it, and read its blocks, as `ask`, `blocks` and `trace` do."""
    try:
        async with asyncio.timeout(_LOAD_SECONDS):
            model = await LlamaModel.load(path)
            tally.endings["loaded"] += 1
            try:
                await model.score("the cup was", [" open", " closed"])
                await _read(model)
                tally.endings["read and traced"] += 1
                async for _token in model.generate("the cup", max_tokens=3):
                    pass
                tally.endings["answered"] += 1
            finally:
                await model.close()
    except CommonsenseError as error:
        tally.endings[error.what[:60]] += 1
    except TimeoutError:
        tally.fail(name, f"no end within {_LOAD_SECONDS:.0f} s")
    except Exception as error:
        tally.fail(name, f"{type(error).__name__}: {error}")
    tally.endings["asked"] += 1


async def _read(model: LlamaModel) -> None:
    """Read the blocks, and trace one cell."""
    blocks, _access = await readable(model)
    options = [" open", " closed"]
    await blocks.read("the cup was", options)
    async with aclosing(blocks.trace("the cup was", "the lid was", options, [(1, 2)])) as cells:
        async for cell in cells:
            if isinstance(cell, TraceCell):
                break


async def _most_memory(others: set[int]) -> float:
    """The most memory in MiB of a process that this one starts, until this is cancelled."""
    most = 0.0
    with suppress(asyncio.CancelledError):
        while True:
            most = max([most, *map(_peak, _children() - others)])
            await asyncio.sleep(_LOOK_SECONDS)
    return most


def _peak(pid: int) -> float:
    """The most memory in MiB that a process has had; 0 for one that has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    return 0.0


def _children() -> set[int]:
    path = Path(f"/proc/self/task/{os.getpid()}/children")
    return (
        {int(pid) for pid in path.read_text(encoding="ascii").split()} if path.exists() else set()
    )


def main(tries: int, seed: int, only: str) -> Tally:
    """Run it as a program of its own."""
    return attack(tries, seed)
