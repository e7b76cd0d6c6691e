"""Kills programs while they record: no verdict is lost or doubled, and no process stays behind."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from random import Random

from core.contract import registry
from core.contract.question import Form, Scoring
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
_LIMIT = 24
_PATIENCE = 60.0
_REFUSED = 3
"""The exit code of a child that finds the run locked by another one."""
_ROWS = """SELECT seq, item, layer, setting, options, scores, answer, gold, "right", status,
    scoring, text, tags, prompt_hash FROM verdicts WHERE run = ? ORDER BY seq"""


class Recorder:
    """Records a run of a model that answers at once, in this process or in a child."""

    def __init__(self) -> None:
        self._gita = registry.load("gita")
        self._collection = self._gita.open(self._gita.samples())

    def record(self, path: Path, shard: Shard | None = None, told: int | None = None) -> None:
        """Ask the questions that are left; write a byte to `told` for every verdict."""
        asyncio.run(self._record(path, shard, told))

    async def _record(self, path: Path, shard: Shard | None, told: int | None) -> None:
        model = HashingModel(seconds=0.0005 if told is not None else 0.0)
        source = QuestionSource(self._gita, self._collection, limit=_LIMIT)
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
                if told is not None and progress.verdict is not None:
                    os.write(told, b".")

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
            for number in SIGNALS[1:]:
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self.record(path, shard, writing)
            code = 0
        except RunError:
            code = _REFUSED
        except KeyboardInterrupt:
            code = 130
        finally:
            os._exit(code)


def rows(path: Path) -> list[tuple[object, ...]]:
    """The verdicts of the only run of a store."""
    with closing(sqlite3.connect(path)) as db:
        [(run,)] = db.execute("SELECT id FROM runs").fetchall()
        return db.execute(_ROWS, (run,)).fetchall()


def attack(tries: int, seed: int) -> Tally:
    """Kill children until so many were killed, and end each run in peace."""
    tally = Tally("kills")
    recorder = Recorder()
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        whole = Path(folder) / "whole.sqlite"
        recorder.record(whole)
        expected = rows(whole)
        number = 0
        while tally.tried < tries:
            note(f"kills {tally.tried:,} of {tries:,}, failed {len(tally.failures)}")
            random = Random(f"{seed} {number}")
            place = Path(folder) / str(number)
            place.mkdir()
            _round(tally, recorder, place, random, WAYS[number % len(WAYS)], expected)
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
    name = f"{way} in {folder.name}"
    shards = [Shard(1, 2), Shard(2, 2)] if way == "shards" else [None]
    paths = [folder / f"{place}.sqlite" for place in range(len(shards))]
    for _kill in range(random.choice((1, 2, 5, 8))):
        children = [
            recorder.begun(path, shard)
            for path, shard in zip(paths, shards, strict=True)
            for _ in range(2 if way == "two writers" else 1)
        ]
        chosen = random.choice(SIGNALS)
        for pid, pipe in children:
            _heard(pipe, random.randrange(20))
            time.sleep(random.random() * 0.004)
            os.kill(pid, chosen)
            tally.tried += 1
        for pid, pipe in children:
            ended = _ended(pid)
            tally.endings[f"{chosen.name}: {ended}"] += 1
            if ended in {"exit 1", "stuck"}:
                tally.fail(name, f"{chosen.name}: {ended}")
            os.close(pipe)
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


def _heard(pipe: int, count: int) -> None:
    """Wait until so many verdicts were told, or the child has ended."""
    end = time.monotonic() + _PATIENCE
    while count > 0 and time.monotonic() < end:
        ready, _, _ = select.select([pipe], [], [], 1)
        if ready:
            told = os.read(pipe, count)
            if not told:
                return
            count -= len(told)


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
