"""What a model is asked for, in the paper's words, from `prompts.yaml` beside this file.

A person's own `prompts/abspyramid/curating.yaml` in the configuration folder is used instead.
Nothing in a text or in a value is ever executed: places are replaced once.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import msgspec

from core.benchmarks.abspyramid.tuples import Relation
from core.contract.question import Form, Message, Prompt
from core.files import paths, strict_yaml
from core.text.errors import ConfigError, DataError
from core.text.escaping import escape_control_characters

_SHIPPED = Path(__file__).with_name("prompts.yaml")
SHOTS = 10
"""Worked examples (section 4.3: N = 10)."""
_PLACE = re.compile(r"\{(head|instance)\}")


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: a head event, an instance and the list that is a good answer."""

    head: str
    answers: tuple[str, ...]
    instance: str = ""
    """Empty where the whole event is the instance."""


@dataclass(frozen=True, slots=True)
class Wording:
    """How one list is asked for."""

    instruction: str
    input: str
    examples: tuple[Example, ...]

    def prompt(
        self, head: str, instance: str, form: Form, *, order: str = "", shots: int = SHOTS
    ) -> Prompt:
        """The prompt: instruction, numbered inputs each with its answer, and the input to answer.

        Turns of a dialogue, or all utterances together, each on a line (tables 8 and 9). `order`
        seeds the order of the examples; that of the file where it is empty. The first `shots` of
        them are shown.
        """
        examples = list(self.examples)
        if order:
            random.Random(order).shuffle(examples)
        del examples[shots:]
        utterances: list[str] = []
        for number, example in enumerate(examples, 1):
            asked = _filled(self.input, example.head, example.instance)
            utterances += [f"{number}. {asked}", listed(example.answers)]
        utterances.append(f"{len(examples) + 1}. {_filled(self.input, head, instance)}")
        if form is Form.BASE:
            return "\n".join((self.instruction, *utterances, ""))
        utterances[0] = f"{self.instruction}\n\n{utterances[0]}"
        return tuple(
            Message("assistant" if i % 2 else "user", text) for i, text in enumerate(utterances)
        )


@dataclass(frozen=True, slots=True)
class Wordings:
    """All texts of the file."""

    positive: Mapping[Relation, Wording]
    negative: Mapping[Relation, Wording]
    sense: str
    digest: str
    """SHA-256 of all texts."""

    def of(self, relation: Relation, *, negative: bool) -> Wording:
        """How concepts of a relation, or hard negatives, are asked for."""
        return (self.negative if negative else self.positive)[relation]

    def sense_prompt(self, head: str, instance: str) -> str:
        """What a verb's glosses are compared after."""
        return _filled(self.sense, head, instance)


def wordings() -> Wordings:
    """The person's texts, or ours; raises `DataError` with file:line where they are faulty."""
    own = paths.config().parent / "prompts" / "abspyramid" / "curating.yaml"
    path = own if own.is_file() else _SHIPPED
    try:
        root = strict_yaml.read(path, "The prompts")
        if root is None:
            raise DataError(
                "There are no prompts in this file.", where=escape_control_characters(str(path))
            )
        keys = ("positive", "negative", "sense")
        parts = root.members(keys, keys)
        positive, negative = (_asked(parts[key]) for key in keys[:2])
        sense = parts["sense"].text()
    except ConfigError as error:
        raise DataError(error.what, where=error.where, hint=error.hint) from error
    texts = msgspec.json.encode((positive, negative, sense))
    return Wordings(positive, negative, sense, sha256(texts).hexdigest())


def _asked(value: strict_yaml.Value) -> dict[Relation, Wording]:
    names = (Relation.NOUN, Relation.EVENT)
    parts = value.members(names, names)
    return {name: _wording(parts[name], marks=name is Relation.NOUN) for name in names}


def _wording(value: strict_yaml.Value, *, marks: bool) -> Wording:
    keys = ("instruction", "input", "examples")
    parts = value.members(keys, keys)
    named = ("head", "instance", "answers") if marks else ("head", "answers")
    examples = []
    for each in parts["examples"].parts():
        fields = each.members(named, named)
        answers = tuple(answer.text() for answer in fields["answers"].parts())
        instance = fields["instance"].text() if marks else ""
        examples.append(Example(fields["head"].text(), answers, instance))
    return Wording(parts["instruction"].text(), parts["input"].text(), tuple(examples))


def listed(answers: tuple[str, ...]) -> str:
    """An answer as the worked examples give it: "(1) surfing, (2) browsing."."""
    return ", ".join(f"({i}) {text}" for i, text in enumerate(answers, 1)) + "."


def _filled(text: str, head: str, instance: str) -> str:
    values = {"head": head, "instance": instance}
    return _PLACE.sub(lambda place: values[place[1]], text)
