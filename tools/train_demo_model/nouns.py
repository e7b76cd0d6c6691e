"""Italian noun phrases: articles, articulated prepositions and agreement.

A noun is written with its definite article ("il frigo", "lo zaino", "le scarpe"). The article tells
gender, number and the form of every preposition; only "l'" needs a mark (":m" or ":f").
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

_GENDER_NUMBER = {
    "il": ("m", False),
    "lo": ("m", False),
    "la": ("f", False),
    "i": ("m", True),
    "gli": ("m", True),
    "le": ("f", True),
}
_ARTICULATED = {
    "in": ("nel", "ne"),
    "da": ("dal", "da"),
    "a": ("al", "a"),
    "di": ("del", "de"),
    "su": ("sul", "su"),
}


@dataclass(frozen=True)
class Noun:
    """A noun phrase and the forms that sentence frames ask for.

    `past` chooses between "era" and "è" in frames that say `{o.era}`.
    """

    article: str
    nome: str
    feminine: bool
    plural: bool
    past: bool = True

    @classmethod
    def parse(cls, text: str, past: bool = True) -> Noun:
        """Read "il frigo", "l'acqua:f" or "mia madre"; ValueError for an unmarked "l'"."""
        body, _, mark = text.partition(":")
        if body.startswith("l'"):
            if mark not in ("m", "f"):
                raise ValueError(f"{text!r}: a noun with l' needs :m or :f")
            return cls("l'", body[2:], mark == "f", False, past)
        article, _, nome = body.partition(" ")
        if article in ("mio", "mia"):
            return cls("", body, article == "mia", False, past)
        gender, plural = _GENDER_NUMBER[article]
        return cls(article, nome, gender == "f", plural, past)

    def in_tense(self, past: bool) -> Noun:
        """The same noun for a story told in the past or in the present."""
        return self if past == self.past else replace(self, past=past)

    def described(self, words: str) -> Noun:
        """The noun with words after it ("il vaso" and "della nonna", "ross{e}")."""
        tail = words.format(e=self.e, i=self.i, h=self.h)
        return replace(self, nome=f"{self.nome} {tail}")

    def _joined(self, head: str) -> str:
        return head + self.nome if head.endswith("'") else f"{head} {self.nome}".strip()

    def _with(self, preposition: str) -> str:
        before_il, stem = _ARTICULATED[preposition]
        if self.article == "il":
            return self._joined(before_il)
        if self.article in ("i", "gli"):
            return self._joined(stem + self.article)
        return self._joined(f"{stem}l{self.article}")

    @cached_property
    def il(self) -> str:
        return self._joined(self.article)

    @cached_property
    def nel(self) -> str:
        return self._with("in")

    @cached_property
    def dal(self) -> str:
        return self._with("da")

    @cached_property
    def al(self) -> str:
        return self._with("a")

    @cached_property
    def dell(self) -> str:
        return self._with("di")

    @cached_property
    def sul(self) -> str:
        return self._with("su")

    @cached_property
    def nessuno(self) -> str:
        """The noun after "non ha": "nessun libro", "nessuna penna", plural without a word."""
        if self.plural:
            return self.nome
        heads = {"lo": "nessuno", "la": "nessuna", "l'": "nessun'" if self.feminine else "nessun"}
        return self._joined(heads.get(self.article, "nessun"))

    @cached_property
    def e(self) -> str:
        """Ending of an adjective in -o."""
        return ("e" if self.feminine else "i") if self.plural else ("a" if self.feminine else "o")

    @cached_property
    def h(self) -> str:
        """Ending of an adjective in -co that keeps its hard sound (sporco, sporchi)."""
        return ("h" if self.plural else "") + self.e

    @cached_property
    def i(self) -> str:
        """Ending of an adjective in -e."""
        return "i" if self.plural else "e"

    @cached_property
    def lo(self) -> str:
        """Object pronoun."""
        return (
            ("le" if self.feminine else "li") if self.plural else ("la" if self.feminine else "lo")
        )

    @cached_property
    def va(self) -> str:
        """Imperfect ending of a verb in -are."""
        return "vano" if self.plural else "va"

    @cached_property
    def sono(self) -> str:
        return "sono" if self.plural else "è"

    @cached_property
    def era(self) -> str:
        if self.past:
            return "erano" if self.plural else "era"
        return self.sono


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: a name, a role ("il cuoco"), or the narrator (`nome` is empty)."""

    nome: str
    feminine: bool

    @property
    def narrator(self) -> bool:
        return not self.nome

    @property
    def e(self) -> str:
        return "a" if self.feminine else "o"
