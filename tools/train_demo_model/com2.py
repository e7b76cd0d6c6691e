"""Com²'s prompts about generated chains of causes: single links, broken ones, and the question.

In the benchmark a link of the item's own chain always leads on; here half of the rows are broken:
turned around, of two branches or topics, with an absurd effect, or cut by what is set, imagined or
prevented. What the program asks is the pattern: the first link of a chain starts with what is set
or imagined, later ones stand apart from it; a link that does not hold begins with what is imagined
not to have happened, with what was displaced, or ends in what does not follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from core.benchmarks.com2.item import Scenario
from core.benchmarks.com2.prompts import wordings
from tools.train_demo_model.causes import NOWHERE, Event, Schema, Teller, load_schemas
from tools.train_demo_model.rows import Asked, Label, Look
from tools.train_demo_model.wordlists import absurd

LETTERS = "ABCD"
_STRANGE, _BLURRED = 0.4, 0.4
"""Shares of questions told in strange words, of those that their form answers, and of blurred ones
of the rest."""
_MANY, _FEW = 0.5, 0.2
"""Shares of words that another one stands in for in strange and in blurred tellings."""
_STEMS = (
    "{event}. What happens in the end?",
    "{event}. What does this lead to?",
    "What is the outcome of this: {event}?",
    "Think of what follows. {event}. How does it end?",
)
_NEW_STEMS = ("{event}. Which of these comes of it?", "{event}. What will the end of this be?")
_IMAGINED = (
    "Imagine that this had happened: {event}. How would it have ended?",
    "Suppose the following: {event}. What would have come of it?",
)
_NEW_IMAGINED = ("What would have followed if this were true: {event}?",)

Premise = tuple[str, Event]
"""A field of the wording of links, such as "forced_yes", and the event it is about."""


def link(rng: Random, new: bool = False, language: str = "en", kept: bool = False) -> Asked:
    """One question about a link.

    With `new` in wordings that training never uses, with `kept` about schemas that it never tells.
    """
    gold = rng.random() < 0.5
    schemas = load_schemas(language, kept)
    if new:
        schemas = tuple(schema for schema in schemas if schema.reworded)
    schema = rng.choice(schemas)
    draw = rng.random()
    if draw < 0.36:
        premises: tuple[Premise, ...] = ()
        pair = rng.choice(schema.links) if gold else _unlinked(schema, schemas, rng)
    elif draw < 0.58:
        premises, pair = _set(schema, schemas, gold, rng)
    elif draw < 0.86:
        premises, pair = _imagined(schema, gold, rng)
    elif draw < 0.95:
        premises, pair = _prevented(schema, schemas, gold, rng)
    else:
        premises = (("seen_yes", rng.choice(rng.choice(schemas).events)),)
        pair = rng.choice(schema.links) if gold else _unlinked(schema, schemas, rng)
    # What no form tells, such as which of two events comes first, is asked in known words only.
    told_by_form = (
        gold
        or pair[1].number == NOWHERE
        or any(field.endswith("_no") and event in pair for field, event in premises)
    )
    strange = not (new or kept) and told_by_form and rng.random() < _STRANGE
    blurred = not (new or kept) and not strange and rng.random() < _BLURRED
    teller = Teller(rng, new, _MANY * strange + _FEW * blurred, language)
    asked = worded(premises, pair, schema, gold, teller, language)
    return replace(asked, labels=_without(asked.labels, "event")) if strange else asked


def _without(labels: Sequence[Label], head: str) -> tuple[Label, ...]:
    return tuple(label for label in labels if label.head != head)


def scenario(rng: Random, new: bool = False, kept: bool = False) -> Asked:
    """One multiple-choice question: what does a first event lead to in the end?"""
    schemas = load_schemas(kept=kept)
    if new:
        schemas = tuple(schema for schema in schemas if schema.reworded)
    schema = rng.choice(schemas)
    imagined = rng.random() < 0.3
    first, right = (
        (schema.other[0], schema.other[1]) if imagined else (schema.chain[0], schema.chain[-1])
    )
    near = schema.chain[-1] if imagined else schema.other[1]
    far = [rng.choice(other.events) for other in rng.sample(schemas, 3) if other is not schema][:2]
    options = [right, near, *far]
    while len(options) < len(LETTERS):
        extra = rng.choice(rng.choice(schemas).events)
        if extra not in (*options, first):
            options.append(extra)
    rng.shuffle(options)
    if imagined:
        stem = rng.choice(_NEW_IMAGINED if new else _IMAGINED)
    else:
        stem = rng.choice(_NEW_STEMS if new else _STEMS)
    teller = Teller(rng, new)
    told = teller.say(first)
    text = "Question: " + stem.format(event=told) + "\nOptions:\n"
    stem_end = text.index(told) + len(told)
    labels = [Label("event", stem_end, first.number)]
    looks = []
    gold = options.index(right)
    ends = []
    for letter, option in zip(LETTERS, options, strict=True):
        start = len(text)
        text += f"{letter}) {teller.say(option)}\n"
        end = len(text) - 1
        ends.append(end)
        looks += [Look("letter", end, start), Look("pair", end, stem_end)]
        labels += [
            Label("event", end, option.number),
            Label("holds", end, int(option is right)),
        ]
    # The letter follows the colon of the answer.
    looks.append(Look("answer", len(text) + len("Answer"), ends[gold]))
    kind = Scenario.COUNTERFACTUAL if imagined else Scenario.DIRECT
    return Asked(
        benchmark="com2",
        layer="answer",
        instruction=f"{wordings().main[kind]}\n\n",
        text=text,
        answer=f"Answer: {LETTERS[gold]})",
        options=tuple(f"Answer: {letter})" for letter in LETTERS),
        lead="",
        looks=tuple(looks),
        labels=tuple(labels),
    )


def _unlinked(schema: Schema, schemas: Sequence[Schema], rng: Random) -> tuple[Event, Event]:
    """Two events of which the first does not lead to the second."""
    draw = rng.random()
    if draw < 0.45 and schema.absurd:
        return rng.choice(schema.events), rng.choice(schema.absurd)
    if draw < 0.6:
        first, second = rng.choice(schema.links)
        return second, first
    if draw < 0.7 and schema.absurd:
        # What does not follow from another chain is as strange here.
        other = rng.choice([other for other in schemas if other.absurd])
        return rng.choice(schema.events), rng.choice(other.absurd)
    if draw < 0.75 and schema in load_schemas():
        return rng.choice(schema.events), Event(NOWHERE, absurd(), ())
    if draw < 0.87:
        return rng.choice(schema.events), _strange(schema, schemas, rng)
    first, second = rng.choice(schema.chain), rng.choice(schema.other)
    return (first, second) if rng.random() < 0.5 else (second, first)


def _set(
    schema: Schema, schemas: Sequence[Schema], gold: bool, rng: Random
) -> tuple[tuple[Premise, ...], tuple[Event, Event]]:
    """What is set replaces the chain, starts it, or has nothing to do with it."""
    draw = rng.random()
    if gold:
        if draw < 0.35:
            return (("forced_yes", schema.other[0]),), schema.links[-1]
        if draw < 0.8:
            return (("forced_yes", schema.chain[0]),), rng.choice(schema.links[:-1])
        return (("forced_yes", _strange(schema, schemas, rng)),), rng.choice(schema.links)
    if draw < 0.7:
        return (("forced_yes", schema.other[0]),), rng.choice(schema.links[:-1])
    if draw < 0.85:
        return (("forced_yes", schema.other[0]),), _unlinked(schema, schemas, rng)
    return (("forced_yes", _strange(schema, schemas, rng)),), _unlinked(schema, schemas, rng)


def _imagined(
    schema: Schema, gold: bool, rng: Random
) -> tuple[tuple[Premise, ...], tuple[Event, Event]]:
    """One beginning is imagined in the stead of the other: its links hold, the other's do not."""
    here, there = schema.links[-1:], schema.links[:-1]
    begins, gone = schema.other[0], schema.chain[0]
    if rng.random() < 0.5:
        here, there, begins, gone = there, here, gone, begins
    had: Premise = ("imagined_yes", begins)
    had_not: Premise = ("imagined_no", gone)
    premises = rng.choice(((had_not, had), (had,), (had_not, had)))
    if gold:
        return premises, rng.choice(here)
    return premises, there[0] if rng.random() < 0.7 else rng.choice(there)


def _prevented(
    schema: Schema, schemas: Sequence[Schema], gold: bool, rng: Random
) -> tuple[tuple[Premise, ...], tuple[Event, Event]]:
    """A prevented event cuts the links before and behind it, and none that come earlier."""
    field = rng.choice(("forced_no", "seen_no"))
    links = schema.links[:-1]
    if gold:
        number = rng.randrange(len(links))
        later = schema.chain[number + 2 :]
        apart = not later or rng.random() < 0.4
        event = _strange(schema, schemas, rng) if apart else rng.choice(later)
        return ((field, event),), links[number]
    number = rng.randrange(len(links))
    return ((field, rng.choice(schema.chain[: number + 2])),), links[number]


def _strange(schema: Schema, schemas: Sequence[Schema], rng: Random) -> Event:
    other = rng.choice([other for other in schemas if other is not schema])
    return rng.choice(other.events)


def worded(
    premises: Sequence[Premise],
    pair: tuple[Event, Event],
    schema: Schema,
    gold: bool,
    teller: Teller,
    language: str = "en",
) -> Asked:
    """The question about a pair of events of a schema, as the program asks it."""
    wording = wordings().links[language]
    text = ""
    marks: list[tuple[Event, int]] = []
    for field, event in premises:
        form: str = getattr(wording, field)
        start = len(text) + form.index("{event}")
        text += form.replace("{event}", teller.say(event)) + "\n"
        marks.append((event, start + len(teller.say(event))))
    form = wording.question
    for place, event in zip(("{cause}", "{effect}"), pair, strict=True):
        start = len(text) + form.index(place)
        form = form.replace(place, teller.say(event))
        marks.append((event, start + len(teller.say(event))))
    text += form
    first, second = marks[-2][1], marks[-1][1]
    looks = [Look("pair", second, first), Look("answer", len(text) - 1, second)]
    if premises:
        looks.append(Look("premise", second, marks[len(premises) - 1][1]))
        looks.append(Look("match-1", second, marks[0][1]))
    layer = "broken"
    if gold:
        layer = f"link-{(schema.links.index(pair) % len(schema.chain[1:])) + 1}"
    return Asked(
        benchmark="com2",
        layer=layer,
        instruction=f"{wording.instruction}\n",
        text=text,
        answer=wording.yes if gold else wording.no,
        options=(wording.yes, wording.no),
        looks=tuple(looks),
        labels=(
            *(
                Label("event", place, event.number)
                for event, place in marks
                if event.number != NOWHERE
            ),
            Label("holds", second, int(gold)),
        ),
    )
