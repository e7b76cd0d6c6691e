"""A reasoning tree as a graph: the path from pairing to answer variable, and its distractors."""

from __future__ import annotations

from collections.abc import Mapping

from core.benchmarks.accord.drawn_tree import DrawnTree
from core.benchmarks.accord.grounding.grounder import Grounded
from core.benchmarks.accord.knowledge.terms import plain
from core.benchmarks.accord.skill_names import skill_name
from core.benchmarks.accord.switches import REDRAW, Situation
from core.benchmarks.accord.trees.path import Reason, refusals
from core.benchmarks.accord.trees.skills import End
from core.contract.view import Graph, Link, Node, Role
from core.text.language import N_, _

_MEANINGS: Mapping[Role, str] = {
    Role.PLAIN: N_("on the path"),
    Role.CHANGED: N_("added"),
    Role.CAUSE: N_("a step of the reasoning"),
    Role.EVIDENCE: N_("entailed by the folded steps"),
    Role.FORCED: N_("given by the pairing"),
    Role.OBSERVED: N_("the answer"),
    Role.CUT: N_("folded"),
}
_NOTE = N_(
    "Every answer has its own copy of the tree; the screen shows that of the implied answer. Each"
    " link is a statement, and the path is folded statement by statement."
)
_WHY = {
    Reason.NO_SHARED_VARIABLE: N_("it shares no variable with what the whole path entails"),
    Reason.NO_ENTRY: N_("the matrix has no entry for the two skills in this position"),
    Reason.CHANGES_SKILL: N_("the result would have another skill"),
    Reason.LOSES_PAIRING: N_("joined to the path it would drop the term that the question gives"),
    Reason.TURNS: N_("the conclusion would point the other way"),
    Reason.NOT_TAKEN: N_("it could be folded in, but here the path ends before it"),
}


def tree_graph(now: Situation, drawn: DrawnTree, statement_ids: Mapping[int, str]) -> Graph:
    """The tree of a situation; folded steps are drawn as the one link that they entail.

    `statement_ids` has the id of each template's statement in the view.
    """
    return Graph(
        _("Reasoning tree"),
        _nodes(now, drawn),
        _links(now, drawn, statement_ids),
        _(_NOTE),
        meanings=_MEANINGS,
    )


def _nodes(now: Situation, drawn: DrawnTree) -> tuple[Node, ...]:
    structure, texts = drawn.structure, _texts(now, drawn)
    path = structure.path
    on_path = set(path.variables)
    nodes = []
    # In the order of their names, so that what a tree keeps stays where it was drawn.
    for variable in sorted(structure.tree.variables, key=drawn.name):
        role, sign, note = Role.PLAIN, "", ""
        if drawn.added(variable):
            role, sign = Role.CHANGED, _("added")
        if variable == path.pairing_variable:
            role, sign, note = Role.FORCED, _("pairing"), _("Given by the pairing template.")
        elif variable == path.answer_variable:
            role, sign = Role.OBSERVED, _("answer")
            note = _("Answer {answer} in this copy of the tree; each answer has a copy of its own.")
            note = note.format(answer=now.implied)
        elif variable not in on_path:
            role = Role.DISTRACTOR
        redrawable = not note and now.item.fixed is None
        nodes.append(
            Node(
                str(drawn.name(variable)),
                texts[variable],
                role,
                sign,
                note or _grounding_note(drawn, variable),
                draw_switch=f"{REDRAW}{drawn.name(variable)}" if redrawable else "",
            )
        )
    return tuple(nodes)


def _texts(now: Situation, drawn: DrawnTree) -> list[str]:
    """The terms of the implied copy; if it could not be grounded, the names of the variables."""
    if now.instance is not None:
        return [plain(term) for term in now.instance.terms(now.implied)]
    structure = drawn.structure
    names = [f"V{drawn.name(variable)}" for variable in structure.tree.variables]
    names[structure.path.pairing_variable] = structure.pairing.term
    names[structure.path.answer_variable] = structure.question.text(now.implied)
    return names


def _grounding_note(drawn: DrawnTree, variable: int) -> str:
    """How a variable was grounded, in a sentence; a table of the view lists its candidates."""
    grounded, name = drawn.grounded, drawn.name(variable)
    if not isinstance(grounded, Grounded):
        return _("V{variable} is not grounded.", variable=name)
    how = _("V{variable}, anti-factual: with this term no statement about it is a fact.")
    if variable in grounded.instance.factual:
        how = _("V{variable}, factual: with this term a statement about it is a fact.")
    return how.format(variable=name)


def _links(now: Situation, drawn: DrawnTree, statement_ids: Mapping[int, str]) -> tuple[Link, ...]:
    tree, path = drawn.structure.tree, drawn.structure.path
    folded = set(path.templates[: now.fold + 1]) if now.fold else set()
    steps = {step.template: (number, step) for number, step in enumerate(path.steps, 1)}
    refused = refusals(tree, now.item.grounds.matrix, path)
    links = []
    for index, template in enumerate(tree.templates):
        if index == path.pairing.template:
            role, note = Role.CAUSE, _("Paired with the question: the path begins here.")
        elif index in steps:
            number, step = steps[index]
            role, note = Role.CAUSE, _("Step {number} of the fold: {rule}")
            note = note.format(number=number, rule=step.reduction)
        else:
            refusal = refused[index]
            role, note = Role.DISTRACTOR, _("A distractor, not a step of the reasoning: {reason}.")
            note = note.format(reason=_(_WHY[refusal.reason]))
            if refusal.entry is not None:
                note += f" ({refusal.entry})"
        if index in folded:
            role = Role.CUT
        source, target = (str(drawn.name(v)) for v in (template.source, template.target))
        name = skill_name(template.skill)
        links.append(Link(source, target, name, role, note, statement_ids.get(index, "")))
    if now.fold:
        links.append(_conclusion(now, drawn))
    return tuple(links)


def _conclusion(now: Situation, drawn: DrawnTree) -> Link:
    """The link that the folded part of the path entails."""
    path, pairing = drawn.structure.path, drawn.structure.pairing
    start, end = (str(drawn.name(path.variables[i])) for i in (0, now.fold + 1))
    source, target = (start, end) if path.pairing.end is End.SOURCE else (end, start)
    rule = path.steps[now.fold - 1].reduction
    note = _("Follows after {folded} of {steps} steps, last by {rule}")
    note = note.format(folded=now.fold, steps=len(path.steps), rule=rule)
    return Link(source, target, f"⇒ {skill_name(pairing.skill)}", Role.EVIDENCE, note)
