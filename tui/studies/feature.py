"""What studies add to a browsing screen: one command."""

from __future__ import annotations

from tui.browse.feature import Feature


class Studies(Feature):
    """Opens the list of studies; nothing of them is imported before that."""

    NAME = "studies"

    def studies(self) -> None:
        """Open the studies, over the open collection."""
        from tui.studies.studies_screen import OpenCollection, StudiesScreen

        state = self.host.state
        if state is None:
            return
        setting = dict(state.history.now.changed) if state.is_open else {}
        opened = OpenCollection(state.benchmark, self.host.path, state.collection, setting)
        self.host.app.push_screen(StudiesScreen(opened))
