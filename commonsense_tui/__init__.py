"""The program as a library: the names that are documented and kept from release to release.

`core`, `tui` and the modules of this package are the program's own rooms and may change at any
time; a package that ships a benchmark, a notebook or a script imports from here. Nothing here
prints or asks for keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commonsense_tui.activation_arrays import Activations, read_activations
    from commonsense_tui.block_scores import BlockScores
    from commonsense_tui.loaded_model import ItemLadder, LoadedModel, load_model
    from commonsense_tui.opened_items import OpenedCollection, OpenedItem
    from commonsense_tui.opened_items import open as open  # noqa: A004
    from commonsense_tui.recorded_runs import RecordedRun, RunFigures, RunRepeats, evaluate, runs
    from commonsense_tui.run_comparison import RunComparison, compare
    from commonsense_tui.run_plot import RunPlot, plot
    from core.contract.authoring import Author, Step
    from core.contract.benchmark import API_VERSION, Benchmark, LoggedDocument
    from core.contract.collection import About, Collection, Entry, Repair
    from core.contract.indexed_collection import IndexedCollection
    from core.contract.prompt_template import PromptTemplate
    from core.contract.question import (
        Answer,
        Form,
        Message,
        OptionScore,
        Prompt,
        Question,
        Scoring,
        Shot,
        Status,
        Verdict,
    )
    from core.contract.registry import load as load_benchmark
    from core.contract.registry import names as benchmark_names
    from core.contract.registry import open_collection
    from core.contract.review import Review, Suggestion
    from core.contract.setting import (
        Choice,
        Edits,
        Flag,
        NodeState,
        Number,
        Order,
        Setting,
        Switch,
        Text,
    )
    from core.contract.summary import Baseline, Figure, Summary, Totals
    from core.contract.task_layer import TaskLayer
    from core.contract.view import (
        Cell,
        Graph,
        Grid,
        Link,
        Node,
        Note,
        Role,
        Section,
        Statement,
        Statements,
        View,
    )
    from core.exchange.exporters.document import ExportError
    from core.exchange.published.library import table as published_table
    from core.exchange.published.library import tables as published_tables
    from core.exchange.published.table import PublishedTable
    from core.models.protocol import ModelInfo
    from core.runs.evaluation import Progress
    from core.runs.store import Store
    from core.text.errors import (
        CommonsenseError,
        ConfigError,
        DataError,
        ModelError,
        NotFoundError,
        RunError,
        SettingError,
    )

# `open` is left out, because `from commonsense_tui import *` would replace the built-in function.
__all__ = [
    "API_VERSION",
    "About",
    "Activations",
    "Answer",
    "Author",
    "Baseline",
    "Benchmark",
    "BlockScores",
    "Cell",
    "Choice",
    "Collection",
    "CommonsenseError",
    "ConfigError",
    "DataError",
    "Edits",
    "Entry",
    "ExportError",
    "Figure",
    "Flag",
    "Form",
    "Graph",
    "Grid",
    "IndexedCollection",
    "ItemLadder",
    "Link",
    "LoadedModel",
    "LoggedDocument",
    "Message",
    "ModelError",
    "ModelInfo",
    "Node",
    "NodeState",
    "NotFoundError",
    "Note",
    "Number",
    "OpenedCollection",
    "OpenedItem",
    "OptionScore",
    "Order",
    "Progress",
    "Prompt",
    "PromptTemplate",
    "PublishedTable",
    "Question",
    "RecordedRun",
    "Repair",
    "Review",
    "Role",
    "RunComparison",
    "RunError",
    "RunFigures",
    "RunPlot",
    "RunRepeats",
    "Scoring",
    "Section",
    "Setting",
    "SettingError",
    "Shot",
    "Statement",
    "Statements",
    "Status",
    "Step",
    "Store",
    "Suggestion",
    "Summary",
    "Switch",
    "TaskLayer",
    "Text",
    "Totals",
    "Verdict",
    "View",
    "benchmark_names",
    "compare",
    "evaluate",
    "load_benchmark",
    "load_model",
    "open_collection",
    "plot",
    "published_table",
    "published_tables",
    "read_activations",
    "runs",
]

# A package of a benchmark needs the contract only, a script that reads runs no models.
_LATE = {
    "API_VERSION": ("core.contract.benchmark", "API_VERSION"),
    "About": ("core.contract.collection", "About"),
    "Activations": ("commonsense_tui.activation_arrays", "Activations"),
    "Answer": ("core.contract.question", "Answer"),
    "Author": ("core.contract.authoring", "Author"),
    "Baseline": ("core.contract.summary", "Baseline"),
    "Benchmark": ("core.contract.benchmark", "Benchmark"),
    "BlockScores": ("commonsense_tui.block_scores", "BlockScores"),
    "Cell": ("core.contract.view", "Cell"),
    "Choice": ("core.contract.setting", "Choice"),
    "Collection": ("core.contract.collection", "Collection"),
    "CommonsenseError": ("core.text.errors", "CommonsenseError"),
    "ConfigError": ("core.text.errors", "ConfigError"),
    "DataError": ("core.text.errors", "DataError"),
    "Edits": ("core.contract.setting", "Edits"),
    "Entry": ("core.contract.collection", "Entry"),
    "ExportError": ("core.exchange.exporters.document", "ExportError"),
    "Figure": ("core.contract.summary", "Figure"),
    "Flag": ("core.contract.setting", "Flag"),
    "Form": ("core.contract.question", "Form"),
    "Graph": ("core.contract.view", "Graph"),
    "Grid": ("core.contract.view", "Grid"),
    "IndexedCollection": ("core.contract.indexed_collection", "IndexedCollection"),
    "ItemLadder": ("commonsense_tui.loaded_model", "ItemLadder"),
    "Link": ("core.contract.view", "Link"),
    "LoadedModel": ("commonsense_tui.loaded_model", "LoadedModel"),
    "LoggedDocument": ("core.contract.benchmark", "LoggedDocument"),
    "Message": ("core.contract.question", "Message"),
    "ModelError": ("core.text.errors", "ModelError"),
    "ModelInfo": ("core.models.protocol", "ModelInfo"),
    "Node": ("core.contract.view", "Node"),
    "NodeState": ("core.contract.setting", "NodeState"),
    "NotFoundError": ("core.text.errors", "NotFoundError"),
    "Note": ("core.contract.view", "Note"),
    "Number": ("core.contract.setting", "Number"),
    "OpenedCollection": ("commonsense_tui.opened_items", "OpenedCollection"),
    "OpenedItem": ("commonsense_tui.opened_items", "OpenedItem"),
    "OptionScore": ("core.contract.question", "OptionScore"),
    "Order": ("core.contract.setting", "Order"),
    "Progress": ("core.runs.evaluation", "Progress"),
    "Prompt": ("core.contract.question", "Prompt"),
    "PromptTemplate": ("core.contract.prompt_template", "PromptTemplate"),
    "PublishedTable": ("core.exchange.published.table", "PublishedTable"),
    "Question": ("core.contract.question", "Question"),
    "RecordedRun": ("commonsense_tui.recorded_runs", "RecordedRun"),
    "Repair": ("core.contract.collection", "Repair"),
    "Review": ("core.contract.review", "Review"),
    "Role": ("core.contract.view", "Role"),
    "RunComparison": ("commonsense_tui.run_comparison", "RunComparison"),
    "RunError": ("core.text.errors", "RunError"),
    "RunFigures": ("commonsense_tui.recorded_runs", "RunFigures"),
    "RunPlot": ("commonsense_tui.run_plot", "RunPlot"),
    "RunRepeats": ("commonsense_tui.recorded_runs", "RunRepeats"),
    "Scoring": ("core.contract.question", "Scoring"),
    "Section": ("core.contract.view", "Section"),
    "Setting": ("core.contract.setting", "Setting"),
    "SettingError": ("core.text.errors", "SettingError"),
    "Shot": ("core.contract.question", "Shot"),
    "Statement": ("core.contract.view", "Statement"),
    "Statements": ("core.contract.view", "Statements"),
    "Status": ("core.contract.question", "Status"),
    "Step": ("core.contract.authoring", "Step"),
    "Store": ("core.runs.store", "Store"),
    "Suggestion": ("core.contract.review", "Suggestion"),
    "Summary": ("core.contract.summary", "Summary"),
    "Switch": ("core.contract.setting", "Switch"),
    "TaskLayer": ("core.contract.task_layer", "TaskLayer"),
    "Text": ("core.contract.setting", "Text"),
    "Totals": ("core.contract.summary", "Totals"),
    "Verdict": ("core.contract.question", "Verdict"),
    "View": ("core.contract.view", "View"),
    "benchmark_names": ("core.contract.registry", "names"),
    "compare": ("commonsense_tui.run_comparison", "compare"),
    "evaluate": ("commonsense_tui.recorded_runs", "evaluate"),
    "load_benchmark": ("core.contract.registry", "load"),
    "load_model": ("commonsense_tui.loaded_model", "load_model"),
    "open": ("commonsense_tui.opened_items", "open"),
    "open_collection": ("core.contract.registry", "open_collection"),
    "plot": ("commonsense_tui.run_plot", "plot"),
    "published_table": ("core.exchange.published.library", "table"),
    "published_tables": ("core.exchange.published.library", "tables"),
    "read_activations": ("commonsense_tui.activation_arrays", "read_activations"),
    "runs": ("commonsense_tui.recorded_runs", "runs"),
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a name when it is first asked for."""
        if name not in _LATE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        module, attribute = _LATE[name]
        return getattr(import_module(module), attribute)

    def __dir__() -> list[str]:
        return sorted({*globals(), *_LATE})
