"""The switches of a story, and the story under a setting.

A family is one plausible story with its order and cloze variants (paper, section 3.1). A setting
chooses a variant, retypes sentences of it, then puts the sentences in another order. Where the
result is a story of the family, that story's annotation is the gold; otherwise there is none.
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
    """A story under a setting."""

    story: Story
    """The resulting story; without conflict, breakpoint and state where they are unknown."""
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
    """Names of the stories of a family by key: "plausible", "order", "order 2"."""
    counts: Counter[str] = Counter()
    names = {}
    for story in family:
        kind = story.kind.value
        counts[kind] += 1
        names[story.key] = f"{kind} {counts[kind]}" if counts[kind] > 1 else kind
    return names


def switches(item: StoryItem) -> tuple[Switch, ...]:
    """The variant (first that of the item), the order, and the text of each sentence."""
    story = item.story
    variant = _variant_switch(item)
    return (
        *((variant,) if variant else ()),
        Order(ORDER, N_("Order of the sentences"), story.sentences),
        *(
            Text(text_key(i), _("Sentence {number}", number=i), sentence)
            for i, sentence in enumerate(story.sentences)
        ),
    )


def _variant_switch(item: StoryItem) -> Choice | None:
    if len(item.family) < 2:
        return None
    names = variant_names(item.family)
    values = tuple(dict.fromkeys((item.id, *(member.key for member in item.family))))
    shown = tuple(names[key] for key in values)
    return Choice(VARIANT, N_("Variant"), values, shown, cycles=True)


def contrasts(item: StoryItem, setting: Setting) -> Sequence[tuple[str, Setting]]:
    """One setting for each story of the family, labelled with its kind and key."""
    variant = _variant_switch(item)
    if variant is None:
        return ()
    keys = (member.key for member in item.family)
    return [(f"{variant.name(key)} ({key})", setting.with_value(variant, key)) for key in keys]


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
        index for index, i in enumerate(origin) if not _same(texts[i], base.sentences[i])
    )
    member = _annotated(sentences, base, item.family)
    if member is not None:
        return Edited(member, base, origin, touched, known=True)
    story = replace(
        base,
        sentences=sentences,
        conflict=None,
        breakpoint=None,
        state="",
        changes=(),
        gloss=_glosses(base, origin, touched),
        why="",
        whys={},
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
    """Whether two sentences differ at most in blanks, which switches normalise."""
    return one == other or one.split() == other.split()


def _glosses(base: Story, origin: tuple[int, ...], touched: frozenset[int]) -> tuple[str, ...]:
    if not base.gloss:
        return ()
    return tuple("" if index in touched else base.gloss[i] for index, i in enumerate(origin))
