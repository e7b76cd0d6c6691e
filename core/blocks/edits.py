"""Reads edits as they are typed: `attn:3`, `head:3.1`, `residual:2@4`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from core.blocks.spans import PromptSpan
from core.models.blocks import Action, BlockAccess, Edit, Part
from core.text.errors import SettingError
from core.text.suggestions import suggestion

PARTS = {
    "residual": Part.RESIDUAL,
    "attn": Part.ATTENTION,
    "ffn": Part.FEED_FORWARD,
    "head": Part.HEAD,
}
"""Short names of parts; their full names are understood too."""
_KNOWN = PARTS | {part.value: part for part in Part}
_WRITTEN = re.compile(
    r"(?P<part>[a-z-]+):(?P<block>\d{1,6})(?:\.(?P<head>\d{1,6}))?(?P<at>@.*)?", re.ASCII
)
_TRACED = re.compile(r"(?P<part>[a-z-]+)(?::(?P<head>\d{1,6}))?", re.ASCII)
_FORM = (
    "Write PART:BLOCK, as attn:3, head:3.1 or residual:2@4; the last is span 4 only. "
    "residual:2@answer is the answer position only."
)
ANSWER = -1
"""In the place of a span: the answer position, which is the prompt's last token."""


def parse_edit(action: Action, word: str, access: BlockAccess) -> tuple[Edit, int | None]:
    """An edit whose tokens are not chosen yet, and the span it names; None for the whole prompt.

    Raises `SettingError` for a word of another form, and for blocks, heads and parts that the model
    does not have.
    """
    where = f"--{action}"
    match = _WRITTEN.fullmatch(word.strip() if action is not Action.SKIP else f"residual:{word}")
    if match is None:
        hint = "Write the number of a block, as 3 or 3@4." if action is Action.SKIP else _FORM
        raise SettingError(f"“{word}” is not a part of a block.", where=where, hint=hint)
    name, block = match["part"], int(match["block"])
    if name not in _KNOWN:
        hint = suggestion("Parts", PARTS, name)
        raise SettingError(f"There is no part “{name}”.", where=where, hint=hint)
    part = _KNOWN[name]
    head = None if match["head"] is None else int(match["head"])
    if block >= access.blocks:
        raise SettingError(
            f"There is no block {block} in this model.",
            where=where,
            hint=f"Blocks count from 0 to {access.blocks - 1}.",
        )
    if part not in access.parts:
        raise SettingError(
            f"{part.capitalize()} cannot be changed in this model.",
            where=where,
            hint=f"It has: {', '.join(sorted(access.parts))}.",
        )
    _check_head(part, head, access, where)
    return Edit(action, part, block, 0, 0, head), _span(match["at"], where)


def parse_part(word: str) -> tuple[Part, int | None]:
    """The part of every block that a trace copies, and the head of `head:3`.

    Raises `SettingError`; see `check_part` for what the model has.
    """
    hint = "Choose residual, attn, ffn or head:H, the number of a head."
    match = _TRACED.fullmatch(word.strip())
    if match is None or match["part"] not in _KNOWN:
        raise SettingError(f"“{word}” cannot be traced.", where="--part", hint=hint)
    part = _KNOWN[match["part"]]
    if (part is Part.HEAD) != (match["head"] is not None):
        what = "No head was named." if part is Part.HEAD else f"{part.capitalize()} has no heads."
        raise SettingError(what, where="--part", hint=hint)
    return part, None if match["head"] is None else int(match["head"])


def check_part(part: Part, head: int | None, access: BlockAccess) -> None:
    """Raise `SettingError` for a part or head that the model does not have."""
    if part not in access.parts:
        raise SettingError(
            f"{part.capitalize()} cannot be traced in this model.",
            where="--part",
            hint=f"It has: {', '.join(sorted(access.parts))}.",
        )
    _check_head(part, head, access, "--part")


def with_vector(edit: Edit, vector: tuple[float, ...], access: BlockAccess) -> Edit:
    """The edit with a vector to add; raises `SettingError` if it is not as wide as the part."""
    width = access.head_width if edit.part is Part.HEAD else access.width
    if len(vector) != width:
        raise SettingError(
            f"The vector has {len(vector):,} numbers.",
            where=f"--{edit.action}",
            hint=f"{edit.part.capitalize()} takes {width:,} in this model.",
        )
    return replace(edit, vector=vector)


def placed(
    edit: Edit, span: int | None, spans: Sequence[PromptSpan], ranges: Sequence[tuple[int, int]]
) -> list[Edit]:
    """The edit at the tokens of a span, or at each of `ranges` where none is named.

    `ANSWER` is the last token of the last range. Raises `SettingError` for a span that does not
    exist or has no tokens of its own.
    """
    where = f"--{edit.action}"
    if span == ANSWER:
        ranges = [(ranges[-1][1] - 1, ranges[-1][1])] if ranges else []
    elif span is not None:
        if span >= len(spans):
            raise SettingError(
                f"There is no span {span}.",
                where=where,
                hint=f"Spans count from 0 to {len(spans) - 1}; `trace` lists them.",
            )
        tokens = spans[span].tokens
        if tokens is None:
            raise SettingError(
                f"Span {span} has no tokens of its own: a token belongs to its neighbour as well.",
                where=where,
            )
        ranges = [tokens]
    return [replace(edit, start=start, stop=stop) for start, stop in ranges]


def edit_name(edit: Edit) -> str:
    """An edit in a few words: `zero attention of block 3, tokens 0 to 126`."""
    part = "" if edit.action is Action.SKIP else f"{edit.part} "
    if edit.head is not None:
        part = f"head {edit.head} "
    preposition = "of " if part else ""
    words = {Action.ADD: "add a vector to", Action.MEAN: "mean in place of"}
    action = words.get(edit.action, edit.action)
    return f"{action} {part}{preposition}block {edit.block}, tokens {edit.start} to {edit.stop - 1}"


def _check_head(part: Part, head: int | None, access: BlockAccess, where: str) -> None:
    if part is not Part.HEAD:
        if head is not None:
            raise SettingError(f"{part.capitalize()} has no heads.", where=where, hint=_FORM)
        return
    if head is None or head >= access.heads:
        raise SettingError(
            "No head was named." if head is None else f"There is no head {head} in this model.",
            where=where,
            hint=f"Heads count from 0 to {access.heads - 1}; write head:BLOCK.HEAD.",
        )


def _span(written: str | None, where: str) -> int | None:
    if written is None:
        return None
    number = written.removeprefix("@")
    if number == "answer":
        return ANSWER
    if not re.fullmatch(r"\d{1,6}", number, re.ASCII):
        raise SettingError(f"“{number}” is not the number of a span.", where=where, hint=_FORM)
    return int(number)
