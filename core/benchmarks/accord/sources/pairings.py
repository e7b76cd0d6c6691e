"""Pairing templates: the link between a question and its reasoning trees (paper, section 2.2).

A pairing template is a reasoning template with one end grounded by the pairing term. Its surface
has one `[[positive|negative]]` switch: the positive variant implies an answer choice, the negative
one contradicts it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.benchmarks.accord.trees.skills import End
from core.text.errors import DataError
from core.text.escaping import escape_control_characters, quoted
from core.text.suggestions import suggestion

MOST = 3
"""Most pairing templates of a question (section 3 of the paper)."""
_LONGEST = 1000
_PLACEHOLDER = "{}"
_SWITCH = re.compile(r"\[\[([^\[\]|{}]*)\|([^\[\]|{}]*)\]\]")


class PairingError(DataError):
    """A pairing template that cannot be used."""


@dataclass(frozen=True, slots=True)
class PairingTemplate:
    """A question's template with one end grounded. Raises `PairingError` if it is malformed."""

    skill: str
    end: End
    """The end of the pairing term; the path starts at the other end."""
    term: str
    surface: str
    """Two `{}`, source then target, and one `[[positive|negative]]`."""
    reviewed: bool = True
    """Whether a person wrote or confirmed it; False for a mere suggestion of the program."""

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
    """A surface with its switch set to the positive or the negative text; blanks are collapsed."""
    chosen = _SWITCH.sub(lambda match: match[1 if affirmed else 2], surface)
    return " ".join(chosen.split())


def check_surface(surface: str) -> None:
    """Check that a surface has exactly two `{}` and one switch; raises `PairingError`."""
    shown = quoted(surface)
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
    """Check that a question with these choices can have these templates; raises `PairingError`.

    `skills` are the names of all skills.
    """
    if len(pairings) > MOST:
        raise PairingError(
            f"A question has at most {MOST} pairing templates.", hint="Leave some out."
        )
    taken = {folded(choice) for choice in choices}
    seen: set[tuple[str, End, str]] = set()
    for pairing in pairings:
        term = quoted(pairing.term)
        if pairing.skill not in skills:
            raise PairingError(
                f"There is no skill {quoted(pairing.skill)}.",
                hint=suggestion("Skills", skills, pairing.skill),
            )
        if folded(pairing.term) in taken:
            raise PairingError(
                f"The pairing term {term} is an answer choice too.",
                hint="No statement could tell that choice from the term.",
            )
        key = pairing.skill, pairing.end, folded(pairing.term)
        if key in seen:
            raise PairingError(
                f"{term} is paired twice at the {pairing.end} of {pairing.skill}.",
                hint="Keep one of the two.",
            )
        seen.add(key)


def folded(term: str) -> str:
    """A term as it is compared: NFC, case-folded, single blanks, no underscores."""
    return " ".join(unicodedata.normalize("NFC", term.replace("_", " ").casefold()).split())
