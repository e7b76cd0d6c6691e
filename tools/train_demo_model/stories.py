"""Generate five-sentence stories with known conflicts, the way GITA made them (section 3).

A plausible story is drawn first. An implausible one is made from it by ORDER (two sentences change
places) or CLOZE (one sentence is replaced), and kept only when exactly one pair of sentences is in
conflict and the pair is unambiguous. Plausible stories go through the same two operations and are
kept when they stay plausible, so that the operation itself gives nothing away.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random

from core.benchmarks.gita.item import STATES
from tools.train_demo_model.frames import Frame, fill, sentence
from tools.train_demo_model.lexicon import STATE_NAMES, Action, Entry, Family, Lexicon
from tools.train_demo_model.nouns import Actor, Noun
from tools.train_demo_model.world import Effects, Fact, Link, links

LENGTH = 5
_ME = "@actor"
# Neighbouring sentences conflict most often by chance; distant pairs are preferred to balance.
_PAIR_WEIGHT = {1: 1.0, 2: 1.7, 3: 2.6, 4: 4.0}
_NOTHING = Noun("", "", False, False)


@dataclass(frozen=True, slots=True)
class Event:
    """One sentence before it is worded: its frame, who acts, what it does to the world."""

    frame: Frame
    actor: Actor
    effects: Effects
    obj: Noun
    extra: Noun | None
    entry: Entry | None

    def clause(self, past: bool, named: bool, actor: Actor) -> str:
        """The clause, with `actor` in the actor's stead (a longer name for the same person)."""
        place = self.entry.place if self.entry else None
        return fill(self.frame.clause(actor, past, named), actor, self.obj, self.extra, place)


@dataclass(frozen=True, slots=True)
class Story:
    """A worded story with its annotation; `pair` and `state` are None when it is plausible.

    `new_frames` tells for each sentence whether its frame is one that training never uses.
    """

    sentences: tuple[str, ...]
    pair: tuple[int, int] | None
    state: str | None
    operation: str
    effects: tuple[Effects, ...]
    links: tuple[Link, ...]
    new_frames: tuple[bool, ...]

    @property
    def plausible(self) -> bool:
        return self.pair is None


@dataclass(frozen=True, slots=True)
class _Thing:
    """An object taking part in a story."""

    family: Family
    entry: Entry
    places: tuple[Entry, ...]
    key: str
    full: Noun | None


class StoryWriter:
    """Draws stories from one random generator; `held_out` prefers the frames kept for testing."""

    def __init__(self, lexicon: Lexicon, rng: Random, held_out: bool = False) -> None:
        self._lexicon = lexicon
        self._rng = rng
        self._held_out = held_out

    def write(self, plausible: bool, state: str | None = None) -> Story:
        """One story. `state` is the physical state to look for (drawn when None)."""
        focus = state or self._rng.choice(STATES)
        while True:
            self._cast(focus)
            base = self._plausible_events()
            if base is None:
                continue
            found = self._variant(base, plausible, focus)
            if found is not None:
                return self._finish(*found)

    def _cast(self, focus: str) -> None:
        rng, lexicon = self._rng, self._lexicon
        attribute = next((key for key, name in STATE_NAMES.items() if name == focus), focus)
        draw = rng.random()
        narrator = Actor("", rng.random() < 0.5)
        if draw < 0.15:
            self._actor = narrator
        else:
            self._actor = rng.choice(lexicon.actors if draw < 0.82 else lexicon.roles)
        self._other = rng.choice(lexicon.actors) if rng.random() < 0.2 else self._actor
        self._past = rng.random() < 0.78
        first = rng.choice([family for family in lexicon.families if attribute in family.states])
        things = [self._thing(first)]
        for _ in range(rng.choice((0, 1, 1, 2))):
            thing = self._thing(rng.choice(lexicon.families))
            if all(thing.key != other.key for other in things):
                things.append(thing)
        self._things = things

    def _thing(self, family: Family) -> _Thing:
        rng, lexicon = self._rng, self._lexicon
        entry = rng.choice(family.entries)
        places = tuple(rng.sample(family.places, 3)) if family.places else ()
        if entry.noun is None:
            return _Thing(family, entry, places, _ME, None)
        full = entry.noun
        if rng.random() < 0.3:
            pool = lexicon.owners if rng.random() < 0.5 else lexicon.qualities
            full = full.described(rng.choice(pool).replace("{n}", rng.choice(lexicon.actors).nome))
        return _Thing(family, entry, places, entry.noun.il, full)

    def _event(self) -> Event | None:
        rng, lexicon = self._rng, self._lexicon
        draw = rng.random()
        if draw < 0.07:
            return Event(rng.choice(lexicon.scene), self._actor, Effects(), _NOTHING, None, None)
        if draw < 0.12:
            return self._worded(rng.choice(lexicon.idle), self._actor, (), (), _NOTHING)
        if draw < 0.22:
            return self._aside()
        thing = self._things[0] if rng.random() < 0.6 else rng.choice(self._things)
        actions = thing.family.actions
        action = rng.choices(actions, [action.weight for action in actions])[0]
        return self._act(thing, action)

    def _aside(self) -> Event | None:
        """Somebody does something with a thing that plays no part in the story."""
        rng, lexicon = self._rng, self._lexicon
        extra = rng.choice(lexicon.things)
        if any(extra.il == thing.key for thing in self._things):
            return None
        actor = rng.choice(lexicon.bystanders) if rng.random() < 0.7 else self._actor
        return self._worded(rng.choice(lexicon.gestures), actor, (), (), _NOTHING, extra)

    def _act(self, thing: _Thing, action: Action) -> Event | None:
        rng = self._rng
        entry = rng.choice(thing.places) if thing.places else thing.entry
        frames = action.say
        if action.own:
            frames = entry.frames[action.own - 1]
        elif self._held_out and action.new:
            frames = action.new
        frame = rng.choice(frames)
        personal = thing.family.personal or thing.family.of_actor
        actor = self._actor if personal else rng.choice((self._actor, self._other))
        if not frame.fits(actor):
            return None
        extra = None
        if "{x." in frame.text:
            extra = rng.choice(thing.entry.contents)
        place = entry.place.at if entry.place else ""
        pre = _facts(thing.key, action.pre, place)
        post = _facts(thing.key, action.post, place)
        noun = thing.full if rng.random() < 0.6 else thing.entry.noun
        obj = noun.in_tense(self._past) if noun else _NOTHING
        return self._worded(frame, actor, pre, post, obj, extra, entry)

    def _worded(
        self,
        frame: Frame,
        actor: Actor,
        pre: tuple[Fact, ...],
        post: tuple[Fact, ...],
        obj: Noun,
        extra: Noun | None = None,
        entry: Entry | None = None,
    ) -> Event:
        who = _ME if actor is self._actor else actor.nome
        about_mind = any(attribute == "conscious" for _, attribute, _ in pre)
        if frame.has_actor and not about_mind:
            pre = (*pre, (who, "conscious", "yes"))
        return Event(frame, actor, Effects(pre, post), obj, extra, entry)

    def _plausible_events(self) -> list[Event] | None:
        events: list[Event] = []
        for _ in range(40):
            event = self._event()
            if event is None or any(event.frame is other.frame for other in events):
                continue
            trial = [*events, event]
            if all(link.holds for link in links([item.effects for item in trial])):
                events = trial
                if len(events) == LENGTH:
                    return events
        return None

    def _variants(self, base: list[Event]) -> Iterator[tuple[str, list[Event]]]:
        for i, j in combinations(range(LENGTH), 2):
            swapped = list(base)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            yield "order", swapped
        for position in range(LENGTH):
            for _ in range(2):
                event = self._event()
                if event is not None and all(event.frame is not other.frame for other in base):
                    yield "cloze", [*base[:position], event, *base[position + 1 :]]

    def _variant(
        self, base: list[Event], plausible: bool, focus: str
    ) -> tuple[str, list[Event], list[Link]] | None:
        choices: list[tuple[str, list[Event], list[Link]]] = []
        weights: list[float] = []
        for operation, events in self._variants(base):
            found = links([event.effects for event in events])
            conflicts = [link for link in found if not link.holds]
            if plausible:
                about_focus = [link for link in found if _state(link) == focus]
                if not conflicts and (about_focus or self._rng.random() < 0.05):
                    choices.append((operation, events, found))
                    weights.append(float(1 + len(about_focus)))
            elif len(conflicts) == 1 and len(conflicts[0].sources) == 1:
                conflict = conflicts[0]
                if _state(conflict) != focus:
                    continue
                choices.append((operation, events, found))
                distance = conflict.later - conflict.sources[0]
                weights.append(_PAIR_WEIGHT[distance] * (1.0 if operation == "cloze" else 4.0))
        return self._rng.choices(choices, weights)[0] if choices else None

    def _finish(self, operation: str, events: list[Event], found: list[Link]) -> Story:
        conflict = next((link for link in found if not link.holds), None)
        return Story(
            sentences=tuple(self._words(events)),
            pair=(conflict.sources[0], conflict.later) if conflict else None,
            state=_state(conflict) if conflict else None,
            operation=operation,
            effects=tuple(event.effects for event in events),
            links=tuple(found),
            new_frames=tuple(self._is_new(event) for event in events),
        )

    def _is_new(self, event: Event) -> bool:
        return event.frame in _new_frames(self._lexicon)

    def _words(self, events: list[Event]) -> Iterator[str]:
        rng, lexicon = self._rng, self._lexicon
        previous: Actor | None = None
        introduced = self._actor not in lexicon.actors or rng.random() < 0.85
        for position, event in enumerate(events):
            actor = event.actor
            named = not (actor is previous and event.frame.has_actor and rng.random() < 0.07)
            if not introduced and actor is self._actor and event.frame.has_actor:
                introduced = True
                trades = [trade for trade in lexicon.trades if trade.feminine == actor.feminine]
                actor = replace(actor, nome=f"{rng.choice(trades).nome} {actor.nome}")
            clause = event.clause(self._past, named, actor)
            draw = rng.random()
            if position and draw < 0.1:
                clause = f"{rng.choice(lexicon.openers)} {clause}"
            elif draw > 0.94 and event.frame.has_actor:
                clause = f"{clause} {rng.choice(lexicon.closers)}".format(a=actor)
            previous = event.actor if event.frame.has_actor else None
            yield sentence(clause)


def _state(link: Link) -> str:
    return STATE_NAMES.get(link.attribute, link.attribute)


def _facts(entity: str, requirements: tuple[tuple[str, str], ...], place: str) -> tuple[Fact, ...]:
    return tuple((entity, name, value.replace("@", place)) for name, value in requirements)


def _new_frames(lexicon: Lexicon) -> frozenset[Frame]:
    return frozenset(
        frame for family in lexicon.families for action in family.actions for frame in action.new
    )
