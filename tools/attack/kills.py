"""Kills programs while they record: no verdict is lost or doubled, and no process stays behind.

A child tells of every verdict after it was recorded. What it told is looked for in the store before
the run goes on, which would ask again what was lost, and get the same answer. Some children ask the
bundled model, which has a process of its own that must not outlive them.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import select
import shutil
import signal
import sqlite3
import tempfile
import time
import traceback
from contextlib import closing, suppress
from math import inf
from pathlib import Path
from random import Random

from core.contract import registry
from core.contract.question import Form, Scoring
from core.models.llama.client import LlamaModel
from core.models.protocol import Model
from core.models.resolver import demo_file
from core.runs.evaluation import Evaluation
from core.runs.merging import merge
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.shards import Shard
from core.runs.store import Store
from core.text.errors import CommonsenseError, RunError
from tests.runs.models import HashingModel
from tools.attack.attempts import Tally, note

TRIES = 500
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
WAYS = ("alone", "two writers", "shards")
_LIMIT = 120
_DEMO_EVERY = 4
"""One round in so many asks the bundled model."""
_DEMO_LIMIT = 30
_MARK = "COMMONSENSE_TUI_ATTACK"
"""An environment variable by which every process is found that the children start."""
_PATIENCE = 60.0
_ORPHAN_SECONDS = 10.0
"""How long the process of a model may outlive the program that asked it."""
_REFUSED = 3
"""The exit code of a child that finds the run locked by another one."""
_ROWS = """SELECT seq, item, layer, setting, options, scores, answer, gold, "right", status,
    scoring, text, tags, prompt_hash FROM verdicts WHERE run = ? ORDER BY seq"""


class Recorder:
    """Records a run, in this process or in a child.

    The model is one that answers at once, or the bundled one in a process of its own.
    """

    def __init__(self, *, demo: bool) -> None:
        self.demo = demo
        self._gita = registry.load("gita")
        self._collection = self._gita.open(self._gita.samples())

    def record(self, path: Path, shard: Shard | None = None, told: int | None = None) -> None:
        """Ask the questions that are left; write a line to `told` for every verdict."""
        asyncio.run(self._record(path, shard, told))

    async def _record(self, path: Path, shard: Shard | None, told: int | None) -> None:
        model: Model = (
            await LlamaModel.load(demo_file())
            if self.demo
            else HashingModel(seconds=0.003 if told is not None else 0.0)
        )
        try:
            await self._ask(model, path, shard, told)
        finally:
            await model.close()

    async def _ask(self, model: Model, path: Path, shard: Shard | None, told: int | None) -> None:
        limit = _DEMO_LIMIT if self.demo else _LIMIT
        source = QuestionSource(self._gita, self._collection, limit=limit)
        plan = plan_for(
            model,
            source,
            self._gita.samples(),
            form=Form.BASE,
            scoring=Scoring.LOGLIKELIHOOD,
        )
        with Store(path) as store:
            evaluation = Evaluation(store, plan, model, source, shard=shard)
            async for progress in evaluation.steps():
                if told is not None and (verdict := progress.verdict) is not None:
                    os.write(told, f"{verdict.item} {verdict.layer}\n".encode())

    def begun(self, path: Path, shard: Shard | None = None) -> tuple[int, int]:
        """Start a child; its process id, and the pipe that hears of its verdicts."""
        reading, writing = os.pipe()
        pid = os.fork()
        if pid:
            os.close(writing)
            return pid, reading
        code = 1
        try:
            os.close(reading)
            # Of an open file parent and children would share the place at which it is read.
            self._collection = self._gita.open(self._gita.samples())
            for number in SIGNALS[1:]:
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self.record(path, shard, writing)
            code = 0
        except RunError:
            code = _REFUSED
        except KeyboardInterrupt:
            code = 130
        except Exception:
            # The parent only sees the exit code.
            traceback.print_exc()
        finally:
            os._exit(code)


def rows(path: Path) -> list[tuple[object, ...]]:
    """The verdicts of the only run of a store."""
    with closing(sqlite3.connect(path)) as db:
        [(run,)] = db.execute("SELECT id FROM runs").fetchall()
        return db.execute(_ROWS, (run,)).fetchall()


def stored(path: Path) -> list[tuple[object, ...]]:
    """The verdicts of a store that was left in the middle, which stays as it is."""
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        for file in (path, path.with_name(f"{path.name}-wal")):
            if file.exists():
                shutil.copy(file, folder)
        try:
            return rows(Path(folder) / path.name)
        except (sqlite3.OperationalError, ValueError):
            # It has no tables yet, or no run.
            return []


def attack(tries: int, seed: int) -> Tally:
    """Kill children until so many were killed, and end each run in peace."""
    tally = Tally("kills")
    os.environ[_MARK] = secrets.token_hex(8)
    recorders = [Recorder(demo=False), Recorder(demo=True)]
    if not demo_file().is_file():
        tally.endings["rounds without the bundled model, which is not there"] = 1
        del recorders[1]
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        expected = []
        for recorder in recorders:
            whole = Path(folder) / f"whole-{len(expected)}.sqlite"
            recorder.record(whole)
            expected.append(rows(whole))
        number = 0
        while tally.tried < tries:
            note(f"kills {tally.tried:,} of {tries:,}, failed {len(tally.failures)}")
            random = Random(f"{seed} {number}")
            place = Path(folder) / str(number)
            place.mkdir()
            kind = len(recorders) - 1 if number % _DEMO_EVERY == 1 else 0
            way = WAYS[number % len(WAYS)]
            _round(tally, recorders[kind], place, random, way, expected[kind])
            number += 1
    return tally


def _round(
    tally: Tally,
    recorder: Recorder,
    folder: Path,
    random: Random,
    way: str,
    expected: list[tuple[object, ...]],
) -> None:
    name = f"{way} in {folder.name}{' with the bundled model' if recorder.demo else ''}"
    shards = [Shard(1, 2), Shard(2, 2)] if way == "shards" else [None]
    paths = [folder / f"{place}.sqlite" for place in range(len(shards))]
    told: dict[Path, set[str]] = {path: set() for path in paths}
    for _kill in range(random.choice((1, 2, 5, 8))):
        children = [
            (path, *recorder.begun(path, shard))
            for path, shard in zip(paths, shards, strict=True)
            for _ in range(2 if way == "two writers" else 1)
        ]
        chosen = random.choice(SIGNALS)
        for path, pid, pipe in children:
            told[path] |= _heard(pipe, random.randrange(5 if recorder.demo else 20))
            time.sleep(random.random() * (0.1 if recorder.demo else 0.02))
            tally.endings["processes of models at a kill"] += len(_workers())
            os.kill(pid, chosen)
        for path, pid, pipe in children:
            ended = _ended(pid)
            told[path] |= _heard(pipe)
            tally.endings[f"{chosen.name}: {ended}"] += 1
            # One that ended before it was killed proves nothing.
            tally.tried += ended not in {"exit 0", f"exit {_REFUSED}"}
            if ended in {"exit 1", "stuck"}:
                tally.fail(name, f"{chosen.name}: {ended}")
            os.close(pipe)
        _check_kill(tally, f"{name}, after {chosen.name}", told, expected)
    started = time.process_time()
    try:
        for path, shard in zip(paths, shards, strict=True):
            recorder.record(path, shard)
        if way == "shards":
            merge(paths, folder / "merged.sqlite")
            paths = [folder / "merged.sqlite"]
            recorder.record(paths[0])
        found = rows(paths[0])
        if found != expected:
            lost = len({row[:3] for row in expected} - {row[:3] for row in found})
            tally.fail(
                name, f"{lost} verdicts are lost, of {len(expected)}; {len(found)} are there"
            )
    except (CommonsenseError, sqlite3.Error, ValueError) as error:
        tally.fail(name, f"the run cannot go on: {error}")
    tally.measure(name, time.process_time() - started)
    left = sorted(path.name for path in folder.iterdir() if path.suffix != ".sqlite")
    if left:
        tally.fail(name, f"files that are left: {left}")


def _check_kill(
    tally: Tally, name: str, told: dict[Path, set[str]], expected: list[tuple[object, ...]]
) -> None:
    """Fail where a verdict that was told is not stored as it should be, or a process is left."""
    for path, keys in told.items():
        found = stored(path)
        lost = keys - {f"{item} {layer}" for _seq, item, layer, *_rest in found}
        if lost:
            tally.fail(name, f"{len(lost)} of {len(keys)} verdicts that were told are lost")
        if not set(found) <= set(expected):
            tally.fail(
                name, f"{len(set(found) - set(expected))} verdicts are not as they should be"
            )
        tally.endings["verdicts that were told and looked for"] += len(keys)
    end = time.monotonic() + _ORPHAN_SECONDS
    while (left := _workers()) and time.monotonic() < end:
        time.sleep(0.02)
    if left:
        tally.fail(name, f"{len(left)} processes of models are left")
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _workers() -> list[int]:
    """The processes that children, or their children, have started."""
    mark = f"{_MARK}={os.environ[_MARK]}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        # What has ended meanwhile, or belongs to others, is none.
        with suppress(OSError):
            if mark in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


def _heard(pipe: int, count: float = inf) -> set[str]:
    """The verdicts that a child tells: so many, or all until it has ended."""
    end, told = time.monotonic() + _PATIENCE, b""
    while told.count(b"\n") < count and time.monotonic() < end:
        ready, _, _ = select.select([pipe], [], [], 1)
        if ready:
            more = os.read(pipe, 4096)
            if not more:
                break
            told += more
    return set(told.decode().splitlines())


def _ended(pid: int) -> str:
    """How a child ended; one that does not end is a failure, and is killed."""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            code = os.waitstatus_to_exitcode(status)
            return f"exit {code}" if code >= 0 else f"by {signal.Signals(-code).name}"
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "stuck"


def main(tries: int, seed: int, only: str) -> Tally:
    """Run it as a program of its own."""
    return attack(tries, seed)
