"""Writing a family of stories of one's own, a step at a time.

The steps follow GITA4CALAMITA's annotation (Pensa et al., 2024, sections 3.1 and 3.3): a
plausible story of five sentences, an order variant that moves sentences of it, a cloze variant
that replaces one, and for each variant the conflict pair and the physical state. The answers are
all the state there is, so a draft is resumed by asking for the next step again.
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
"""`worker_id` of stories made here."""

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"»”’']?\s+")
_PAIR_VALUES = tuple(f"{i},{j}" for i, j in sorted(PAIRS))


@dataclass(frozen=True, slots=True)
class _Variant:
    """An order or cloze variant, from when its sentences stand."""

    letter: str
    type: str
    sentences: tuple[str, ...]
    pair: tuple[int, int] | None
    """Conflicting sentence and breakpoint; None until they are chosen."""
    state: str
    """Empty until it is chosen."""


class StoryAuthor:
    """How a person makes GITA stories. Fulfils `core.contract.benchmark.Author`."""

    def next_step(self, answers: Mapping[str, str]) -> Step | None:
        """The first step that `answers` does not settle; None when the draft is complete."""
        for step in _steps(answers):
            if step.switch.key in answers:
                problem = _problem(step.switch, answers)
                if problem:
                    return replace(step, problem=problem)
            elif not _pasted(step.switch.key, answers):
                return step
        return None

    def preview(self, answers: Mapping[str, str]) -> View:
        """The stories as far as they are written, and what comes next."""
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

        They get the next free `story_id`. What the file holds stays byte for byte as it is; a
        new file is made where there is none. Raises `SettingError` for an unfinished draft and
        `DataError` for a file that holds anything but readable stories.
        """
        step = self.next_step(answers)
        if step is not None:
            raise SettingError(
                _("The draft is not finished."),
                where=step.switch.key,
                hint=step.problem or step.help,
            )
        # Reading and writing files is loaded now, so that naming the benchmark costs nothing.
        from core.benchmarks.gita.story_writer import add

        try:
            made = add(partial(_documents, answers), path.resolve())
        except UnicodeEncodeError as error:
            raise SettingError(
                _("The draft holds characters that cannot be written."), hint=_("Type them again.")
            ) from error
        return tuple(document["example_id"] for document in made)


AUTHOR = StoryAuthor()
"""The author that the benchmark offers."""


def _pasted(key: str, answers: Mapping[str, str]) -> bool:
    """Whether the first sentence was a pasted block that holds this one."""
    return key in _PASTED and bool(_block_of(answers.get("s0", "")))


def _problem(switch: Switch, answers: Mapping[str, str]) -> str:
    """Why the answer to a step cannot stand; empty where it can."""
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
    if not changed.isdisjoint(int(place) for place in value.split(",")):
        return ""
    # A pair of sentences that stand as they did in the plausible story is no conflict.
    choose = _("Choose a pair with {sentences}.", sentences=_listed(changed, _("or")))
    return f"{_told(variant, changed)} {choose}"


_PASTED = frozenset(f"s{i}" for i in range(1, SENTENCES))
_MUST_DIFFER = {
    "order": N_("This is still the order of the plausible story. Move a sentence first."),
    "cloze_text": N_("This is still the sentence of the plausible story. Type another one."),
}


def _changed(variant: str, answers: Mapping[str, str]) -> frozenset[int]:
    """Places in a variant at which the plausible story has something else."""
    if variant == "cloze":
        return frozenset({_position(answers)})
    switch = Order("order", "", _plausible(answers))
    order = switch.indices(_parsed(switch, answers) or switch.default)
    return frozenset(place for place, origin in enumerate(order) if place != origin)


def _told(variant: str, changed: frozenset[int]) -> str:
    if variant == "cloze":
        said = _(
            "Sentence {sentences} is new; the others are as in the plausible story, where nothing "
            "conflicts."
        )
    else:
        said = ngettext(
            "Sentence {sentences} stands elsewhere; the others are as in the plausible story, "
            "where nothing conflicts.",
            "Sentences {sentences} stand elsewhere; the others are as in the plausible story, "
            "where nothing conflicts.",
            len(changed),
        )
    return said.format(sentences=_listed(changed, _("and")))


def _listed(places: frozenset[int], word: str) -> str:
    *most, last = (str(place) for place in sorted(places))
    return f"{', '.join(most)} {word} {last}" if most else last


def _steps(answers: Mapping[str, str]) -> Iterator[Step]:
    """Every step of the draft, in order, as far as the answers so far let one see."""
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
        _("Make an implausible story by swapping two sentences of the plausible one?"),
    )
    if answers.get("order_variant") == "yes":
        yield Step(
            Order("order", _("Order of the sentences"), sentences),
            _("Swap two sentences so that the story becomes impossible."),
        )
        yield from _marking("order", _reordered(answers, sentences))
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
        place = _position(answers)
        yield Step(
            Text("cloze_text", _("New sentence"), sentences[place]),
            _("A sentence that is possible in itself but not at this place."),
        )
        yield from _marking("cloze", _replaced(answers, sentences))


def _marking(variant: str, sentences: Sequence[str]) -> Iterator[Step]:
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


def _block_of(text: str) -> tuple[str, ...]:
    """The five sentences of a pasted block, by lines, else by sentence ends; else nothing."""
    lines = tuple(" ".join(line.split()) for line in text.splitlines() if line.strip())
    if len(lines) == SENTENCES:
        return lines
    ends = [found.end() for found in _SENTENCE_END.finditer(text.strip())]
    starts = [0, *ends]
    pieces = [text.strip()[a:b].strip() for a, b in zip(starts, [*ends, None], strict=True)]
    return tuple(pieces) if len(pieces) == SENTENCES else ()


def _plausible(answers: Mapping[str, str]) -> tuple[str, ...]:
    """The plausible story as far as it is written: single answers over the pasted block."""
    block = _block_of(answers.get("s0", ""))
    first = block[0] if block else " ".join(answers.get("s0", "").split())
    rest = (
        " ".join(answers.get(f"s{i}", block[i] if block else "").split())
        for i in range(1, SENTENCES)
    )
    return (first, *rest)


def _reordered(answers: Mapping[str, str], sentences: tuple[str, ...]) -> tuple[str, ...]:
    switch = Order("order", "Order of the sentences", sentences)
    value = _parsed(switch, answers) or switch.default
    return tuple(sentences[i] for i in switch.indices(value))


def _position(answers: Mapping[str, str]) -> int:
    value = answers.get("cloze_sentence", "")
    return int(value) if value in {str(i) for i in range(SENTENCES)} else 0


def _replaced(answers: Mapping[str, str], sentences: tuple[str, ...]) -> tuple[str, ...]:
    place = _position(answers)
    new = " ".join(answers.get("cloze_text", "").split()) or sentences[place]
    return (*sentences[:place], new, *sentences[place + 1 :])


def _parsed(switch: Switch, answers: Mapping[str, str]) -> str:
    try:
        return switch.parse(answers.get(switch.key, ""))
    except SettingError:
        return ""


def _variants(answers: Mapping[str, str]) -> Iterator[_Variant]:
    """The variants whose sentences stand, with as much of their annotation as is settled."""
    sentences = _plausible(answers)
    made = {
        "order": ("O", "order", _reordered),
        "cloze": ("C", "cloze_text", _replaced),
    }
    for kind, (letter, changes, make) in made.items():
        if answers.get(f"{kind}_variant") != "yes" or not answers.get(changes):
            continue
        pair = answers.get(f"{kind}_pair", "")
        state = answers.get(f"{kind}_state", "")
        yield _Variant(
            letter,
            kind,
            make(answers, sentences),
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
        at = _("breakpoint")
        at = f"{at} · {variant.state}" if variant.state else at
        marks = {cause: (Role.CAUSE, _("conflict")), effect: (Role.BREAK, at)}
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
    plausible = _document(answers, number, _plausible(answers), str(number), state)
    return [
        plausible,
        *(
            _document(answers, number, v.sentences, f"{number}-{v.letter}0", v.state)
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
