"""How claims are written in a lesson's file: each a mapping from its kind to what is claimed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from core.contract.view import Role
from core.files.strict_yaml import Value
from core.lessons.block_claims import Led, Restores, Settles
from core.lessons.claims import (
    Answers,
    Claim,
    FirstFailure,
    HasShare,
    IsRight,
    Moves,
    Range,
    Together,
)
from core.lessons.facts import Gold, NodeIs, Silent, StatementIs
from core.text.suggestions import suggestion

_ENDS = ("at least", "at most")


def read_claim(value: Value) -> Claim:
    """The claim that a mapping of one kind is; raises `ConfigError`."""
    members = value.members(KINDS)
    if len(members) != 1:
        raise value.error("A claim is one kind with its value.", "Begin each with a dash: - right.")
    kind, about = next(iter(members.items()))
    return KINDS[kind](about)


def read_values(value: Value) -> dict[str, str]:
    """Switches with their values; raises `ConfigError`."""
    return {key: one.word() for key, one in value.members().items()}


def _gold(value: Value) -> Claim:
    parts = value.members(("layer", "is"), ("layer", "is"))
    return Gold(parts["layer"].text(), parts["is"].word(), value.line)


def _silent(value: Value) -> Claim:
    return Silent(value.text(), value.line)


def _node(value: Value) -> Claim:
    parts = value.members(("is", "happens", "role", *_ENDS), ("is",))
    figure = _range(value, parts) if any(end in parts for end in _ENDS) else None
    happens = parts["happens"].truth() if "happens" in parts else None
    role = _role(parts["role"]) if "role" in parts else None
    if figure is None and happens is None and role is None:
        raise value.error("Of this node nothing is claimed.", "Add happens, role or at least.")
    return NodeIs(parts["is"].word(), happens, role, figure, value.line)


def _statement(value: Value) -> Claim:
    parts = value.members(("is", "role"), ("is", "role"))
    return StatementIs(parts["is"].word(), _role(parts["role"]), value.line)


def _right(value: Value) -> Claim:
    return _is_right(value, right=True)


def _wrong(value: Value) -> Claim:
    return _is_right(value, right=False)


def _is_right(value: Value, *, right: bool) -> Claim:
    """Of one layer, or of each of a list."""
    if not value.listed:
        return IsRight(value.text(), right, value.line)
    each = tuple(IsRight(one.text(), right, one.line) for one in value.parts())
    return Together(each, True, value.line)


def _first_failure(value: Value) -> Claim:
    return FirstFailure(value.text(), value.line)


def _answer(value: Value) -> Claim:
    parts = value.members(("layer", "is"), ("layer", "is"))
    return Answers(parts["layer"].text(), parts["is"].word(), value.line)


def _share(value: Value) -> Claim:
    parts = value.members(("layer", "of", *_ENDS), ("layer", "of"))
    within = _range(value, parts)
    return HasShare(parts["layer"].text(), parts["of"].word(), within, value.line)


def _same(value: Value) -> Claim:
    return _moves(value, same=True)


def _other(value: Value) -> Claim:
    return _moves(value, same=False)


def _moves(value: Value, *, same: bool) -> Claim:
    parts = value.members(("layer", "with"), ("layer", "with"))
    return Moves(parts["layer"].text(), read_values(parts["with"]), same, value.line)


def _settles(value: Value) -> Claim:
    parts = value.members(("layer", *_ENDS), ("layer",))
    return Settles(parts["layer"].text(), _range(value, parts), value.line)


def _led(value: Value) -> Claim:
    parts = value.members(("layer", "option"), ("layer",))
    option = parts["option"].word() if "option" in parts else ""
    return Led(parts["layer"].text(), option, value.line)


def _restores(value: Value) -> Claim:
    # `twin` is what `contrast` was called in lessons written before.
    parts = value.members(("layer", "contrast", "twin", *_ENDS), ("layer",))
    contrast = parts.get("contrast", parts.get("twin"))
    values = {} if contrast is None else read_values(contrast)
    return Restores(parts["layer"].text(), values, _range(value, parts), value.line)


def _all(value: Value) -> Claim:
    return Together(tuple(read_claim(one) for one in value.parts()), True, value.line)


def _none(value: Value) -> Claim:
    return Together(tuple(read_claim(one) for one in value.parts()), False, value.line)


KINDS: Mapping[str, Callable[[Value], Claim]] = {
    "gold": _gold,
    "silent": _silent,
    "node": _node,
    "statement": _statement,
    "right": _right,
    "wrong": _wrong,
    "first failure": _first_failure,
    "answer": _answer,
    "share": _share,
    "same answer": _same,
    "other answer": _other,
    "settles": _settles,
    "led": _led,
    "restores": _restores,
    "all": _all,
    "none": _none,
}
"""How each kind of claim is read, by its name in the file."""


def _range(value: Value, parts: Mapping[str, Value]) -> Range:
    low, high = -math.inf, math.inf
    if "at least" in parts:
        low = parts["at least"].number()
    if "at most" in parts:
        high = parts["at most"].number()
    if (low, high) == (-math.inf, math.inf):
        raise value.error("This lacks a bound.", "Add at least, at most, or both.")
    if not low <= high:
        raise value.error(f"No number is at least {low:g} and at most {high:g}.")
    return Range(low, high)


def _role(value: Value) -> Role:
    word = value.text()
    if word not in set(Role):
        raise value.error(f"There is no role “{word}”.", suggestion("Roles", Role, word))
    return Role(word)
