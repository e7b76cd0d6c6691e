"""Head events: the words of a parse as the text that is released, with each word's place in it."""

from __future__ import annotations

from dataclasses import dataclass

from core.benchmarks.abspyramid.curation.parse import Parse, squeezed
from core.benchmarks.abspyramid.curation.people import is_person

_END = frozenset({".", "!", "?", ";", ","})


@dataclass(frozen=True, slots=True)
class HeadEvent:
    """An event as it is released, with its parse."""

    text: str
    """In lower case but for Person variables, without closing punctuation."""
    spans: tuple[tuple[int, int], ...]
    """Where each word of the parse stands in it; empty for closing punctuation."""
    parse: Parse

    @property
    def key(self) -> str:
        """What equal events have in common."""
        return squeezed(self.text)


def head_event(parse: Parse) -> HeadEvent:
    """The words of a parse put together."""
    words = parse.words
    shown = len(words)
    while shown > 1 and words[shown - 1].form in _END:
        shown -= 1
    text = ""
    spans: list[tuple[int, int]] = []
    for i, word in enumerate(words[:shown]):
        if i and words[i - 1].space_after:
            text += " "
        form = word.form if is_person(word.form) else word.form.lower()
        spans.append((len(text), len(text) + len(form)))
        text += form
    spans += [(len(text), len(text))] * (len(words) - shown)
    return HeadEvent(text, tuple(spans), parse)
