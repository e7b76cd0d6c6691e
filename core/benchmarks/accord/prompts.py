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
    """What stands in the place of a source to say "only", its `{}` being the term."""

    after_pairing: str
    """Where the pairing template is the first of the two in the transitive reduction."""
    before_pairing: str
    """Where it is the second."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Everything that the file says."""

    instruction: str
    json: str
    instruction_heading: str
    statements_heading: str
    statement: str
    """What begins the line of a statement."""
    brackets: tuple[str, str]
    """What stands around a term."""
    question_heading: str
    choice: str
    """What stands between the label of a choice and its text."""
    between_choices: str
    answer_heading: str
    only: OnlyWording

    def json_request(self, labels: Sequence[str]) -> str:
        """How an answer in JSON is asked for, one of these labels."""
        quoted = [f'"{label}"' for label in labels]
        # With two labels there is no comma, as "or" needs none there.
        listed = ", ".join([*quoted[:-1], f"or {quoted[-1]}"])
        return self.json.replace(_LABELS, listed if len(quoted) > 2 else " or ".join(quoted))


@cache
def wording(path: Path = _FILE) -> Wording:
    """The wording; raises `DataError` when the file is not as expected."""
    return read_wording(path, Wording)
