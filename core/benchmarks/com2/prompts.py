"""The wording of Com²'s questions, from `prompts.yaml` beside this file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.benchmarks.com2.item import Com2Item, Scenario
from core.files.prompt_files import read_wording

_FILE = Path(__file__).with_name("prompts.yaml")


@dataclass(frozen=True, slots=True)
class LinkWording:
    """How a causal link is asked about in one language; the wording is our own."""

    instruction: str
    forced_yes: str
    forced_no: str
    seen_yes: str
    seen_no: str
    imagined_yes: str
    imagined_no: str
    question: str
    yes: str
    no: str


@dataclass(frozen=True, slots=True)
class Wordings:
    """The contents of the file."""

    main: Mapping[str, str]
    """The paper's prompt for each scenario of Com²-main."""
    hard: Mapping[str, str]
    """The paper's prompt for each scenario of Com²-hard."""
    links: Mapping[str, LinkWording]
    """By language."""

    def evaluation(self, item: Com2Item, scenario: Scenario) -> str:
        """The paper's evaluation prompt for a scenario of an item (appendix B)."""
        return (self.hard if item.hard else self.main).get(scenario, self.main[scenario])


@cache
def wordings() -> Wordings:
    """Every wording; raises `DataError` when the file is not as expected."""
    return read_wording(_FILE, Wordings)
