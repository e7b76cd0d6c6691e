"""The view of an item under a setting: graph, case, question and derived answer."""

from __future__ import annotations

from core.benchmarks.com2.edits import OWN
from core.benchmarks.com2.graph import Fault, Rule
from core.benchmarks.com2.item import Com2Item, letter
from core.benchmarks.com2.query import Mechanism, Query
from core.benchmarks.com2.scenarios import Derivation, agrees, derive, right_options, sound
from core.benchmarks.com2.switches import EDITS, EVENT, Situation, situation
from core.benchmarks.com2.worlds import World, depends_on_mechanism
from core.contract.setting import Setting
from core.contract.view import (
    Cell,
    Graph,
    Grid,
    Link,
    Node,
    Note,
    Role,
    Section,
    Statement,
    Statements,
    View,
)
from core.text.language import N_, _, ngettext, said_to_be_in

_READING = N_("Computing from the links what happens is this program's own reading.")
_FAULTS = {
    Fault.NONE: "",
    Fault.SCENE_DRIFT: N_("scene drift"),
    Fault.THRESHOLD_EFFECT: N_("threshold effect"),
}


def view(item: Com2Item, setting: Setting) -> View:
    """The graph in the world of the setting, the task and its derived answer.

    Raises `SettingError` for impossible edits and impossible worlds.
    """
    now = situation(item, setting)
    here = now.world()
    before = now.world(_before(now.query))
    sections: list[Section] = [_drawn(item, now, here, before)]
    if now.item.case is not None:
        sections += _case(now)
    if now.task is not None:
        sections += _task(now)
    sections += [Note(warning) for warning in item.warnings]
    reading = _(_READING)
    if now.task is not None:
        reading = f"{_('The chains of Com² are text.')} {reading}"
    sections.append(Note(reading))
    language = said_to_be_in(item.language)
    return View(item.title or item.id, language, _badges(now), tuple(sections))


def _badges(now: Situation) -> tuple[Cell, ...]:
    badges = []
    if now.task is not None:
        badges.append(Cell(_(now.task.scenario.value)))
    query = now.query
    if query.imagine:
        badges.append(Cell(_("rung 3: imagine"), Role.IMAGINED))
    elif query.do:
        badges.append(Cell(_("rung 2: do"), Role.FORCED))
    else:
        badges.append(Cell(_("rung 1: see"), Role.OBSERVED))
    if query.mechanism is Mechanism.NOISY_OR:
        badges.append(Cell(_("noisy-OR, illustrative"), Role.EVIDENCE))
    if depends_on_mechanism(sound(now.graph), query):
        badges.append(Cell(_("depends on mechanism choice"), Role.EVIDENCE))
    return tuple(badges)


def _before(query: Query) -> Query:
    """The query that a world is compared with: the evidence where there is some, else none."""
    if query.imagine and query.observe:
        return Query(query.do, query.observe, mechanism=query.mechanism)
    return Query(mechanism=query.mechanism)


def _drawn(item: Com2Item, now: Situation, here: World, before: World) -> Graph:
    graph = now.graph
    own = item.graph.ids
    nodes = tuple(
        Node(
            event.id,
            event.text,
            _role(event.id, now.query, here, before),
            sign=_sign(event.id, now.query, here, before),
            note=here.why(event.id),
            happens=here.happens(event.id),
            gloss=event.gloss,
            # An event that was added by an edit has no switch until it is saved.
            state_switch=f"{EVENT}{event.id}" if event.id in own else "",
        )
        for event in graph.events
        if event.id in now.shown
    )
    rules = {(cause, group.effect): group.rule for group in graph.groups for cause in group.causes}
    links = []
    for link in graph.links:
        if not {link.cause, link.effect} <= now.shown:
            continue
        rule = rules.get((link.cause, link.effect))
        role = Role.PLAIN
        if here.cut(link.effect):
            role = Role.CUT
        elif link.fault:
            role = Role.DISTRACTOR
        elif rule is Rule.INHIBITOR:
            role = Role.HINDERS
        source = _(OWN) if link.source == OWN else link.source
        words = (
            _(_FAULTS[link.fault]),
            _("strength {figure:g}", figure=link.strength) if link.strength < 1 else "",
            _("source: {source}", source=source) if source else "",
            link.evidence,
            # Said in words where the line is not drawn as an inhibitor's, which ends in ⊥.
            _("prevents") if rule is Rule.INHIBITOR and role is not Role.HINDERS else "",
        )
        label = _("all needed") if rule is Rule.ALL else ""
        note = ", ".join(word for word in words if word)
        links.append(Link(link.cause, link.effect, label, role, note))
    hidden = len(graph.events) - len(nodes)
    note = ""
    if hidden:
        note = ngettext(
            "{hidden} event that does not bear on this scenario is not drawn.",
            "{hidden} events that do not bear on this scenario are not drawn.",
            hidden,
            hidden=hidden,
        )
    return Graph(_("Events"), nodes, tuple(links), note, edits_switch=EDITS.key)


def _role(event: str, query: Query, here: World, before: World) -> Role:
    if event in query.do:
        return Role.FORCED
    if event in query.imagine:
        return Role.IMAGINED
    if event in query.observe and not query.imagine:
        return Role.OBSERVED
    if not here.happens(event):
        return Role.ABSENT
    return Role.PLAIN if before.happens(event) else Role.CHANGED


def _sign(event: str, query: Query, here: World, before: World) -> str:
    happens = here.happens(event)
    words = []
    if event in query.do:
        words.append(f"do={int(happens)}")
    elif event in query.imagine:
        words.append(_("imagined") if happens else _("imagined away"))
    elif event in query.observe:
        words.append(_("seen") if query.observe[event] else _("seen not to"))
    if not here.certain(event):
        words.append(f"p={here.result.p[event]:.2f}")
    elif not words and happens != before.happens(event):
        words.append(_("changed"))
    return " ".join(words)


def _case(now: Situation) -> list[Section]:
    case = now.item.case
    assert case is not None
    graph = now.graph
    known = {event.id: event for event in graph.events}
    facts = [
        Statement(
            f"fact.{i}",
            known[fact].text if fact in known else fact,
            number=str(i),
            gloss=known[fact].gloss if fact in known else "",
        )
        for i, fact in enumerate(case.facts, 1)
    ]
    sections: list[Section] = [
        Statements(_("The crime"), (Statement("crime", case.crime),)),
        Statements(_("What is known"), tuple(facts)),
    ]
    if case.clue in known and case.suspects:
        sections.append(_suspects(now))
    return sections


def _suspects(now: Situation) -> Grid:
    """The suspects whom the facts point to, with the essential clue and without it."""
    case, query = now.item.case, now.query
    assert case is not None
    others = {event: value for event, value in query.do.items() if event != case.clue}
    worlds = [
        now.world(Query({**others, case.clue: there}, mechanism=query.mechanism))
        for there in (False, True)
    ]
    rows = []
    for suspect in case.suspects:
        marks = [w.happens(suspect) for w in worlds]
        cells = [Cell("✓" if mark else "–", Role.CAUSE if mark else Role.MUTED) for mark in marks]
        rows.append((Cell(now.graph.event(suspect).text), *cells))
    clue = now.graph.event(case.clue).text
    columns = (_("The facts point to"), _("without clue"), _("with clue"))
    note = _("The essential clue: {event}", event=clue)
    return Grid(_("Suspects"), columns, tuple(rows), note=note)


def _task(now: Situation) -> list[Section]:
    task = now.task
    assert task is not None
    derivation = derive(now.item, task, now.own)
    gold = right_options(task, derivation, changed=now.changed) or frozenset()
    derived = derivation.gold or frozenset()
    released = frozenset() if now.changed or task.released is None else task.released
    options = tuple(
        Statement(
            f"option.{i}",
            option.text,
            Role.GOOD if i in gold else Role.PLAIN,
            number=letter(i),
            note=" · ".join(
                word for word, of in ((_("released"), released), (_("derived"), derived)) if i in of
            ),
            gloss=now.graph.event(option.event).gloss if option.event else "",
        )
        for i, option in enumerate(task.options)
    )
    title = _("Question, {scenario}")
    if task.multiple:
        title = _("Question, {scenario}, several may be right")
    title = title.format(scenario=_(task.scenario.value))
    sections: list[Section] = [Statements(title, (Statement("question", task.question), *options))]
    if gold:
        sentence = _("From the graph: {reason}.")
        sections.append(Note(sentence.format(reason=derivation.why), Role.EVIDENCE))
    else:
        # Above the question, where a reader looks for the gold answer.
        sentence = _("No gold answer: {reason}.")
        sections.insert(0, Note(sentence.format(reason=derivation.why), Role.BAD))
    sections += _illustrations(now, derivation)
    if released and agrees(task, derivation) is False:
        sections.append(Note(_("The released answer is another one."), Role.BAD))
    return sections


def _illustrations(now: Situation, derivation: Derivation) -> list[Section]:
    if not derivation.cuts:
        return []
    quoted = _("“{text}”")
    named = "; ".join(
        _(" and ").join(quoted.format(text=now.graph.event(event).text) for event in sorted(cut))
        for cut in derivation.cuts[:6]
    )
    return [Note(_("Smallest cuts, as an illustration: {cuts}.", cuts=named))]
