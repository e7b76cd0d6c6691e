"""Replaces people by variables (section 4.1): PersonX for one person, PeopleX for several.

The paper replaces "I/we/she/..." with PersonX/Y/Z; the release uses PeopleX for plurals and
"PersonX's" for possessives. Like there, names and words such as "everyone" are kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import product

from core.benchmarks.abspyramid.curation.parse import Parse, Word

LETTERS = "XYZWVUTSRQPONMLKJIHGFEDCBA"
"""Letters of variables in order of mention; after these, pairs of letters."""
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
    """Whether a word is a Person variable: PersonX, PeopleY's."""
    return _VARIABLE.fullmatch(form) is not None


@dataclass(slots=True)
class _VariableNames:
    """Assigns variables to the people of one event."""

    taken: set[str]
    """Variables that are already used in the event."""
    names: dict[tuple[str, bool], str] = field(default_factory=dict)
    """Variable for each pronoun and whether it means a second person with that pronoun."""

    def name(self, person: str, other: bool) -> str:
        if (person, other) not in self.names:
            kind = "People" if person in _PLURAL else "Person"
            letters = (*LETTERS, *map("".join, product(LETTERS, repeat=2)))
            name = next(kind + letter for letter in letters if kind + letter not in self.taken)
            self.names[person, other] = name
            self.taken.add(name)
        return self.names[person, other]


def replace_people(parse: Parse) -> Parse:
    """The parse with personal pronouns replaced by variables.

    Forms of one pronoun share a variable: "he" and "his". A third-person pronoun that is both
    subject and non-reflexive object of a verb means two people: "he helps him" becomes "PersonX
    helps PersonY". At most two people per pronoun are distinguished.
    """
    matches = [_VARIABLE.fullmatch(word.form) for word in parse.words]
    variables = _VariableNames({match[1] + match[2] for match in matches if match})
    words = list(parse.words)
    for i, word in enumerate(parse.words):
        person = _pronoun_person(word)
        if person is None:
            continue
        possessive = _is_possessive(word)
        other = person in _THIRD and not possessive and _is_other_person(parse, i)
        name = variables.name(person, other)
        words[i] = replace(
            word, form=f"{name}'s" if possessive else name, upos="PROPN", lemma=name.casefold()
        )
        if i + 1 < len(words) and words[i + 1].form.startswith(("'", "’")):
            # “PersonX's gone” would read as a possessive.
            words[i] = replace(words[i], space_after=True)
    return Parse(tuple(words), parse.origin)


def _pronoun_person(word: Word) -> str | None:
    """The nominative of a personal pronoun ("he" for "his"); None for any other word."""
    return _PERSON_OF.get(word.form.casefold()) if word.upos in _PRONOUNS else None


def _is_possessive(word: Word) -> bool:
    form = word.form.casefold()
    if form in _ALWAYS_POSSESSIVE:
        return True
    return form == "her" and (word.possessive or word.relation in ("nmod:poss", "poss"))


def _is_other_person(parse: Parse, index: int) -> bool:
    """Whether a pronoun means someone else than the same pronoun as subject of its clause."""
    word = parse.words[index]
    person = _pronoun_person(word)
    if word.kind == _SUBJECT or word.form.casefold() in _REFLEXIVE:
        return False
    return any(
        parse.words[i].kind == _SUBJECT and _pronoun_person(parse.words[i]) == person
        for i in parse.dependents(word.governor)
    )
