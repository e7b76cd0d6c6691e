"""People become variables; who is who is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.benchmarks.abspyramid.curation.head_events import head_event
from core.benchmarks.abspyramid.curation.parse import Parse
from core.benchmarks.abspyramid.curation.people import is_person, replace_people
from tests.benchmarks.abspyramid.curation.parses import parse

PEOPLE = {
    "i": ("I", "me", "my", "mine", "myself"),
    "you": ("you", "your", "yours", "yourself"),
    "he": ("he", "him", "his", "himself"),
    "she": ("she", "her", "hers", "herself"),
    "we": ("we", "us", "our", "ours", "ourselves"),
    "they": ("they", "them", "their", "theirs", "themselves"),
}


def replaced(*words: str) -> str:
    return head_event(replace_people(parse(*words))).text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("He/he/PRON/2/nsubj", "sings_/sing/VERB/0/root", "././PUNCT/2/punct"), "PersonX sings"),
        (
            ("We/we/PRON/2/nsubj", "offered/offer/VERB/0/root", "him/he/PRON/2/iobj",
             "the/the/DET/5/det", "opportunity/opportunity/NOUN/2/obj"),
            "PeopleX offered PersonX the opportunity",
        ),
        (
            ("it/it/PRON/2/nsubj", "cost/cost/VERB/0/root", "them/they/PRON/2/iobj",
             "their/they/PRON/5/nmod:poss", "jobs/job/NOUN/2/obj"),
            "it cost PeopleX PeopleX's jobs",
        ),
        (
            ("he/he/PRON/2/nsubj", "helps/help/VERB/0/root", "him/he/PRON/2/obj"),
            "PersonX helps PersonY",
        ),
        (
            ("he/he/PRON/2/nsubj", "helps/help/VERB/0/root", "himself/he/PRON/2/obj"),
            "PersonX helps PersonX",
        ),
        (
            ("I/i/PRON/2/nsubj", "saw/see/VERB/0/root", "her/she/PRON/4/nmod:poss",
             "car/car/NOUN/2/obj"),
            "PersonX saw PersonY's car",
        ),
        (
            ("I/i/PRON/2/nsubj", "saw/see/VERB/0/root", "her/she/PRON/2/obj"),
            "PersonX saw PersonY",
        ),
        (
            ("she_/she/PRON/3/nsubj", "'s/be/AUX/3/aux", "gone/go/VERB/0/root"),
            "PersonX 's gone",
        ),
        (
            ("Everyone/everyone/PRON/2/nsubj", "met/meet/VERB/0/root", "Ford/Ford/PROPN/2/obj"),
            "everyone met ford",
        ),
        (
            ("they/they/PRON/2/nsubj", "mine/mine/VERB/0/root", "coal/coal/NOUN/2/obj"),
            "PeopleX mine coal",
        ),
        (
            ("PersonX/personx/PROPN/2/nsubj", "met/meet/VERB/0/root", "her/she/PRON/2/obj"),
            "PersonX met PersonY",
        ),
    ],
)  # fmt: skip
def test_normalised_events_look_like_the_release(words: tuple[str, ...], text: str) -> None:
    """The second and third rows are events of the release, with the pronouns they had."""
    assert replaced(*words) == text


@st.composite
def pronouns(draw: st.DrawFn) -> Parse:
    forms = [form for of in PEOPLE.values() for form in of]
    known = [*forms, "PersonX", "PeopleY's", "dogs"]
    chosen = draw(st.lists(st.sampled_from(known), min_size=1, max_size=8))
    words = ["said/say/VERB/0/root"]
    for form in chosen:
        relation = draw(st.sampled_from(["nsubj", "obj", "nmod:poss", "obl"]))
        words.append(f"{form}/{form.lower()}/PRON/{draw(st.integers(1, len(words)))}/{relation}")
    return parse(*words)


@given(pronouns())
def test_distinct_people_stay_distinct(made: Parse) -> None:
    person_of = {form: person for person, forms in PEOPLE.items() for form in forms}
    new = replace_people(made)
    who: dict[str, set[str]] = {}
    for old, word in zip(made.words, new.words, strict=True):
        if old.form in person_of:
            assert is_person(word.form)
            variable = word.form.removesuffix("'s")
            who.setdefault(variable, set()).add(person_of[old.form])
            assert variable.startswith("People") == (person_of[old.form] in ("we", "they"))
        else:
            assert word == old
    assert all(len(people) == 1 for people in who.values())
    given_names = {w.form.removesuffix("'s") for w in made.words if is_person(w.form)}
    assert not given_names & set(who)


@given(pronouns())
def test_replacing_twice_is_replacing_once(made: Parse) -> None:
    once = replace_people(made)
    assert replace_people(once) == once
    assert [w.governor for w in once.words] == [w.governor for w in made.words]


def test_more_people_than_letters_keep_distinct_names() -> None:
    names = [f"Person{chr(c)}/p/PROPN/1/dep" for c in range(ord("A"), ord("Z") + 1)]
    made = replace_people(parse("sang/sing/VERB/0/root", *names, "he/he/PRON/1/nsubj"))
    assert is_person(made.words[-1].form)
    assert made.words[-1].form not in {w.form for w in made.words[:-1]}
