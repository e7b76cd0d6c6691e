"""Collections of Com² items: entries are kept, items are read on access."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

from core.benchmarks.com2.documents import read_item
from core.benchmarks.com2.item import BETWEEN, LANGUAGES, Com2Item, Scenario
from core.benchmarks.com2.recognition import is_row_file, row_files
from core.contract.about import read_about
from core.contract.collection import About, Collection, Entry
from core.contract.indexed_collection import IndexedCollection
from core.files.regular_file import read_regular
from core.files.row_file import RowFile
from core.text.errors import DataError
from core.text.language import _

ABOUT = "ABOUT.yaml"
LIMIT = 100_000
_TITLE = re.compile(r"^title:[ \t]*(\S.*)", re.MULTILINE)
_LANGUAGE = re.compile(r"^language:[ \t]*(\w+)", re.MULTILINE)
_TASKS = re.compile(rf"^  ({'|'.join(scenario.value for scenario in Scenario)}):", re.MULTILINE)
_CASE = re.compile(r"^case:", re.MULTILINE)
_MOST_FILES = 100
_LONGEST_LABEL = 100
"""Most characters of a title in the list."""


@dataclass(frozen=True, slots=True)
class Source:
    """An item that can be read: its entry, its searched text, and how to read it."""

    entry: Entry
    text: str
    read: Callable[[], Com2Item]
    rank: str = ""
    """Kind and language, by which items are listed."""


class Com2Collection(IndexedCollection[Com2Item]):
    """Items in the order of their files."""

    def __init__(
        self,
        sources: Sequence[Source],
        about: About,
        digest: str,
        errors: Sequence[DataError] = (),
    ) -> None:
        super().__init__(about, errors)
        self._sources = sources
        self._digest = digest

    @property
    def content_hash(self) -> str:
        """SHA-256 over names and bytes of the files that were opened."""
        return self._digest

    def __len__(self) -> int:
        """Number of items."""
        return len(self._sources)

    def entry(self, index: int) -> Entry:
        """The list entry of an item."""
        return self._sources[index].entry

    def _read_item(self, index: int) -> Com2Item:
        return self._sources[index].read()

    def _searched_text(self, index: int) -> str:
        return self._sources[index].text

    @cached_property
    def _positions(self) -> Mapping[str, int]:
        positions = {source.entry.id: i for i, source in enumerate(self._sources)}
        for i, source in enumerate(self._sources):
            # The name of the file stands for its first scenario.
            positions.setdefault(source.entry.group or source.entry.id, i)
        return positions


def open_items(path: Path) -> Collection[Com2Item]:
    """Open a file or folder: items of our own in YAML, released rows of Com², or CauseNet.

    In a folder with YAML items only these are read. Raises `DataError` if nothing can be read.
    """
    try:
        own = any(file.name != ABOUT for file in path.glob("*.yaml")) if path.is_dir() else False
        files = row_files(path) if not own and (path.is_dir() or is_row_file(path)) else []
        return _open_rows(path, files) if files else _open_own(path)
    except FileNotFoundError:
        raise DataError(_("There is no such file or folder."), where=path) from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise DataError(_("This cannot be read: {why}.", why=why), where=path) from error


def _open_rows(path: Path, paths: Sequence[Path]) -> Collection[Com2Item]:
    """Open files of rows, which are CauseNet's or released ones; never both at once."""
    from core.benchmarks.com2.causenet import open_causenet
    from core.benchmarks.com2.causenet_rows import MARK
    from core.benchmarks.com2.released_collection import ReleasedCollection

    if len(paths) > _MOST_FILES:
        raise DataError(
            _(
                "There are {paths:,} files here, more than {most_files}.",
                paths=len(paths),
                most_files=_MOST_FILES,
            ),
            where=path,
            hint=_("Open one of them."),
        )
    files = [RowFile(file) for file in paths]
    relations = [MARK in file.head for file in files]
    if all(relations):
        return open_causenet(path, files)
    if any(relations):
        raise DataError(
            _("This folder holds both questions and causal relations."),
            where=path,
            hint=_("Open one of its files."),
        )
    return ReleasedCollection(path, files)


def _open_own(path: Path) -> Com2Collection:
    """Open a folder of YAML items, or one of them; raises `DataError` when none can be read."""
    if path.is_dir():
        files = sorted(file for file in path.glob("*.yaml") if file.name != ABOUT)
        if not files:
            raise DataError(
                _("No graph was found in this folder."),
                where=path,
                hint=_("Looked for .yaml files, one graph each, and for .json and .jsonl files."),
            )
        folder = path
    else:
        files, folder = [path], path.parent
    sources, errors = [], []
    digest = hashlib.sha256()
    for file in files:
        try:
            raw = read_regular(file, LIMIT, DataError)
        except FileNotFoundError:
            raise DataError(_("There is no such file or folder."), where=path) from None
        except DataError as error:
            errors.append(error)
            continue
        digest.update(file.name.encode() + b"\0" + hashlib.sha256(raw).digest())
        sources += _sources(file, raw)
    if not sources:
        raise errors[0]
    if not path.is_dir():
        # One file that cannot be read is no collection; in a folder it is one item less.
        read_item(path)
    sources.sort(key=_listing_order)
    about = read_about(folder, errors) or About(title=path.name)
    return Com2Collection(sources, about, digest.hexdigest(), errors)


def _listing_order(source: Source) -> tuple[int, int]:
    """Graphs before cases, English first; otherwise as the files are called."""
    kind, _blank, language = source.rank.partition(" ")
    return int(kind == "case"), LANGUAGES.index(language) if language in LANGUAGES else 9


def _sources(file: Path, raw: bytes) -> list[Source]:
    """One source for each scenario of a file, so that a run asks all of them; they are a group.

    The file is searched by patterns and not parsed, so an error in it is found when it is read.
    """
    text = raw.decode("utf-8", "replace")
    title, language = _TITLE.search(text), _LANGUAGE.search(text)
    kind = "case" if _CASE.search(text) else "graph"
    label = title.group(1).strip().strip("\"'")[:_LONGEST_LABEL] if title else file.stem
    searched = f"{file.stem}\n{text}"
    rank = f"{kind} {language.group(1) if language else 'en'}"
    scenarios = [Scenario(name) for name in dict.fromkeys(_TASKS.findall(text))]
    if len(scenarios) < 2:
        return [Source(Entry(file.stem, label, rank), searched, lambda: read_item(file), rank)]
    return [
        Source(
            Entry(f"{file.stem}{BETWEEN}{scenario.value}", label, _(scenario.value), file.stem),
            searched,
            partial(_first, file, scenario),
            rank,
        )
        for scenario in Scenario
        if scenario in scenarios
    ]


def _first(file: Path, scenario: Scenario) -> Com2Item:
    """The item of a file with one of its scenarios first."""
    item = read_item(file)
    front = [task for task in item.tasks if task.scenario is scenario]
    others = [task for task in item.tasks if task.scenario is not scenario]
    return replace(item, id=f"{item.id}{BETWEEN}{scenario.value}", tasks=(*front, *others))


def listed_id(item: Com2Item, scenario: Scenario) -> str:
    """The id of an item's graph with another of its scenarios.

    It is the item's own id where the graph is listed only once.
    """
    graph = item.graph_id
    return item.id if graph == item.id else f"{graph}{BETWEEN}{scenario.value}"
