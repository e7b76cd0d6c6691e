"""Sentence frames: one surface form of an action, conjugated for the actor and the tense.

Written form: "aperto/apre/apro {o.il}" is participle, third person, first person and the rest of
the clause. "è:" in front marks a verb that takes essere, "si:" a reflexive verb, "=" a clause whose
subject is not the actor. Placeholders: {o.*} the object, {x.*} a second noun, {p.at} and {p.out} a
place, {a.*} the actor.
"""

from __future__ import annotations

from dataclasses import dataclass

from tools.train_demo_model.nouns import Actor, Noun

_AUXILIARY = {"": ("ha", "ho"), "è": ("è", "sono"), "si": ("si è", "mi sono")}


@dataclass(frozen=True, slots=True)
class Place:
    """A place as the frames need it: "in cucina" and "dalla cucina"."""

    at: str
    out: str


@dataclass(frozen=True, slots=True)
class Frame:
    """A parsed frame; `text` is its written form and its identity in the held-out split."""

    text: str
    mark: str
    participle: str
    third: str
    first: str
    tail: str

    @classmethod
    def parse(cls, text: str) -> Frame:
        """Raise ValueError for a frame without its three verb forms."""
        if text.startswith("="):
            return cls(text, "=", "", "", "", text[1:])
        mark, body = "", text
        for known in ("è", "si"):
            if text.startswith(known + ":"):
                mark, body = known, text[len(known) + 1 :]
        parts = body.split("/")
        if len(parts) != 3:
            raise ValueError(f"{text!r}: expected participle/third person/first person")
        participle, third, rest = parts
        # The first person has as many words as the participle; a reflexive one has "mi" besides.
        words = rest.split(" ")
        count = len(participle.split(" ")) + (mark == "si")
        tail = "".join(f" {word}" for word in words[count:])
        return cls(text, mark, participle, third, " ".join(words[:count]), tail)

    @property
    def has_actor(self) -> bool:
        return self.mark != "="

    def fits(self, actor: Actor) -> bool:
        """Frames that call the actor by name cannot speak of the narrator."""
        return not (actor.narrator and "{a.nome}" in self.text)

    def clause(self, actor: Actor, past: bool, named: bool = True) -> str:
        """The clause with its placeholders, in lower case; `named=False` drops the subject."""
        if self.mark == "=":
            return self.tail
        name = f"{actor.nome} " if named and actor.nome else ""
        if not past:
            return f"{name}{self.first if actor.narrator else self.third}{self.tail}"
        negation, participle = "", self.participle
        if participle.startswith("non "):
            negation, participle = "non ", participle[4:]
        if self.mark:
            head, space, more = participle.partition(" ")
            participle = f"{head[:-1]}{actor.e}{space}{more}"
        return f"{name}{negation}{_AUXILIARY[self.mark][actor.narrator]} {participle}{self.tail}"


def fill(clause: str, actor: Actor, obj: Noun, extra: Noun | None, place: Place | None) -> str:
    """Replace the placeholders of a clause."""
    return clause.format(a=actor, o=obj, x=extra, p=place) if "{" in clause else clause


def sentence(clause: str) -> str:
    """A finished clause as a sentence: capital letter and full stop."""
    return f"{clause[0].upper()}{clause[1:]}."
