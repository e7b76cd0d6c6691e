"""The wording of AbsPyramid's questions, from `prompts.yaml` beside this file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.benchmarks.abspyramid.tuples import Relation
from core.files.prompt_files import read_wording

_FILE = Path(__file__).with_name("prompts.yaml")
_PLACE = re.compile(r"\{(head|tail|instance|concept)\}")


@dataclass(frozen=True, slots=True)
class Wording:
    """How the concepts of one relation are asked about."""

    instruction: str
    question: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """How it is asked whether a concept is valid."""

    title: str
    noun: Wording
    verb: Wording
    event: Wording
    thinks: bool = False
    """Whether the model is to think before it answers, so that its text must be read."""

    def of(self, relation: Relation) -> Wording:
        """The wording for a relation."""
        return {Relation.NOUN: self.noun, Relation.VERB: self.verb}.get(relation, self.event)


@dataclass(frozen=True, slots=True)
class Prompts:
    """Everything that the file says."""

    detection: Mapping[str, Prompt]
    """The first is the paper's default."""
    generation: Mapping[Relation, str]


@cache
def prompts(path: Path = _FILE) -> Prompts:
    """Every prompt; raises `DataError` when the file is not as expected."""
    return read_wording(path, Prompts)


def filled(wording: str, *, head: str, tail: str, instance: str, concept: str) -> str:
    """A wording with its placeholders replaced, in one pass: what a text holds is left as it is."""
    texts = {"head": head, "tail": tail, "instance": instance, "concept": concept}
    return _PLACE.sub(lambda place: texts[place[1]], wording)
