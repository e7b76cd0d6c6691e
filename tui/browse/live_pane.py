"""The bottom pane: what the model is doing now, the exact prompt, and the engine's log."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import ContentSwitcher

from core.text.language import N_, _
from tui.shell.program import program_of
from tui.widgets.text_log import TextLog

TABS = (("live", N_("Live")), ("prompt", N_("Prompt")), ("log", N_("Log")))
_EMPTY = {
    "live": (N_("Nothing asked yet. Press {key} to ask the model."), "browse.ask"),
    "prompt": (
        N_(
            "The layer under the cursor has nothing to ask here. {key} in the ladder goes to "
            "another."
        ),
        "browse.cursor_down",
    ),
    "log": (
        N_("The engine has said nothing yet. {key} goes to the next tab."),
        "browse.next_tab",
    ),
}
"""The text of an empty tab, and the command whose key it names."""


class LivePane(Vertical):
    """Three tabs that share the space below."""

    HELP = N_("""
    ## Live, prompt and log

    **Live** shows the model at work: time, tokens, and the words it would write by itself, which
    are not scored. **Prompt** is the exact text that the layer under the cursor sends. **Log** is
    what llama.cpp says. `p` goes from one to the next, `y` copies.
    """)

    def compose(self) -> ComposeResult:
        """The three contents, one of them in front."""
        with ContentSwitcher(initial="tab-live"):
            for name in (name for name, label in TABS):
                text, command = _EMPTY[name]
                key = program_of(self.app).key(command)
                yield TextLog(id=f"tab-{name}", empty=_(text, key=key))

    def on_mount(self) -> None:
        """Name the tabs in the border."""
        self._name_tabs()

    @property
    def current(self) -> str:
        """The tab in front."""
        current = self.query_one(ContentSwitcher).current or "tab-live"
        return current.removeprefix("tab-")

    def tab(self, name: str) -> TextLog:
        """The content of a tab."""
        return self.query_one(f"#tab-{name}", TextLog)

    def next_tab(self) -> None:
        """Bring the next tab to the front."""
        names = [name for name, label in TABS]
        self.open_tab(names[(names.index(self.current) + 1) % len(names)])

    def open_tab(self, name: str) -> None:
        """Bring a tab to the front, keeping the focus in this pane if it is here."""
        inside = self.has_focus_within
        self.query_one(ContentSwitcher).current = f"tab-{name}"
        self._name_tabs()
        if inside:
            self.tab(name).focus()

    def _name_tabs(self) -> None:
        front = self.current
        self.border_title = Content.assemble(
            *((f" {_(label)} ", "reverse" if name == front else "") for name, label in TABS)
        )

    def say(self, line: str) -> None:
        """Add a line to the live tab."""
        self.tab("live").add(line)

    def begin(self, piece: str) -> None:
        """Begin a line of the live tab, to which generated text is added."""
        self.tab("live").begin(piece)

    def stream(self, piece: str) -> None:
        """Add generated text to the live tab as it comes."""
        self.tab("live").stream(piece)

    def copy_text(self) -> tuple[str, str]:
        """The text of the tab in front."""
        names = {"live": N_("live text"), "prompt": N_("prompt"), "log": N_("log")}
        return names[self.current], self.tab(self.current).text
