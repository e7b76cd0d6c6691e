"""Undo and redo over the settings of one item."""

from __future__ import annotations

from core.contract.setting import Setting

_DEFAULT = Setting()


class History:
    """The settings of an item so far, and the index of the present one."""

    def __init__(self, first: Setting = _DEFAULT) -> None:
        """`first` is the setting that is shown first; undoing leads from it to the default."""
        self.first = first
        self._settings: list[Setting] = [_DEFAULT]
        self._at = 0
        self.go(first)
        self._initial_length = len(self._settings)

    @property
    def changed(self) -> bool:
        """Whether a person has set anything."""
        return len(self._settings) > self._initial_length or self.now != self.first

    @property
    def now(self) -> Setting:
        """The present setting."""
        return self._settings[self._at]

    @property
    def toggle_target(self) -> Setting | None:
        """The setting that `toggle` goes to: the default, or the last one that differs from it."""
        if self.now != _DEFAULT:
            return _DEFAULT
        return next((s for s in reversed(self._settings) if s != _DEFAULT), None)

    def last(self, key: str) -> str:
        """The last value other than the default that a switch had; empty where it had none."""
        return next((s[key] for s in reversed(self._settings) if key in s), "")

    def go(self, setting: Setting) -> None:
        """Make `setting` the present one; what was undone before is forgotten."""
        if setting != self.now:
            del self._settings[self._at + 1 :]
            self._settings.append(setting)
            self._at += 1

    def undo(self) -> bool:
        """Go back one setting; False where there is none."""
        if self._at == 0:
            return False
        self._at -= 1
        return True

    def redo(self) -> bool:
        """Go forward one setting; False where there is none."""
        if self._at + 1 == len(self._settings):
            return False
        self._at += 1
        return True
