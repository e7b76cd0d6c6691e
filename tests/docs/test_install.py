"""What the page on installing lists is what the package says of itself."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import yaml

from tests.docs.test_doc_commands import ROOT

PAGE = (ROOT / "docs" / "howto" / "install.md").read_text("utf-8")
WORKFLOW = ROOT / ".github" / "workflows" / "packages.yml"


def project() -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return table


def row(name: str) -> list[str]:
    """The cells of the table of what was run."""
    [line] = [line for line in PAGE.splitlines() if line.startswith(f"| {name} |")]
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


def test_every_extra_is_listed_once() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert sorted(listed) == sorted(project()["optional-dependencies"])


def test_the_pythons_that_were_run_are_those_of_the_classifiers() -> None:
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(project()["classifiers"]))
    assert row("Python")[0].split(", ") == versions


def test_the_workflow_has_what_was_run_and_what_was_not() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text("utf-8"))
    matrix = workflow["jobs"]["try"]["strategy"]["matrix"]
    assert matrix["python"] == ", ".join(row("Python")).split(", ")
    others = {each["os"] for each in matrix["include"]}
    assert others == {"macos-latest", "windows-latest"}
    assert "macOS, Windows" in row("system")[1]
    [compiled] = re.findall(r"llama-cpp-python==\S+", WORKFLOW.read_text("utf-8"))
    assert compiled in project()["dependencies"]
