"""The documented names: all there, all documented, and nothing of models until it is needed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import commonsense_tui

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "library.md").read_text("utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, flags=re.S)


def printed(program: str, folder: Path = ROOT) -> str:
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=150,
    ).stdout


def test_every_name_is_there_and_documented() -> None:
    documented = set(re.findall(r"`(\w+)`", PAGE))
    for name in commonsense_tui.__all__:
        assert getattr(commonsense_tui, name) is not None
        assert name in documented, name
    assert commonsense_tui.open is not open
    assert "open" not in commonsense_tui.__all__


def test_listing_the_names_imports_none_of_them() -> None:
    program = (
        "import sys, commonsense_tui as ct; print('runs' in dir(ct), 'sqlite3' in sys.modules)"
    )
    assert printed(program) == "True False\n"


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    assert not hasattr(commonsense_tui, "nothing")


def test_a_benchmark_s_package_brings_no_engine_and_no_screen_with_it() -> None:
    program = (
        "import sys, commonsense_tui\n"
        "heavy = {'llama_cpp', 'numpy', 'pandas', 'sqlite3', 'asyncio', 'jinja2'}\n"
        "heavy |= {'textual', 'typer', 'rich', 'networkx', 'aiohttp'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    assert printed(program) == "[]\n"


def test_every_call_for_notebooks_has_an_example_on_the_page() -> None:
    examples = "".join(EXAMPLES)
    for call in ("open", "load_model", "evaluate", "runs", "compare", "plot", "published_table"):
        assert f"ct.{call}(" in examples


@pytest.mark.slow
def test_the_examples_of_the_page_run(tmp_path: Path) -> None:
    lines = printed("".join(EXAMPLES), tmp_path).splitlines()
    assert lines[0].startswith("1-C0")
    shape = "('false', 'true') (6, 2) "
    [shares] = [line.removeprefix(shape) for line in lines if line.startswith(shape)]
    assert float(shares) == pytest.approx(1)
    assert lines[-1].startswith("There is no story “1-C9”.")
