"""A person's own wordings of the prompts of task layers, from a YAML file.

The file has a list of wordings for each layer that is asked in other words. A wording is a text
with the placeholders of the benchmark's own prompt, or a mapping of `instruction`, which precedes
worked examples, and `text`. Placeholders are replaced and nothing else is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.contract.prompt_template import PromptTemplate
from core.files import strict_yaml
from core.files.strict_yaml import Value
from core.runs.questions import QuestionSource
from core.text.errors import ConfigError
from core.text.escaping import QUOTED, quoted
from core.text.language import N_, _
from core.text.suggestions import suggestion

MOST_WORDINGS = 24
"""Most wordings of a layer."""
_LIKE_A_PLACEHOLDER = re.compile(r"\{([^{}\s\"']*)\}")
"""What a person may mean as a placeholder: `{Story}` and `{0}` too, but no JSON."""

Wording = Mapping[str, PromptTemplate]
"""The prompts of some layers, by the id of the layer."""


class PromptsError(ConfigError):
    """A file of prompts is not as expected."""

    title = N_("This file of prompts cannot be used")


def own_templates(source: QuestionSource) -> dict[str, list[PromptTemplate]]:
    """The benchmark's own prompts of each layer that a source asks, each once; reads every item."""
    templates = {}
    for layer in source.benchmark.layers:
        questions = [question for _position, question in source.questions(layer, None)]
        if questions:
            known = dict.fromkeys(question.template for question in questions)
            templates[layer.id] = [each for each in known if each is not None]
    return templates


def read_wordings(
    path: Path, layers: Sequence[str], own: Mapping[str, Sequence[PromptTemplate]]
) -> list[Wording]:
    """The wordings of a file, first those that stand first in each layer, and so on.

    A layer with one wording has it in all of them.

    Args:
        path: the file.
        layers: the ids of all layers of the benchmark.
        own: what `own_templates` returns; layers that are not in it are not checked.

    Raises `PromptsError` for a file that cannot be read, is too large, or names an unknown layer or
    placeholder or lacks one.
    """
    try:
        return _read_wordings(path, layers, own)
    except ConfigError as error:
        raise PromptsError.of(error) from error


def _read_wordings(
    path: Path, layers: Sequence[str], own: Mapping[str, Sequence[PromptTemplate]]
) -> list[Wording]:
    name = _("The file of prompts")
    root = strict_yaml.read_any(path, name)
    members = root.members(known=layers) if root is not None else {}
    if root is None or not members:
        raise ConfigError(
            _("The file of prompts has no layers."),
            where=path,
            hint=_("commonsense-tui prompts BENCH prints one to begin with."),
        )
    wordings = {layer: _templates(value, layer, own.get(layer)) for layer, value in members.items()}
    count = max(map(len, wordings.values()))
    for layer, templates in wordings.items():
        if len(templates) not in {1, count}:
            raise members[layer].error(
                _(
                    "Layer {layer} has {n} wordings, and another layer {count}.",
                    layer=layer,
                    n=len(templates),
                    count=count,
                ),
                _("Give each layer as many, or one that stands in all of them."),
            )
    return [
        {layer: templates[i % len(templates)] for layer, templates in wordings.items()}
        for i in range(count)
    ]


def file_of_prompts(own: Mapping[str, Sequence[PromptTemplate]]) -> str:
    """A file with the benchmark's own prompts, which `read_wordings` reads back.

    Layers whose items have several prompts are comments: one wording would stand for all of them.
    """
    lines = []
    for layer, templates in own.items():
        if not templates:
            continue
        names = " ".join(f"{{{name}}}" for name in _names(templates))
        of_layer = [f"{strict_yaml.written(layer)}:  # {names}"]
        for template in templates:
            entry = [f"text: {strict_yaml.written(template.text)}"]
            if template.instruction:
                entry.insert(0, f"instruction: {strict_yaml.written(template.instruction)}")
            of_layer += [f"  {'- ' if not j else '  '}{line}" for j, line in enumerate(entry)]
        if len(templates) > 1:
            lines.append(f"# Its items have {len(templates)} prompts; one of yours is for all:")
            of_layer = [f"# {line}" for line in of_layer]
        lines += of_layer
    return "".join(f"{line}\n" for line in lines)


def _templates(
    value: Value, layer: str, own: Sequence[PromptTemplate] | None
) -> list[PromptTemplate]:
    parts = value.parts()
    if not 1 <= len(parts) <= MOST_WORDINGS:
        raise value.error(
            _("Layer {layer} has {n} wordings.", layer=layer, n=len(parts)),
            _("Write 1 to {most}.", most=MOST_WORDINGS),
        )
    if own is not None and not own:
        raise value.error(_("The prompt of layer {layer} has no placeholders.", layer=layer))
    return [_template(part, layer, own) for part in parts]


def _template(value: Value, layer: str, own: Sequence[PromptTemplate] | None) -> PromptTemplate:
    instruction, text = "", value
    if value.named:
        members = value.members(known=("instruction", "text"), needed=("text",))
        text = members["text"]
        instruction = members["instruction"].text() if "instruction" in members else ""
    template = PromptTemplate(instruction, text.text())
    if own is None:
        return template
    known = _names(own)
    written = dict.fromkeys(_LIKE_A_PLACEHOLDER.findall(template.text))
    for name in written:
        if name not in known:
            raise value.error(
                _(
                    "Layer {layer} has no placeholder {name}.",
                    layer=layer,
                    name=quoted(f"{{{name}}}"),
                ),
                suggestion(_("Its placeholders"), known, name[:QUOTED]),
            )
    for name in _LIKE_A_PLACEHOLDER.findall(instruction):
        raise value.error(
            _(
                "The instruction of layer {layer} has a placeholder, {name}.",
                layer=layer,
                name=quoted(f"{{{name}}}"),
            ),
            _("Only the text is about an item: put it there."),
        )
    missing = [name for name in known if name not in written]
    if missing:
        raise value.error(
            _(
                "A wording of layer {layer} lacks the placeholder {names}.",
                layer=layer,
                names=", ".join(f"{{{name}}}" for name in missing),
            ),
            _("Each stands for a text of the item, which the model would not see."),
        )
    return template


def _names(templates: Sequence[PromptTemplate]) -> list[str]:
    """The placeholders of several templates, each once."""
    return list(dict.fromkeys(name for each in templates for name in each.placeholders))
