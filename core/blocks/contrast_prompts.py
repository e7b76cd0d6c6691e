"""Contrast prompts: the same question where something else is so, or asked of something else.

ACCORD's factual item beside an anti-factual one, GITA's plausible story beside an implausible
one, Com²'s world with and without do(), AbsPyramid's instance in two contexts or one that a valid
and an invalid concept stand for: they are found by what every benchmark offers, so that one
nobody has thought of has contrast prompts too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.contract.benchmark import Benchmark
from core.contract.collection import Item
from core.contract.question import Question
from core.contract.setting import Choice, NodeState, Setting, Switch
from core.text.errors import NotFoundError, SettingError
from core.text.language import N_, _, in_english, numbered
from core.text.suggestions import suggestion

LAYER = "layer"
"""The key under which a person names the task layer of a contrast prompt."""
_STATES = {"do=1": N_("made to happen"), "do=0": N_("prevented"), "free": N_("free")}
"""What is done to an event, in words."""
MOST_CONTRAST_PROMPTS = 48
"""Most contrast prompts of a setting that are looked at."""


@dataclass(frozen=True, slots=True)
class ContrastPrompt:
    """A setting beside another, and what it asks."""

    name: str
    """What tells it from the other ("plausible (1-P)", "do=0: It rains")."""
    setting: Setting
    question: Question
    words: tuple[str, ...] = ()
    """The same as the screens call it, not yet translated: what is so, of what, and of what it is
    not so any more ("prevented", "It rains"); empty where `name` is in words."""

    @property
    def said(self) -> str:
        """What tells it from the other, in words and in the language that is spoken."""
        if not self.words:
            return self.name
        what, of, *other = self.words
        said = _("{what}: {event} in place of {other}") if other else "{what}: {event}"
        return said.format(what=numbered(what), event=numbered(of), other="".join(other))


@in_english()
def contrast_prompts(
    benchmark: Benchmark, item: Item, setting: Setting, question: Question
) -> list[ContrastPrompt]:
    """Contrast prompts, those with another right answer first, at most `MOST_CONTRAST_PROMPTS`.

    Both have the same options, and something other than the wording differs between them. In
    order: an event forced that was free or the other way round, the states that the benchmark
    sets side by side, other values of its choices; then, however many those are, what other
    layers ask.
    """
    here = benchmark.view(item, setting)
    found: dict[tuple[str, str], ContrastPrompt] = {}
    for name, other, words in _settings(benchmark, item, setting):
        if len(found) == MOST_CONTRAST_PROMPTS:
            break
        try:
            asked = _asked(benchmark, item, other, question)
        except SettingError:
            # What was set here does not go with that value.
            continue
        if asked is None or asked.options != question.options or same_text(asked, question):
            continue
        if benchmark.view(item, other) != here:
            found.setdefault(
                (asked.instruction, asked.text), ContrastPrompt(name, other, asked, words)
            )
    for contrast in _of_something_else(benchmark, item, setting, question):
        found.setdefault((contrast.question.instruction, contrast.question.text), contrast)
    return sorted(found.values(), key=lambda contrast: not other_gold(contrast.question, question))


def named_contrast_prompt(
    benchmark: Benchmark, item: Item, setting: Setting, question: Question, values: dict[str, str]
) -> ContrastPrompt:
    """The contrast prompt with other values of switches, or of another task layer (`layer`).

    Raises `SettingError` for values that cannot be set, where nothing is asked with them, and
    where the options are others or the prompt is the same.
    """
    switches = benchmark.switches(item)
    named = values.get(LAYER, "") if LAYER not in [switch.key for switch in switches] else ""
    name = ", ".join(f"{key}={value}" for key, value in values.items())
    if named:
        values = {key: value for key, value in values.items() if key != LAYER}
    other = Setting.of(switches, {**setting, **values})
    if not named:
        asked = _asked(benchmark, item, other, question)
    elif named in (known := [layer.id for layer in benchmark.layers]):
        asked = benchmark.question(item, other, named)
    else:
        raise NotFoundError(
            _("{title} has no task layer “{named}”.", title=benchmark.title, named=named),
            where="--contrast",
            hint=suggestion(_("Task layers"), known, named),
        )
    if asked is None:
        raise SettingError(
            _(
                "Layer {named} has nothing to ask with {name}.",
                named=named or question.layer,
                name=name,
            ),
            where="--contrast",
            hint=_("Choose another value, or another --task-layer."),
        )
    if asked.options != question.options:
        raise SettingError(
            _("With {name} there are other options, so the two cannot be compared.", name=name),
            where="--contrast",
        )
    if same_text(asked, question):
        raise SettingError(
            _("With {name} the same is asked, so there is nothing to compare.", name=name),
            where="--contrast",
        )
    return ContrastPrompt(name, other, asked)


def _of_something_else(
    benchmark: Benchmark, item: Item, setting: Setting, question: Question
) -> Iterator[ContrastPrompt]:
    """What other layers ask in the same way of other concepts or links."""
    for layer in benchmark.layers if question.about else ():
        asked = benchmark.question(item, setting, layer.id)
        if asked is None or asked.options != question.options:
            continue
        if asked.about not in ("", question.about):
            words = (layer.title, asked.about)
            yield ContrastPrompt(f"{LAYER}={layer.id}: {asked.about}", setting, asked, words)


def same_text(one: Question, other: Question) -> bool:
    """Whether two questions give the same prompt."""
    return (one.instruction, one.text) == (other.instruction, other.text)


def other_gold(one: Question, other: Question) -> bool:
    """Whether what is right differs between two questions."""
    return (one.gold, one.golds) != (other.gold, other.golds)


def _asked(
    benchmark: Benchmark, item: Item, setting: Setting, question: Question
) -> Question | None:
    """What is asked about the same under another setting, whichever layer asks it there.

    Where none does, what the same layer asks. A concept that holds in one context may be one of
    those that do not hold in another.
    """
    same = benchmark.question(item, setting, question.layer)
    if not question.about or (same is not None and same.about == question.about):
        return same
    for layer in benchmark.layers:
        other = benchmark.question(item, setting, layer.id)
        if other is not None and other.about == question.about:
            return other
    return same


def _settings(
    benchmark: Benchmark, item: Item, setting: Setting
) -> Iterator[tuple[str, Setting, tuple[str, ...]]]:
    """Names of other settings, these, and what they are called in words."""
    switches = benchmark.switches(item)
    yield from _forced(switches, setting)
    yield from ((name, other, ()) for name, other in benchmark.contrasts(item, setting))
    # Those that lead to the next variant are about something else altogether, so they come last.
    choices = [switch for switch in switches if isinstance(switch, Choice)]
    for switch in sorted(choices, key=lambda one: one.cycles):
        for value in switch.values:
            if value != setting.value(switch):
                words = (switch.label, switch.name(value))
                yield ": ".join(words), setting.with_value(switch, value), words


def _forced(
    switches: tuple[Switch, ...], setting: Setting
) -> Iterator[tuple[str, Setting, tuple[str, ...]]]:
    """Where an event is forced, it free or forced the other way; else each event forced.

    Then, in the place of one that is forced, each other: a prompt of the same length may be among
    those, and is not among the first.
    """
    nodes = [switch for switch in switches if isinstance(switch, NodeState)]
    forced = [node for node in nodes if setting.value(node).startswith("do=")]
    for node in forced or nodes:
        for value in ("do=0", "do=1", *((node.default,) if forced else ())):
            if value != setting.value(node):
                words = (_STATES[value], node.label)
                yield f"{value}: {node.label}", setting.with_value(node, value), words
    for node in forced:
        value = setting.value(node)
        free = setting.with_value(node, node.default)
        for other in nodes:
            if other not in forced:
                yield (
                    f"{value}: {other.label} in place of {node.label}",
                    free.with_value(other, value),
                    (_STATES[value], other.label, node.label),
                )
