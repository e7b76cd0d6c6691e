"""Rules that drop unsuitable head events (appendix A.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.benchmarks.abspyramid.curation.head_events import HeadEvent, head_event
from core.benchmarks.abspyramid.curation.lexicon import lexicon
from core.benchmarks.abspyramid.curation.parse import Parse, match_key
from core.benchmarks.abspyramid.curation.people import replace_people

_URL = re.compile(r"https?:|ftp:|www\.|\b[\w-]+\.(?:com|org|net|edu|gov|info)\b", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]*>|&(?:[a-z]{2,8}|#\d{1,7});", re.IGNORECASE)
_BRACKETS = re.compile(r"[<>]")
_FUNCTION = frozenset({"aux", "advmod", "mark", "discourse", "punct", "cc", "expl", "vocative"})
"""Relations of dependents that may occur in the pattern subject-verb."""


class Rule(StrEnum):
    """Reasons to drop an event, in the order in which they are checked."""

    UNPARSED = "unparsed"
    CHANGED = "changed"
    """Its second parse differs, so the event is probably incomplete."""
    LIGHT_VERB = "light-verb"
    """For example "they do"."""
    RELATIVE = "relative"
    """For example "who won the competition"."""
    STOPWORDS = "stopwords"
    """For example "She just won"."""
    MARKUP = "markup"
    """Angle brackets count, because they mark instances in the released format."""
    REPEATED = "repeated"


RULES: Mapping[Rule, str] = {
    Rule.UNPARSED: "has no parse",
    Rule.CHANGED: "has another dependency graph in its second parse",
    Rule.LIGHT_VERB: "subject and light verb only",
    Rule.RELATIVE: "begins with a relative",
    Rule.STOPWORDS: "stopwords only",
    Rule.MARKUP: "holds a URL, markup or a control character",
    Rule.REPEATED: "was there before",
}
"""Description of each rule for reports."""


@dataclass(frozen=True, slots=True)
class CleanedEvent:
    """The outcome of cleaning one event."""

    event: str
    """The event as in the input."""
    dropped: Rule | None
    head: HeadEvent | None
    """The head event with people replaced by variables; None if it was dropped."""


def is_light(parse: Parse) -> bool:
    """Whether the event is only a subject and a light verb (ASER's pattern s-v).

    A particle makes it another verb ("they give up"); an adverb does not.
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
    """Whether the first word is one of the paper's relatives, which include "if"."""
    words = (word.form.casefold() for word in parse.words)
    first = next((word for word in words if any(c.isalnum() for c in word)), "")
    return first in lexicon().relatives


def is_stopwords(parse: Parse) -> bool:
    """Whether every word is a stopword; punctuation is ignored."""
    words = [w.form.casefold().replace("’", "'") for w in parse.words]
    return all(w in lexicon().stopword_forms for w in words if any(c.isalnum() for c in w))


def has_markup(parse: Parse) -> bool:
    """Whether it contains a URL, an HTML tag, an angle bracket or an unprintable character."""
    text = " ".join(word.form for word in parse.words)
    patterns = (_URL, _TAG, _BRACKETS)
    return not text.isprintable() or any(pattern.search(text) for pattern in patterns)


_LEXICAL: Mapping[Rule, Callable[[Parse], bool]] = {
    Rule.LIGHT_VERB: is_light,
    Rule.RELATIVE: begins_with_relative,
    Rule.STOPWORDS: is_stopwords,
    Rule.MARKUP: has_markup,
}


def broken_rule(parse: Parse, second_parse: Parse | None) -> Rule | None:
    """The first rule that drops a parsed event; None if it is kept.

    `second_parse` is another parse of the same event, or None if there is none.
    """
    if second_parse is not None and second_parse.graph() != parse.graph():
        return Rule.CHANGED
    return next((rule for rule, broken in _LEXICAL.items() if broken(parse)), None)


def clean(
    events: Iterable[str],
    parses: Mapping[str, Parse],
    reparsed: Mapping[str, Parse] | None = None,
) -> list[CleanedEvent]:
    """The outcome of cleaning each event, in order.

    Args:
        events: the texts of the events.
        parses: by `match_key` of the event.
        reparsed: second parses, also by `match_key`; None skips the rule `CHANGED`. An event
            that is missing here counts as changed.
    """
    seen: set[str] = set()
    outcomes: list[CleanedEvent] = []
    for event in events:
        key = match_key(event)
        parse = parses.get(key)
        if parse is None:
            outcomes.append(CleanedEvent(event, Rule.UNPARSED, None))
            continue
        second_parse = None if reparsed is None else reparsed.get(key)
        missing = reparsed is not None and second_parse is None
        rule = Rule.CHANGED if missing else broken_rule(parse, second_parse)
        head = head_event(replace_people(parse))
        if rule is None and head.key in seen:
            rule = Rule.REPEATED
        if rule is None:
            seen.add(head.key)
        outcomes.append(CleanedEvent(event, rule, head if rule is None else None))
    return outcomes
