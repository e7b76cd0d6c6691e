"""The program as a library: the names that are documented and kept from release to release.

`core` and `tui` are the program's own rooms and may change at any time; a package that ships a
benchmark, a notebook or a script imports from here. Nothing here draws, prints or asks for keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    from core.models.resolver import load_model
    from core.runs.asking import ask
    from core.runs.store import Store

__all__ = [
    "API_VERSION",
    "About",
    "Answer",
    "Author",
    "Baseline",
    "Benchmark",
    "Cell",
    "Choice",
    "Collection",
    "CommonsenseError",
    "ConfigError",
    "DataError",
    "Edits",
    "Entry",
    "Figure",
    "Flag",
    "Form",
    "Graph",
    "Grid",
    "IndexedCollection",
    "Link",
    "LoggedDocument",
    "Message",
    "ModelError",
    "Node",
    "NodeState",
    "NotFoundError",
    "Note",
    "Number",
    "OptionScore",
    "Order",
    "Prompt",
    "Question",
    "Repair",
    "Review",
    "Role",
    "RunError",
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
    "ask",
    "benchmark_names",
    "load_benchmark",
    "load_model",
    "open_collection",
]

# A benchmark's package needs no model and no store, and these bring what models need with them.
_LATE = {
    "Store": ("core.runs.store", "Store"),
    "ask": ("core.runs.asking", "ask"),
    "load_model": ("core.models.resolver", "load_model"),
}


def __getattr__(name: str) -> Any:
    """Import what models and stores need when it is first asked for."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _LATE[name]
    return getattr(import_module(module), attribute)
