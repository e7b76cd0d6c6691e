"""The main screen: the list, the item, the ladder, and what the model is doing."""

from __future__ import annotations

from tui.browse.item_screen import ItemScreen


class BrowseScreen(ItemScreen):
    """Browses one collection; from here one goes to all other screens."""

    def key_escape(self) -> None:
        """Take back what a feature did last, or list everything again."""
        if not any(feature.escape() for feature in self.features):
            self.list_filter.close()

    def action_collections(self) -> None:
        """Open another collection."""
        self.open_dialogue(self.program.choose_collection(self.benchmark, self.path))

    def action_new_item(self) -> None:
        """Make an item of one's own."""
        self.open_dialogue(self.program.make_item(self.benchmark))

    def action_run_all(self) -> None:
        """Ask the whole collection."""
        if not self.waiting.postpones(self.action_run_all, asks=False) and self.state is not None:
            listed, failed = self.list_filter.parts(self.state)
            self.program.collection_runs.show_over(
                self.benchmark, self.path, self.state.collection, listed=listed, failed=failed
            )

    def action_answer_all(self) -> None:
        """Answer the whole collection oneself."""
        if self.state is not None:
            self.open_dialogue(
                self.program.collection_runs.answer(
                    self.benchmark, self.path, self.state.collection
                )
            )
