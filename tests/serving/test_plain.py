"""The plain pages: everything of an item in words, behind the same gate, without a terminal."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path

import httpx
import pytest

from core.contract import registry
from core.contract.setting import Setting
from core.contract.view import Graph, Link, Node, Role, Statement, Statements, View
from core.layout.spoken_text import spoken_view
from tests.fifth.support import BREAKS, installed_broken
from tests.serving.conftest import Served, serving

get = partial(httpx.get, timeout=150, trust_env=False)
DRAWN = re.compile("[\u2500-\u259f\u25b6\u25c0]")
"""Lines, blocks and arrow heads, which a screen reader spells out."""


def test_a_visitor_comes_from_the_address_to_the_answers(served: Served) -> None:
    asked = get(f"{served.address}&plain=1")
    assert asked.headers["location"] == "/?plain=1"
    start = get(f"{served.url}?plain=1", cookies=served.cookies, follow_redirects=True)
    assert "/plain/items?benchmark=gita" in start.text
    items = get(f"{served.url}plain/items?benchmark=gita", cookies=served.cookies)
    assert "/plain/item?benchmark=gita&amp;item=1-O0" in items.text
    page = get(f"{served.url}plain/item?benchmark=gita&item=1-O0", cookies=served.cookies)
    assert "(break; breakpoint" in page.text
    assert re.findall("<a href=.*?>(.*?)</a>", page.text) == ["All collections", "All items"]
    assert "built-in method" not in page.text
    assert 'aria-live="polite"' in page.text
    assert "unsafe" not in page.headers["content-security-policy"]
    answers = get(f"{served.url}plain/answers?benchmark=gita&item=1-O0", cookies=served.cookies)
    lines = answers.text.splitlines()
    assert len(lines) == 5
    assert re.fullmatch(r"1\. Plausible\?: answered (true|false), (right|wrong)", lines[1])
    assert lines[-1] == "Demonstration model: not a result."
    other = f"{served.url}plain/item?benchmark=gita&item=1-O0&set=variant=plausible"
    assert "(break; breakpoint" not in get(other, cookies=served.cookies).text


def test_a_broken_benchmark_leaves_the_others_in_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    with installed_broken(site, BREAKS["raises"]):
        monkeypatch.setenv("PYTHONPATH", f"{site}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
        with serving(tmp_path) as served:
            start = get(f"{served.url}plain", cookies=served.cookies)
            broken = get(f"{served.url}plain/items?benchmark=broken", cookies=served.cookies)
    assert start.status_code == 200
    assert "/plain/items?benchmark=gita" in start.text
    assert "benchmark=broken" not in start.text
    assert "broken-package" in broken.text


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("benchmark=gita&item=%3Cscript%3E", 404),
        ("benchmark=..%2F..&item=0", 404),
        ("benchmark=gita&item=0&set=a%3Db", 400),
        ("", 404),
    ],
)
def test_what_is_not_there_is_told(served: Served, query: str, status: int) -> None:
    answer = get(f"{served.url}plain/item?{query}", cookies=served.cookies)
    assert answer.status_code == status
    assert "<script>" not in answer.text
    assert "Traceback" not in answer.text
    assert get(f"{served.url}plain/item?{query}").status_code == 403


@pytest.mark.parametrize("name", ["accord", "abspyramid", "com2", "gita"])
def test_every_part_of_an_item_is_said_in_words(name: str) -> None:
    benchmark = registry.load(name)
    collection = registry.open_collection(benchmark, benchmark.samples())
    view = benchmark.view(collection.item(1), Setting())
    said = "\n".join(spoken_view(view))
    assert not DRAWN.search(said)
    for section in view.sections:
        if isinstance(section, Graph):
            assert all(node.text in said for node in section.nodes)
        if isinstance(section, Statements):
            assert all(one.text in said for one in section.statements)


def test_links_name_their_ends_and_control_characters_are_shown() -> None:
    view = View(
        "One\x1b[31m",
        sections=(
            Graph(
                "All",
                (Node("a", "Rain", Role.FORCED, "do"), Node("b", "Mud", Role.ABSENT)),
                (Link("a", "b", "makes"),),
            ),
            Statements("Text", (Statement("s", "It rains.", Role.CAUSE, "0"),)),
        ),
    )
    assert [line for line in spoken_view(view) if line] == [
        "One␛[31m",
        "All",
        "Rain (set; do)",
        "Mud (does not happen)",
        "from Rain to Mud: makes",
        "Text",
        "0 It rains. (cause)",
    ]
