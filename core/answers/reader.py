"""Reads the answer out of a model's reply, as a person would read it.

Reading goes through these steps, each of which prevents a way of being right or wrong by luck:

* Thinking between tags and what a JSON object gives as a reason do not count; markup is removed.
* What follows an answer as a further question, with an answer of its own, does not count.
* Every name of an option becomes a claim, by the words around it: it is left open ("whether",
  "might", a question), denied ("not", "ruled out", "is wrong"), mentioned, stated, concluded
  ("therefore") or announced ("The answer is", a box, a field).
* What follows a correction such as "wait" counts, if something is claimed there.
* The strongest claims count. Of those that are announced or concluded the last counts, because
  models change their minds aloud; those that are only stated must agree, as must the first and the
  last line; of what is only mentioned the last sentence counts.
* A reply that later denies what it gave, leaves a choice, or gives two options where one was asked
  for is not read: a wrong reading is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from string import ascii_uppercase

from core.answers.choices import Options
from core.answers.claims import Claim, Force, Passages, correction_end, leads_on, outweighs
from core.answers.cleaner import normalised, without_next_question, without_thinking
from core.answers.numbers import Pairs, pairs_of
from core.answers.option_names import option_names
from core.answers.polarity import Polarity, polarity_of
from core.contract.question import Status

_FINISHED = re.compile(r"[.!?)\]}\"']\s*\Z")
"""The end of a reply that was not cut in a sentence."""
_WITHDRAWN = re.compile(
    r"\b(?:can't|cannot|couldn't) (?:decide|choose|make up my mind)|\bboth (?:answers )?stand"
    r"|\bI (?:take (?:it|that) back|withdraw)|\bnon (?:so|riesco a) (?:decidere|scegliere)"
    r"|无法(?:决定|选择|抉择)",
    re.IGNORECASE,
)
MOST_READ = 20_000
"""Characters that are read of a longer reply, half of them at its beginning and half at its end,
because the time to read grows with the square of the length."""
_LINE = 80
"""Most characters of a line that only gives the answer."""
_CUT = re.compile(r"(?:(?:[^\n ]+ ){5}[^\n ]*\w|[\u3400-\u9fff,]{8})\s*\Z")
"""The end of a reply that was cut in a sentence."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a reply."""

    status: Status
    picked: tuple[int, ...] = ()
    """Indices of the options, ascending; empty unless the status is OK."""


def read(
    text: str,
    options: Sequence[str],
    *,
    multiple: bool = False,
    complete: bool = True,
    lettered: bool = True,
) -> Reading:
    """Read which of `options` a reply names.

    Args:
        text: the reply, of any kind and length; of one with more than `MOST_READ` characters after
            its thinking, beginning and end are read.
        options: the options as offered, named by the letters from A on or by their texts.
        multiple: whether any number of them may be picked.
        complete: whether the model ended by itself, rather than at a limit.
        lettered: whether the options were offered with letters.
    """
    answer = without_thinking(text)
    if answer is None:
        return Reading(Status.TRUNCATED)
    clean = normalised(_ends(answer.lstrip()))
    names = (
        polarity_of(tuple(options))
        or pairs_of(options)
        or Options(option_names(tuple(options), lettered=lettered))
    )
    first = without_next_question(clean)
    if len(first) < len(clean):
        reading = _read(first, names, multiple=multiple, complete=True)
        if reading.status is Status.OK:
            return reading
    return _read(clean, names, multiple=multiple, complete=complete)


def _ends(text: str) -> str:
    """The beginning and the end of a text that is too long to be read as a whole."""
    half = MOST_READ // 2
    return text if len(text) <= MOST_READ else f"{text[:half]}\n…\n{text[-half:]}"


def _read(
    clean: str, names: Options | Pairs | Polarity, *, multiple: bool, complete: bool
) -> Reading:
    """Read a normalised reply without thinking."""
    claims = list(names.claims(clean, multiple=multiple))
    claim = _decisive(claims, clean, multiple=multiple) or (
        None if multiple else _left_over(claims, names, clean)
    )
    if claim is None:
        return Reading(Status.NO_ANSWER if complete else Status.TRUNCATED)
    if not complete and not clean[claim.end :].strip():
        return Reading(Status.TRUNCATED)
    if claim.unknown:
        return Reading(Status.OUT_OF_RANGE)
    if claim.ambiguous:
        return Reading(Status.AMBIGUOUS)
    return Reading(Status.OK if claim.picked else Status.NO_ANSWER, tuple(sorted(claim.picked)))


def _decisive(claims: Sequence[Claim], text: str, *, multiple: bool) -> Claim | None:
    """The claim that gives a reply's answer; None without one."""
    claims = _outweighed(claims, text)
    corrected = correction_end(text)
    if any(claim.start >= corrected and claim.force >= Force.BEGINS for claim in claims):
        claims = [claim for claim in claims if claim.start >= corrected]
    asserted = [claim for claim in claims if claim.force >= Force.MENTIONED and not claim.denied]
    if not asserted:
        return None
    force = max(claim.force for claim in asserted)
    least = Force.CONCLUDED if force > Force.CONCLUDED and not multiple else force
    strongest = [claim for claim in asserted if claim.force >= least]
    if (force is Force.MENTIONED and not _FINISHED.search(text)) or text.rstrip().endswith(":"):
        return None
    line = text.rstrip().rpartition("\n")[2]
    ends = not text[strongest[-1].end :].strip() and (
        len(line) < _LINE or text[: strongest[-1].start].rstrip(' "(').endswith(":")
    )
    ends = ends or not text[: strongest[0].start].strip()
    if force is Force.BEGINS and not ends and _CUT.search(text):
        return None
    if force is Force.BEGINS and not multiple:
        strongest = _outermost(strongest, text)
    if force is Force.MENTIONED:
        strongest = _last_mentioned(strongest, claims, text)
    if not strongest:
        return None
    if not multiple and force is Force.ANNOUNCED and _alternates(strongest, text):
        return replace(strongest[-1], ambiguous=True)
    decisive = strongest[-1]
    listed = multiple and not any(
        claim.picked & then.picked or leads_on(text[claim.end : then.start])
        for claim, then in pairwise(strongest)
    )
    if listed or force <= (Force.CONCLUDED if multiple else Force.STATED):
        decisive = _together(strongest, text, multiple=multiple)
    denied = [claim for claim in claims if claim.denied and claim.force >= Force.MENTIONED]
    if _WITHDRAWN.search(text, decisive.end):
        return replace(decisive, ambiguous=True)
    later = (claim for claim in denied if claim.start >= decisive.end)
    if any(claim.picked & decisive.picked for claim in later):
        return replace(decisive, ambiguous=True)
    return decisive


def _alternates(claims: Sequence[Claim], text: str) -> bool:
    """Whether claims of equal force differ, and nothing between them says that the later counts."""
    return any(
        claim.picked != then.picked and not leads_on(text[claim.end : then.start])
        for claim, then in pairwise(claims)
    )


def _left_over(
    claims: Sequence[Claim], names: Options | Pairs | Polarity, clean: str
) -> Claim | None:
    """The claim of the only option that a reply does not deny."""
    denied = frozenset[int]().union(*(claim.picked for claim in claims if claim.denied))
    if not isinstance(names, Options) or not 2 <= len(denied) == names.count - 1:
        return None
    left = frozenset(range(names.count)) - denied
    named = any(re.search(rf"\b{ascii_uppercase[index]}\b", clean) for index in left)
    named = named or any(claim.picked & left for claim in claims)
    return None if named else replace(claims[-1], picked=left, denied=False, ambiguous=False)


def _outweighed(claims: Sequence[Claim], text: str) -> list[Claim]:
    """The claims, where of two in a sentence with "but" between them only the later is left.

    That has the force of the earlier one: "The answer is not A but B".
    """
    passages, left = Passages(text), list[Claim]()
    for claim in claims:
        last = left[-1] if left else None
        together = last and passages.sentence(last.start) == passages.sentence(claim.start)
        if last and together and not claim.denied and outweighs(text[last.end : claim.start]):
            left[-1] = replace(claim, force=max(last.force, claim.force))
        else:
            left.append(claim)
    return left


def _outermost(claims: Sequence[Claim], text: str) -> list[Claim]:
    """Of claims that begin a line, those in the first and the last line."""
    first = text.find("\n", len(text) - len(text.lstrip()))
    last = text.rstrip().rfind("\n")
    return [claim for claim in claims if claim.start < first or claim.start > last or first < 0]


def _last_mentioned(mentioned: Sequence[Claim], claims: Sequence[Claim], text: str) -> list[Claim]:
    """What the last sentence with a claim mentions, if at most one sentence follows it."""
    passages = Passages(text)
    last = passages.sentence(claims[-1].start)
    if last < passages.sentence(len(text.rstrip()) - 1) - 1:
        return []
    in_last = [claim for claim in claims if passages.sentence(claim.start) == last]
    last_mentioned = [claim for claim in in_last if claim in mentioned]
    others = [claim for claim in in_last if claim not in last_mentioned and not claim.denied]
    named = frozenset[int]().union(*(claim.picked for claim in last_mentioned))
    if any(c.force is Force.OPEN or not (c.picked <= named or named <= c.picked) for c in others):
        return []
    return last_mentioned


def _together(claims: Sequence[Claim], text: str, *, multiple: bool) -> Claim:
    """Claims of equal force as one: all options in multiple select, else the one they agree on.

    Where they disagree, the last counts if a contrast such as "but" leads to it.
    """
    last = claims[-1]
    if multiple:
        picked = frozenset[int]().union(*(claim.picked for claim in claims))
        ambiguous = any(claim.ambiguous for claim in claims)
        return replace(
            last, picked=picked, ambiguous=ambiguous, unknown=any(c.unknown for c in claims)
        )
    others = [claim for claim in claims if claim.picked != last.picked]
    if others and not outweighs(text[others[-1].end : last.start]):
        return replace(last, ambiguous=True)
    return last
