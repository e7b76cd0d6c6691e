"""`attention`, `attribution` and `patch --heads`, on the bundled model."""

from __future__ import annotations

import pytest

from tests.cli.support import ok, run
from tests.cli.test_blocks import BLOCKS, FILLED, result

pytestmark = pytest.mark.usefixtures("demo_model")

ITEM = ("gita", "1-C0", "--task-layer", "story_class")
HEADS = 5


def test_attention_has_every_head_of_every_block_with_tokens_and_spans() -> None:
    found = result("attention", *ITEM)
    assert [each["block"] for each in found["blocks"]] == list(range(BLOCKS))
    assert found["unread"] == {}
    tokens, spans = found["tokens"], found["spans"]
    assert "".join(tokens).strip().endswith("Is the story plausible?")
    for block in found["blocks"]:
        assert [each["head"] for each in block["heads"]] == list(range(HEADS))
        for each in block["heads"]:
            assert len(each["tokens"]) == len(tokens)
            assert sum(each["tokens"]) == pytest.approx(1, abs=1e-3)
            for span, share in zip(spans, each["spans"], strict=True):
                assert share == pytest.approx(sum(each["tokens"][slice(*span["tokens"])]))


def test_attribution_divides_attention_among_the_heads() -> None:
    found = result("attribution", *ITEM)
    asked = result("ask", "gita", "1-C0")["verdicts"]
    scores = next(each["scores"] for each in asked if each["layer"] == "story_class")
    first, second = found["compared"]
    assert first == scores.index(max(scores))
    assert found["margin"] == pytest.approx(scores[first] - scores[second], abs=1e-3)
    pairs = zip(found["heads"], found["rest_of_attention"], found["attention"], strict=True)
    for heads, rest, attention in pairs:
        assert len(heads) == HEADS
        assert sum(heads) + rest == pytest.approx(attention)
        # This model has no biases, so the rest is rounding.
        assert abs(rest) < 0.02
    whole = sum(found["attention"]) + sum(found["feed_forward"])
    together = whole + found["embedding"] + found["constant"]
    assert together - found["deviation"] == pytest.approx(found["margin"])


def test_a_zeroed_head_of_the_map_is_the_patch_of_that_head() -> None:
    found = result("patch", *ITEM, "--heads", "zero")
    first, second = found["compared"]
    for block, head in ((0, 3), (3, 4), (5, 0)):
        patch = result("patch", *ITEM, "--zero", f"head:{block}.{head}")
        assert patch["scores"] == found["scores"]
        margins = [patch[run][first] - patch[run][second] for run in ("scores", "patched")]
        assert found["effects"][block][head] == pytest.approx(margins[1] - margins[0])


def test_a_copied_head_of_the_map_is_the_patch_of_that_head() -> None:
    found = result("patch", *ITEM, "--heads", "copy", "--contrast", FILLED)
    first, second = found["compared"]
    words = (*ITEM, "--contrast", FILLED)
    for block, head in ((1, 3), (5, 1)):
        patch = result("patch", *words, "--copy", f"head:{block}.{head}")
        margins = [patch[run][first] - patch[run][second] for run in ("scores", "patched")]
        assert found["effects"][block][head] == pytest.approx(margins[1] - margins[0])


def test_maps_are_printed_with_what_they_are() -> None:
    added = " ".join(ok("attribution", *ITEM).out.split())
    assert "what each head adds (direct logit attribution)" in added
    assert "the model's own margin" in added
    assert "Right speaks for" in added
    zeroed = " ".join(ok("patch", *ITEM, "--heads", "zero").out.split())
    assert "Zero is no value that the model knows" in zeroed
    assert "its figures are no results" in zeroed
    looking = ok("attention", *ITEM).out
    assert looking.count("attention in block") == BLOCKS
    assert looking.count("its figures are no results") == 1


def test_what_cannot_be_done_with_heads_is_said() -> None:
    for words, message in (
        (("--heads", "mean"), "cannot be changed by"),
        (("--heads", "zero", "--zero", "attn:1"), "one at a time"),
        (("--heads", "zero", "--contrast", FILLED), "needs no contrast"),
    ):
        found = run("patch", *ITEM, *words)
        assert found.code == 2
        assert message in found.err
