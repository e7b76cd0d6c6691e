"""People replaced by variables (section 4.1): PersonX of one, PeopleX of several.

The paper replaces "I/we/she/..." with PersonX/Y/Z; the release has PeopleX for plurals, and
"PersonX's" for possessives. Names and words such as "everyone" are left as they are there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import product

from core.benchmarks.abspyramid.curation.parse import Parse, Word

LETTERS = "XYZWVUTSRQPONMLKJIHGFEDCBA"
"""In the order in which people are mentioned; pairs of them where these are spent."""
_VARIABLE = re.compile(r"(Person|People)([A-Z]{1,2})('s)?")
_PLURAL = frozenset({"we", "they"})
_FORMS = {
    "i": ("i", "me", "my", "mine", "myself"),
    "you": ("you", "your", "yours", "yourself"),
    "he": ("he", "him", "his", "himself"),
    "she": ("she", "her", "hers", "herself"),
    "we": ("we", "us", "our", "ours", "ourselves"),
    "they": ("they", "them", "their", "theirs", "themselves"),
}
_PERSON_OF = {form: person for person, forms in _FORMS.items() for form in forms}
_REFLEXIVE = frozenset(f for f in _PERSON_OF if f.endswith(("self", "selves")))
_ALWAYS_POSSESSIVE = frozenset(
    {"my", "mine", "your", "yours", "our", "ours", "their", "theirs", "hers", "his"}
)
_THIRD = frozenset({"he", "she", "they"})
_SUBJECT = "nsubj"
_PRONOUNS = frozenset({"PRON", "DET"})


def is_person(form: str) -> bool:
    """Whether a word is a variable: PersonX, PeopleY's."""
    return _VARIABLE.fullmatch(form) is not None


@dataclass(slots=True)
class _Cast:
    """Who is who in one event."""

    taken: set[str]
    """Variables that stand in the event already."""
    names: dict[tuple[str, bool], str] = field(default_factory=dict)
    """Variable by pronoun, and whether it is the other one of that pronoun."""

    def name(self, person: str, other: bool) -> str:
        if (person, other) not in self.names:
            kind = "People" if person in _PLURAL else "Person"
            letters = (*LETTERS, *map("".join, product(LETTERS, repeat=2)))
            name = next(kind + one for one in letters if kind + one not in self.taken)
            self.names[person, other] = name
            self.taken.add(name)
        return self.names[person, other]


def with_variables(parse: Parse) -> Parse:
    """The parse with each pronoun of a person replaced.

    Two pronouns get one variable where they are of the same person, as "he" and "his". A third
    person who is subject and object of one verb, without "himself", is two: "he helps him" becomes
    "PersonX helps PersonY". At most two people a pronoun are told apart.
    """
    matches = [_VARIABLE.fullmatch(word.form) for word in parse.words]
    cast = _Cast({match[1] + match[2] for match in matches if match})
    words = list(parse.words)
    for i, word in enumerate(parse.words):
        person = _person_of(word)
        if person is None:
            continue
        possessive = _possesses(word)
        other = person in _THIRD and not possessive and _is_another(parse, i)
        name = cast.name(person, other)
        words[i] = replace(
            word, form=f"{name}'s" if possessive else name, upos="PROPN", lemma=name.casefold()
        )
        if i + 1 < len(words) and words[i + 1].form.startswith(("'", "’")):
            # “PersonX's gone” would read as a possessive.
            words[i] = replace(words[i], space_after=True)
    return Parse(tuple(words), parse.origin)


def _person_of(word: Word) -> str | None:
    """Whom a pronoun is of; None for any other word, as the verb "mine"."""
    return _PERSON_OF.get(word.form.casefold()) if word.upos in _PRONOUNS else None


def _possesses(word: Word) -> bool:
    form = word.form.casefold()
    if form in _ALWAYS_POSSESSIVE:
        return True
    return form == "her" and (word.possessive or word.relation in ("nmod:poss", "poss"))


def _is_another(parse: Parse, at: int) -> bool:
    """Whether a pronoun cannot be the subject of its own clause, though it is the same word."""
    word = parse.words[at]
    person = _person_of(word)
    if word.kind == _SUBJECT or word.form.casefold() in _REFLEXIVE:
        return False
    return any(
        parse.words[i].kind == _SUBJECT and _person_of(parse.words[i]) == person
        for i in parse.dependents(word.governor)
    )
