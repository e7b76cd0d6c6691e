"""Reads a lesson from its YAML file; errors name file and line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.files import strict_yaml
from core.files.strict_yaml import Value
from core.lessons.claims import read_claim
from core.lessons.figures_reader import read_figures, read_words
from core.lessons.lesson import (
    LANGUAGES,
    MOST_OPTIONS,
    Hidden,
    Lesson,
    Option,
    Pane,
    Point,
    Pointing,
    Prediction,
    Step,
)

MOST_STEPS = 60
_KEYS = ("title", "about", "benchmark", "minutes", "steps")
_STEP_KEYS = (
    "say",
    "item",
    "set",
    "hide",
    "point",
    "show",
    "predict",
    "after",
    "count",
    "notes",
    "exception",
    "check",
)


@dataclass(frozen=True, slots=True)
class _Languages:
    """The languages of a lesson's texts, none where it has only one, and the one that is read."""

    spoken: Sequence[str]
    read: str

    def of(self, value: Value) -> Value:
        """What stands there for the language that is read, or the value itself for all."""
        if not value.named or not self.spoken or value.members().keys().isdisjoint(self.spoken):
            return value
        parts = value.members(self.spoken, self.spoken)
        return parts.get(self.read, parts[self.spoken[0]])


def read_lesson(path: Path, language: str = LANGUAGES[0]) -> Lesson:
    """The lesson of a file; raises `DataError` with file and line.

    A step may name item, setting, claims and what it points at for each language, since another
    item has parts with other ids; those of `language` are read.
    """
    with strict_yaml.data_errors():
        return _lesson(strict_yaml.read(path, "The lesson"), path, language)


def _lesson(root: Value, path: Path, language: str) -> Lesson:
    parts = root.members(_KEYS, _KEYS, f"A lesson has {', '.join(_KEYS)}.")
    title = read_words(parts["title"], None)
    spoken = title.languages
    minutes = parts["minutes"].number()
    if not 1 <= minutes <= 90 or minutes != int(minutes):
        raise parts["minutes"].error("The minutes must be a whole number from 1 to 90.")
    values = parts["steps"].parts()
    if not 1 <= len(values) <= MOST_STEPS:
        raise parts["steps"].error(f"A lesson has 1 to {MOST_STEPS} steps.")
    return Lesson(
        name=path.stem,
        path=path,
        title=title,
        about=read_words(parts["about"], spoken),
        benchmark=parts["benchmark"].text(),
        minutes=int(minutes),
        steps=tuple(_steps(values, _Languages(spoken, language))),
        line=parts["benchmark"].line,
    )


def _steps(values: Sequence[Value], languages: _Languages) -> Iterator[Step]:
    """The steps; one without an item or a setting keeps those of the step before."""
    spoken = languages.spoken
    item: Value | None = None
    switches: dict[str, Value] = {}
    for value in values:
        parts = value.members(_STEP_KEYS, ("say",), "Every step says something.")
        if "item" in parts:
            item, switches = languages.of(parts["item"]), {}
        if item is None:
            raise value.error("The first step names an item.", "Add item: with the id of one.")
        if "set" in parts:
            switches = languages.of(parts["set"]).members()
        prediction = parts.get("predict")
        hidden = parts["hide"].parts() if "hide" in parts else []
        checks = languages.of(parts["check"]).parts() if "check" in parts else []
        yield Step(
            say=read_words(parts["say"], spoken),
            item=item.word(),
            setting={key: switch.word() for key, switch in switches.items()},
            point=_point(languages.of(parts["point"])) if "point" in parts else None,
            show=parts["show"].one_of(Pane) if "show" in parts else None,
            prediction=_prediction(prediction, languages) if prediction else None,
            after=read_words(parts["after"], spoken) if "after" in parts else None,
            notes=read_words(parts["notes"], spoken) if "notes" in parts else None,
            checks=tuple(map(read_claim, checks)),
            hidden=frozenset(part.one_of(Hidden) for part in hidden),
            exception=parts["exception"].truth() if "exception" in parts else False,
            figures=read_figures(parts["count"], spoken) if "count" in parts else None,
            line=value.line,
            item_line=item.line,
            setting_lines={key: switch.line for key, switch in switches.items()},
        )


def _point(value: Value) -> Point:
    parts = value.members([kind.value for kind in Pointing])
    if len(parts) != 1:
        raise value.error("A step points at one thing.", "Write point: {statement: 2}, say.")
    kind, ref = next(iter(parts.items()))
    return Point(Pointing(kind), ref.word(), value.line)


def _prediction(value: Value, languages: _Languages) -> Prediction:
    parts = value.members(("ask", "layer", "options", "point"), ("ask",), "Say what is asked.")
    if ("layer" in parts) is ("options" in parts):
        raise value.error(
            "A prediction has either a layer or options.",
            "With layer: the options are that layer's; with options: they are your own.",
        )
    ask = read_words(parts["ask"], languages.spoken)
    point = _point(languages.of(parts["point"])) if "point" in parts else None
    if "layer" in parts:
        layer = parts["layer"].text()
        return Prediction(ask, layer, (), point, value.line)
    values = parts["options"].parts()
    if not 2 <= len(values) <= MOST_OPTIONS:
        raise parts["options"].error(f"There are 2 to {MOST_OPTIONS} options.")
    options = tuple(_option(value, languages) for value in values)
    return Prediction(ask, "", options, point, value.line)


def _option(value: Value, languages: _Languages) -> Option:
    parts = value.members(("text", "when", "then"), ("text", "when"), "An option has both.")
    then = read_words(parts["then"], languages.spoken) if "then" in parts else None
    when = read_claim(languages.of(parts["when"]))
    return Option(read_words(parts["text"], languages.spoken), when, then)
