"""Cleaning rules for head events (appendix A.1): what is dropped, and by which rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.benchmarks.abspyramid.curation.head_events import HeadEvent, head_event
from core.benchmarks.abspyramid.curation.lexicon import lexicon
from core.benchmarks.abspyramid.curation.parse import Parse, squeezed
from core.benchmarks.abspyramid.curation.people import with_variables

_URL = re.compile(r"https?:|ftp:|www\.|\b[\w-]+\.(?:com|org|net|edu|gov|info)\b", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]*>|&(?:[a-z]{2,8}|#\d{1,7});", re.IGNORECASE)
_BRACKETS = re.compile(r"[<>]")
_FUNCTION = frozenset({"aux", "advmod", "mark", "discourse", "punct", "cc", "expl", "vocative"})
"""Dependents of a verb that leave the pattern subject-verb what it is."""


class Rule(StrEnum):
    """Why an event is dropped, in the order in which the rules are tried."""

    UNPARSED = "unparsed"
    """It has no parse."""
    CHANGED = "changed"
    """Parsed anew, its dependency graph is another: it is probably incomplete."""
    LIGHT_VERB = "light-verb"
    """A subject and a light verb are all there is: "they do"."""
    RELATIVE = "relative"
    """It begins with a relative: "who won the competition"."""
    STOPWORDS = "stopwords"
    """It is made of stopwords: "She just won"."""
    MARKUP = "markup"
    """It holds a URL, an HTML tag, a character that is not printed, or a bracket, which marks
    instances in the release."""
    REPEATED = "repeated"
    """It was there before."""


RULES: Mapping[Rule, str] = {
    Rule.UNPARSED: "has no parse",
    Rule.CHANGED: "has another dependency graph when it is parsed anew",
    Rule.LIGHT_VERB: "subject and light verb only",
    Rule.RELATIVE: "begins with a relative",
    Rule.STOPWORDS: "stopwords only",
    Rule.MARKUP: "holds a URL, markup or a control character",
    Rule.REPEATED: "was there before",
}
"""The rules in words."""


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What became of an event."""

    event: str
    """As it was given."""
    dropped: Rule | None
    head: HeadEvent | None
    """With people replaced; None where it is dropped."""


def is_light(parse: Parse) -> bool:
    """Whether the event is subject and light verb only (ASER's pattern s-v).

    A particle makes another verb of it ("they give up"); an adverb does not.
    """
    root = parse.words[parse.root]
    if root.upos not in ("VERB", "AUX") or root.lemma not in lexicon().light_verbs:
        return False
    kinds = [parse.words[i] for i in parse.dependents(parse.root)]
    subjects = [word for word in kinds if word.relation == "nsubj"]
    return bool(subjects) and all(
        word.relation == "nsubj" or word.kind in _FUNCTION for word in kinds
    )


def begins_with_relative(parse: Parse) -> bool:
    """Whether its first word, "if" included, is one of the paper's relatives."""
    words = (word.form.casefold() for word in parse.words)
    first = next((word for word in words if any(c.isalnum() for c in word)), "")
    return first in lexicon().relatives


def is_stopwords(parse: Parse) -> bool:
    """Whether every word is a stopword; punctuation does not count."""
    words = [w.form.casefold().replace("’", "'") for w in parse.words]
    return all(w in lexicon().stopwords for w in words if any(c.isalnum() for c in w))


def has_markup(parse: Parse) -> bool:
    """Whether a URL, an HTML tag, a bracket or a character that is not printed is in it."""
    text = " ".join(word.form for word in parse.words)
    patterns = (_URL, _TAG, _BRACKETS)
    return not text.isprintable() or any(pattern.search(text) for pattern in patterns)


_LEXICAL: Mapping[Rule, Callable[[Parse], bool]] = {
    Rule.LIGHT_VERB: is_light,
    Rule.RELATIVE: begins_with_relative,
    Rule.STOPWORDS: is_stopwords,
    Rule.MARKUP: has_markup,
}


def broken_rule(parse: Parse, again: Parse | None) -> Rule | None:
    """The first rule that drops a parsed event; None where it is kept.

    `again` is the event parsed anew, None where that was not done.
    """
    if again is not None and again.graph() != parse.graph():
        return Rule.CHANGED
    return next((rule for rule, broken in _LEXICAL.items() if broken(parse)), None)


def clean(
    events: Iterable[str],
    parses: Mapping[str, Parse],
    again: Mapping[str, Parse] | None = None,
) -> list[Cleaned]:
    """What becomes of each event, in order.

    Args:
        events: as a person gave them.
        parses: by squeezed event.
        again: the events parsed anew; None leaves the first rule out. An event that is not among
            them has changed.
    """
    seen: set[str] = set()
    found: list[Cleaned] = []
    for event in events:
        key = squeezed(event)
        parse = parses.get(key)
        if parse is None:
            found.append(Cleaned(event, Rule.UNPARSED, None))
            continue
        anew = None if again is None else again.get(key)
        missing = again is not None and anew is None
        rule = Rule.CHANGED if missing else broken_rule(parse, anew)
        head = head_event(with_variables(parse))
        if rule is None and head.key in seen:
            rule = Rule.REPEATED
        if rule is None:
            seen.add(head.key)
        found.append(Cleaned(event, rule, head if rule is None else None))
    return found
