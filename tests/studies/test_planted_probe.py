"""Probes and directions find what is planted in a model, and nothing where nothing is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sklearn", reason="probes need scikit-learn")

from core.contract import registry
from core.contract.question import Question, Shot
from core.contract.setting import Setting
from core.models.resolver import load_model
from core.runs.questions import QuestionSource
from core.studies.conducting import conduct
from core.studies.kinds import KINDS, report_of
from core.studies.study_store import StudyStore
from core.studies.subject import Subject, task_layer
from tests.studies.planted_model import (
    BLOCKS,
    CLOSED,
    OPEN,
    Door,
    Doors,
    DoorsBenchmark,
    planted_model,
)

BLOCK = 1


@pytest.fixture(autouse=True)
def _no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where no other benchmark is installed: side effects take most of a study's time."""
    monkeypatch.setattr(registry, "loaded", lambda: ([], []))


class TwoWorldDoors(DoorsBenchmark):
    """Every door is asked about open and closed, with options in an order of its family's own."""

    def contrasts(self, item: Door, setting: Setting) -> Sequence[tuple[str, Setting]]:
        [switch] = self.switches(item)
        names = (f"is {OPEN} ({item.family})", f"is {CLOSED}: door {item.family}")
        settings = (setting.with_value(switch, state) for state in (OPEN, CLOSED))
        return list(zip(names, settings, strict=True))

    def question(
        self, item: Door, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question:
        asked = super().question(item, setting, layer, shots)
        options = ("yes", "no", "door") if int(item.family) % 2 else ("door", "no", "yes")
        right = asked.options[asked.gold or 0]
        return replace(asked, options=options, gold=options.index(right))


class ManyDoors(DoorsBenchmark):
    """Which of three doors, which the prompt lists, is open?"""

    def question(
        self, item: Door, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question:
        asked = super().question(item, setting, layer, shots)
        # Of ten families three or four have each place, and both doors of one another.
        gold = (int(item.family) + (item.state == CLOSED)) % 3
        nouns = ("cup", "box", "fox")
        options = tuple(
            f"{noun} {OPEN if place == gold else CLOSED} ?" for place, noun in enumerate(nouns)
        )
        return replace(asked, text=f"{' '.join(options)} the ?", options=options, gold=gold)


async def studied(
    model: Path, store: Path, *kinds: str, benchmark: DoorsBenchmark | None = None
) -> list[dict[str, Any]]:
    """The results of studies of ten families of doors, each to its end."""
    loaded = await load_model(str(model))
    results = []
    try:
        source = QuestionSource(benchmark or DoorsBenchmark(), Doors(10))
        subject = await Subject.of(loaded, source, Path("doors"), task_layer(source, None))
        with StudyStore(store) as opened:
            for kind in kinds:
                study = opened.start(subject.plan(kind, {}))
                work = KINDS[kind].work(subject, study.plan)
                await conduct(opened, study, work, lambda _: None)
                done = opened.study(study.id)
                assert report_of(done).findings
                assert done.result is not None
                results.append(done.result)
    finally:
        await loaded.close()
    return results


async def test_the_answer_is_found_from_the_block_that_writes_it_on(tmp_path: Path) -> None:
    model = planted_model(tmp_path / "model.gguf", block=BLOCK, noise=0.0)
    probe, direction = await studied(model, tmp_path / "runs.sqlite", "probe", "direction")
    assert (probe["n"], probe["groups"]) == (20, 10)
    assert [block["auc"] for block in probe["blocks"]] == [0.5, 1.0, 1.0, 1.0]
    assert set(probe["chosen_blocks"]) == {BLOCK}
    # A word of the prompt and the model's own margin say it too, so it is no hidden knowledge.
    assert probe["margin_auc"] == probe["bag_of_words_auc"] == 1.0
    assert probe["verdict"] == "in the words"
    assert not probe["encoded_not_used"]
    assert direction["moves_the_answer"]
    assert direction["p"] == 0.05
    assert set(direction["chosen_blocks"]) <= set(range(BLOCK, BLOCKS - 1))
    # The option that is raised is the second, “no”.
    effects = [block["effects"][1]["effect"] for block in direction["blocks"]]
    assert effects[0] == pytest.approx(0, abs=1e-3)
    assert min(effects[BLOCK:]) > 1
    assert all(abs(block["random"]) < effects[BLOCK] / 2 for block in direction["blocks"])
    # The table has the means of what is kept of every question.
    kept = direction["items"]
    assert len(kept) == direction["added_to"] == 20
    for number, block in enumerate(direction["blocks"]):
        for name, figure in (("effects", effects[number]), ("random", block["random"])):
            of_block = [question[name][number] for question in kept]
            assert sum(of_block) / len(of_block) == pytest.approx(figure, abs=1e-5)
    chosen = [
        question["effects"][direction["chosen_blocks"][question["half"]]] for question in kept
    ]
    assert sum(chosen) / len(chosen) == pytest.approx(direction["effect"], abs=1e-5)


async def test_where_nothing_is_planted_nothing_is_found(tmp_path: Path) -> None:
    model = planted_model(tmp_path / "model.gguf", planted=False)
    probe, direction = await studied(model, tmp_path / "runs.sqlite", "probe", "direction")
    assert not probe["encoded_not_used"]
    assert not direction["moves_the_answer"]


@pytest.mark.slow
async def test_without_two_options_a_direction_leads_from_one_world_to_the_other(
    tmp_path: Path,
) -> None:
    model = planted_model(tmp_path / "model.gguf", block=BLOCK, noise=0.0)
    [found] = await studied(model, tmp_path / "runs.sqlite", "direction", benchmark=TwoWorldDoors())
    # Both doors of a family are the same where the door is open, so they are one pair.
    assert (found["n"], found["groups"]) == (20, 10)
    assert found["worlds"] == [{"is open": 10}, {"is closed": 10}]
    assert found["moves_the_answer"]
    effects = [block["effects"][1]["effect"] for block in found["blocks"]]
    assert effects[0] == pytest.approx(0, abs=1e-3)
    assert min(effects[BLOCK:]) > 1
    # The margin is of the pair's own options, wherever they stand: above 0 where it is closed.
    assert {each["gold"] for each in found["items"]} == {0, 1}
    assert all((each["margin"] > 0) == (each["gold"] == 1) for each in found["items"])
    nothing = planted_model(tmp_path / "nothing.gguf", planted=False)
    [found] = await studied(
        nothing, tmp_path / "runs.sqlite", "direction", benchmark=TwoWorldDoors()
    )
    assert not found["moves_the_answer"]


async def test_the_right_option_is_found_at_options_from_the_block_that_writes_it_on(
    tmp_path: Path,
) -> None:
    # The head reads from every question mark, with which each option ends, which doors before it
    # are open; what the words of the option say as well is no work of the model.
    model = planted_model(tmp_path / "model.gguf", block=BLOCK, noise=0.0)
    [found] = await studied(model, tmp_path / "runs.sqlite", "probe", benchmark=ManyDoors())
    assert (found["n"], found["groups"], found["numbers_of_options"]) == (20, 10, [3])
    assert [block["auc"] for block in found["blocks"]] == [0.5, 1.0, 1.0, 1.0]
    assert set(found["chosen_blocks"]) == {BLOCK}
    assert found["embedding_auc"] == 0.5
    assert found["bag_of_words_auc"] == found["accuracy"] == 1.0
    assert found["verdict"] == "in the words"
    nothing = planted_model(tmp_path / "nothing.gguf", planted=False, noise=0.0)
    [found] = await studied(nothing, tmp_path / "runs.sqlite", "probe", benchmark=ManyDoors())
    assert [block["auc"] for block in found["blocks"]] == [0.5] * BLOCKS
    assert found["verdict"] == "not encoded"
