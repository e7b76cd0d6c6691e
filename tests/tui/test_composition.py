"""Screens and widgets are composed: no class of ours has many ancestors of ours."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest
from textual.dom import DOMNode

import tui
from tui.browse.feature import Feature

MOST = 2


def ours(kind: type) -> Iterator[type]:
    """Every class of ours below another one."""
    for below in kind.__subclasses__():
        if below.__module__.partition(".")[0] == "tui":
            yield below
        yield from ours(below)


@pytest.fixture(scope="module", autouse=True)
def _every_module() -> None:
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        importlib.import_module(module.name)


@pytest.mark.parametrize("base", [DOMNode, Feature])
def test_no_class_has_more_than_two_ancestors_of_ours(base: type) -> None:
    found = set(ours(base))
    assert len(found) > 5
    for kind in found:
        ancestors = [each for each in kind.__mro__[1:] if each.__module__.startswith("tui.")]
        assert len(ancestors) <= MOST, (kind, ancestors)
