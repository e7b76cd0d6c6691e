"""What docs/blocks.md says of the lens over the bundled stories, counted again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import commonsense_tui as ct
from core.blocks.calibration import Withheld
from core.models.blocks import Trajectory

PAGE = Path(__file__).parents[2] / "docs" / "blocks.md"
NEVER = Trajectory.NEVER


@pytest.mark.slow
@pytest.mark.usefixtures("demo_model")
def test_the_page_on_blocks_counts_the_courses_of_the_bundled_stories() -> None:
    raw: Counter[tuple[str, Trajectory]] = Counter()
    beyond: Counter[tuple[str, Trajectory | Withheld]] = Counter()
    with ct.load_model("demo") as model:
        for story in ct.open("gita"):
            table = model.blocks(story, "story_class").table
            lens = table.calibrated
            assert lens is not None
            assert table.content_free is not None
            assert table.content_free.leading() == (table.question.options.index("true"),) * 6
            assert table.trajectory is not None
            if table.trajectory[0] is not Trajectory.WINS:
                assert table.gold is not None
                right = table.question.options[table.gold]
                raw[right, table.trajectory[0]] += 1
                beyond[right, lens.withheld or (lens.trajectory or table.trajectory)[0]] += 1
    failed = Counter(right for right, _ in raw.elements())
    classed = Counter(right for right, why in beyond.elements() if isinstance(why, Trajectory))
    withheld = Counter(why for _, why in beyond.elements() if isinstance(why, Withheld))
    text = " ".join(PAGE.read_text().split())
    for sentence in (
        f"answers {failed.total()} of 300 wrong",
        f"in {raw['false', NEVER]} of the {failed['false']} failures whose right answer is “false”",
        f"in {raw['true', NEVER]} of the {failed['true']} whose right answer is “true”",
        f"*never led* in {beyond['false', NEVER]} of {classed['false']} and in "
        f"{beyond['true', NEVER]} of {classed['true']}",
        f"Of the other {withheld.total()} failures {withheld[Withheld.PRIOR_DECIDES]} were the "
        f"prior's decision and {withheld[Withheld.NEAR_TIE]} near ties",
    ):
        assert sentence in text
