"""Leads a person through writing a family of stories, step by step.

The steps follow GITA4CALAMITA's annotation (Pensa et al., 2024, sections 3.1 and 3.3): a
plausible story of five sentences, an order variant that moves sentences of it, a cloze variant
that replaces one, and for each variant the conflict pair and the physical state. The answers are
the whole state, so a draft is resumed by asking for the next step again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from core.benchmarks.gita.item import PAIRS, STATES
from core.contract.authoring import Step
from core.contract.setting import Choice, Order, Switch, Text
from core.contract.view import Cell, Link, Note, Role, Section, Statement, Statements, View
from core.text.errors import SettingError
from core.text.language import N_, _, ngettext

SENTENCES = 5
WORKER = "own"
"""`worker_id` of stories written in this program."""

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"»”’']?\s+")
_PAIR_VALUES = tuple(f"{i},{j}" for i, j in sorted(PAIRS))


@dataclass(frozen=True, slots=True)
class _Variant:
    """An order or cloze variant whose sentences are written."""

    type: str
    """"order" or "cloze"."""
    sentences: tuple[str, ...]
    pair: tuple[int, int] | None
    """Conflicting sentence and breakpoint; None until both are chosen."""
    state: str
    """Empty until it is chosen."""


class StoryAuthor:
    """An `Author` of GITA stories."""

    def next_step(self, answers: Mapping[str, str]) -> Step | None:
        """The first step without a valid answer; None when the draft is complete."""
        for step in _steps(answers):
            if step.switch.key in answers:
                problem = _problem(step.switch, answers)
                if problem:
                    return replace(step, problem=problem)
            elif not _is_pasted(step.switch.key, answers):
                return step
        return None

    def preview(self, answers: Mapping[str, str]) -> View:
        """The stories as far as they are written, with the help of the next step."""
        step = self.next_step(answers)
        sentences = _plausible(answers)
        sections: list[Section] = []
        if any(sentences):
            sections.append(_block(_("Plausible story"), sentences))
        sections.extend(_variant_block(variant, sentences) for variant in _variants(answers))
        sections.append(Note(step.help if step else _("The draft is complete and can be saved.")))
        parts = (_("New story"), answers.get("actor", ""), answers.get("location", ""))
        badge = Cell(_("complete"), Role.GOOD)
        if step is not None:
            badge = Cell(_("draft"), Role.MUTED)
        return View(
            " · ".join(part for part in parts if part), badges=(badge,), sections=tuple(sections)
        )

    def save(self, answers: Mapping[str, str], path: Path) -> tuple[str, ...]:
        """Append the stories to the JSON or JSON-lines file at `path`; return their keys.

        They get the next free `story_id`. The stories already in the file stay byte for byte as
        they are; a missing file is created. Raises `SettingError` for an unfinished draft and
        `DataError` for a file that holds anything but readable stories.
        """
        step = self.next_step(answers)
        if step is not None:
            raise SettingError(
                _("The draft is not finished."),
                where=step.switch.key,
                hint=step.problem or step.help,
            )
        # Imported late, so that listing the steps needs no reader of files.
        from core.benchmarks.gita.story_writer import add

        try:
            documents = add(partial(_documents, answers), path.resolve())
        except UnicodeEncodeError as error:
            raise SettingError(
                _("The draft holds characters that cannot be written."), hint=_("Type them again.")
            ) from error
        return tuple(document["example_id"] for document in documents)


def _is_pasted(key: str, answers: Mapping[str, str]) -> bool:
    """Whether the sentence of this step came with a block pasted as the first sentence."""
    return key in _PASTED and bool(_pasted_sentences(answers.get("s0", "")))


def _problem(switch: Switch, answers: Mapping[str, str]) -> str:
    """Why the answer to a step is refused; empty where it is accepted."""
    try:
        value = switch.parse(answers[switch.key])
    except SettingError as error:
        return error.what
    if value == switch.default and switch.key in _MUST_DIFFER:
        return _(_MUST_DIFFER[switch.key])
    variant, _line, part = switch.key.partition("_")
    if part != "pair":
        return ""
    changed = _changed(variant, answers)
    if not changed.isdisjoint(int(index) for index in value.split(",")):
        return ""
    # Two sentences that stand as in the plausible story cannot be in conflict.
    choose = _("Choose a pair with {sentences}.", sentences=_listed(changed, _("or")))
    return f"{_change_described(variant, changed)} {choose}"


_PASTED = frozenset(f"s{i}" for i in range(1, SENTENCES))
_MUST_DIFFER = {
    "order": N_("This is still the order of the plausible story. Move a sentence first."),
    "cloze_text": N_("This is still the sentence of the plausible story. Type another one."),
}


def _changed(variant: str, answers: Mapping[str, str]) -> frozenset[int]:
    """Indices at which a variant and the plausible story have different sentences."""
    if variant == "cloze":
        return frozenset({_replaced_index(answers)})
    order = _order(answers, _plausible(answers))
    return frozenset(index for index, origin in enumerate(order) if index != origin)


def _change_described(variant: str, changed: frozenset[int]) -> str:
    """A sentence on which sentences of a variant differ from the plausible story."""
    if variant == "cloze":
        sentence = _(
            "Sentence {sentences} is new; the others are as in the plausible story, where nothing "
            "conflicts."
        )
    else:
        sentence = ngettext(
            "Sentence {sentences} stands elsewhere; the others are as in the plausible story, "
            "where nothing conflicts.",
            "Sentences {sentences} stand elsewhere; the others are as in the plausible story, "
            "where nothing conflicts.",
            len(changed),
        )
    return sentence.format(sentences=_listed(changed, _("and")))


def _listed(indices: frozenset[int], conjunction: str) -> str:
    *others, last = (str(index) for index in sorted(indices))
    return f"{', '.join(others)} {conjunction} {last}" if others else last


def _steps(answers: Mapping[str, str]) -> Iterator[Step]:
    """The steps of the draft in order, as far as they follow from the answers so far."""
    yield Step(Text("actor", _("Actor"), ""), _("Who acts in the story, as in “Marco”."))
    yield Step(Text("location", _("Location"), ""), _("The room or place where it happens."))
    yield Step(
        Text("objects", _("Objects"), ""), _("The things in the story, separated by commas.")
    )
    yield Step(
        Text("s0", _("Sentence {number}", number=0), "", limit=5 * 2000),
        _("The first of five sentences of a plausible story. Or paste all five at once."),
    )
    for i in range(1, SENTENCES):
        label = _("Sentence {number}", number=i)
        counted = _("Sentence {number}, counted from 0.", number=i)
        yield Step(Text(f"s{i}", label, ""), counted)
    sentences = _plausible(answers)
    yield Step(
        Choice("order_variant", _("Order variant"), ("yes", "no"), (_("yes"), _("no"))),
        _("Make an implausible story by changing the order of the plausible one?"),
    )
    if answers.get("order_variant") == "yes":
        yield Step(
            Order("order", _("Order of the sentences"), sentences),
            _("Move sentences so that the story becomes impossible; GITA swaps two."),
        )
        yield from _annotation_steps("order", _reordered(answers, sentences))
    yield Step(
        Choice("cloze_variant", _("Cloze variant"), ("yes", "no"), (_("yes"), _("no"))),
        _("Make an implausible story by replacing one sentence of the plausible one?"),
    )
    if answers.get("cloze_variant") == "yes":
        names = tuple(f"{i}: {sentence}" for i, sentence in enumerate(sentences))
        positions = tuple(str(i) for i in range(SENTENCES))
        yield Step(
            Choice("cloze_sentence", _("Sentence to replace"), positions, names),
            _("Which sentence is replaced?"),
        )
        index = _replaced_index(answers)
        yield Step(
            Text("cloze_text", _("New sentence"), sentences[index]),
            _("A sentence that is possible in itself but not at this place."),
        )
        yield from _annotation_steps("cloze", _replaced(answers, sentences))


def _annotation_steps(variant: str, sentences: Sequence[str]) -> Iterator[Step]:
    """The conflict pair and the physical state of a variant."""
    names = tuple(
        f"{pair.replace(',', _(' and '))}: {sentences[int(pair[0])]} / {sentences[int(pair[2])]}"
        for pair in _PAIR_VALUES
    )
    yield Step(
        Choice(f"{variant}_pair", _("Conflict pair"), _PAIR_VALUES, names),
        _("Which sentence makes the state, and at which does the story stop making sense?"),
    )
    yield Step(
        Choice(f"{variant}_state", _("Physical state"), STATES),
        _("Which physical state do the two sentences disagree about?"),
    )


def _pasted_sentences(text: str) -> tuple[str, ...]:
    """The five sentences of a pasted block, split at lines or else at sentence ends.

    Empty unless that gives five.
    """
    lines = tuple(" ".join(line.split()) for line in text.splitlines() if line.strip())
    if len(lines) == SENTENCES:
        return lines
    ends = [match.end() for match in _SENTENCE_END.finditer(text.strip())]
    starts = [0, *ends]
    pieces = [text.strip()[a:b].strip() for a, b in zip(starts, [*ends, None], strict=True)]
    return tuple(pieces) if len(pieces) == SENTENCES else ()


def _plausible(answers: Mapping[str, str]) -> tuple[str, ...]:
    """The plausible story as far as it is written; single answers replace pasted sentences."""
    block = _pasted_sentences(answers.get("s0", ""))
    first = block[0] if block else " ".join(answers.get("s0", "").split())
    rest = (
        " ".join(answers.get(f"s{i}", block[i] if block else "").split())
        for i in range(1, SENTENCES)
    )
    return (first, *rest)


def _order(answers: Mapping[str, str], sentences: tuple[str, ...]) -> tuple[int, ...]:
    """The order of the order variant; the original one without a valid answer."""
    switch = Order("order", "", sentences)
    try:
        return switch.indices(switch.parse(answers.get(switch.key, "")))
    except SettingError:
        return tuple(range(SENTENCES))


def _reordered(answers: Mapping[str, str], sentences: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sentences[i] for i in _order(answers, sentences))


def _replaced_index(answers: Mapping[str, str]) -> int:
    value = answers.get("cloze_sentence", "")
    return int(value) if value in {str(i) for i in range(SENTENCES)} else 0


def _replaced(answers: Mapping[str, str], sentences: tuple[str, ...]) -> tuple[str, ...]:
    index = _replaced_index(answers)
    new = " ".join(answers.get("cloze_text", "").split()) or sentences[index]
    return (*sentences[:index], new, *sentences[index + 1 :])


def _variants(answers: Mapping[str, str]) -> Iterator[_Variant]:
    """The variants whose sentences are written, with the annotation so far."""
    plausible = _plausible(answers)
    for kind, changes, change in (
        ("order", "order", _reordered),
        ("cloze", "cloze_text", _replaced),
    ):
        if answers.get(f"{kind}_variant") == "yes" and answers.get(changes):
            pair, state = answers.get(f"{kind}_pair", ""), answers.get(f"{kind}_state", "")
            yield _Variant(
                kind,
                change(answers, plausible),
                (int(pair[0]), int(pair[2])) if pair in _PAIR_VALUES else None,
                state if state in STATES else "",
            )


def _block(title: str, sentences: Sequence[str]) -> Statements:
    numbered = enumerate(sentences)
    return Statements(title, tuple(Statement(f"s{i}", text, number=str(i)) for i, text in numbered))


def _variant_block(variant: _Variant, plausible: Sequence[str]) -> Statements:
    marks: dict[int, tuple[Role, str]] = {}
    links: tuple[Link, ...] = ()
    if variant.pair is not None:
        cause, effect = variant.pair
        note = " · ".join(part for part in (_("breakpoint"), variant.state) if part)
        marks = {cause: (Role.CAUSE, _("conflict")), effect: (Role.BREAK, note)}
        links = (Link(f"{variant.type}{cause}", f"{variant.type}{effect}", variant.state),)
    statements = []
    for i, text in enumerate(variant.sentences):
        unmarked = (Role.PLAIN if text == plausible[i] else Role.CHANGED, "")
        role, note = marks.get(i, unmarked)
        statements.append(Statement(f"{variant.type}{i}", text, role, str(i), note))
    title = _("Order variant") if variant.type == "order" else _("Cloze variant")
    return Statements(title, tuple(statements), links)


def _documents(answers: Mapping[str, str], number: int) -> list[dict[str, Any]]:
    """The stories in the released schema (paper, section 3.4 and appendix A)."""
    variants = list(_variants(answers))
    # The release gives plausible stories a state too: that of their first variant.
    state = variants[0].state if variants else ""
    return [
        _document(answers, number, _plausible(answers), str(number), state),
        *(
            _document(answers, number, v.sentences, f"{number}-{v.type[0].upper()}0", v.state)
            | {
                "type": v.type,
                "idx": 0,
                "plausible": False,
                "breakpoint": v.pair[1],
                "confl_sents": [v.pair[0]],
                "confl_pairs": list(v.pair),
            }
            for v in variants
            if v.pair is not None
        ),
    ]


def _document(
    answers: Mapping[str, str], number: int, sentences: Sequence[str], key: str, state: str
) -> dict[str, Any]:
    objects = (part.strip() for part in answers["objects"].split(","))
    return {
        "story_id": number,
        "worker_id": WORKER,
        "type": None,
        "idx": None,
        "aug": False,
        "actor": " ".join(answers["actor"].split()),
        "location": " ".join(answers["location"].split()),
        "objects": ", ".join(part for part in objects if part),
        "sentences": list(sentences),
        "length": len(sentences),
        "example_id": key,
        "plausible": True,
        "breakpoint": -1,
        "confl_sents": [],
        "confl_pairs": [],
        "states": state,
    }
