"""Studies find what is planted in a model, all of it and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from core.contract.question import Question, Shot
from core.contract.setting import Setting
from core.layout.heatmap import HeatMap
from core.models.resolver import load_model
from core.runs.questions import QuestionSource
from core.studies.cells import found_cells
from core.studies.conducting import conduct
from core.studies.items_behind import Place
from core.studies.kinds import KINDS, items_behind, report_of
from core.studies.plan import Study
from core.studies.state_capture import capture_answers
from core.studies.study_store import StudyStore
from core.studies.subject import Subject, task_layer
from tests.studies.planted_model import BLOCKS, KEY, Door, Doors, DoorsBenchmark, planted_model

BLOCK, HEAD = 1, 2
QUESTION = "question"


async def studied(
    model: Path,
    store: Path,
    kind: str,
    options: dict[str, str],
    bench: DoorsBenchmark | None = None,
) -> Study:
    """A study of the doors with a model file, to its end."""
    loaded = await load_model(str(model))
    try:
        source = QuestionSource(bench or DoorsBenchmark(), Doors())
        subject = await Subject.of(loaded, source, Path("doors"), task_layer(source, None))
        with StudyStore(store) as opened:
            study = opened.start(subject.plan(kind, options))
            work = KINDS[kind].work(subject, study.plan)
            await conduct(opened, study, work, lambda _: None)
            return opened.study(study.id)
    finally:
        await loaded.close()


class Reworded(DoorsBenchmark):
    """Doors that are asked about in other words."""

    def question(
        self, item: Door, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question:
        question = super().question(item, setting, layer, shots)
        return replace(question, text=question.text.replace("yes or no", "no or yes"))


class OneLong(DoorsBenchmark):
    """Doors of which the first is asked about at greater length than the model can read."""

    def question(
        self, item: Door, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question:
        question = super().question(item, setting, layer, shots)
        first = item.id == Doors().item(0).id
        return replace(question, text=question.text * 500) if first else question


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return planted_model(tmp_path_factory.mktemp("planted") / "model.gguf", block=BLOCK, head=HEAD)


def named_cells(result: dict[str, Any], rows: str) -> list[tuple[Any, int]]:
    """The cells that are named, with the names of their rows."""
    return sorted((result[rows][row], column) for row, column in found_cells(result))


async def test_the_same_in_other_words_or_with_other_numbers_is_another_study(
    planted: Path,
) -> None:
    ids = []
    for bench, exact in ((DoorsBenchmark(), False), (Reworded(), False), (DoorsBenchmark(), True)):
        loaded = await load_model(str(planted), exact=exact)
        source = QuestionSource(bench, Doors())
        subject = await Subject.of(loaded, source, Path("doors"), task_layer(source, None))
        plans = [subject.plan("heads", {}) for _ in range(2)]
        assert plans[0].id == plans[1].id
        ids.append(plans[0].id)
        await loaded.close()
    assert len(set(ids)) == 3


async def test_an_item_that_is_too_long_is_left_out_and_counted(
    planted: Path, tmp_path: Path
) -> None:
    study = await studied(planted, tmp_path / "runs.sqlite", "heads", {}, OneLong())
    assert study.result is not None
    assert study.result["excluded"]["its prompt is longer than the model's context"] == 1
    loaded = await load_model(str(planted))
    source = QuestionSource(OneLong(), Doors(), limit=3)
    subject = await Subject.of(loaded, source, Path("doors"), task_layer(source, None))
    with StudyStore(tmp_path / "runs.sqlite") as store:
        kept = store.kept(study.id)
        read = await capture_answers(subject, subject.cases(), kept, lambda _: None)
    await loaded.close()
    assert (len(read.cases), read.left_out) == (2, 1)


async def test_a_trace_finds_the_part_that_is_read_and_where(planted: Path, tmp_path: Path) -> None:
    study = await studied(planted, tmp_path / "runs.sqlite", "trace", {"part": "residual"})
    result = study.result
    assert result is not None
    assert (result["n"], result["of"], result["clusters"], result["excluded"]) == (14, 14, 7, {})
    before = [(KEY, block) for block in range(BLOCK)]
    # The last part after the last block is the readout itself.
    behind = [(QUESTION, block) for block in range(BLOCK, BLOCKS - 1)]
    assert named_cells(result, "roles") == sorted([*before, *behind])
    door, question = (result["roles"].index(role) for role in (KEY, QUESTION))
    [margin] = {
        round(one - other, 1) for each in result["items"] for one, other in [each["margins"]]
    }
    assert result["effect"][door][0] == pytest.approx(margin, abs=0.5)
    assert result["effect"][question][BLOCK] == pytest.approx(margin, abs=0.5)
    assert result["effect"][question][BLOCKS - 1] is None
    low, high = result["interval"][door][0]
    assert low <= result["effect"][door][0] <= high
    assert abs(result["control"][door][0]) < 0.1


async def test_attention_of_one_block_is_all_that_brings_the_answer(
    planted: Path, tmp_path: Path
) -> None:
    study = await studied(planted, tmp_path / "runs.sqlite", "trace", {"part": "attention"})
    assert study.result is not None
    assert named_cells(study.result, "roles") == [(QUESTION, BLOCK)]
    [finding, *_] = report_of(study).findings
    assert finding.startswith(
        f"Copying the attention of “question” in block {BLOCK} raises the right option by"
    )
    assert " over 14 valid pairs; its control changes it by " in finding
    known = [p for row in study.result["p"] for p in row if p is not None]
    assert len(known) < len(study.result["p"]) * len(study.result["p"][0])
    assert finding.endswith(f" 1 of the {len(known)} cells that have a control differs from it.")
    picture = report_of(study).picture
    assert isinstance(picture, HeatMap)
    assert [(picture.rows[row].label, column) for row, column in picture.marked] == [
        (f"{QUESTION} (14)", BLOCK)
    ]


async def test_the_head_study_finds_the_head_that_was_planted(
    planted: Path, tmp_path: Path
) -> None:
    study = await studied(planted, tmp_path / "runs.sqlite", "heads", {})
    result = study.result
    assert result is not None
    assert named_cells(result, "blocks") == [(BLOCK, HEAD)]
    first, second, *_ = result["top"]
    assert (first["block"], first["head"]) == (BLOCK, HEAD)
    assert first["effect"] > 100 * abs(second["effect"])
    assert len(result["top"]) == 10
    # It adds the whole answer by itself, and no other head adds any of it.
    assert result["n_attribution"] == result["n"] == 14
    added = {
        (block, head): abs(value)
        for block, row in enumerate(result["attribution"])
        for head, value in enumerate(row)
    }
    ranked = sorted(added, key=added.__getitem__, reverse=True)
    assert ranked[0] == (BLOCK, HEAD)
    assert added[ranked[0]] > 100 * added[ranked[1]]
    low, high = first["attribution_interval"]
    assert 0 < low <= first["attribution"] <= high
    margins = [item["margins"][0] for item in result["items"]]
    assert first["attribution"] == pytest.approx(sum(margins) / 14, abs=0.5)

    shown = report_of(study)
    assert shown.findings[0].startswith(f"Head {HEAD} of block {BLOCK} raises")
    added_by_it = result["attribution"][BLOCK][HEAD]
    said = f"Attribution: head {HEAD} of block {BLOCK} adds most by itself for the right option"
    assert shown.findings[-1].startswith(f"{said}, {added_by_it:.2f} logits [")
    assert f"adds {added_by_it:+.2f} [" in shown.findings[2]
    rows = [dict(zip(shown.table.columns, row, strict=True)) for row in shown.table.rows]
    [row] = [row for row in rows if (row["block"], row["head"]) == (str(BLOCK), HEAD)]
    assert (row["attribution"], row["n_attribution"]) == (added_by_it, 14)
    behind = items_behind(study, shown, Place(BLOCK, HEAD))
    assert behind.columns == ("effect", "control", "logits added")
    own = [item.figures[2] for item in behind.items]
    assert sum(value for value in own if value is not None) / 14 == pytest.approx(added_by_it)
    # A study that an earlier version recorded is shown as it was.
    left = {key: value for key, value in result.items() if "attribution" not in key}
    left["top"] = [
        {k: v for k, v in each.items() if "attribution" not in k} for each in left["top"]
    ]
    earlier = report_of(msgspec.structs.replace(study, result=left))
    assert "attribution" not in " ".join(
        (*earlier.findings, *earlier.method, *earlier.table.columns)
    )


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
async def test_where_nothing_is_planted_nothing_is_found(seed: int, tmp_path: Path) -> None:
    model = planted_model(tmp_path / "model.gguf", planted=False, seed=seed)
    for kind, options in (("trace", {"part": "residual"}), ("heads", {})):
        study = await studied(model, tmp_path / "runs.sqlite", kind, options)
        assert study.result is not None
        assert found_cells(study.result) == []
        assert report_of(study).findings[0].startswith("No ")


async def test_pairs_that_the_model_gets_wrong_are_in_a_group_of_their_own(tmp_path: Path) -> None:
    model = planted_model(tmp_path / "model.gguf", block=BLOCK, head=HEAD, inverted=True)
    study = await studied(model, tmp_path / "runs.sqlite", "trace", {"part": "residual"})
    result = study.result
    assert result is not None
    assert (result["n"], result["excluded"]) == (0, {"the model is wrong about it": 14})
    assert result["effect"] == [[None] * BLOCKS] * len(result["roles"])
    [wrong] = result["split"]
    assert (wrong["group"], wrong["n"]) == ("wrong here", 14)
    assert wrong["effect"][result["roles"].index(KEY)][0] > 10
    for each in result["items"]:
        here, there = each["margins"]
        assert here > 0 > there
        assert each["effects"][KEY][0] == pytest.approx(here - there, abs=0.5)
    assert report_of(study).findings[0].startswith("No item of 14 has a valid pair")
