"""States come from Python as they are in the model, and with what they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import commonsense_tui as ct


def test_states_are_read_at_the_answer_position_and_at_the_parts(
    model: ct.LoadedModel, tmp_path: Path
) -> None:
    stories = ct.open("gita")
    last = model.activations(stories, limit=3)
    assert last.states.shape == (3, 6, 160)
    assert [row["item"] for row in last.index] == [story.id for story in list(stories)[:3]]
    spans = model.activations(stories, positions="spans", blocks=[5, 0], limit=3)
    assert spans.blocks == (5, 0)
    answers = [row for row in spans.index if row["role"] == "answer position"]
    rows = spans.states[[row["row"] for row in answers]]
    assert rows[:, 1] == pytest.approx(last.states[:, 0], abs=1e-4)
    roles = {row["role"] for row in spans.index if row["item"] == "0-O0"}
    assert {"conflict", "breakpoint"} <= roles
    texts = [row["text"] for row in spans.index if row["item"] == "0-O0"]
    assert stories["0-O0"].item.story.sentences[1] in texts
    file = tmp_path / "a.safetensors"
    mapped = model.activations(
        stories, positions="spans", blocks=[5, 0], limit=3, to=file, half=True
    )
    assert np.array_equal(mapped.states, spans.states.astype(np.float16))
    assert len(mapped.to_pandas()) == len(spans.index)
    with pytest.raises(ct.SettingError, match="no block"):
        model.activations(stories, blocks=[6])
    with pytest.raises(ct.NotFoundError, match="no task layer"):
        model.activations(stories, "nonsense")


@pytest.mark.parametrize("limit", [0, -1])
def test_states_of_no_item_are_refused(model: ct.LoadedModel, limit: int) -> None:
    with pytest.raises(ct.SettingError, match=f"cannot be {limit}"):
        model.activations(ct.open("gita"), limit=limit)
