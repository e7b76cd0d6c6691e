"""`prompts`: prints a benchmark's own prompts, with their placeholders."""

from __future__ import annotations

from dataclasses import asdict

from core.contract.setting import typed_values
from tui.cli.lookup import named_benchmark, open_collection, words
from tui.cli.options import BenchmarkArgument, DataOption, JsonOption, SetOption
from tui.cli.output import out, out_json


def prompts(
    benchmark: BenchmarkArgument,
    data: DataOption = None,
    settings: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print a benchmark's own prompts, to word your own after them.

    What it prints is a file for `evaluate --prompts`. A {name} stands for a text of the item. Where
    a layer has several prompts, for items of different kinds, they are comments: one of your own is
    for all items of the layer.
    """
    from core.runs.common_setting import common_setting
    from core.runs.questions import QuestionSource
    from core.runs.wordings import file_of_prompts, own_templates

    bench, data = named_benchmark(benchmark, data)
    _, collection = open_collection(bench, data)
    source = QuestionSource(bench, collection, typed_values(words(settings)))
    common_setting(source)
    own = own_templates(source)
    if as_json:
        out_json(
            {
                layer: [asdict(each) | {"placeholders": each.placeholders} for each in templates]
                for layer, templates in own.items()
            }
        )
    else:
        out(file_of_prompts(own).rstrip("\n"))
