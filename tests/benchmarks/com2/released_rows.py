"""Rows as the release of Com² has them, in sentences of our own."""

from __future__ import annotations

from typing import Any

BAKERY = [
    "The oven door is left open",
    "The kitchen heats up",
    "The dough rises too fast",
    "The loaves collapse",
    "The bakery sells no bread that day",
]
BUTTER = [
    "The oven door is left open",
    "Warm air reaches the larder",
    "The butter softens",
    "The pastry tears",
    "The croissants come out flat",
]
OPTIONS = (
    "A) The bakery sells no bread that day.  \nB) The croissants come out flat.  \n"
    "C) The baker buys a hat.  \nD) A tram is late."
)


def row(**fields: Any) -> dict[str, Any]:
    """A row as main has them, with some fields of one's own; None takes a field away."""
    whole = {
        "question": "The oven door is left open all night. What comes of it in the end?",
        "options": OPTIONS,
        "answer": "A) The bakery sells no bread that day",
        "thinking_process": "Heat first, then dough.",
        "scenario": "",
        "chains": [BAKERY],
        "type": "direct",
        "model": "a model",
        **fields,
    }
    return {key: value for key, value in whole.items() if value is not None}


def case(**fields: Any) -> dict[str, Any]:
    """A row as hard has them."""
    return {
        "type": "intervention",
        "crime": "The mayor's marrow vanished from the show tent.",
        "facts": ["1. The tent was locked at nine.", "2. The groom had soil on his boots."],
        "Q": "Who took the marrow?",
        "O": "A) The groom\nB) The vicar\nC) None of the above",
        "A": "A) The groom",
        **fields,
    }


def chain(root: str, length: int, name: str) -> list[str]:
    """A chain of so many events from a root."""
    return [root, *(f"Step {i} of {name} happens." for i in range(2, length + 1))]


def main_rows() -> list[dict[str, Any]]:
    """2,500 rows, each kind as often and of the shapes that the released main.json has them.

    230 interventions have no chains, 258 have two of 5 events and 12 two of 6, all with the first
    event in common. Of the counterfactuals 448 share none and 52 the first; 495 have 5 and 5
    events, 4 have 5 and 4, one has 6 and 6; in 8 rows a chain says an event twice.
    """
    rows = []
    for i in range(500):
        root, other = f"A thing of number {i} happens", f"Another thing of number {i} happens"
        one, two = (chain(root, 5, f"the {name} chain {i}") for name in ("first", "second"))
        rows.append(_asked("direct", one[-1], two[-1], [one]))
        rows.append(_asked("reco", one[-1], two[-1], [one, two]))
        decision = _asked("decision", "Close the door.", "Open it.", [one, two])
        rows.append({**decision, "answer": "A, C, E"})
        length = 6 if i < 12 else 5
        cut = [chain(root, length, f"the {name} chain {i}") for name in ("cut", "kept")]
        rows.append(_asked("intervention", cut[1][-1], cut[0][-1], None if i >= 270 else cut))
        shared = i < 52
        lengths = (6, 6) if i == 499 else (5, 4) if i >= 495 else (5, 5)
        given = root if shared else f"Counterfactual_of_given_event ({other})" if i % 2 else other
        there = chain(root, lengths[0], f"the usual chain {i}")
        instead = chain(given, lengths[1], f"the imagined chain {i}")
        if 60 <= i < 68:
            there[2] = there[1]
        rows.append(_asked("counterfactual", instead[-1], there[-1], [there, instead]))
    return rows


def _asked(kind: str, right: str, wrong: str, chains: list[list[str]] | None) -> dict[str, Any]:
    """A row whose answer's text is without the full stop that its option has, or with one more."""
    options = ["A rainbow appears.", "Nobody notices.", right, wrong, "A tram is late"]
    text = "  \n".join(f"{letter}) {text}" for letter, text in zip("ABCDE", options, strict=True))
    said = right.removesuffix(".") if right.endswith(".") else f"{right}."
    return row(type=kind, options=text, answer=f"C) {said}", chains=chains)
