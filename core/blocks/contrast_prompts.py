"""Contrast prompts: the same question under another setting, or about another subject.

Examples are ACCORD's factual and anti-factual item, GITA's plausible and implausible story, Com²'s
world with and without do(), and AbsPyramid's instance in two contexts, or with a valid and an
invalid concept. They are found through the interface of all benchmarks, so that added benchmarks
have contrast prompts too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.contract.benchmark import Benchmark
from core.contract.collection import Item
from core.contract.question import Question
from core.contract.setting import Choice, NodeState, Setting, Switch
from core.contract.task_layer import layer_id
from core.text.errors import SettingError
from core.text.language import N_, _, in_english, translated

LAYER = "layer"
"""The key under which a person names the task layer of a contrast prompt."""
_STATES = {"do=1": N_("made to happen"), "do=0": N_("prevented"), "free": N_("free")}
"""The state of an event, in words."""
AS_IT_IS = N_("as it is")
"""The name of a world in which a person has forced no event."""
MOST_CONTRAST_PROMPTS = 48
"""Most contrast prompts of a question."""


@dataclass(frozen=True, slots=True)
class ContrastPrompt:
    """A question to compare another one with, and its setting."""

    name: str
    """The difference to the other question ("plausible (1-P)", "do=0: It rains")."""
    setting: Setting
    question: Question
    words: tuple[str, ...] = ()
    """The difference for the screens, not yet translated: a state, the event that has it, and the
    event that has it no longer ("prevented", "It rains"); empty where `name` is in words."""

    @property
    def label(self) -> str:
        """The difference in words, in the language of the screens."""
        if not self.words:
            return translated(self.name)
        state, event, *other = self.words
        words = _("{what}: {event} in place of {other}") if other else "{what}: {event}"
        return words.format(what=translated(state), event=translated(event), other="".join(other))


@in_english()
def contrast_prompts(
    benchmark: Benchmark, item: Item, setting: Setting, question: Question
) -> list[ContrastPrompt]:
    """Contrast prompts with the same options, those with another right answer first.

    At most `MOST_CONTRAST_PROMPTS` come from other settings: an event is forced or freed, then the
    states that the benchmark contrasts, then other values of its choices. A setting counts if it
    changes more than the wording. The questions of other layers about other subjects are added.
    """
    view = benchmark.view(item, setting)
    contrasts: dict[tuple[str, str], ContrastPrompt] = {}
    for name, other, words in _settings(benchmark, item, setting):
        if len(contrasts) == MOST_CONTRAST_PROMPTS:
            break
        try:
            asked = _question_under(benchmark, item, other, question)
        except SettingError:
            # The present setting cannot be combined with that value.
            continue
        if asked is None or asked.options != question.options or same_text(asked, question):
            continue
        if benchmark.view(item, other) != view:
            contrasts.setdefault(
                (asked.instruction, asked.text), ContrastPrompt(name, other, asked, words)
            )
    for contrast in _about_others(benchmark, item, setting, question):
        contrasts.setdefault((contrast.question.instruction, contrast.question.text), contrast)
    return sorted(
        contrasts.values(), key=lambda contrast: not other_gold(contrast.question, question)
    )


def named_contrast_prompt(
    benchmark: Benchmark, item: Item, setting: Setting, question: Question, values: dict[str, str]
) -> ContrastPrompt:
    """The contrast prompt with other values of switches, or of another task layer (`layer`).

    Raises `NotFoundError` for an unknown layer, and `SettingError` for values that cannot be set
    and where there is no question, other options, or the same prompt with them.
    """
    switches = benchmark.switches(item)
    named = values.get(LAYER, "") if LAYER not in [switch.key for switch in switches] else ""
    name = ", ".join(f"{key}={value}" for key, value in values.items())
    if named:
        values = {key: value for key, value in values.items() if key != LAYER}
    other = Setting.of(switches, {**setting, **values})
    if not named:
        asked = _question_under(benchmark, item, other, question)
    else:
        layer = layer_id((layer.id for layer in benchmark.layers), named, "--contrast")
        asked = benchmark.question(item, other, layer)
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


@in_english()
def changed_worlds(
    benchmark: Benchmark, item: Item, setting: Setting, question: Question
) -> tuple[ContrastPrompt, list[ContrastPrompt]] | None:
    """A question's world as it is, and those in which another of its options is right.

    Where a person can force events, the first is the item's own, in which a person has forced none,
    and each other has one forced event more; else they are the states that the benchmark contrasts,
    its first one first. None without any other.
    """
    switches = benchmark.switches(item)
    nodes = [switch for switch in switches if isinstance(switch, NodeState)]
    if nodes:
        for node in nodes:
            if setting.value(node).startswith("do="):
                setting = setting.with_value(node, node.default)
        states = [(AS_IT_IS, setting), *((name, s) for name, s, _w in _forced(switches, setting))]
    else:
        states = list(benchmark.contrasts(item, setting))
    asked: list[ContrastPrompt] = []
    for name, state in states[:MOST_CONTRAST_PROMPTS]:
        try:
            under = _question_under(benchmark, item, state, question)
        except SettingError:
            under = None
        usable = under is not None and under.options == question.options and not under.multiple
        if under is not None and usable and under.gold is not None:
            asked.append(ContrastPrompt(name, state, under))
        elif not asked:
            return None
    if not asked:
        return None
    first, *others = asked
    others = [other for other in others if other.question.gold != first.question.gold]
    return (first, others) if others else None


def _about_others(
    benchmark: Benchmark, item: Item, setting: Setting, question: Question
) -> Iterator[ContrastPrompt]:
    """Questions of other layers with the same options about other concepts or links."""
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
    """Whether two questions have different right answers."""
    return (one.gold, one.golds) != (other.gold, other.golds)


def _question_under(
    benchmark: Benchmark, item: Item, setting: Setting, question: Question
) -> Question | None:
    """The question about the same subject under another setting, from whichever layer asks it.

    Without one, that of the same layer. (A concept that is valid in one context may belong to the
    layer of invalid ones in another.)
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
    """Other settings, each with its name and its words; see `ContrastPrompt`."""
    switches = benchmark.switches(item)
    yield from _forced(switches, setting)
    yield from ((name, other, ()) for name, other in benchmark.contrasts(item, setting))
    # Choices that lead to the next variant change the subject altogether, so they come last.
    choices = [switch for switch in switches if isinstance(switch, Choice)]
    for switch in sorted(choices, key=lambda choice: choice.cycles):
        for value in switch.values:
            if value != setting.value(switch):
                words = (switch.label, switch.name(value))
                yield ": ".join(words), setting.with_value(switch, value), words


def _forced(
    switches: tuple[Switch, ...], setting: Setting
) -> Iterator[tuple[str, Setting, tuple[str, ...]]]:
    """Settings in which a forced event is free or forced the other way, or else each is forced.

    Then those in which another event is forced in its place: among them may be a prompt of the same
    length, which there is not among the first.
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
