"""Head events: the words of a parse as released text, with the span of each word."""

from __future__ import annotations

from dataclasses import dataclass

from core.benchmarks.abspyramid.curation.parse import Parse, match_key
from core.benchmarks.abspyramid.curation.people import is_person

_END = frozenset({".", "!", "?", ";", ","})


@dataclass(frozen=True, slots=True)
class HeadEvent:
    """An event in the released form, with its parse."""

    text: str
    """In lower case except Person variables, without closing punctuation."""
    spans: tuple[tuple[int, int], ...]
    """Start and end in `text` of each word of the parse; empty for closing punctuation."""
    parse: Parse

    @property
    def key(self) -> str:
        """The key by which equal events are found."""
        return match_key(self.text)


def head_event(parse: Parse) -> HeadEvent:
    """Join the words of a parse into a head event."""
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
