"""What may be toggled on an AbsPyramid item: the component, the context, the rung, the wording."""

from __future__ import annotations

from dataclasses import dataclass

from core.benchmarks.abspyramid.item import AbsItem
from core.benchmarks.abspyramid.prompts import Prompt, prompts
from core.benchmarks.abspyramid.pyramids import Concept, Pyramid
from core.contract.setting import Choice, Dial, Flag, Number, Setting, Switch
from core.text.language import N_

COMPONENT = "component"
CONTEXT = "context"
CLIMBED = "climbed"
ALONE = Flag("alone", N_("Only this component drawn"))


@dataclass(frozen=True, slots=True)
class Situation:
    """An item under a setting."""

    item: AbsItem
    pyramid: Pyramid
    """Of the component that is climbed, in the head event that is read."""
    components: tuple[Pyramid, ...]
    """What is drawn, from left to right."""
    steps: tuple[tuple[int, Concept], ...]
    """The concepts to climb, with their rungs from 1; 0 for those without one."""
    climbed: int
    """How many of the steps are climbed."""
    prompt: Prompt

    @property
    def concept(self) -> Concept | None:
        """The concept that was climbed to; None below the first."""
        return self.steps[self.climbed - 1][1] if self.climbed else None

    @property
    def elsewhere(self) -> bool:
        """Whether another head event is read than the item's own."""
        return self.pyramid.head != self.item.pyramid.head


def component_switch(item: AbsItem) -> Choice | None:
    """The switch between the components of the head event; None where there is one only."""
    if len(item.family.components) < 2:
        return None
    names = tuple(f"{p.relation}: {p.instance}" for p in item.family.components)
    own = item.family.names[item.place]
    return Choice(COMPONENT, N_("Component"), item.family.names, names, cycles=True, start=own)


def context_switch(item: AbsItem) -> Choice | None:
    """The switch between head events with the item's instance; None where it is in one only."""
    others = item.elsewhere.contexts(item.pyramid)
    if not others:
        return None
    values = tuple(str(number) for number in range(len(others) + 1))
    heads = (item.pyramid.head, *(pyramid.head for pyramid in others))
    return Choice(CONTEXT, N_("Context"), values, heads)


def climbed_switch(item: AbsItem) -> Number:
    """How far up one is."""
    shown = (*item.family.components, *item.elsewhere.contexts(item.pyramid))
    most = max(len(pyramid.upward) for pyramid in shown)
    return Number(CLIMBED, N_("Concepts climbed"), 0, most, 0, Dial.SIZE)


def prompt_switch() -> Choice:
    """How it is asked whether a concept is valid."""
    known = prompts().detection
    return Choice("prompt", N_("Prompt"), tuple(known), tuple(p.title for p in known.values()))


def switches(item: AbsItem) -> tuple[Switch, ...]:
    """The component, the context, how far up, what is drawn, how it is asked."""
    component, context = component_switch(item), context_switch(item)
    return (
        *((component,) if component else ()),
        *((context,) if context else ()),
        climbed_switch(item),
        ALONE,
        prompt_switch(),
    )


def situation(item: AbsItem, setting: Setting) -> Situation:
    """What a setting makes of an item; raises `SettingError`."""
    pyramid, components = item.pyramid, item.family.components
    component = component_switch(item)
    if component is not None:
        pyramid = components[component.values.index(setting.value(component))]
    # The contexts are those of the item's own instance; to find them takes a while.
    if CONTEXT in setting and pyramid is item.pyramid:
        pyramid = item.elsewhere.contexts(pyramid)[int(setting[CONTEXT]) - 1]
        components = (item.pyramid, pyramid)
    if setting.value(ALONE) == "on":
        components = (pyramid,)
    steps = pyramid.upward
    climbed = min(int(setting.get(CLIMBED, "0")), len(steps))
    prompt = prompts().detection[setting.value(prompt_switch())]
    return Situation(item, pyramid, components, steps, climbed, prompt)
