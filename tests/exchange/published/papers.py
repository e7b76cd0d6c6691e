"""The text of the papers, as rows of cells and as sentences, to check published figures against."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_TITLES = {
    "accord": "ACCORD: Closing the Commonsense Measurability Gap",
    "com2": "Table 1: Com²",
    "abspyramid": "ABSPYRAMID: Benchmarking the Abstraction Ability",
    "gita": "GITA4CALAMITA -Evaluating the Physical Commonsense",
}
"""What only the text of one paper holds."""
_SHARED = Path(__file__).resolve().parents[4] / "shared"


def paper(benchmark: str) -> str:
    """The text of a benchmark's paper; the test skips where it is absent."""
    folder = _SHARED / "seeds"
    if not folder.is_dir():
        pytest.skip("needs the text of the papers: shared/seeds/ beside the checkout")
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.txt")]
    (text,) = [text for text in texts if _TITLES[benchmark] in text]
    return text


def released_metrics(model: str) -> list[tuple[str, str, str]]:
    """Metric, shots and value of each line that GITA's authors released for a model."""
    folder = _SHARED / "published" / "gita"
    if not folder.is_dir():
        pytest.skip("needs the released metrics: shared/published/gita/ beside the checkout")
    lines = (folder / f"{model}.txt").read_text(encoding="utf-8").splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [(metric, shots, value) for metric, shots, value in rows]


def table_rows(benchmark: str, number: int) -> list[list[str]]:
    """The rows of a table as its paper's text has them, the header among them.

    They are the lines with tabs right above the caption; emphasis is taken away.
    """
    lines = paper(benchmark).splitlines()
    end = next(i for i, line in enumerate(lines) if line.startswith(f"Table {number}:")) - 1
    while not lines[end].strip():
        end -= 1
    start = end
    while "\t" in lines[start - 1]:
        start -= 1
    return [
        [re.sub(r"</?(b|u|sub)>", "", cell).strip() for cell in line.split("\t")]
        for line in lines[start : end + 1]
    ]


def without_blanks(text: str) -> str:
    """A text without its blanks and line breaks, which break words of Chinese anywhere."""
    return re.sub(r"\s", "", text)
