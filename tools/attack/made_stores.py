"""Stores of made-up runs and studies of the bundled stories."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from core.contract import registry
from core.contract.question import Answer, OptionScore, Scoring, Status
from core.contract.setting import Setting
from core.runs.pack import pack
from core.runs.records import Plan, RunState
from core.runs.store import Store
from core.studies.plan import StudyPlan
from core.studies.study_store import StudyStore


def made_store(
    path: Path, items: int = 12, fingerprint: str = "f" * 64, *, read: bool = True
) -> Path:
    """A store with one finished run over the first stories, closed; or one run more in a store.

    Its answers are scores, or were written and could not be `read`.
    """
    gita = registry.load("gita")
    opened = gita.open(gita.samples())
    layer = gita.layers[0].id
    plan = Plan("org/model", fingerprint, "gita", str(gita.samples()), opened.content_hash)
    with Store(path) as store:
        run = store.start(plan)
        for index in range(items):
            question = gita.question(opened.item(index), Setting(), layer)
            if question is not None:
                scores = tuple(OptionScore(-1.0 - i, 2, 5) for i in range(len(question.options)))
                verdict = gita.score(question, Answer(scores))
                if not read:
                    verdict = verdict._replace(
                        scores=(), answer=None, status=Status.NO_ANSWER,
                        scoring=Scoring.GENERATED, text="Perhaps.",
                    )  # fmt: skip
                store.record(run.id, index, verdict, "", 0.5)
        store.set_state(run.id, RunState.DONE)
        store.database.keep_in_one_file()
    return path


def made_study(path: Path) -> Path:
    """A store with a trace of two stories that is done, closed; or a study more in a store."""
    gita = registry.load("gita")
    content = gita.open(gita.samples()).content_hash
    plan = StudyPlan(
        "trace", "org/model", "f" * 64, "gita", str(gita.samples()), content, gita.layers[0].id,
        options=(("part", "residual"),),
    )  # fmt: skip
    nothing = [[None, None]]
    result = {
        "n": 2, "of": 2, "clusters": 2, "excluded": {}, "roles": ["breakpoint"], "blocks": [0, 1],
        "items": [
            {
                "item": name, "cluster": name, "group": "right in every layer", "valid": True,
                "margins": [1.0, -1.0], "effects": {"breakpoint": [0.0, 1.5]}, "control": None,
            }
            for name in ("0-O0", "1-O0")
        ],
        "n_by_row": [2], "n_control": [0], "effect": [[0.0, 1.5]], "interval": nothing,
        "control": nothing, "difference": nothing, "difference_interval": nothing, "p": nothing,
        "split": [],
    }  # fmt: skip
    with StudyStore(path) as store:
        store.finish(store.start(plan).id, result)
    return path


@cache
def stored() -> bytes:
    """A store of recorded runs."""
    with tempfile.TemporaryDirectory() as folder:
        return made_store(Path(folder) / "runs.sqlite").read_bytes()


@cache
def packed_runs() -> bytes:
    """A pack of runs."""
    with tempfile.TemporaryDirectory() as folder:
        to = Path(folder) / "pack.sqlite"
        to.touch()
        with Store(made_store(Path(folder) / "runs.sqlite")) as store:
            pack(store, [run.id for run in store.runs()], to, texts=True, program="1")
        return to.read_bytes()
