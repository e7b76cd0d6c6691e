"""Opens a collection in the place of the present one, in the background."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from textual.worker import Worker, get_current_worker

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.text.errors import CommonsenseError
from core.text.language import _
from tui.browse.feature import Feature, ItemHost
from tui.browse.item_panes import ItemPanes
from tui.browse.list_filter import ListFilter
from tui.browse.run_marks import RunMarks
from tui.browse.state import BrowseState
from tui.browse.waiting import Waiting
from tui.shell import garbage
from tui.widgets.bars import TopBar

_GROUP = "open"


class Opening(Feature):
    """Reads the index of a collection in a thread, and shows its first item, or why it cannot."""

    NAME = "opening"

    def __init__(
        self,
        host: ItemHost,
        item_panes: ItemPanes,
        list_filter: ListFilter,
        waiting: Waiting,
        run_marks: RunMarks,
    ) -> None:
        super().__init__(host)
        self._item_panes = item_panes
        self._list_filter = list_filter
        self._waiting = waiting
        self._run_marks = run_marks
        self._replaces = False
        """Whether another collection was open before."""

    def start(self, benchmark: Benchmark, path: Path, item: str = "") -> None:
        """Open a collection, at an item if one is named."""
        host = self.host
        self._replaces |= host.state is not None
        host.benchmark, host.path, host.state = benchmark, path, None
        host.program.collection_runs.let_go()
        self._waiting.escape()
        self._waiting.opening = True
        self._list_filter.first_item = item
        key = host.key("collections")
        reading = _("{path} is being read. Press {key} to open another.", path=path, key=key)
        # Nothing of the collection before stands there as if it were of this one.
        self._list_filter.clear(_("Opening…"))
        host.query_one(TopBar).show(benchmark.title, path.name)
        host.show_note(_("Opening…"), reading)
        host.name_keys()
        read = partial(self._read, benchmark, path)
        host.run_worker(read, thread=True, exclusive=True, group=_GROUP, exit_on_error=False)

    def _read(self, benchmark: Benchmark, path: Path) -> None:
        worker = get_current_worker()
        try:
            collection = registry.open_collection(benchmark, path)
        except CommonsenseError as error:
            if not worker.is_cancelled:
                self.host.app.call_from_thread(self._show_error, error)
            return
        if not worker.is_cancelled:
            self.host.app.call_from_thread(self.show, benchmark, collection)

    def show(self, benchmark: Benchmark, collection: Collection) -> None:
        """Show a collection that is open."""
        host = self.host
        host.state = BrowseState(benchmark, collection)
        host.query_one(TopBar).show(benchmark.title, collection.about.shown.title)
        self._list_filter.go_to(self._list_filter.first_item)
        host.program.remember(benchmark, host.path)
        self._run_marks.show_recorded_run()
        # A first search builds the text index that later ones use.
        search = partial(collection.matching, "\0")
        host.run_worker(search, thread=True, group="search", exit_on_error=False)
        self._end()
        if self._replaces:
            self._replaces = False
            host.live.say(f"— {benchmark.title}: {collection.about.shown.title} —")
            host.call_after_refresh(garbage.free_unreachable, host.app.screen_stack)

    def _show_error(self, error: CommonsenseError) -> None:
        self._list_filter.clear("")
        self._item_panes.show_error(error)
        self.host.query_one(TopBar).show(self.host.benchmark.title, self.host.path.name)
        self._end()

    def _end(self) -> None:
        self._waiting.opening = False
        self._waiting.go_on()

    def worker_failed(self, worker: Worker[object], defect: CommonsenseError) -> None:
        """Show that a collection could not be opened because of a defect."""
        if worker.group == _GROUP:
            self.host.state = None
            self._show_error(defect)
        else:
            self.host.live.say(str(defect))
