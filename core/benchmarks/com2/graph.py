"""Causal event graphs: events in natural language, linked from cause to effect.

Xiong et al. (2025), section 2.1: a directed acyclic graph whose nodes are events and whose links
lead from cause to effect. What the links compute is not in the paper, whose chains are text; the
equations here are this program's reading of them, and screens say so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from core.text.errors import DataError, NotFoundError
from core.text.language import _
from core.text.suggestions import suggestion


class Kind(StrEnum):
    """The two kinds of events that Com² proposes (section 2.3)."""

    CONCRETE = "concrete"
    """Happened at some time and place; the root of counterfactual chains."""
    ABSTRACT = "abstract"
    """A class of happenings; the root of all other chains."""
    UNKNOWN = ""


class Fault(StrEnum):
    """Why a link of a chain misleads: the transitivity problems of transition chains."""

    NONE = ""
    SCENE_DRIFT = "scene-drift"
    THRESHOLD_EFFECT = "threshold-effect"


class Rule(StrEnum):
    """How the causes of a group combine."""

    ANY = "any-of"
    ALL = "all-of"
    INHIBITOR = "inhibitor"


class GraphError(DataError):
    """Events and links that do not form a causal event graph."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event, which happens or does not."""

    id: str
    text: str
    gloss: str = ""
    """A translation into the reader's language; empty where there is none."""
    kind: Kind = Kind.UNKNOWN
    leak: float = 0.0
    """Probability that it happens although none of its causes brings it about."""


@dataclass(frozen=True, slots=True)
class CausalLink:
    """A link from a cause to its effect."""

    cause: str
    effect: str
    strength: float = 1.0
    """Probability that the cause, having happened, brings the effect about (noisy-OR only)."""
    fault: Fault = Fault.NONE
    source: str = ""
    """Where the link was found."""
    evidence: str = ""
    """A sentence that supports it."""


@dataclass(frozen=True, slots=True)
class Group:
    """Causes that combine by a rule; each is also linked to the effect."""

    effect: str
    rule: Rule
    causes: tuple[str, ...]


@dataclass(frozen=True)
class CausalEventGraph:
    """Events and links that form a directed acyclic graph.

    Raises `GraphError` for a repeated id or link, a link to or from an unknown event, a cycle, a
    probability outside [0, 1], and a group whose members are not linked to its effect.
    """

    events: tuple[Event, ...]
    links: tuple[CausalLink, ...]
    groups: tuple[Group, ...] = ()

    def __post_init__(self) -> None:
        _check_events(self.events)
        known = self.ids
        pairs: set[tuple[str, str]] = set()
        for link in self.links:
            pair = (link.cause, link.effect)
            for end in pair:
                if end not in known:
                    raise GraphError(
                        _("A link names the event “{end}”, which is not there.", end=end),
                        hint=suggestion(_("The events are"), known, end),
                    )
            if link.cause == link.effect:
                raise GraphError(_("The event “{cause}” causes itself.", cause=link.cause))
            if pair in pairs:
                raise GraphError(
                    _(
                        "The link from “{cause}” to “{effect}” is there twice.",
                        cause=pair[0],
                        effect=pair[1],
                    )
                )
            if not 0.0 <= link.strength <= 1.0:
                raise GraphError(
                    _(
                        "The strength from “{cause}” to “{effect}” is {strength}.",
                        cause=pair[0],
                        effect=pair[1],
                        strength=link.strength,
                    ),
                    hint=_("It is a probability from 0 to 1."),
                )
            pairs.add(pair)
        _check_groups(self.groups, pairs)
        if len(self.order) < len(self.events):
            cyclic = [event.id for event in self.events if event.id not in set(self.order)]
            raise GraphError(
                _("The links form a cycle through {names}.", names=", ".join(cyclic[:5])),
                hint=_("Causes come before their effects: leave out one link of the cycle."),
            )

    @cached_property
    def ids(self) -> frozenset[str]:
        """The ids of all events."""
        return frozenset(self._by_id)

    @cached_property
    def _by_id(self) -> Mapping[str, Event]:
        return {event.id: event for event in self.events}

    @cached_property
    def _causes(self) -> Mapping[str, tuple[str, ...]]:
        causes: dict[str, list[str]] = {event.id: [] for event in self.events}
        for link in self.links:
            causes[link.effect].append(link.cause)
        return {effect: tuple(ids) for effect, ids in causes.items()}

    @cached_property
    def _effects(self) -> Mapping[str, tuple[str, ...]]:
        effects: dict[str, list[str]] = {event.id: [] for event in self.events}
        for link in self.links:
            effects[link.cause].append(link.effect)
        return {cause: tuple(ids) for cause, ids in effects.items()}

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The ids in topological order, causes first; ties keep the order of `events`."""
        position = {event.id: i for i, event in enumerate(self.events)}
        unmet = {event.id: len(self._causes[event.id]) for event in self.events}
        ready = [event.id for event in reversed(self.events) if not unmet[event.id]]
        order = []
        while ready:
            event = ready.pop()
            order.append(event)
            freed = []
            for effect in self._effects[event]:
                unmet[effect] -= 1
                if not unmet[effect]:
                    freed.append(effect)
            ready.extend(sorted(freed, key=position.__getitem__, reverse=True))
        return tuple(order)

    @property
    def roots(self) -> tuple[str, ...]:
        """The events without causes, in the order of `events`."""
        return tuple(event.id for event in self.events if not self._causes[event.id])

    def event(self, event_id: str) -> Event:
        """The event with an id; raises `NotFoundError` naming the nearest ids."""
        try:
            return self._by_id[event_id]
        except KeyError:
            raise NotFoundError(
                _("There is no event “{event_id}”.", event_id=event_id),
                hint=suggestion(_("The events are"), self._by_id, event_id),
            ) from None

    def causes(self, event_id: str) -> tuple[str, ...]:
        """The direct causes of an event, in the order of the links."""
        return self._causes[event_id]

    def effects(self, event_id: str) -> tuple[str, ...]:
        """The direct effects of an event, in the order of the links."""
        return self._effects[event_id]

    def link(self, cause: str, effect: str) -> CausalLink | None:
        """The link between two events, if there is one."""
        return self._by_ends.get((cause, effect))

    @cached_property
    def _by_ends(self) -> Mapping[tuple[str, str], CausalLink]:
        return {(link.cause, link.effect): link for link in self.links}

    def groups_of(self, effect: str) -> tuple[Group, ...]:
        """The groups whose effect is this event."""
        return tuple(group for group in self.groups if group.effect == effect)

    def descendants(self, event_id: str) -> frozenset[str]:
        """Every event that can be reached from this one, without itself."""
        return _reachable(self._effects[event_id], self._effects)

    def with_ancestors(self, event_ids: Iterable[str]) -> frozenset[str]:
        """Some events and every event from which one of them can be reached."""
        return _reachable(event_ids, self._causes)


def _reachable(start: Iterable[str], links: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    reached: set[str] = set()
    pending = list(start)
    while pending:
        event = pending.pop()
        if event not in reached:
            reached.add(event)
            pending.extend(links[event])
    return frozenset(reached)


def _check_events(events: Sequence[Event]) -> None:
    seen: set[str] = set()
    for event in events:
        if event.id in seen:
            raise GraphError(_("The id “{id}” belongs to two events.", id=event.id))
        if not 0.0 <= event.leak <= 1.0:
            raise GraphError(
                _("The leak of “{id}” is {leak}.", id=event.id, leak=event.leak),
                hint=_("It is a probability from 0 to 1."),
            )
        seen.add(event.id)


def _check_groups(groups: Sequence[Group], pairs: set[tuple[str, str]]) -> None:
    grouped: set[tuple[str, str]] = set()
    for group in groups:
        if not group.causes:
            raise GraphError(_("A group of “{effect}” names no cause.", effect=group.effect))
        for cause in group.causes:
            pair = (cause, group.effect)
            if pair not in pairs:
                raise GraphError(
                    _(
                        "A group of “{effect}” names “{cause}”, which has no link to it.",
                        effect=group.effect,
                        cause=cause,
                    )
                )
            if pair in grouped:
                raise GraphError(
                    _(
                        "“{cause}” stands in two groups of “{effect}”.",
                        cause=cause,
                        effect=group.effect,
                    )
                )
            grouped.add(pair)
