"""The view of an ACCORD item under a setting: tree, question, statements, checks, grounding."""

from __future__ import annotations

from core.benchmarks.accord.grounding.grounder import Grounded
from core.benchmarks.accord.grounding.instance import Instance
from core.benchmarks.accord.grounding.records import record_of
from core.benchmarks.accord.grounding.search_trace import Trace, Unsatisfied
from core.benchmarks.accord.grounding.surface import statements
from core.benchmarks.accord.item import AccordItem
from core.benchmarks.accord.skill_names import distractors_in_words, hops_in_words
from core.benchmarks.accord.soundness import check
from core.benchmarks.accord.switches import Situation, situation
from core.benchmarks.accord.tree_graph import tree_graph
from core.contract.setting import Setting
from core.contract.view import Cell, Grid, Note, Role, Section, Statement, Statements, View
from core.text.escaping import escape_control_characters
from core.text.language import _, said_to_be_in

_SHOWN = 80


def view(item: AccordItem, setting: Setting) -> View:
    """The tree of the implied answer, question, statements, soundness, remarks and grounding.

    Raises `SettingError`.
    """
    now = situation(item, setting)
    sections: list[Section] = []
    if now.drawn is not None:
        sections.append(tree_graph(now, now.drawn, _statement_ids(now)))
    # The question comes first, although a model reads it last, because a low pane shows only this.
    sections.append(_asked(now))
    instance = now.instance
    if instance is not None:
        sections.append(_statements(now, instance))
        if instance.knowledge == item.grounds.name:
            sections.append(_flags(now, instance))
        elif not instance.knowledge:
            sections.append(Note(_("Not checked: its knowledge base is not recorded.")))
        else:
            name = escape_control_characters(instance.knowledge, limit=_SHOWN)
            missing = _("Not checked: its knowledge base, {name}, is not beside it.")
            sections.append(Note(missing.format(name=name)))
    if isinstance(now.grounded, Unsatisfied):
        sections.append(Note(now.grounded.reason, Role.BAD))
    if now.item.undecided:
        sections.append(
            Note(
                _(
                    "Your decisions about its pairing templates contradict each other and are "
                    "not used: {reason} Undo or edit one of them.",
                    reason=now.item.undecided,
                ),
                Role.BAD,
            )
        )
    sections += [Note(text) for text in _remarks(now)]
    if isinstance(now.grounded, Grounded) and now.grounded.traces:
        sections.append(_grounding(now, now.grounded.traces))
    # A short title, because the badges follow it on the same line.
    title = item.question.concept or item.question.id
    return View(title, said_to_be_in(item.question.language), _badges(now), tuple(sections))


def _badges(now: Situation) -> tuple[Cell, ...]:
    if now.structure is None:
        return (Cell(_("bare question")),)
    implied = Cell(_("anti-factual"), Role.CHANGED)
    if now.factual:
        implied = Cell(_("factual"), Role.GOOD)
    hops, distractors = now.structure.hops, now.structure.distractors
    badges = [implied, Cell(hops_in_words(hops)), Cell(distractors_in_words(distractors))]
    if now.own:
        badges.append(Cell(_("not the paper's grounding"), Role.EVIDENCE))
    if not now.structure.pairing.reviewed:
        badges.append(Cell(_("unreviewed pairing"), Role.EVIDENCE))
    return tuple(badges)


def _asked(now: Situation) -> Statements:
    """The question and its choices, with the default and the implied answer marked."""
    question = now.question
    asked = [Statement("question", question.question)]
    for label, text in question.choices:
        notes, role = [], Role.PLAIN
        if label == question.answer:
            notes, role = [_("common sense")], Role.MUTED
        if now.structure is not None and label == now.implied:
            notes, role = [_("implied"), *notes], Role.EVIDENCE
        asked.append(Statement(f"choice-{label}", text, role, label, ", ".join(notes)))
    return Statements(_("Question"), tuple(asked))


def _statements(now: Situation, instance: Instance) -> Statements:
    """The statements in prompt order; those that imply the answer are highlighted."""
    ordered = statements(instance, now.item.grounds.skills, now.style_of(instance))
    path = set(instance.structure.path.templates)
    return Statements(
        _("Statements, {number}", number=len(ordered)),
        tuple(
            Statement(
                f"statement-{position}",
                statement.text(),
                _role(statement.label == now.implied, statement.template in path),
                statement.label,
                "" if statement.template in path else _("distractor"),
            )
            for position, statement in enumerate(ordered)
        ),
    )


def _statement_ids(now: Situation) -> dict[int, str]:
    """By template: the id of its statement in the implied copy."""
    if now.instance is None:
        return {}
    ordered = statements(now.instance, now.item.grounds.skills, now.style_of(now.instance))
    return {
        statement.template: f"statement-{position}"
        for position, statement in enumerate(ordered)
        if statement.label == now.implied
    }


def _role(implied: bool, on_path: bool) -> Role:
    if not on_path:
        return Role.DISTRACTOR
    return Role.EVIDENCE if implied else Role.MUTED


def _flags(now: Situation, instance: Instance) -> Grid:
    grounds = now.item.grounds
    rows = tuple(
        (
            Cell("✓" if flag.passed else "✗", Role.GOOD if flag.passed else Role.BAD),
            Cell(_(flag.check.value)),
            Cell(flag.evidence, Role.MUTED),
        )
        for flag in check(record_of(instance), grounds.matrix, grounds.knowledge)
    )
    return Grid(_("Soundness"), ("", _("flag"), _("evidence")), rows)


def _grounding(now: Situation, traces: tuple[Trace, ...]) -> Grid:
    """The candidates and removals of each term in the copy on screen."""
    rows = []
    for trace in (trace for trace in traces if trace.label == now.implied):
        tried = ", ".join(trace.first_candidates)
        if more := trace.drawn - len(trace.first_candidates):
            tried = _("{terms} and {more:,} more").format(terms=tried, more=more)
        removed = "; ".join(str(removal) for removal in trace.removals)
        rows.append(
            (
                Cell(f"V{trace.variable}"),
                Cell(trace.term),
                Cell(tried, Role.MUTED),
                Cell(removed or _("nothing"), Role.MUTED),
            )
        )
    return Grid(
        _("Grounding of copy {copy}", copy=now.implied),
        (_("variable"), _("term"), _("candidates drawn"), _("removed")),
        tuple(rows),
        _("N redraws the term under the cursor."),
    )


def _remarks(now: Situation) -> list[str]:
    remarks = []
    if now.drawn is not None and now.drawn.remark:
        remarks.append(now.drawn.remark)
    if now.item.unpaired:
        remarks.append(
            _(
                "No tree can be grown: {reason}. Only the bare question is asked.",
                reason=_(now.item.unpaired),
            )
        )
    if now.item.grounds.borrowed and now.structure is not None:
        remarks.append(
            _("The questions came without a knowledge base; terms are from the bundled one.")
        )
    return remarks
