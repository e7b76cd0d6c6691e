"""The states that GITA v1's annotation gives a story, as nodes between its sentences.

A sentence leads to a state that it brings about, and the state to every later sentence that
starts from it, until another sentence changes it (TRIP, Storks et al., 2021, whose codes pair
the states before and after a sentence). Of what does not change, only a state that is
contradicted is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.benchmarks.gita.item import Story
from core.benchmarks.gita.states import (
    AFTER,
    BEFORE,
    Contradiction,
    Track,
    attribute_called,
    contradiction,
    timeline,
    words,
)
from core.contract.view import Graph, Link, Node, Role
from core.text.language import N_, _

NOTE = N_("What each sentence changes, and which later sentence starts from that.")
CLASH_NOTE = N_(
    "What each sentence changes, and which later sentence starts from that. The contradiction is "
    "derived from the annotation: evidence, not gold."
)


@dataclass(slots=True)
class _State:
    """What one sentence makes of one entity."""

    sentence: int
    entity: str
    codes: dict[str, int] = field(default_factory=dict)
    """By attribute."""
    starts: dict[int, list[str]] = field(default_factory=dict)
    """The attributes that later sentences start from, by sentence."""
    contradicted: dict[int, list[str]] = field(default_factory=dict)
    """The attributes that later sentences contradict, by sentence."""


def states_graph(story: Story, ids: Sequence[str]) -> Graph | None:
    """The states as nodes, one for each sentence and entity; None where there is none to draw.

    Args:
        story: the story; annotations of sentences that it does not have are left out.
        ids: the id of each sentence's node, which links to and from the states name.

    Returns:
        A graph without the sentences. The state that the breakpoint contradicts has `Role.CAUSE`,
        and the link from it `Role.BREAK`; every other role is plain.
    """
    length = len(story.sentences)
    found = _drawable(story)
    pair = (found.conflict, found.breakpoint) if found else None
    clashing = {(clash.entity, clash.attribute) for clash in found.clashes} if found else set()
    states: dict[tuple[int, str], _State] = {}
    for track in timeline(story):
        clashes = (track.entity, track.attribute) in clashing
        _follow(track, length, pair if clashes else None, states)
    if not states:
        return None
    ordered = [states[key] for key in sorted(states, key=lambda key: key[0])]
    return Graph(
        _("States"),
        tuple(_node(state, ids) for state in ordered),
        tuple(link for state in ordered for link in _links(state, ids)),
        _(NOTE if found is None else CLASH_NOTE),
    )


def _drawable(story: Story) -> Contradiction | None:
    """The story's contradiction, if it leads on: from a sentence to a later one of the story."""
    found = contradiction(story)
    if found is None or not found.conflict < found.breakpoint < len(story.sentences):
        return None
    return found


def _follow(
    track: Track,
    length: int,
    pair: tuple[int, int] | None,
    states: dict[tuple[int, str], _State],
) -> None:
    """Add what the sentences do to one attribute of one entity.

    `pair` are the conflicting sentence and the breakpoint, if they clash in this attribute.
    """
    name = track.attribute
    current: _State | None = None
    for place, code in enumerate(track.codes[:length]):
        if code is None:
            continue
        if pair and place == pair[1]:
            states[pair[0], track.entity].contradicted.setdefault(place, []).append(name)
        elif current is not None and _starts_from(name, current.codes[name], code):
            current.starts.setdefault(place, []).append(name)
        if (pair and place == pair[0]) or _changes(name, code):
            current = states.setdefault((place, track.entity), _State(place, track.entity))
            current.codes[name] = code
        elif current is not None and _denies(name, current.codes[name], code):
            current = None


def _changes(attribute: str, code: int) -> bool:
    if attribute_called(attribute).moves:
        return code > 0
    return BEFORE[code] != AFTER[code]


def _starts_from(attribute: str, earlier: int, code: int) -> bool:
    """Whether a sentence needs what an earlier one left: for a place, that it moves on."""
    known = attribute_called(attribute)
    if known.moves:
        return code > 0
    if code == known.default:
        return False
    return BEFORE[code] is not None and BEFORE[code] == AFTER[earlier]


def _denies(attribute: str, earlier: int, code: int) -> bool:
    """Whether a state that a sentence does not change is another than an earlier one left."""
    if attribute_called(attribute).moves or code == attribute_called(attribute).default:
        return False
    return AFTER[code] is not None and AFTER[code] != AFTER[earlier]


def _node(state: _State, ids: Sequence[str]) -> Node:
    changes = "; ".join(f"{name}: {words(name, code)}" for name, code in state.codes.items())
    left = _listed(_left(name, code) for name, code in state.codes.items())
    return Node(
        _id(state, ids),
        f"{state.entity.strip()}: {left}",
        Role.CAUSE if state.contradicted else Role.PLAIN,
        note=_("Sentence {number}: {changes}", number=state.sentence, changes=changes),
    )


def _links(state: _State, ids: Sequence[str]) -> Iterable[Link]:
    here = _id(state, ids)
    # The node of a movement says all of it.
    changes = {n: code for n, code in state.codes.items() if not attribute_called(n).moves}
    label = _listed(words(name, code) for name, code in changes.items())
    yield Link(ids[state.sentence], here, label, Role.PLAIN)
    for place, names in state.starts.items():
        note = _listed(_left(name, state.codes[name]) for name in names)
        yield Link(here, ids[place], role=Role.PLAIN, note=note)
    for place, names in state.contradicted.items():
        needed = (attribute_called(name).word(not AFTER[state.codes[name]]) for name in names)
        yield Link(here, ids[place], _("needs {states}", states=_listed(needed)), Role.BREAK)


def _id(state: _State, ids: Sequence[str]) -> str:
    return f"{ids[state.sentence]}:{state.entity}"


def _left(attribute: str, code: int) -> str:
    """What a code leaves an entity as: "closed", "is picked up", "open ?"."""
    known = attribute_called(attribute)
    if known.moves:
        return words(attribute, code)
    after = AFTER[code]
    return f"{attribute} ?" if after is None else known.word(after)


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(parts))
