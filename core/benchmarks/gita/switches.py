"""The switches of a story, and what a setting makes of it.

A family is one plausible story with its order and cloze variants (paper, section 3.1). A setting
chooses a variant, retypes sentences of it, then puts the sentences in another order. Where the
result is again a story of the family, that story's annotation is its gold; elsewhere nobody has
annotated it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.benchmarks.gita.item import Story, StoryItem
from core.contract.setting import Choice, Order, Setting, Switch, Text
from core.text.errors import SettingError
from core.text.language import N_, _

VARIANT = "variant"
ORDER = "order"


@dataclass(frozen=True, slots=True)
class Edited:
    """What a setting makes of a story."""

    story: Story
    """The resulting story; without conflict, breakpoint and state where those are unknown."""
    base: Story
    """The variant that the setting chose."""
    origin: tuple[int, ...]
    """For each sentence of the result, its position in `base`."""
    touched: frozenset[int]
    """Positions in the result whose sentence was retyped."""
    known: bool
    """Whether the result is a story of the family, so that its gold is known."""


def text_key(position: int) -> str:
    """The key of the switch that retypes the sentence at a position, counted from 0."""
    return f"s{position}"


def variant_names(family: Sequence[Story]) -> dict[str, str]:
    """What to call each story of a family: "plausible", "order", "order 2", by key."""
    seen: Counter[str] = Counter()
    names = {}
    for story in family:
        kind = story.kind.value
        seen[kind] += 1
        names[story.key] = f"{kind} {seen[kind]}" if seen[kind] > 1 else kind
    return names


def switches(item: StoryItem) -> tuple[Switch, ...]:
    """The variant, starting with the item itself, the order, and each sentence's text."""
    story = item.story
    found: list[Switch] = []
    if len(item.family) > 1:
        names = variant_names(item.family)
        others = (member.key for member in item.family if member.key != story.key)
        values = (story.key, *others)
        shown = tuple(names[key] for key in values)
        found.append(Choice(VARIANT, N_("Variant"), values, shown, cycles=True))
    found.append(Order(ORDER, N_("Order of the sentences"), story.sentences))
    found.extend(
        Text(text_key(i), _("Sentence {number}", number=i), sentence)
        for i, sentence in enumerate(story.sentences)
    )
    return tuple(found)


def contrasts(item: StoryItem, setting: Setting) -> Sequence[tuple[str, Setting]]:
    """Every story of the family under a setting, with its kind and key."""
    choice = next((s for s in switches(item) if isinstance(s, Choice)), None)
    if choice is None:
        return ()
    names = variant_names(item.family)
    return [
        (f"{names[member.key]} ({member.key})", setting.with_value(choice, member.key))
        for member in item.family
    ]


def edited(item: StoryItem, setting: Setting) -> Edited:
    """Apply a setting: choose the variant, retype sentences, then reorder them.

    A text replaces the sentence at its position in the chosen variant. Raises `SettingError`
    where the variant has too few or too many sentences for the setting.
    """
    base = _chosen(item, setting.get(VARIANT, item.story.key))
    length = len(base.sentences)
    texts = list(base.sentences)
    for key in setting:
        if key in {VARIANT, ORDER}:
            continue
        position = int(key[1:])
        if position >= length:
            raise SettingError(
                _("The variant {key} has no sentence {position}.", key=base.key, position=position),
                where=key,
            )
        texts[position] = setting[key]
    origin = _order(setting.get(ORDER), base)
    sentences = tuple(texts[i] for i in origin)
    touched = frozenset(
        place for place, i in enumerate(origin) if not _same(texts[i], base.sentences[i])
    )
    match = _annotated(sentences, base, item.family)
    if match is not None:
        return Edited(match, base, origin, touched, known=True)
    story = replace(
        base,
        sentences=sentences,
        conflict=None,
        breakpoint=None,
        state="",
        changes=(),
        gloss=_glosses(base, origin, touched),
        why="",
        raw={},
    )
    return Edited(story, base, origin, touched, known=False)


def _chosen(item: StoryItem, key: str) -> Story:
    if key == item.story.key:
        return item.story
    for member in item.family:
        if member.key == key:
            return member
    raise SettingError(
        _("There is no variant “{key}” of this story.", key=key),
        where=VARIANT,
        hint=_("Choose one of: {names}.", names=", ".join(member.key for member in item.family)),
    )


def _order(value: str | None, base: Story) -> tuple[int, ...]:
    switch = Order(ORDER, "Order of the sentences", base.sentences)
    return switch.indices(switch.parse(switch.default if value is None else value))


def _annotated(sentences: tuple[str, ...], base: Story, family: tuple[Story, ...]) -> Story | None:
    """The story of the family with these sentences, the chosen one first."""
    for member in (base, *family):
        if len(member.sentences) == len(sentences) and all(map(_same, member.sentences, sentences)):
            return member
    return None


def _same(one: str, other: str) -> bool:
    """Whether two sentences differ in blanks at most: switches store texts without them."""
    return one == other or one.split() == other.split()


def _glosses(base: Story, origin: tuple[int, ...], touched: frozenset[int]) -> tuple[str, ...]:
    if not base.gloss:
        return ()
    return tuple("" if place in touched else base.gloss[i] for place, i in enumerate(origin))
