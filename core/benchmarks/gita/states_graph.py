"""The graph of a story's physical states, from GITA v1's annotation.

A sentence leads to a state that it brings about, and the state to every later sentence that
starts from it, until another sentence changes it (TRIP, Storks et al., 2021, whose codes pair
the states before and after a sentence). A state that does not change is drawn only where it is
contradicted.
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
    attribute_named,
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
    """The state in which a sentence leaves an entity."""

    sentence: int
    entity: str
    codes: dict[str, int] = field(default_factory=dict)
    """By attribute."""
    starts: dict[int, list[str]] = field(default_factory=dict)
    """By later sentence, the attributes that it starts from."""
    contradicted: dict[int, list[str]] = field(default_factory=dict)
    """By later sentence, the attributes that it contradicts."""


def states_graph(story: Story, ids: Sequence[str]) -> Graph | None:
    """The states as nodes, one for each sentence and entity; None without any.

    Args:
        story: the story; annotations of sentences that it does not have are left out.
        ids: the id of each sentence's node, for the links to and from the states.

    Returns:
        A graph without the sentences. The state that the breakpoint contradicts has `Role.CAUSE`,
        and the link from it `Role.BREAK`; every other role is plain.
    """
    length = len(story.sentences)
    conflict = _forward_contradiction(story)
    pair = (conflict.conflict, conflict.breakpoint) if conflict else None
    clashes = conflict.clashes if conflict else frozenset()
    states: dict[tuple[int, str], _State] = {}
    for track in timeline(story):
        is_clash = (track.entity, track.attribute) in clashes
        _add_track(track, length, pair if is_clash else None, states)
    if not states:
        return None
    ordered = [states[key] for key in sorted(states, key=lambda key: key[0])]
    return Graph(
        _("States"),
        tuple(_node(state, ids) for state in ordered),
        tuple(link for state in ordered for link in _links(state, ids)),
        _(NOTE if conflict is None else CLASH_NOTE),
    )


def _forward_contradiction(story: Story) -> Contradiction | None:
    """The story's contradiction, if it leads from a sentence to a later one of the story."""
    conflict = contradiction(story)
    if conflict and conflict.conflict < conflict.breakpoint < len(story.sentences):
        return conflict
    return None


def _add_track(
    track: Track,
    length: int,
    pair: tuple[int, int] | None,
    states: dict[tuple[int, str], _State],
) -> None:
    """Add the states of one attribute of one entity to `states`.

    `pair` are the conflicting sentence and the breakpoint, if they clash in this attribute.
    """
    name = track.attribute
    current: _State | None = None
    for sentence, code in enumerate(track.codes[:length]):
        if code is None:
            continue
        if pair and sentence == pair[1]:
            states[pair[0], track.entity].contradicted.setdefault(sentence, []).append(name)
        elif current is not None and _starts_from(name, current.codes[name], code):
            current.starts.setdefault(sentence, []).append(name)
        if (pair and sentence == pair[0]) or attribute_named(name).changes(code):
            current = states.setdefault((sentence, track.entity), _State(sentence, track.entity))
            current.codes[name] = code
        elif current is not None and _denies(name, current.codes[name], code):
            current = None


def _starts_from(attribute: str, earlier: int, code: int) -> bool:
    """Whether a sentence starts from the state that an earlier one left; of a place, moves on."""
    known = attribute_named(attribute)
    if known.moves:
        return code > 0
    if code == known.default:
        return False
    return BEFORE[code] is not None and BEFORE[code] == AFTER[earlier]


def _denies(attribute: str, earlier: int, code: int) -> bool:
    """Whether a sentence presupposes another state than the one an earlier sentence left."""
    if attribute_named(attribute).moves or code == attribute_named(attribute).default:
        return False
    return AFTER[code] is not None and AFTER[code] != AFTER[earlier]


def _node(state: _State, ids: Sequence[str]) -> Node:
    changes = "; ".join(f"{name}: {words(name, code)}" for name, code in state.codes.items())
    result = _listed(_result(name, code) for name, code in state.codes.items())
    return Node(
        _id(state, ids),
        f"{state.entity.strip()}: {result}",
        Role.CAUSE if state.contradicted else Role.PLAIN,
        note=_("Sentence {number}: {changes}", number=state.sentence, changes=changes),
    )


def _links(state: _State, ids: Sequence[str]) -> Iterable[Link]:
    here = _id(state, ids)
    # The label of a node says everything about a movement.
    changes = {n: code for n, code in state.codes.items() if not attribute_named(n).moves}
    label = _listed(words(name, code) for name, code in changes.items())
    yield Link(ids[state.sentence], here, label, Role.PLAIN)
    for sentence, names in state.starts.items():
        note = _listed(_result(name, state.codes[name]) for name in names)
        yield Link(here, ids[sentence], role=Role.PLAIN, note=note)
    for sentence, names in state.contradicted.items():
        needed = (attribute_named(name).word(not AFTER[state.codes[name]]) for name in names)
        yield Link(here, ids[sentence], _("needs {states}", states=_listed(needed)), Role.BREAK)


def _id(state: _State, ids: Sequence[str]) -> str:
    return f"{ids[state.sentence]}:{state.entity}"


def _result(attribute: str, code: int) -> str:
    """The state of an entity after a code, in words: "closed", "is picked up", "open ?"."""
    known = attribute_named(attribute)
    if known.moves:
        return words(attribute, code)
    after = AFTER[code]
    return f"{attribute} ?" if after is None else known.word(after)


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(parts))
