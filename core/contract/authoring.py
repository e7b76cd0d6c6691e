"""How a person writes an item of their own, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from core.contract.setting import Switch
from core.contract.view import View


@dataclass(frozen=True, slots=True)
class Step:
    """One step of writing an item: a switch to set, with an explanation."""

    switch: Switch
    help: str
    problem: str = ""
    """Why the given answer is refused; empty where none was given."""


class Author(Protocol):
    """Leads a person through the steps of writing an item.

    The answers so far, by the keys of the switches, are the whole state, so a draft can be stored
    and resumed.
    """

    def next_step(self, answers: Mapping[str, str]) -> Step | None:
        """The first step without a valid answer; None when the draft is complete."""
        ...

    def preview(self, answers: Mapping[str, str]) -> View:
        """What the draft looks like so far."""
        ...

    def save(self, answers: Mapping[str, str], path: Path) -> tuple[str, ...]:
        """Add the finished items to the collection at `path`; return their ids."""
        ...
