"""The prompts of each stage: one YAML file a stage, which a person may replace.

A file of the same name in `prompts/com2` of a person's configuration folder replaces the one
beside this module. `{name}` in a text is a placeholder for a value of the stage; it is filled in
once, and nothing in a text or a value is ever executed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from core.contract.question import Form, Message, Prompt
from core.files import paths, strict_yaml
from core.files.prompt_files import PLACEHOLDER, fill_placeholders
from core.text.errors import DataError

END = "---"
"""The line that ends a reply in the prompt of a base model."""
_SHIPPED = Path(__file__).parent / "prompts"


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: an input and a good reply."""

    given: str
    answer: str


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of one stage."""

    stage: str
    instruction: str
    given: str
    """The input of the stage, with placeholders."""
    cue: str
    """The beginning of the reply, for a base model."""
    examples: tuple[Example, ...]
    again: str
    """The text that is added after a rejected reply, with a placeholder for the reason."""
    tokens: int
    """Most tokens of the reply."""
    digest: str
    """SHA-256 of all texts."""

    def about(self, values: Mapping[str, str]) -> str:
        """The input of the stage with its values filled in."""
        return fill_placeholders(self.given, values).strip()

    def prompt(
        self,
        values: Mapping[str, str],
        form: Form,
        reason: str = "",
        drawn: Sequence[Example] = (),
    ) -> Prompt:
        """The prompt for the model.

        `reason` says why its last reply was rejected; `drawn` are further worked examples.
        """
        given = self.about(values)
        if reason:
            given += "\n\n" + fill_placeholders(self.again, {"reason": reason}).strip()
        instruction = fill_placeholders(self.instruction, values).strip()
        examples = (*self.examples, *drawn)
        if form is Form.BASE:
            shots = "".join(f"{e.given}\n\n{e.answer}\n{END}\n\n" for e in examples)
            return f"{instruction}\n\n{shots}{given}\n\n{self.lead(values)}".rstrip(" ")
        turns = []
        for example in examples:
            turns += [Message("user", example.given), Message("assistant", example.answer)]
        turns.append(Message("user", given))
        return (Message("user", f"{instruction}\n\n{turns[0].content}"), *turns[1:])

    def lead(self, values: Mapping[str, str]) -> str:
        """The beginning of the reply with its values filled in."""
        return fill_placeholders(self.cue, values)


def wording(stage: str, known: frozenset[str]) -> Wording:
    """Read the texts of a stage; `known` are the placeholders that they may use.

    Raises `DataError` with file and line for an unexpected text.
    """
    file = _file(stage)
    with strict_yaml.data_errors():
        root = strict_yaml.read(file, "The wording")
        keys = ("instruction", "given", "cue", "examples", "tokens")
        parts = root.members(keys, ("instruction", "given", "tokens"))
        retry = strict_yaml.read(_file("again"), "The wording")
        again = retry.members(("again",), ("again",))["again"]
        for value in (parts["instruction"], parts["given"], *filter(None, [parts.get("cue")])):
            _check_placeholders(value, known)
        _check_placeholders(again, frozenset({"reason"}))
        examples = []
        for value in parts["examples"].parts() if "examples" in parts else []:
            fields = value.members(("given", "answer"), ("given", "answer"))
            examples.append(
                Example(fields["given"].text().strip(), fields["answer"].text().strip())
            )
        tokens = parts["tokens"].number()
    if not 1 <= tokens <= 100_000:
        raise DataError("tokens must lie between 1 and 100000.", where=file)
    texts = (
        parts["instruction"].text(),
        parts["given"].text(),
        parts["cue"].text() if "cue" in parts else "",
    )
    shown = [text for example in examples for text in (example.given, example.answer)]
    digest = sha256("\0".join((*texts, *shown, again.text(), str(tokens))).encode()).hexdigest()
    return Wording(stage, *texts, tuple(examples), again.text(), int(tokens), digest)


def folder() -> Path:
    """The folder of a person's own files, which replace ours."""
    return paths.config().parent / "prompts" / "com2"


def _file(stage: str) -> Path:
    own = folder() / f"{stage}.yaml"
    return own if own.is_file() else _SHIPPED / f"{stage}.yaml"


def _check_placeholders(value: strict_yaml.Value, known: frozenset[str]) -> None:
    for name in PLACEHOLDER.findall(value.text()):
        if name not in known:
            placeholders = ", ".join(f"{{{each}}}" for each in sorted(known))
            raise value.error(f"There is no value for {{{name}}}.", f"There are: {placeholders}.")
