"""The paper's cleaning rules, on its own examples and as properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.abspyramid.curation.cleaner import CleanedEvent, Rule, broken_rule, clean
from core.benchmarks.abspyramid.curation.lexicon import lexicon
from core.benchmarks.abspyramid.curation.parse import Parse, match_key
from tests.benchmarks.abspyramid.curation import parses
from tests.benchmarks.abspyramid.curation.parses import parse, text_of

GIVE_UP = parse("they/they/PRON/2/nsubj", "gave/give/VERB/0/root", "up/up/ADP/2/compound:prt")
NOT_DONE = parse(
    "people/people/NOUN/4/nsubj", "did/do/AUX/4/aux", "n't/not/PART/4/advmod", "do/do/VERB/0/root"
)
HAS = parse("everyone/everyone/PRON/2/nsubj", "has/have/VERB/0/root")
IT_WAS_MADE = parse(
    "cheese/cheese/NOUN/3/nsubj:pass", "was/be/AUX/3/aux:pass", "made/make/VERB/0/root"
)
IF_IT_RAINS = parse("If/if/SCONJ/3/mark", "rain/rain/NOUN/3/nsubj", "falls/fall/VERB/0/root")
CONTRACTED = parse(
    "we/we/PRON/4/nsubj", "do_/do/AUX/4/aux", "n't/not/PART/4/advmod", "own/own/VERB/0/root"
)


def one_noun(text: str) -> Parse:
    """A verb with a noun of any form."""
    return parse(f"{text}/x/NOUN/2/nsubj", "fell/fall/VERB/0/root")


@pytest.mark.parametrize(
    ("made", "rule"),
    [
        (parses.THEY_DO, Rule.LIGHT_VERB),
        (parses.WHO_WON, Rule.RELATIVE),
        (parses.SHE_WON, Rule.STOPWORDS),
        (parses.CAT, None),
        (parses.FOOD, None),
        (parses.SLEEP, None),
        (HAS, Rule.LIGHT_VERB),
        (NOT_DONE, Rule.LIGHT_VERB),
        (GIVE_UP, None),
        (IT_WAS_MADE, None),
        (IF_IT_RAINS, Rule.RELATIVE),
        (CONTRACTED, Rule.STOPWORDS),
        (one_noun("http://example.org"), Rule.MARKUP),
        (one_noun("www.example"), Rule.MARKUP),
        (one_noun("example.com"), Rule.MARKUP),
        (one_noun("<br/>"), Rule.MARKUP),
        (one_noun("&nbsp;"), Rule.MARKUP),
        (one_noun("a<b"), Rule.MARKUP),
        (one_noun("a\x1b[2Jb"), Rule.MARKUP),
        (one_noun("r&b"), None),
        (one_noun("3.5"), None),
    ],
)
def test_each_event_is_dropped_by_its_rule(made: Parse, rule: Rule | None) -> None:
    assert broken_rule(made, None) is rule


def test_the_paper_s_incomplete_event_is_dropped_when_it_is_parsed_anew() -> None:
    """In its sentence the army is the subject of a passive; on its own it weakens."""
    source = parse(
        "the/the/DET/3/det",
        "norman/norman/ADJ/3/amod",
        "army/army/NOUN/4/nsubj:pass",
        "weakened/weaken/VERB/0/root",
    )
    key = match_key("the norman army weakened")
    events = ["the norman army weakened"]
    (found,) = clean(events, {key: source}, {key: parses.NORMAN})
    assert found.dropped is Rule.CHANGED
    assert clean(events, {key: source}, {})[0].dropped is Rule.CHANGED
    assert clean(events, {key: source}, {key: source})[0].dropped is None
    assert clean(events, {key: source})[0].dropped is None


def test_people_are_replaced_after_the_rules_were_tried() -> None:
    assert cleaned(parses.FOOD)[0].head is not None
    assert [c.head.text for c in cleaned(parses.FOOD) if c.head] == ["PersonX have a lot of food"]
    she = cleaned(parses.SHE_WON)[0]
    assert (she.dropped, she.head) == (Rule.STOPWORDS, None)


def test_events_without_a_parse_and_duplicates_are_dropped() -> None:
    key = {match_key(text_of(parses.CAT)): parses.CAT}
    events = [
        "A cat chased a mouse into its burrow",
        "a dog",
        "a cat  chased a mouse into itsburrow",
    ]
    assert [c.dropped for c in clean(events, key)] == [None, Rule.UNPARSED, Rule.REPEATED]


def test_events_that_differ_in_the_pronoun_only_are_one() -> None:
    others = [
        parse(f"{p}/{p}/PRON/2/nsubj", "sang/sing/VERB/0/root") for p in ("he", "she", "they")
    ]
    assert [c.dropped for c in cleaned(*others)] == [None, Rule.REPEATED, None]


def test_the_stopwords_are_those_of_nltk() -> None:
    words = lexicon().stopword_forms
    assert {"won", "just", "she", "wouldn't", "you've", "ma"} <= words
    assert {"n't", "'ve", "wouldn"} <= words
    assert not {"woman", "first", "could", "''"} & words


def cleaned(*made: Parse) -> list[CleanedEvent]:
    """What becomes of the events of these parses."""
    return clean([text_of(p) for p in made], {match_key(text_of(p)): p for p in made})


FORMS = st.sampled_from(
    [
        "they",
        "Cats",
        "who",
        "won",
        "dogs",
        "do",
        "give",
        "<b>",
        "food",
        "PersonX",
        "he",
        ".",
        "a.com",
    ]
)


@st.composite
def some_parses(draw: st.DrawFn) -> Parse:
    forms = draw(st.lists(FORMS, min_size=1, max_size=6))
    upos = draw(st.lists(st.sampled_from(["NOUN", "VERB", "PRON"]), min_size=6, max_size=6))
    relations = st.sampled_from(["nsubj", "obj", "advmod", "nmod"])
    words = [f"{forms[0]}/{forms[0].lower()}/{upos[0]}/0/root"]
    for i, form in enumerate(forms[1:], 1):
        governor = draw(st.integers(1, i))
        words.append(f"{form}/{form.lower()}/{upos[i]}/{governor}/{draw(relations)}")
    return parse(*words)


@given(st.lists(some_parses(), max_size=6))
def test_cleaning_what_was_cleaned_drops_nothing(made: list[Parse]) -> None:
    by_key = {match_key(text_of(p)): p for p in made}
    once = clean([text_of(p) for p in made], by_key, by_key)
    kept = [c.event for c in once if c.dropped is None]
    again = clean(kept, by_key, by_key)
    assert [c.dropped for c in again] == [None] * len(kept)
    assert [c.head for c in again] == [c.head for c in once if c.head]


@given(st.lists(some_parses(), max_size=6))
def test_heads_are_released_text_and_differ(made: list[Parse]) -> None:
    heads = [c.head for c in cleaned(*made) if c.head]
    assert len({head.key for head in heads}) == len(heads)
    for head in heads:
        assert not set("<>\n\t") & set(head.text)
        assert head.text == head.text.strip()
        for word, (start, end) in zip(head.parse.words, head.spans, strict=True):
            assert head.text[start:end] in (word.form, word.form.lower(), "")
