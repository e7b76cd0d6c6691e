"""Which events a sentence names."""

from __future__ import annotations

import pytest

from core.contract.view import Node
from core.layout.graph.mentions import last_sentence, mentioned_nodes

NODES = (
    Node("rain", "It rains hard all night."),
    Node("bus", "The school bus arrives after the bell"),
    Node("壶", "阿成把壶藏进米缸", gloss="A-Cheng hides the pot in the rice jar"),
)


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("First, IT RAINS HARD ALL NIGHT, so the lane floods", {"rain"}),
        ("So the bus for the school arrives late, after the bell", {"bus"}),
        ("It is night", set()),
        ("我想阿成把壶藏进米缸里了", {"壶"}),
        ("He hides the pot in a rice jar", {"壶"}),
        ("", set()),
        ("the the the after after", set()),
    ],
)
def test_a_sentence_names_what_it_says(sentence: str, named: set[str]) -> None:
    assert mentioned_nodes(sentence, NODES) == named


def test_only_the_last_sentence_counts() -> None:
    text = "It rains hard all night. Then the school bus arrives after the bell. And"
    assert mentioned_nodes(last_sentence(text), NODES) == {"bus"}
    assert last_sentence("No end yet") == "No end yet"
