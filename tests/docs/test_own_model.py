"""What the page about models says of llama-cpp-python is what its makers say."""

from __future__ import annotations

import re
from importlib.metadata import metadata, version

from tests.docs.test_doc_commands import ROOT

PAGE = ROOT / "docs" / "howto" / "own-model.md"


def test_builds_and_ready_built_packages_are_those_of_the_installed_version() -> None:
    page = PAGE.read_text(encoding="utf-8")
    theirs = metadata("llama-cpp-python")["Description"]
    table = [line.split("|") for line in page.splitlines() if line.startswith("|")]
    parts = {part for row in table for part in re.findall(r"`([a-z][a-z0-9-]*)`", row[2])}
    flags = {flag for row in table for flag in re.findall(r"`(-D\w+=on)`", row[3])}
    assert len(parts) == 13
    assert len(flags) == 4
    for part in parts:
        assert f"/whl/{part}" in theirs or f"- `{part}`: CUDA" in theirs, part
    for flag in flags:
        assert flag in theirs, flag


def test_the_page_names_the_version_that_is_installed() -> None:
    named = set(re.findall(r"llama-cpp-python(?:==| )([\d.]+\d)", PAGE.read_text("utf-8")))
    assert named == {version("llama-cpp-python")}
