"""The view of a story under a setting."""

from __future__ import annotations

from core.benchmarks.gita.item import Kind, Story, StoryItem
from core.benchmarks.gita.states import Track, contradiction, timeline, words
from core.benchmarks.gita.states_graph import states_graph
from core.benchmarks.gita.switches import ORDER, Edited, edited, text_key
from core.contract.setting import Setting
from core.contract.view import Cell, Grid, Link, Note, Role, Section, Statement, Statements, View
from core.text.language import N_, _, pgettext

EVIDENCE_NOTE = N_("Derived from the annotation: evidence, not gold.")


def view(item: StoryItem, setting: Setting) -> View:
    """The story with its conflict, its physical states where it has them, and remarks."""
    result = edited(item, setting)
    story = result.story
    sections: list[Section] = [_statements(item, result)]
    grid = states_grid(story)
    if grid is not None:
        sections.append(grid)
    if story.shown_why:
        sections.append(Note(story.shown_why))
    parts = (story.key, story.actor, story.location)
    return View(
        title=" · ".join(part for part in parts if part),
        subtitle=_subtitle(result),
        badges=_badges(result),
        sections=tuple(sections),
    )


def _is_edited(result: Edited) -> bool:
    return bool(result.touched) or result.origin != tuple(range(len(result.origin)))


def _subtitle(result: Edited) -> str:
    if not _is_edited(result):
        return ""
    if not result.known:
        sentence = _("Your edit of {story}: nobody has annotated it.")
    elif result.story.key != result.base.key:
        sentence = _("Your edit turns {story} into the story {other}, whose gold answers apply.")
    else:
        sentence = _("Your edit of {story} changed no sentence, so its gold answers apply.")
    return sentence.format(story=result.base.key, other=result.story.key)


def _badges(result: Edited) -> tuple[Cell, ...]:
    story = result.story
    badges = []
    if result.known:
        badges.append(Cell(_(story.kind.value)))
        if story.plausible != (story.kind is Kind.PLAUSIBLE):
            badges.append(
                Cell(_("labelled plausible") if story.plausible else _("labelled implausible"))
            )
        if story.state and not story.plausible:
            badges.append(Cell(_shown_state(story.state)))
    if _is_edited(result) and story.sentences != result.base.sentences:
        badges.append(Cell(_("edited"), Role.CHANGED))
    if not result.known:
        badges.append(Cell(_("no gold: your edit"), Role.MUTED))
    return tuple(badges)


def _statements(item: StoryItem, result: Edited) -> Statements:
    story = result.story
    pair = (None, None) if story.plausible else (story.conflict, story.breakpoint)
    changed = _changed(item, result)
    statements = []
    for index, sentence in enumerate(story.sentences):
        role, notes = Role.PLAIN, []
        if index == pair[1]:
            role, notes = Role.BREAK, [_("breakpoint"), _shown_state(story.state)]
        elif index == pair[0]:
            role, notes = Role.CAUSE, [_("conflict")]
        elif index in changed:
            role = Role.CHANGED
        if index in changed:
            notes.append(_("retyped") if index in result.touched else _("changed"))
        statements.append(
            Statement(
                id=_id(result, index),
                text=sentence,
                role=role,
                number=str(index),
                note=" · ".join(note for note in notes if note),
                gloss=story.gloss[index] if story.gloss else "",
                text_switch=_switch(item, result, index),
            )
        )
    links: tuple[Link, ...] = ()
    if pair[0] is not None and pair[1] is not None and pair[0] != pair[1]:
        links = (Link(_id(result, pair[0]), _id(result, pair[1]), _shown_state(story.state)),)
    states = states_graph(story, [statement.id for statement in statements])
    return Statements(_("Story"), tuple(statements), links, ORDER, states)


def _id(result: Edited, index: int) -> str:
    """The id of a sentence, which it keeps when it moves, so that a cursor stays on it."""
    return text_key(result.origin[index])


def _switch(item: StoryItem, result: Edited, index: int) -> str:
    position = result.origin[index]
    return text_key(position) if position < len(item.story.sentences) else ""


def _changed(item: StoryItem, result: Edited) -> frozenset[int]:
    """Indices of sentences that were retyped or differ from the family's plausible story."""
    sentences = result.story.sentences
    origin = next((m for m in item.family if m.kind is Kind.PLAUSIBLE), result.base)
    differing = (
        index
        for index, sentence in enumerate(sentences)
        if index >= len(origin.sentences) or sentence != origin.sentences[index]
    )
    return result.touched.union(differing)


def states_grid(story: Story) -> Grid | None:
    """A table of the attributes that change, by sentence; None without a v1 annotation.

    Cells of a derived contradiction have `Role.EVIDENCE`.
    """
    tracks = timeline(story)
    if not tracks:
        return None
    conflict = contradiction(story)
    clashing = conflict.clashes if conflict else frozenset()
    shown = [t for t in tracks if t.changes or (t.entity, t.attribute) in clashing]
    if not shown:
        return None

    def row(track: Track) -> tuple[Cell, ...]:
        pair: tuple[int, ...] = ()
        if conflict is not None and (track.entity, track.attribute) in clashing:
            pair = (conflict.conflict, conflict.breakpoint)
        cells = [Cell(track.entity), Cell(track.attribute)]
        for index, code in enumerate(track.codes):
            text = "" if code is None else words(track.attribute, code)
            cells.append(Cell(text, Role.EVIDENCE if index in pair else Role.PLAIN))
        return tuple(cells)

    columns = (_("entity"), _("attribute"), *(str(i) for i in range(len(shown[0].codes))))
    note = _("States before and after each sentence, from the annotation.")
    if conflict is not None:
        note = _(EVIDENCE_NOTE)
    return Grid(_("Physical states"), columns, tuple(row(track) for track in shown), note)


def _shown_state(state: str) -> str:
    """One of the fourteen states of the released task in the language of the program.

    Another name, or none, stays as it is.
    """
    names = {
        "power": pgettext("state", "power"),
        "location": pgettext("state", "location"),
        "exist": pgettext("state", "exist"),
        "clean": pgettext("state", "clean"),
        "edible": pgettext("state", "edible"),
        "wet": pgettext("state", "wet"),
        "functional": pgettext("state", "functional"),
        "wearing": pgettext("state", "wearing"),
        "open": pgettext("state", "open"),
        "conscious": pgettext("state", "conscious"),
        "temperature": pgettext("state", "temperature"),
        "solid": pgettext("state", "solid"),
        "occupied": pgettext("state", "occupied"),
        "in pieces": pgettext("state", "in pieces"),
    }
    return names.get(state, state)
