"""Parts of claims as a lesson writes them: bounds, roles, options, values of switches."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.files.strict_yaml import Value
from core.lessons.claim import option_index
from core.lessons.evidence import Evidence

BOUNDS = ("at least", "at most")


def read_values(value: Value) -> dict[str, str]:
    """Read switches with their values; raises `ConfigError`."""
    return {key: member.word() for key, member in value.members().items()}


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`, both included."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        bounds = zip(BOUNDS, (self.low, self.high), strict=True)
        return ", ".join(f"{name} {bound:g}" for name, bound in bounds if math.isfinite(bound))


def read_range(value: Value, parts: Mapping[str, Value]) -> Range:
    low = parts["at least"].number() if "at least" in parts else -math.inf
    high = parts["at most"].number() if "at most" in parts else math.inf
    if (low, high) == (-math.inf, math.inf):
        raise value.error("This lacks a bound.", "Add at least, at most, or both.")
    if not low <= high:
        raise value.error(f"No number is at least {low:g} and at most {high:g}.")
    return Range(low, high)


def layer_and_option(value: Value) -> tuple[str, str]:
    parts = value.members(("layer", "is"), ("layer", "is"))
    return parts["layer"].text(), parts["is"].word()


def has_option(layer: str, option: str) -> Callable[[Evidence], object]:
    return lambda evidence: option_index(evidence.question(layer), option)


def flow(values: Mapping[str, str]) -> str:
    """Values of switches as a YAML flow mapping."""
    return f"{{{', '.join(f'{key}: {value}' for key, value in values.items())}}}"
