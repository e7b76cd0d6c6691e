"""The switches of an item: component, context, climbed concepts, drawn alone, prompt."""

from __future__ import annotations

from dataclasses import dataclass

from core.benchmarks.abspyramid.item import AbsItem
from core.benchmarks.abspyramid.prompts import TITLES, Prompt, prompts
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
    """The selected component in the selected context."""
    components: tuple[Pyramid, ...]
    """The pyramids to draw, from left to right."""
    steps: tuple[tuple[int, Concept], ...]
    """The concepts to climb with their levels from 1; 0 without a level."""
    climbed: int
    """Number of climbed steps."""
    prompt: Prompt

    @property
    def concept(self) -> Concept | None:
        """The current concept; None if nothing is climbed."""
        return self.steps[self.climbed - 1][1] if self.climbed else None

    @property
    def in_other_context(self) -> bool:
        """Whether the head event is not the item's own."""
        return self.pyramid.head != self.item.pyramid.head


def component_switch(item: AbsItem) -> Choice | None:
    """The switch between the components of the head event; None if there is only one."""
    if len(item.family.components) < 2:
        return None
    names = tuple(f"{p.relation}: {p.instance}" for p in item.family.components)
    own = item.family.names[item.index]
    return Choice(COMPONENT, N_("Component"), item.family.names, names, cycles=True, start=own)


def context_switch(item: AbsItem) -> Choice | None:
    """The switch between head events with the item's instance; None if there is only one."""
    others = item.contexts
    if not others:
        return None
    values = tuple(str(number) for number in range(len(others) + 1))
    heads = (item.pyramid.head, *(pyramid.head for pyramid in others))
    return Choice(CONTEXT, N_("Context"), values, heads)


def climbed_switch(item: AbsItem) -> Number:
    """The switch for the number of climbed concepts."""
    shown = (*item.family.components, *item.contexts)
    most = max(len(pyramid.upward) for pyramid in shown)
    return Number(CLIMBED, N_("Concepts climbed"), 0, most, 0, Dial.SIZE)


def prompt_switch() -> Choice:
    """The switch between detection prompts."""
    known = prompts().detection
    return Choice(
        "prompt", N_("Prompt"), tuple(known), tuple(TITLES.get(key, key) for key in known)
    )


def switches(item: AbsItem) -> tuple[Switch, ...]:
    """All switches of an item."""
    component, context = component_switch(item), context_switch(item)
    return (
        *((component,) if component else ()),
        *((context,) if context else ()),
        climbed_switch(item),
        ALONE,
        prompt_switch(),
    )


def apply_setting(item: AbsItem, setting: Setting) -> Situation:
    """The situation of an item under a setting; raises `SettingError`."""
    pyramid, components = item.pyramid, item.family.components
    component = component_switch(item)
    if component is not None:
        pyramid = components[component.values.index(setting.value(component))]
    # Contexts exist only for the item's own instance; searching for them is slow.
    if CONTEXT in setting and pyramid is item.pyramid:
        pyramid = item.contexts[int(setting[CONTEXT]) - 1]
        components = (item.pyramid, pyramid)
    if setting.value(ALONE) == "on":
        components = (pyramid,)
    steps = pyramid.upward
    climbed = min(int(setting.get(CLIMBED, "0")), len(steps))
    prompt = prompts().detection[setting.value(prompt_switch())]
    return Situation(item, pyramid, components, steps, climbed, prompt)
