"""The paper's prompts for collecting concepts, from `prompts.yaml` beside this file.

A user's own `prompts/abspyramid/curating.yaml` in the configuration folder takes precedence.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import msgspec

from core.benchmarks.abspyramid.tuples import Relation
from core.contract.question import Form, Message, Prompt
from core.files import paths, strict_yaml
from core.files.prompt_files import fill_placeholders

_SHIPPED = Path(__file__).with_name("prompts.yaml")
SHOTS = 10
"""Number of worked examples (section 4.3: N = 10)."""


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: a head event, an instance and a list of good answers."""

    head: str
    answers: tuple[str, ...]
    instance: str = ""
    """Empty if the whole event is the instance."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The wording of a request for one list."""

    instruction: str
    input: str
    examples: tuple[Example, ...]

    def prompt(
        self, head: str, instance: str, form: Form, *, order: str = "", shots: int = SHOTS
    ) -> Prompt:
        """The prompt: instruction, numbered worked examples, and the input to answer.

        A chat form gives messages, the base form one text with a line per utterance (tables 8 and
        9). `order` seeds a shuffle of the examples; empty keeps the order of the file. The first
        `shots` examples are shown.
        """
        examples = list(self.examples)
        if order:
            random.Random(order).shuffle(examples)
        del examples[shots:]
        utterances: list[str] = []
        for number, example in enumerate(examples, 1):
            asked = fill_placeholders(
                self.input, {"head": example.head, "instance": example.instance}
            )
            utterances += [f"{number}. {asked}", format_list(example.answers)]
        asked = fill_placeholders(self.input, {"head": head, "instance": instance})
        utterances.append(f"{len(examples) + 1}. {asked}")
        if form is Form.BASE:
            return "\n".join((self.instruction, *utterances, ""))
        utterances[0] = f"{self.instruction}\n\n{utterances[0]}"
        return tuple(
            Message("assistant" if i % 2 else "user", text) for i, text in enumerate(utterances)
        )


@dataclass(frozen=True, slots=True)
class Wordings:
    """All prompts of the file."""

    positive: Mapping[Relation, Wording]
    negative: Mapping[Relation, Wording]
    sense: str
    digest: str
    """SHA-256 of all prompts."""

    def of(self, relation: Relation, *, negative: bool) -> Wording:
        """The wording for the concepts, or hard negatives, of a relation."""
        return (self.negative if negative else self.positive)[relation]

    def sense_prompt(self, head: str, instance: str) -> str:
        """The prompt after which the glosses of a verb's senses are scored."""
        return fill_placeholders(self.sense, {"head": head, "instance": instance})


def wordings() -> Wordings:
    """Load the user's prompts or the shipped ones; raises `DataError` with file:line."""
    own = paths.config().parent / "prompts" / "abspyramid" / "curating.yaml"
    path = own if own.is_file() else _SHIPPED
    with strict_yaml.data_errors():
        root = strict_yaml.read(path, "The prompts")
        keys = ("positive", "negative", "sense")
        parts = root.members(keys, keys)
        positive, negative = (_wordings_by_relation(parts[key]) for key in keys[:2])
        sense = parts["sense"].text()
    texts = msgspec.json.encode((positive, negative, sense))
    return Wordings(positive, negative, sense, sha256(texts).hexdigest())


def _wordings_by_relation(value: strict_yaml.Value) -> dict[Relation, Wording]:
    names = (Relation.NOUN, Relation.EVENT)
    parts = value.members(names, names)
    return {name: _wording(parts[name], marks=name is Relation.NOUN) for name in names}


def _wording(value: strict_yaml.Value, *, marks: bool) -> Wording:
    keys = ("instruction", "input", "examples")
    parts = value.members(keys, keys)
    field_names = ("head", "instance", "answers") if marks else ("head", "answers")
    examples = []
    for example in parts["examples"].parts():
        fields = example.members(field_names, field_names)
        answers = tuple(answer.text() for answer in fields["answers"].parts())
        instance = fields["instance"].text() if marks else ""
        examples.append(Example(fields["head"].text(), answers, instance))
    return Wording(parts["instruction"].text(), parts["input"].text(), tuple(examples))


def format_list(answers: tuple[str, ...]) -> str:
    """A list of answers in the form of the worked examples: "(1) surfing, (2) browsing."."""
    return ", ".join(f"({i}) {text}" for i, text in enumerate(answers, 1)) + "."
