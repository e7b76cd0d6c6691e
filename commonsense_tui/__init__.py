"""The program as a library: the names that are documented and kept from release to release.

`core`, `tui` and the modules of this package are the program's own rooms and may change at any
time; a package that ships a benchmark, a notebook or a script imports from here. Nothing here
prints or asks for keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.contract.authoring import Author, Step
from core.contract.benchmark import API_VERSION, Benchmark, LoggedDocument
from core.contract.collection import About, Collection, Entry, Repair
from core.contract.indexed_collection import IndexedCollection
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
from core.text.errors import (
    CommonsenseError,
    ConfigError,
    DataError,
    ModelError,
    NotFoundError,
    RunError,
    SettingError,
)

if TYPE_CHECKING:
    from commonsense_tui.block_scores import BlockScores
    from commonsense_tui.loaded_model import ItemLadder, LoadedModel, load_model
    from commonsense_tui.opened_items import OpenedCollection, OpenedItem
    from commonsense_tui.opened_items import open as open  # noqa: A004
    from commonsense_tui.recorded_runs import (
        RecordedRun,
        RunFigures,
        evaluate,
        runs,
    )
    from commonsense_tui.run_comparison import RunComparison, compare
    from core.exchange.exporters.document import ExportError
    from core.exchange.published.library import table as published_table
    from core.exchange.published.library import tables as published_tables
    from core.exchange.published.table import PublishedTable
    from core.models.protocol import ModelInfo
    from core.runs.evaluation import Progress
    from core.runs.store import Store

# `open` is left out, because `from commonsense_tui import *` would replace the built-in function.
__all__ = [
    "API_VERSION",
    "About",
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
    "PublishedTable",
    "Question",
    "RecordedRun",
    "Repair",
    "Review",
    "Role",
    "RunComparison",
    "RunError",
    "RunFigures",
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
    "published_table",
    "published_tables",
    "runs",
]

# Packages of benchmarks import the contract only; these bring what models, runs and drawings need.
_LATE = {
    "BlockScores": ("commonsense_tui.block_scores", "BlockScores"),
    "ExportError": ("core.exchange.exporters.document", "ExportError"),
    "ItemLadder": ("commonsense_tui.loaded_model", "ItemLadder"),
    "LoadedModel": ("commonsense_tui.loaded_model", "LoadedModel"),
    "ModelInfo": ("core.models.protocol", "ModelInfo"),
    "OpenedCollection": ("commonsense_tui.opened_items", "OpenedCollection"),
    "OpenedItem": ("commonsense_tui.opened_items", "OpenedItem"),
    "Progress": ("core.runs.evaluation", "Progress"),
    "PublishedTable": ("core.exchange.published.table", "PublishedTable"),
    "RecordedRun": ("commonsense_tui.recorded_runs", "RecordedRun"),
    "RunComparison": ("commonsense_tui.run_comparison", "RunComparison"),
    "RunFigures": ("commonsense_tui.recorded_runs", "RunFigures"),
    "Store": ("core.runs.store", "Store"),
    "compare": ("commonsense_tui.run_comparison", "compare"),
    "evaluate": ("commonsense_tui.recorded_runs", "evaluate"),
    "load_model": ("commonsense_tui.loaded_model", "load_model"),
    "open": ("commonsense_tui.opened_items", "open"),
    "published_table": ("core.exchange.published.library", "table"),
    "published_tables": ("core.exchange.published.library", "tables"),
    "runs": ("commonsense_tui.recorded_runs", "runs"),
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import what models, runs and drawings need when it is first asked for."""
        if name not in _LATE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        module, attribute = _LATE[name]
        return getattr(import_module(module), attribute)

    def __dir__() -> list[str]:
        return sorted({*globals(), *_LATE})
