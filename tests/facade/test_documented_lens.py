"""What docs/blocks.md says of the lens over the bundled stories, counted again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import commonsense_tui as ct
from core.blocks.calibration import Withheld
from core.contract import registry
from core.contract.question import Answer, Verdict
from core.models.blocks import Trajectory
from core.runs.blocks import LensCounts, block_table, recorded_blocks
from core.runs.mean_centred import mean_centred
from core.runs.records import RecordedBlocks

PAGE = Path(__file__).parents[2] / "docs" / "blocks.md"
NEVER = Trajectory.NEVER


@pytest.mark.slow
@pytest.mark.usefixtures("demo_model")
def test_the_page_on_blocks_counts_the_courses_of_the_bundled_stories() -> None:
    raw: Counter[tuple[str, Trajectory]] = Counter()
    beyond: Counter[tuple[str, Trajectory | Withheld]] = Counter()
    answers: list[tuple[Verdict, RecordedBlocks]] = []
    gita = registry.load("gita")
    with ct.load_model("demo") as model:
        for story in ct.open("gita"):
            table = model.blocks(story, "story_class").table
            answers.append(
                (
                    gita.score(table.question, Answer(table.final)),
                    recorded_blocks(gita, table.question, table.reading),
                )
            )
            lens = table.calibrated
            assert lens is not None
            assert table.content_free is not None
            false, true = map(table.question.options.index, ("false", "true"))
            assert table.content_free.leading() == (false, false, true, false, true, true)
            assert table.trajectory is not None
            if table.trajectory[0] is not Trajectory.WINS:
                assert table.gold is not None
                right = table.question.options[table.gold]
                raw[right, table.trajectory[0]] += 1
                beyond[right, lens.withheld or (lens.trajectory or table.trajectory)[0]] += 1
    centred: Counter[tuple[str, Trajectory | Withheld]] = Counter()
    lenses = mean_centred(answers)
    assert isinstance(lenses, list)
    for (verdict, _), lens in zip(answers, lenses, strict=True):
        if verdict.right is False:
            assert verdict.gold is not None
            course = lens.withheld or (lens.trajectory or (Trajectory.WINS,))[0]
            centred[verdict.options[verdict.gold], course] += 1
    [layer] = block_table(6, answers).layers
    assert isinstance(layer.centred, LensCounts)
    of_mean = layer.centred.wrong.unsettled
    told = Counter(right for right, why in centred.elements() if isinstance(why, Trajectory))
    failed = Counter(right for right, _ in raw.elements())
    classed = Counter(right for right, why in beyond.elements() if isinstance(why, Trajectory))
    withheld = Counter(why for _, why in beyond.elements() if isinstance(why, Withheld))
    text = " ".join(PAGE.read_text().split())
    for sentence in (
        "the content-free prompt says “true” after blocks 2, 4 and 5 and “false” after the others",
        f"answers {failed.total()} of 300 wrong",
        f"in {raw['false', NEVER]} of the {failed['false']} failures whose right answer is “false”",
        f"in {raw['true', NEVER]} of the {failed['true']} whose right answer is “true”",
        f"*never led* in {beyond['false', NEVER]} of {classed['false']} and in "
        f"{beyond['true', NEVER]} of {classed['true']}",
        f"Of the other {withheld.total()} failures {withheld[Withheld.PRIOR_DECIDES]} were the "
        f"prior's decision and {withheld[Withheld.NEAR_TIE]} near ties",
        f"{layer.raw.right.at[0]} of the {layer.raw.right.n} right answers settle at block 0 by "
        f"the raw lens, and {layer.centred.right.at[0]} by the mean-centred one",
        f"Of the {failed.total()} failures that one tells of {told.total()}; of the others "
        f"{of_mean[Withheld.NEAR_TIE]} are near ties and {of_mean[Withheld.PRIOR_DECIDES]} are the",
        f"never led in {centred['false', NEVER]} of {told['false']} failures whose right answer is "
        f"“false” and in {centred['true', NEVER]} of {told['true']} whose right answer is “true”, "
        f"where the raw lens has {raw['false', NEVER]} of {failed['false']} and "
        f"{raw['true', NEVER]} of {failed['true']}",
    ):
        assert sentence in text
