"""Help says of every benchmark what each sign of its views means, and nothing of another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.contract.setting import Choice, NodeState, Number, Setting, Switch
from core.contract.view import Graph, Role, Statements, View
from core.layout.rows import SIGNS
from core.text.errors import SettingError
from tests.pilots import notices
from tests.tui.support import opened
from tui.shell.help import help_on

NO_MODEL = "/nowhere.gguf"
NAMES = ("abspyramid", "accord", "com2", "gita")
ITEMS = 4
"""Items of each bundled collection that are looked at under each of their settings."""


def values(switch: Switch) -> tuple[str, ...]:
    match switch:
        case Choice(values=every):
            return every
        case NodeState():
            return switch.VALUES
        case Number():
            return tuple(map(str, range(switch.low, min(switch.high, switch.low + 4) + 1)))
    return ()


def views(benchmark: Benchmark, collection: Collection) -> Iterator[View]:
    for place in range(min(ITEMS, len(collection))):
        item = collection.item(place)
        switches = benchmark.switches(item)
        yield benchmark.view(item, Setting())
        for switch in switches:
            for value in values(switch):
                try:
                    setting = Setting.of(switches, {switch.key: value})
                    yield benchmark.view(item, setting)
                except SettingError:
                    continue


def signs(view: View) -> tuple[set[Role], set[Role]]:
    """The roles of a view's statements, and those of the nodes and cut or hindering links."""
    told: set[Role] = set()
    drawn: set[Role] = set()
    for block in view.sections:
        match block:
            case Statements(statements=statements):
                told |= {one.role for one in statements}
            case Graph(nodes=nodes, links=links):
                drawn |= {node.role if node.happens else Role.ABSENT for node in nodes}
                ends = {Role.CUT, Role.HINDERS}
                drawn |= {link.role for link in links if link.role in ends}
    return told, drawn


@pytest.mark.parametrize("name", NAMES)
def test_every_sign_of_its_views_is_explained(name: str) -> None:
    benchmark = registry.load(name)
    collection = registry.open_collection(benchmark, benchmark.samples())
    told: set[Role] = set()
    drawn: set[Role] = set()
    for view in views(benchmark, collection):
        here, there = signs(view)
        told, drawn = told | here, drawn | there
    assert len(told | drawn) > 3
    for role in told:
        assert SIGNS[role] in benchmark.item_help + " ", role
    for role in drawn:
        assert SIGNS[role] in benchmark.graph_help + " ", role


@pytest.mark.parametrize(
    ("name", "moves", "panes"),
    [
        ("accord", False, [("view", "≁", "■"), ("graph", "⇒", "prevents")]),
        ("com2", False, [("view", "derived", "■"), ("graph", "⊥", "pairing")]),
        ("abspyramid", False, [("graph", "pyramid", "prevents")]),
        ("gita", True, [("view", "■", "≁")]),
    ],
)
async def test_help_is_of_the_benchmark_that_is_open_and_leaves_out_keys_that_would_do_nothing(
    name: str, moves: bool, panes: list[tuple[str, str, str]]
) -> None:
    async with opened(benchmark=name, model=NO_MODEL, size=(80, 24)) as program:
        assert ("swaps the two" in help_on(program.browse, {})) is moves
        for pane, said, unsaid in panes:
            program.browse.enter_pane(pane)
            await program.until(lambda pane=pane: program.browse.pane == pane)
            topic = program.browse.help_topic()
            assert said in topic
            assert unsaid not in topic


async def test_it_is_said_once_that_nothing_can_be_moved() -> None:
    async with opened(benchmark="accord", model=NO_MODEL, size=(80, 24)) as program:
        await program.press("enter", "full_stop", "semicolon", "comma", "full_stop")
        await program.until(lambda: len(notices(program.app)) == 1)
        assert notices(program.app) == ["Nothing can be moved here."]
