"""The X-ray beside the ladder: where it opens, and what it says of how both were asked."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from core.contract.question import Scoring
from tests.tui.run_panes import run_all_with_an_example
from tests.tui.support import opened
from tests.tui.xray_panes import pane, ready, text
from tui.browse.ladder_pane import LadderPane


async def test_it_opens_on_exactly_what_is_answered_by_likelihood() -> None:
    async with opened(benchmark="com2") as program:
        await program.ask()
        await program.press("x")
        ladder = program.browse.query_one(LadderPane)
        natural = set()
        for rung in ladder.rungs:
            if rung.question is None:
                continue
            assert rung.verdict is not None
            natural.add(rung.question.scoring)
            ladder.cursor = rung.layer.id
            program.browse.rung_changed()
            await program.pilot.pause()
            if rung.verdict.scoring is Scoring.LOGLIKELIHOOD:
                found = await ready(program)
                assert found.table.leading[-1] == rung.verdict.answer
                assert found.subject.question == rung.question
            else:
                assert pane(program).subject is None
                assert "own words" in text(program)
        # The answer itself is one that a model with turns would write.
        assert natural == {Scoring.LOGLIKELIHOOD, Scoring.GENERATED}


async def test_it_says_where_the_ladder_was_asked_in_another_way(few_stories: Path) -> None:
    async with opened(path=few_stories) as program:
        await run_all_with_an_example(program)
        await program.press("x")
        await ready(program)
        title = partial(getattr, pane(program), "border_title")
        assert str(title()).endswith(" · zero-shot, unlike the ladder")
        await program.ask()
        await program.until(lambda: "zero-shot" not in str(title()))
