"""The sentence over the bars of a margin: who is ahead, by how much, where an answer is long."""

from __future__ import annotations

from core.contract.question import Question
from core.layout.rows import plain
from core.models.blocks import Attribution
from tests.tui.test_xray_drawing import xray_of
from tui.blocks.xray_cursor import Face, XrayCursor
from tui.blocks.xray_drawing import draw_xray


def test_an_answer_that_is_behind_at_the_token_compared_is_not_said_to_be_ahead() -> None:
    """Of an answer of several tokens the first that tells it apart may be the unlikelier one."""
    options = ("in the garden", "at home")
    question = Question("i", "story_class", "", "Where?", options, 1)
    found = xray_of(question, [[-1.0, -2.0]], [b"a"])
    assert found.compared == (0, 1)
    found.attribution = Attribution(-0.75, 0.0, (0.25,), (-1.0,), 0.0, (" in", " at"))
    said = " ".join(plain(draw_xray(found, XrayCursor(Face.PARTS), "", "", 120).rows).split())
    assert "“at home” is ahead of “in the garden” by 0.750 logits (tokens “at” and “in”)" in said
    assert "Most comes from feed-forward of block 0, -1.00" in said
    assert "Right speaks for “in the garden”, left for “at home”" in said
