"""The prompts of the demonstration model are those of the published runs, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.train_demo_model.prompts import CHOICES, LAYERS, Layer, body_parts, prefix, prompt

LOGS = Path(__file__).parents[2].parent / "shared" / "data" / "gita4calamita" / "logs"
MODEL = LOGS / "gemma-2-9b" / "google__gemma-2-9b"
needs_logs = pytest.mark.skipif(
    not MODEL.is_dir(), reason="needs the real data: the published logs in shared/data/"
)


def rows(layer: Layer) -> Iterator[dict[str, Any]]:
    for path in MODEL.glob(f"samples_{layer}_*.jsonl"):
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


@needs_logs
@pytest.mark.parametrize("layer", LAYERS)
def test_prompts_match_the_logs(layer: Layer) -> None:
    """A logged prompt is description, three examples and the story; ours drops the examples."""
    seen = 0
    for row in rows(layer):
        requests = row["arguments"]
        logged = requests["gen_args_0"]["arg_0"]
        ours = prompt(layer, row["doc"]["sentences"])
        head = ours.index("The story is as follows:")
        assert logged.startswith(ours[:head])
        assert logged.endswith(ours[head:])
        said = [requests[f"gen_args_{number}"]["arg_1"] for number in range(len(requests))]
        assert said == [f" {choice}" for choice in CHOICES[layer]]
        seen += 1
    assert seen > 20


@pytest.mark.parametrize("layer", LAYERS)
def test_parts_make_up_the_prompt(layer: Layer) -> None:
    sentences = ["Uno.", "Due.", "Tre.", "Quattro.", "Cinque."]
    parts = body_parts(layer, sentences)
    assert prefix(layer) + "".join(parts) == prompt(layer, sentences)
    assert [part[-len(text) :] for part, text in zip(parts, sentences, strict=False)] == sentences
