"""Edits as a person writes them, and what they did."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.blocks.contrast_prompts import ContrastPrompt
from core.blocks.edits import check_part, edit_name, parse_edit, parse_part, placed, with_vector
from core.blocks.patches import Patched
from core.blocks.spans import PromptSpan, SpanKind
from core.contract.question import OptionScore, Question
from core.contract.setting import Setting
from core.models.blocks import Action, BlockAccess, Edit, Part, PatchResult
from core.text.errors import SettingError

ACCESS = BlockAccess(6, 4, 96, frozenset(Part), attribution=True, attention=True, head_width=24)
SPANS = (
    PromptSpan(SpanKind.SENTENCE, "a", (0, 3)),
    PromptSpan(SpanKind.SENTENCE, "b", (3, 7)),
    PromptSpan(SpanKind.SENTENCE, "c", None),
)


@pytest.mark.parametrize(
    ("action", "word", "edit", "span"),
    [
        (Action.ZERO, "attn:3", Edit(Action.ZERO, Part.ATTENTION, 3, 0, 0), None),
        (Action.ZERO, "feed-forward:0", Edit(Action.ZERO, Part.FEED_FORWARD, 0, 0, 0), None),
        (Action.ZERO, "head:5.3@1", Edit(Action.ZERO, Part.HEAD, 5, 0, 0, 3), 1),
        (Action.COPY, " residual:2@0 ", Edit(Action.COPY, Part.RESIDUAL, 2, 0, 0), 0),
        (Action.SKIP, "4", Edit(Action.SKIP, Part.RESIDUAL, 4, 0, 0), None),
        (Action.SKIP, "4@2", Edit(Action.SKIP, Part.RESIDUAL, 4, 0, 0), 2),
    ],
)
def test_what_is_written_is_understood(
    action: Action, word: str, edit: Edit, span: int | None
) -> None:
    assert parse_edit(action, word, ACCESS) == (edit, span)


@pytest.mark.parametrize(
    ("action", "word", "named"),
    [
        (Action.ZERO, "attn", "not a part of a block"),
        (Action.ZERO, "attn:x", "not a part of a block"),
        (Action.ZERO, "attn:٣", "not a part of a block"),
        (Action.ZERO, "atn:3", "Did you mean “attn”"),
        (Action.ZERO, "attn:6", "from 0 to 5"),
        (Action.ZERO, "head:1", "No head was named"),
        (Action.ZERO, "head:1.4", "from 0 to 3"),
        (Action.ZERO, "ffn:1.2", "has no heads"),
        (Action.ZERO, "attn:1@", "not the number of a span"),
        (Action.ZERO, "attn:1@-1", "not the number of a span"),
        (Action.SKIP, "attn:3", "number of a block"),
    ],
)
def test_a_mistake_is_told(action: Action, word: str, named: str) -> None:
    with pytest.raises(SettingError, match=named) as raised:
        parse_edit(action, word, ACCESS)
    assert raised.value.where == f"--{action}"


@given(st.text(max_size=20))
def test_any_text_is_an_edit_or_is_refused(word: str) -> None:
    try:
        edit, _ = parse_edit(Action.ZERO, word, ACCESS)
    except SettingError:
        return
    assert edit.block < ACCESS.blocks


def test_parts_that_a_model_lacks_are_named() -> None:
    access = BlockAccess(2, 4, 8, frozenset({Part.RESIDUAL}), attribution=False, attention=False)
    with pytest.raises(SettingError, match="It has: residual"):
        parse_edit(Action.ZERO, "attn:1", access)


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("residual", (Part.RESIDUAL, None)),
        ("attn", (Part.ATTENTION, None)),
        (" feed-forward ", (Part.FEED_FORWARD, None)),
        ("head:3", (Part.HEAD, 3)),
    ],
)
def test_what_is_traced(word: str, part: tuple[Part, int | None]) -> None:
    assert parse_part(word) == part
    check_part(*part, ACCESS)


@pytest.mark.parametrize(
    ("word", "named"),
    [
        ("hed", "cannot be traced"),
        ("head", "No head was named"),
        ("head:", "cannot be traced"),
        ("head:٣", "cannot be traced"),
        ("attn:1", "Attention has no heads"),
        ("head:4", "no head 4"),
    ],
)
def test_what_cannot_be_traced(word: str, named: str) -> None:
    with pytest.raises(SettingError, match=named) as raised:
        check_part(*parse_part(word), ACCESS)
    assert raised.value.where == "--part"


def test_an_added_vector_stays_with_its_edit() -> None:
    vector = (1.0,) * ACCESS.width
    edit = with_vector(parse_edit(Action.ADD, "residual:3", ACCESS)[0], vector, ACCESS)
    (here,) = placed(edit, 0, SPANS, [])
    assert (here.vector, here.start, here.stop) == (vector, 0, 3)
    assert edit_name(here) == "add a vector to residual of block 3, tokens 0 to 2"


def test_a_vector_is_as_wide_as_what_it_is_added_to() -> None:
    head, _ = parse_edit(Action.ADD, "head:3.1", ACCESS)
    assert with_vector(head, (1.0,) * ACCESS.head_width, ACCESS).head == 1
    with pytest.raises(SettingError, match="has 96 numbers") as raised:
        with_vector(head, (1.0,) * ACCESS.width, ACCESS)
    assert raised.value.where == "--add"
    assert "takes 24" in raised.value.hint


def test_edits_are_placed_at_the_tokens_of_their_spans() -> None:
    edit, _ = parse_edit(Action.ZERO, "attn:3", ACCESS)
    (here,) = placed(edit, 1, SPANS, [(0, 9)])
    assert edit_name(here) == "zero attention of block 3, tokens 3 to 6"
    assert [(e.start, e.stop) for e in placed(edit, None, SPANS, [(0, 3), (5, 9)])] == [
        (0, 3),
        (5, 9),
    ]
    with pytest.raises(SettingError, match="no span 3"):
        placed(edit, 3, SPANS, [])
    with pytest.raises(SettingError, match="no tokens of its own"):
        placed(edit, 2, SPANS, [])


def scored(*values: float) -> tuple[OptionScore, ...]:
    return tuple(OptionScore(value) for value in values)


def test_what_a_patch_did() -> None:
    question = Question("item", "layer", "", "Is it?", ("yes", "no"), 0)
    contrast = ContrastPrompt(
        "t", Setting(), Question("item", "layer", "", "Was it?", ("yes", "no"), 1)
    )
    edits = (Edit(Action.COPY, Part.RESIDUAL, 1, 2, 4),)
    result = PatchResult(scored(-1, -2), scored(-2, -2))
    done = Patched(question, contrast, SPANS, None, edits, result, scored(-2, -1))
    assert done.answers == (0, None)
    assert done.touched == (0, 1)
    assert done.restored == pytest.approx(0.5)
    assert Patched(question, None, SPANS, None, edits, result).restored is None
    alike = Patched(question, contrast, SPANS, None, edits, result, scored(-1, -2.05))
    assert alike.restored is None
