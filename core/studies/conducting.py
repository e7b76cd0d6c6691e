"""Conducts a study to its end, or until it is stopped; what was measured is kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container
from dataclasses import dataclass
from typing import Any

from core.runs.records import RunState
from core.studies.plan import Study
from core.studies.study_store import KeptValues, OtherShardsError, StudyStore
from core.text.errors import SettingError


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """How far a study is."""

    phase: str
    """What is being done, in a few words: "pairs", "traces"."""
    done: int
    total: int


Report = Callable[[StudyProgress], None]
"""Is told how far a study is, in the event loop."""
StudyWork = Callable[[KeptValues, Report], Awaitable[dict[str, Any]]]
"""Measures what is not kept yet, and gives the result as JSON."""


async def conduct(
    store: StudyStore,
    study: Study,
    work: StudyWork,
    report: Report,
    own: Container[str] | None = None,
) -> None:
    """Do the work of a study and record the result.

    A study that is done is not conducted again. One whose task is cancelled before its end is
    paused and goes on with an equal plan. `own` are the ids of a shard's items: nothing else is
    measured, and the study is paused, without a result, before what needs values that are neither
    kept nor of these items. Raises `RunError` where another program conducts it, and what the work
    raises; a study that it refuses, by a `SettingError`, is not recorded any more.
    """
    if study.state is RunState.DONE:
        return
    with store.hold(study.id):
        store.set_state(study.id, RunState.RUNNING)
        finished = False
        try:
            store.finish(study.id, await work(store.kept(study.id, own), report))
            finished = True
        except OtherShardsError:
            # All that is this shard's is measured.
            return
        except SettingError:
            # An equal plan would be refused again.
            store.forget(study.id)
            raise
        finally:
            if not finished:
                store.set_state(study.id, RunState.PAUSED)
