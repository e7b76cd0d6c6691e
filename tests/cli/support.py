"""Runs the command line, in this process or in one of its own."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from core.contract import registry
from core.contract.question import Form
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.questions import QuestionSource
from core.runs.store import Store
from tests.fifth.support import INSTALLED
from tests.runs.models import HashingModel
from tui.cli.main import app

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document that it printed."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """The JSON documents that it printed, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


def run(*words: str | Path) -> Ran:
    """Run a command here; a traceback is a failure of the test."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ran(result.exit_code, result.stdout, result.stderr)


def ok(*words: str | Path) -> Ran:
    """Run a command here that has to succeed."""
    ran = run(*words)
    assert ran.code == 0, ran.err
    return ran


def spawn(*words: str | Path, **more: Any) -> subprocess.Popen[str]:
    """Start the installed command in a process of its own."""
    found = {"PYTHONPATH": os.pathsep.join((str(INSTALLED), str(ROOT)))}
    env = os.environ | found | more.pop("env", {})
    command = [Path(sys.executable).with_name("commonsense-tui"), *words]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=env,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=more.pop("stdout", subprocess.PIPE),
        stderr=more.pop("stderr", subprocess.PIPE),
        **more,
    )


def in_process_of_its_own(*words: str | Path, **more: Any) -> Ran:
    """Run the installed command in a process of its own."""
    with spawn(*words, **more) as process:
        out, err = process.communicate()
        return Ran(process.returncode, out, err)


def recorded(store: Path, data: Path | None = None, benchmark: str = "shapes") -> str:
    """Record a run of the hashing model, by default over the invented benchmark; return its id."""
    bench = registry.load(benchmark)
    path = data or bench.samples()

    async def work() -> str:
        model = HashingModel()
        source = QuestionSource(bench, bench.open(path))
        plan = plan_for(model, source, path, form=Form.BASE)
        with Store(store) as opened:
            evaluation = Evaluation(opened, plan, model, source)
            async for _ in evaluation.steps():
                pass
            return evaluation.run.id

    return asyncio.run(work())
