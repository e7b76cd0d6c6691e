"""A few screens as pictures: what a person sees must not change unnoticed.

A recorded run answers in the place of a model, so that the figures are the same on every machine.
`pytest tests/tui/test_snapshots.py --snapshot-update` takes the pictures anew.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import pytest
from textual.pilot import Pilot

from core.contract import registry
from core.contract.question import Answer, OptionScore, Question
from core.contract.setting import Setting
from core.files import paths
from core.files.config import Config
from core.runs.records import Plan
from core.runs.store import Store
from tests.tui.support import until
from tui.app.app import CommonsenseApp
from tui.browse.screen import BrowseScreen


def scores(question: Question) -> Answer:
    """Scores that look like a model's and are the same everywhere."""
    return Answer(
        tuple(
            OptionScore(
                -sha256(f"{question.text}{option}".encode()).digest()[0] / 64,
                tokens=1,
                bytes=len(option),
            )
            for option in question.options
        )
    )


def recorded_run() -> str:
    """Record a run over the bundled stories; return its id."""
    gita = registry.load("gita")
    collection = gita.open(gita.samples())
    questions = (
        gita.question(collection.item(i), Setting(), layer.id)
        for layer in gita.layers
        for i in range(len(collection))
    )
    verdicts = [gita.score(q, scores(q)) for q in questions if q is not None]
    with Store(paths.runs()) as store:
        return store.add(Plan("recorded", "f", "gita", "stories.json", "h"), verdicts, {}).id


@pytest.mark.parametrize(
    ("benchmark", "size", "theme", "keys"),
    [
        ("gita", (140, 40), "dusk", ("j", "space")),
        ("gita", (80, 24), "dusk", ("j", "space")),
        ("gita", (60, 20), "paper", ("j", "tab")),
        ("gita", (140, 40), "contrast", ("j", "question_mark")),
        ("com2", (140, 40), "dusk", ("tab", "j", "i", "j")),
        ("abspyramid", (140, 40), "dusk", ("j", "tab", "plus")),
    ],
    ids=["wide", "medium", "narrow", "help", "graph", "pyramid"],
)
def test_screen(
    snap_compare: Callable[..., bool],
    benchmark: str,
    size: tuple[int, int],
    theme: str,
    keys: tuple[str, ...],
) -> None:
    app = CommonsenseApp(
        benchmark=benchmark, model=f"replay:{recorded_run()}", config=Config(theme=theme)
    )

    async def settle(pilot: Pilot[None]) -> None:
        browse = app.screen_stack[0]
        assert isinstance(browse, BrowseScreen)
        await until(pilot, lambda: app.model_state.ready)
        await until(pilot, lambda: browse.state is not None and browse.state.is_open)
        if benchmark == "gita":
            await until(pilot, lambda: browse.state is not None and browse.state.failed_any)
        await pilot.press(*keys)
        await until(pilot, lambda: browse.asking.busy is None)
        browse.live.tab("live").replace("")

    assert snap_compare(app, terminal_size=size, run_before=settle)
