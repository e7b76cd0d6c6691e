"""Opening an item and asking its ladder builds each of its questions once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from core.contract import registry
from core.contract.question import Question, Shot
from core.contract.rungs import Phase
from core.contract.setting import Setting
from tests.tui.support import opened


@pytest.mark.parametrize("name", ["gita", "accord", "com2", "abspyramid"])
async def test_one_press_of_space_builds_each_question_once(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = type(registry.load(name))
    build, built = kind.question, Counter[tuple[str, Setting, str]]()

    def counted(
        self: Any, item: Any, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question | None:
        built[item.id, setting, layer] += 1
        return build(self, item, setting, layer, shots)

    monkeypatch.setattr(kind, "question", counted)
    async with opened(benchmark=name) as program:
        await program.ask()
        state = program.browse.state
        assert state is not None
        rungs = [rung for rung in state.rungs() if rung.question is not None]
        assert rungs
        assert {rung.phase for rung in rungs} == {Phase.ANSWERED}
        item, setting = state.key
        assert all(built[item, setting, rung.layer.id] == 1 for rung in rungs)
        assert set(built.values()) == {1}
