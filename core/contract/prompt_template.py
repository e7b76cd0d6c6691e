"""A prompt with places for the texts of an item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.files.prompt_files import PLACEHOLDER, fill_placeholders


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """The wording of a question, apart from the texts of its item."""

    instruction: str
    """What precedes worked examples; it has no placeholders."""
    text: str
    """The question itself, with a `{name}` for each text of the item."""

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The names in the text, each once, in order."""
        return tuple(dict.fromkeys(PLACEHOLDER.findall(self.text)))

    def fill(self, parts: Mapping[str, str]) -> str:
        """The text about an item; braces in its texts stay as they are."""
        return fill_placeholders(self.text, parts)
