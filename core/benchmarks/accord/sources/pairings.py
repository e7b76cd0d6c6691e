"""Pairing templates: what ties a question to the reasoning trees that can answer it (section 2.2).

A pairing template is a reasoning template whose one end is grounded with the pairing term. Its
surface holds one `[[positive|negative]]` switch: with the positive variant it implies an answer
choice, with the negative one it contradicts it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.benchmarks.accord.trees.skills import End
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.suggestions import suggestion

MOST = 3
"""Most pairing templates of a question (section 3 of the paper)."""
_LONGEST = 1000
_QUOTED = 80
_PLACEHOLDER = "{}"
_SWITCH = re.compile(r"\[\[([^\[\]|{}]*)\|([^\[\]|{}]*)\]\]")


class PairingError(DataError):
    """A pairing template that cannot be used."""


@dataclass(frozen=True, slots=True)
class PairingTemplate:
    """A template of a question, one end of it grounded. Raises `PairingError` when malformed."""

    skill: str
    end: End
    """Where the pairing term stands; the answer variable is sought from the other end."""
    term: str
    surface: str
    """Two `{}`, source then target, and one `[[positive|negative]]`."""
    reviewed: bool = True
    """Whether a person wrote or confirmed it; False as long as only the program suggests it."""

    def __post_init__(self) -> None:
        if not self.term.strip():
            raise PairingError(
                "A pairing template has no term.", hint="Name what stands at its end."
            )
        if escape_control_characters(self.term) != self.term:
            raise PairingError(
                "A pairing term holds a line break or another control character.",
                hint="A term is a word or a phrase.",
            )
        check_surface(self.surface)

    @property
    def positive(self) -> str:
        """The surface that implies an answer, with its two `{}`."""
        return variant(self.surface, affirmed=True)

    @property
    def negative(self) -> str:
        """The surface that contradicts an answer, with its two `{}`."""
        return variant(self.surface, affirmed=False)


def variant(surface: str, *, affirmed: bool) -> str:
    """A surface with its switch set: its positive text, or its negative one.

    Of the blanks that an empty text leaves beside each other, one is kept.
    """
    chosen = _SWITCH.sub(lambda found: found[1 if affirmed else 2], surface)
    return " ".join(chosen.split())


def check_surface(surface: str) -> None:
    """Refuse a surface without exactly two `{}` and one switch; raises `PairingError`."""
    shown = f"“{escape_control_characters(surface, limit=_QUOTED)}”"
    if len(surface) > _LONGEST:
        raise PairingError(f"The surface {shown} is too long.", hint="Write one statement.")
    switches = _SWITCH.findall(surface)
    if len(switches) != 1 or len(re.findall(r"\[\[|\]\]", surface)) != 2:
        raise PairingError(
            f"The surface {shown} must hold exactly one [[positive|negative]].",
            hint="Write it as in: Suppose that {} [[does|does not]] appear near {}",
        )
    positive, negative = (" ".join(text.split()) for text in switches[0])
    if positive == negative:
        raise PairingError(
            f"The surface {shown} says the same in both variants.",
            hint="Negate one of the two.",
        )
    if escape_control_characters(surface) != surface:
        raise PairingError(
            f"The surface {shown} holds a line break or another control character.",
            hint="Write it on one line.",
        )
    outside = surface.replace(_PLACEHOLDER, "")
    if surface.count(_PLACEHOLDER) != 2 or "{" in outside or "}" in outside:
        raise PairingError(
            f"The surface {shown} must hold exactly two {{}}.",
            hint="The first stands for the source of the template, the second for its target.",
        )


def check_pairings(
    pairings: Sequence[PairingTemplate], choices: Collection[str], skills: Collection[str]
) -> None:
    """Refuse pairing templates that a question cannot have; raises `PairingError`.

    Args:
        pairings: the templates of one question.
        choices: the texts of its answer choices.
        skills: the names of the skills that there are.
    """
    if len(pairings) > MOST:
        raise PairingError(
            f"A question has at most {MOST} pairing templates.", hint="Leave some out."
        )
    taken = {folded(choice) for choice in choices}
    seen: set[tuple[str, End, str]] = set()
    for pairing in pairings:
        term = escape_control_characters(pairing.term, limit=_QUOTED)
        if pairing.skill not in skills:
            raise PairingError(
                f"There is no skill “{escape_control_characters(pairing.skill, limit=_QUOTED)}”.",
                hint=suggestion("Skills", skills, pairing.skill),
            )
        if folded(pairing.term) in taken:
            raise PairingError(
                f"The pairing term “{term}” is an answer choice too.",
                hint="No statement could tell that choice from the term.",
            )
        key = pairing.skill, pairing.end, folded(pairing.term)
        if key in seen:
            raise PairingError(
                f"“{term}” is paired twice at the {pairing.end} of {pairing.skill}.",
                hint="Keep one of the two.",
            )
        seen.add(key)


def folded(term: str) -> str:
    """A term as it is compared: composed accents, one case, single blanks, no underscores."""
    return " ".join(unicodedata.normalize("NFC", term.replace("_", " ").casefold()).split())
