"""The documented names: all there, all documented, and nothing of models until it is needed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import commonsense_tui

PAGE = (Path(__file__).parents[2] / "docs" / "library.md").read_text("utf-8")


def printed(program: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        timeout=150,
    ).stdout


def test_every_name_is_there_and_documented() -> None:
    documented = set(re.findall(r"`(\w+)`", PAGE))
    for name in commonsense_tui.__all__:
        assert getattr(commonsense_tui, name) is not None
        assert name in documented, name


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    assert not hasattr(commonsense_tui, "nothing")


def test_a_benchmark_s_package_brings_no_engine_and_no_screen_with_it() -> None:
    program = (
        "import sys, commonsense_tui\n"
        "heavy = {'llama_cpp', 'numpy', 'textual', 'typer', 'rich', 'networkx', 'httpx'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    assert printed(program) == "[]\n"


def test_the_example_of_the_page_asks_every_layer_of_the_first_story() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.S)
    lines = printed(example).splitlines()
    assert lines[0].split()[1] == "story_class"
    assert all(line.split()[2] in {"True", "False"} for line in lines)
