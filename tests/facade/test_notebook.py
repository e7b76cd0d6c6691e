"""The notebook of the documents runs from the first cell to the last in a kernel of its own."""

from __future__ import annotations

import os
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from core.models.resolver import demo_file

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
PROBE = ROOT / "docs" / "probe.ipynb"


@pytest.mark.skipif(not demo_file().exists(), reason="the demonstration model is not there")
def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=300,
        resources={"metadata": {"path": str(tmp_path)}},
        kernel_name="python3",
    )
    client.execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    drawn = [
        output["data"]["text/html"]
        for cell in cells
        for output in cell.outputs
        if "text/html" in output.get("data", {})
    ]
    assert len(drawn) >= 8
    assert not any("<script" in html for html in drawn)
    assert "First failure" in "".join(drawn)
    assert (tmp_path / "notebook-runs.sqlite").exists()


@pytest.mark.slow
@pytest.mark.skipif(not demo_file().exists(), reason="the demonstration model is not there")
def test_the_notebook_of_the_probe_finds_the_base_rate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sklearn", reason="probes need scikit-learn")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(PROBE, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=300, resources=resources, kernel_name="python3").execute()
    said = "".join(
        output.get("text", "")
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    )
    model, best = (
        max(map(float, re.findall(r"0\.\d+", part)))
        for part in re.findall(r"the model: (.*) probes: ([^]]*)", said)[0]
    )
    always = float(re.findall(r"always the commoner answer: (\S+)", said)[0])
    # The probe beats the model, and does no better than one answer always.
    assert best > model + 0.05
    assert best < always + 0.05
    assert len(re.findall(r"^AUC of", said, re.MULTILINE)) == 4


def test_the_probe_takes_twenty_lines_before_its_controls() -> None:
    cells = [cell for cell in nbformat.read(PROBE, as_version=4).cells if cell.cell_type == "code"]
    lines = [line for cell in cells[:2] for line in cell.source.splitlines() if line.strip()]
    assert len(lines) <= 20
    assert "accuracy" in lines[-1]


@pytest.mark.parametrize("path", [NOTEBOOK, PROBE], ids=lambda path: path.stem)
def test_the_notebook_is_kept_without_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
