"""The wording of ACCORD's prompts, from `prompts.yaml` beside this file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.files.prompt_files import read_wording

_FILE = Path(__file__).with_name("prompts.yaml")
_LABELS = "{labels}"


@dataclass(frozen=True, slots=True)
class OnlyWording:
    """Forms that replace a source to say "only"; `{}` stands for the term."""

    after_pairing: str
    """If the pairing template is the first of the two in the transitive reduction."""
    before_pairing: str
    """If it is the second."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The contents of the file."""

    instruction: str
    json: str
    instruction_heading: str
    statements_heading: str
    statement: str
    """Prefix of a statement's line."""
    brackets: tuple[str, str]
    """Put around every term."""
    question_heading: str
    choice: str
    """Separates the label of a choice from its text."""
    between_choices: str
    answer_heading: str
    only: OnlyWording

    def json_request(self, labels: Sequence[str]) -> str:
        """The request for an answer in JSON that is one of these labels."""
        quoted = [f'"{label}"' for label in labels]
        # Two labels are joined by "or" without a comma.
        listed = ", ".join([*quoted[:-1], f"or {quoted[-1]}"])
        return self.json.replace(_LABELS, listed if len(quoted) > 2 else " or ".join(quoted))


@cache
def wording() -> Wording:
    """The wording; raises `DataError` if its file is malformed."""
    return read_wording(_FILE, Wording)
