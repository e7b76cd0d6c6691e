"""The wording of AbsPyramid's questions, from `prompts.yaml` beside this file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.benchmarks.abspyramid.tuples import Relation
from core.files.prompt_files import read_wording
from core.text.language import N_

TITLES = {
    "abstraction": N_("the paper's (table 12)"),
    "abstraction-cot": N_("the paper's, step by step (table 12)"),
    "nli": N_("entailment (table 11)"),
    "nli-cot": N_("entailment, step by step (table 11)"),
    "quoted": N_("the authors' program's, with quotation marks"),
}
"""The titles of the prompts for detection, by their keys in the file."""
_FILE = Path(__file__).with_name("prompts.yaml")


@dataclass(frozen=True, slots=True)
class Wording:
    """The wording for one relation."""

    instruction: str
    question: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that asks whether a concept is valid."""

    noun: Wording
    verb: Wording
    event: Wording
    thinks: bool = False
    """Whether the model should reason first, so that its answer is read from generated text."""

    def of(self, relation: Relation) -> Wording:
        """The wording for a relation."""
        return {Relation.NOUN: self.noun, Relation.VERB: self.verb}.get(relation, self.event)


@dataclass(frozen=True, slots=True)
class Prompts:
    """All prompts of the file."""

    detection: Mapping[str, Prompt]
    """The first is the paper's default."""
    generation: Mapping[Relation, str]


@cache
def prompts() -> Prompts:
    """Load all prompts; raises `DataError` if the file is malformed."""
    return read_wording(_FILE, Prompts)
