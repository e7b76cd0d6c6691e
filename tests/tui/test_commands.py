"""The registry: every command can be done, no key is dead, and the documents agree."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ConfigError
from tui.app import CommonsenseApp
from tui.commands import APP, BROWSE, COMMANDS, FUNNEL, bindings, checked_keymap, keys_table
from tui.screens.browse import BrowseScreen
from tui.screens.funnel import FunnelScreen

DOERS = {APP: CommonsenseApp, BROWSE: BrowseScreen, FUNNEL: FunnelScreen}
DEAD_IN_TERMINALS = {"ctrl+h", "ctrl+i", "ctrl+m", "ctrl+left_square_bracket", "ctrl+c", "ctrl+z"}
FLOW_CONTROL = {"ctrl+s", "ctrl+q"}
US_ONLY = {"left_square_bracket", "right_square_bracket", "backslash", "grave_accent", "tilde"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: f"{c.where}.{c.id}")
def test_every_command_has_its_action(command: object) -> None:
    assert callable(getattr(DOERS[command.where], f"action_{command.id}"))  # type: ignore[attr-defined]


@pytest.mark.parametrize("where", DOERS)
def test_no_two_commands_of_a_place_share_a_key(where: str) -> None:
    keys = [key for c in COMMANDS if c.where in {where, APP} for key in c.keys]
    assert len(keys) == len(set(keys))


def test_no_key_is_dead_in_a_terminal_or_bound_to_a_keyboard() -> None:
    for command in COMMANDS:
        assert not DEAD_IN_TERMINALS & set(command.keys), command.id
        assert not FLOW_CONTROL & set(command.keys), command.id
        if US_ONLY & set(command.keys):
            assert set(command.keys) - US_ONLY, f"{command.id} needs a key on every keyboard"
        assert any(not key.startswith("f1") for key in command.keys)


@pytest.mark.parametrize("pane", ["list", "view", "ladder", "live", "funnel"])
def test_three_to_six_keys_are_named_below_a_pane(pane: str) -> None:
    assert 3 <= sum(pane in command.footer for command in COMMANDS) <= 6


def test_every_binding_can_be_rebound_by_its_id() -> None:
    ids = [binding.id for where in DOERS for binding in bindings(where)]  # type: ignore[union-attr]
    assert all(ids)
    assert len(ids) == len(set(ids))
    assert checked_keymap({"browse.copy": "Y"}) == {"browse.copy": "Y"}


def test_a_keymap_with_an_unknown_command_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"browse\.cpoy"):
        checked_keymap({"browse.cpoy": "Y"})


def test_the_documents_hold_the_present_table_of_keys() -> None:
    page = Path(__file__).parents[2] / "docs" / "keys.md"
    assert keys_table() in page.read_text(encoding="utf-8")
