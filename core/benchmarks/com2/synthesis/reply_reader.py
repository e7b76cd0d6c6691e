"""Reads a model's reply: strict JSON where it begins as JSON, else lines in a fixed form."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import TypeVar

import msgspec

from core.benchmarks.com2.item import letter
from core.benchmarks.com2.synthesis.reply_values import (
    Asked,
    Chain,
    Chains,
    Choice,
    Events,
    Puzzle,
    Step,
    Thinking,
)
from core.benchmarks.generation.rejection import Reason, Rejected
from core.system.typed_values import ready

ACTIONS = (
    "Systematic Analysis",
    "Method Reuse",
    "Comparison",
    "Divide",
    "Conquer",
    "Self-Refinement",
    "Context Identification",
    "Emphasizing Constraints",
)
"""The names of the actions of slow thinking (appendix A; six of them from Wu et al., 2024)."""
_NUMBERED = re.compile(r"\s*(\d{1,3})[.)]\s+(\S.*)")
_LETTERED = re.compile(r"\s*([A-Z])[.)]\s+(\S.*)")
_STOPS = re.compile(r"\s*\[stops (\d{1,3}|nothing)\]\s*$", re.IGNORECASE)
_FENCE = "```"
_LINK = re.compile(r"(.*?)(?:\s*\(link (\d)\))?")
_T = TypeVar("_T")


def read_events(text: str) -> Events:
    """Read events, one a numbered line, up to the first line that is none.

    Numbers may begin anywhere, because they may continue those of the prompt.
    """
    if value := _json(text, Events):
        return value
    lines = [line for line in text.splitlines() if line.strip()]
    run = list(takewhile(_NUMBERED.fullmatch, lines))
    first = _NUMBERED.fullmatch(run[0]) if run else None
    return Events(_numbered(run, int(first[1]) if first else 1))


def read_chains(text: str, names: Sequence[str]) -> Chains:
    """Read chains, each a heading and numbered lines; a single chain needs no heading.

    A heading such as “With scene drift (link 3):” also says which link the fault is in.
    """
    if value := _json(text, Chains):
        return value
    if len(names) == 1 and not _is_heading(text.lstrip().split("\n", 1)[0]):
        return Chains((Chain(names[0], _numbered(text.splitlines())),))
    chains: list[Chain] = []
    for heading, lines in _parts(text, _is_heading):
        match = _LINK.fullmatch(heading.strip().removesuffix(":").strip())
        assert match is not None
        chains.append(Chain(match[1], _numbered(lines), int(match[2] or 0)))
    return Chains(tuple(chains))


def read_asked(text: str) -> Asked:
    """Read a question, lettered options and an answer, with an intervention if there is one."""
    if value := _json(text, Asked):
        return value
    fields = _sections(text, ("Intervention", "Cuts link", "Question", "Options", "Answer"))
    options = []
    for option in _lettered(_needed(fields, "Options")):
        match = _STOPS.search(option)
        stops = int(match[1]) if match and match[1].isdigit() else 0
        options.append(Choice(_STOPS.sub("", option), stops))
    return Asked(
        _needed(fields, "Question"),
        tuple(options),
        _letters(_needed(fields, "Answer")),
        fields.get("Intervention", ""),
        _number(fields["Cuts link"]) if "Cuts link" in fields else 0,
    )


def read_thinking(text: str) -> Thinking:
    """Actions, each “Name: text”, and an answer at the end."""
    if value := _json(text, Thinking):
        return value
    steps: list[Step] = []
    answer: tuple[str, ...] = ()
    for name, body in _labelled(text, (*ACTIONS, "Answer")):
        if answer:
            raise Rejected(Reason.UNREADABLE, "Something follows the answer.")
        if name == "Answer":
            answer = _letters(body)
        else:
            steps.append(Step(name, body))
    if not answer:
        raise Rejected(Reason.UNREADABLE, "There is no line “Answer:”.")
    return Thinking(tuple(steps), answer)


def read_puzzle(text: str) -> Puzzle:
    """A crime, numbered facts, a clue, lettered suspects, and whom which fact points at."""
    if value := _json(text, Puzzle):
        return value
    names = ("Crime", "Facts", "Clue", "Suspects", "First suspected", "Because of fact")
    fields = _sections(text, names)
    (suspected, *more) = _letters(_needed(fields, "First suspected"))
    if more:
        raise Rejected(Reason.UNREADABLE, "More than one is suspected first.")
    return Puzzle(
        _needed(fields, "Crime"),
        _numbered(_needed(fields, "Facts").splitlines()),
        _needed(fields, "Clue"),
        _lettered(_needed(fields, "Suspects")),
        suspected,
        _number(_needed(fields, "Because of fact")),
    )


def _json(text: str, kind: type[_T]) -> _T | None:
    """The answer as JSON; None where it is not even meant as such."""
    body = text.strip()
    if body.startswith(_FENCE) and body.endswith(_FENCE):
        body = body.removeprefix(_FENCE).removeprefix("json").removesuffix(_FENCE).strip()
    if not body.startswith(("{", "[")):
        return None
    try:
        return msgspec.json.decode(body.encode("utf-8", "replace"), type=ready(kind), strict=True)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise Rejected(Reason.UNREADABLE, f"This is not the JSON asked for: {error}.") from error


def _numbered(lines: Sequence[str], first: int = 1) -> tuple[str, ...]:
    texts: list[str] = []
    for line in lines:
        if not line.strip():
            continue
        match = _NUMBERED.fullmatch(line)
        number = first + len(texts)
        if match is None or int(match[1]) != number:
            raise Rejected(
                Reason.UNREADABLE, f"Where line {number}. should stand is “{line[:60]}”."
            )
        texts.append(match[2].strip())
    if not texts:
        raise Rejected(Reason.UNREADABLE, "There are no numbered lines.")
    return tuple(texts)


def _lettered(text: str) -> tuple[str, ...]:
    options: list[str] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        match = _LETTERED.fullmatch(line)
        expected = letter(len(options))
        if match is None or match[1] != expected:
            raise Rejected(
                Reason.UNREADABLE, f"Where option {expected}) should stand is “{line[:60]}”."
            )
        options.append(match[2].strip())
    return tuple(options)


def _letters(text: str) -> tuple[str, ...]:
    """Letters such as “B” or “A, C”, each perhaps with a bracket or full stop."""
    parts = [part.strip().rstrip(").") for part in text.split(",")]
    if any(len(part) != 1 or not "A" <= part <= "Z" for part in parts):
        raise Rejected(Reason.UNREADABLE, f"“{text[:60]}” are not letters of options.")
    return tuple(parts)


def _number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,3}\.?", text):
        raise Rejected(Reason.UNREADABLE, f"“{text[:60]}” is no number.")
    return int(text.rstrip("."))


def _is_heading(line: str) -> bool:
    return line.rstrip().endswith(":") and _NUMBERED.fullmatch(line) is None


def _parts(text: str, begins: Callable[[str], bool]) -> list[tuple[str, list[str]]]:
    parts: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if begins(line):
            parts.append((line, []))
        elif parts:
            parts[-1][1].append(line)
        elif line.strip():
            raise Rejected(Reason.UNREADABLE, f"“{line[:60]}” stands before the first heading.")
    return parts


def _labelled(text: str, names: Sequence[str]) -> list[tuple[str, str]]:
    """Name and text of each part that begins with “Name:” on a line."""
    known = {name.casefold(): name for name in names}

    def label(line: str) -> str:
        return known.get(line.partition(":")[0].strip(" *-0123456789.").casefold(), "")

    return [
        (label(first), "\n".join((first.partition(":")[2].strip(" *"), *rest)).strip())
        for first, rest in _parts(text, lambda line: ":" in line and bool(label(line)))
    ]


def _sections(text: str, names: Sequence[str]) -> dict[str, str]:
    """The parts by name; each at most once and in the order of the names."""
    parts = _labelled(text, names)
    order = [names.index(name) for name, _ in parts]
    if order != sorted(set(order)):
        raise Rejected(
            Reason.UNREADABLE, f"The parts must be, once each and in order: {', '.join(names)}."
        )
    return dict(parts)


def _needed(fields: dict[str, str], name: str) -> str:
    if not fields.get(name):
        raise Rejected(Reason.UNREADABLE, f"There is no part “{name}:”.")
    return fields[name]
