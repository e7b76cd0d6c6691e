"""The wording of the three task layers, from `prompts.yaml` beside this file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.contract.prompt_template import PromptTemplate
from core.files.prompt_files import fill_placeholders, read_wording

RELEASED = "released"
"""The wording behind the published figures."""
ITALIAN = "italian"
"""Our own wording, in the language of the stories."""

_FILE = Path(__file__).with_name("prompts.yaml")


@dataclass(frozen=True, slots=True)
class Wording:
    """The texts of one layer, byte for byte."""

    instruction: str
    opening: str
    sentence: str
    """The line of a sentence, with `{sentence}` and, where numbered from 0, `{number}`."""
    closing: str
    options: tuple[str, ...]

    @property
    def template(self) -> PromptTemplate:
        """The prompt with `{story}` for the lines of the sentences."""
        return PromptTemplate(self.instruction, f"{self.opening}{{story}}{self.closing}")

    def story(self, sentences: Sequence[str]) -> str:
        """The lines of the sentences."""
        return "".join(
            fill_placeholders(self.sentence, {"number": str(i), "sentence": sentence})
            for i, sentence in enumerate(sentences)
        )


@cache
def wordings() -> Mapping[str, Mapping[str, Wording]]:
    """All wordings by language and layer; raises `DataError` when the file is not as expected."""
    return read_wording(_FILE, dict[str, dict[str, Wording]])
