"""The switches of an ACCORD item, and the grounded tree that a setting produces."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from core.benchmarks.accord.drawn_tree import (
    FIRST_DISTRACTORS,
    FIRST_HOPS,
    DrawnTree,
    WantedTree,
    drawn_tree,
)
from core.benchmarks.accord.grounding.grounder import Grounded
from core.benchmarks.accord.grounding.instance import Instance, Structure
from core.benchmarks.accord.grounding.search_trace import Unsatisfied
from core.benchmarks.accord.grounding.surface import Style
from core.benchmarks.accord.item import AccordItem
from core.benchmarks.accord.skill_names import skill_name
from core.benchmarks.accord.sources.pairings import PairingTemplate
from core.benchmarks.accord.sources.qa import QuestionItem
from core.benchmarks.accord.task_layers import MOST_HOPS
from core.benchmarks.accord.trees.rules import Rule
from core.contract.setting import Choice, Dial, Flag, Number, Setting, Switch
from core.text.language import N_, _


class Reply(StrEnum):
    """The form of reply that the prompt asks for."""

    LETTER = "letter"
    JSON = "json"
    """As in the NAACL 2025 version, appendix H."""


MOST_DISTRACTORS = 8
HOPS = Number("hops", N_("Hops"), 1, MOST_HOPS, FIRST_HOPS, Dial.SIZE)
DISTRACTORS = Number(
    "distractors", N_("Distractors"), 0, MOST_DISTRACTORS, FIRST_DISTRACTORS, Dial.NOISE
)
TREE = Number("tree", N_("Number of the tree drawn"), 0, 9999, 0, Dial.DRAW)
FOLD = Number("fold", N_("Steps folded"), 0, MOST_HOPS - 1, 0, Dial.STEP)
RULE = Choice(
    "rule",
    N_("Which trees"),
    tuple(Rule),
    (
        N_("free: any templates"),
        N_("cover: each reduces with another"),
        N_("grow: grown by reductions"),
    ),
)
RELEVANCE = Choice(
    "relevance",
    N_("Which terms"),
    ("random", "distance"),
    (N_("any, drawn at random"), N_("those near their neighbours")),
)
ONLY = Flag("only", N_("“Only” wording"))
"""NAACL 2025, section 2.7."""
ORDERED = Flag("ordered", N_("Statements in the tree's order"))
REPLY = Choice("reply", N_("Reply asked for"), tuple(Reply), (N_("a letter"), "JSON"))
IMPLIED = "implied"
PAIRING = "pairing"
FACTUAL = "factual."
"""Prefix of the keys that ground a variable with facts."""
REDRAW = "redraw."
"""Prefix of the keys that redraw a variable's term."""
_MOST_VARIABLE = MOST_HOPS + MOST_DISTRACTORS
_MOST_REDRAWS = 99


@dataclass(frozen=True, slots=True)
class Situation:
    """An item under a setting."""

    item: AccordItem
    drawn: DrawnTree | None
    """None for a bare question."""
    implied: str
    """The label of the answer that the statements imply."""
    fold: int
    """Number of steps of the path that are folded on screen."""
    style: Style
    """How statements are worded and whether they are shuffled."""
    reply: Reply

    @property
    def question(self) -> QuestionItem:
        """The question of the item."""
        return self.item.question

    @property
    def structure(self) -> Structure | None:
        """Its tree; None for a bare question."""
        return None if self.drawn is None else self.drawn.structure

    @property
    def grounded(self) -> Grounded | Unsatisfied | None:
        """The result of grounding it; None for a bare question."""
        return None if self.drawn is None else self.drawn.grounded

    @property
    def instance(self) -> Instance | None:
        """The grounded item; None if grounding failed, and for a bare question."""
        if isinstance(self.grounded, Grounded):
            return self.grounded.instance.implying(self.implied)
        return None

    def style_of(self, instance: Instance) -> Style:
        """How its statements, or those of another item cut from it, are worded and ordered."""
        if self.drawn is None or not self.style.shuffled or instance.structure != self.structure:
            return self.style
        return replace(self.style, order=self.drawn.order)

    @property
    def factual(self) -> bool:
        """Whether the implied answer is the default one."""
        return self.implied == self.question.answer

    @property
    def own(self) -> bool:
        """Whether an intermediate variable is grounded with facts, unlike in the paper."""
        instance = self.instance
        return instance is not None and bool(instance.factual)


def pairing_switch(question: QuestionItem) -> Choice | None:
    """The switch between a question's pairing templates; None if it has only one."""
    if len(question.pairings) < 2:
        return None
    numbers = tuple(str(number) for number in range(1, len(question.pairings) + 1))
    names = tuple(named(pairing) for pairing in question.pairings)
    return Choice(PAIRING, N_("Pairing"), numbers, names, cycles=True)


def named(pairing: PairingTemplate) -> str:
    """A pairing template in two words."""
    return f"{skill_name(pairing.skill)}: {pairing.term}"


def implied_switch(item: AccordItem) -> Choice:
    """The switch for the implied answer; it starts with the default answer."""
    question = item.question
    start = item.fixed.chosen if item.fixed is not None else question.answer
    names = tuple(f"{label} {text}" for label, text in question.choices)
    return Choice(IMPLIED, N_("Answer implied"), question.labels, names, start=start, implied=True)


def switches(item: AccordItem) -> tuple[Switch, ...]:
    """The implied answer, the tree, how it is grounded and how it is worded."""
    if not item.question.pairings or item.bare:
        return (REPLY,)
    worded: tuple[Switch, ...] = (FOLD, ONLY, ORDERED, REPLY)
    if item.fixed is not None:
        return (implied_switch(item), *worded)
    pairing = pairing_switch(item.question)
    each = range(_MOST_VARIABLE + 1)
    redraw_name, facts_name = (
        _("Redraws of the term of V{variable}"),
        _("V{variable} grounded with facts"),
    )
    return (
        *((pairing,) if pairing else ()),
        implied_switch(item),
        HOPS,
        DISTRACTORS,
        TREE,
        RULE,
        RELEVANCE,
        *worded,
        *(
            Number(f"{REDRAW}{v}", redraw_name.format(variable=v), 0, _MOST_REDRAWS, 0)
            for v in each
        ),
        *(Flag(f"{FACTUAL}{v}", facts_name.format(variable=v)) for v in each),
    )


def situation(item: AccordItem, setting: Setting) -> Situation:
    """The situation of an item under a setting; raises `SettingError`."""
    reply = Reply(setting.value(REPLY))
    if not item.question.pairings or item.bare:
        answer = item.question.answer
        return Situation(item, None, answer, 0, Style(), reply)
    drawn = _drawn(item, setting)
    return Situation(
        item,
        drawn,
        setting.value(implied_switch(item)),
        # One more step after the whole path is folded starts again.
        int(setting.value(FOLD)) % drawn.structure.hops,
        Style(only=setting.value(ONLY) == "on", shuffled=setting.value(ORDERED) != "on"),
        reply,
    )


def _drawn(item: AccordItem, setting: Setting) -> DrawnTree:
    if item.fixed is not None:
        return DrawnTree(item.fixed.structure, Grounded(item.fixed, ()))
    pairing = pairing_switch(item.question)
    wanted = WantedTree(
        pairing=int(setting.value(pairing)) - 1 if pairing else 0,
        hops=int(setting.value(HOPS)),
        distractors=int(setting.value(DISTRACTORS)),
        number=int(setting.value(TREE)),
        rule=Rule(setting.value(RULE)),
        near=setting.value(RELEVANCE) != RELEVANCE.default,
        redraws=tuple(
            (int(key.removeprefix(REDRAW)), int(value))
            for key, value in setting.items()
            if key.startswith(REDRAW)
        ),
        factual=frozenset(
            int(key.removeprefix(FACTUAL)) for key in setting if key.startswith(FACTUAL)
        ),
    )
    return drawn_tree(item, wanted)
