"""A person's own prompts."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.benchmarks.abspyramid.curation import prompts
from core.files import paths


@pytest.fixture
def own_prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Put other prompts into the configuration folder; the sense prompt they have."""
    monkeypatch.setattr(paths, "config", lambda: tmp_path / "config.yaml")
    shipped = Path(prompts.__file__).with_name("prompts.yaml").read_text(encoding="utf-8")
    before, _, _ = shipped.partition("\nsense:")
    path = tmp_path / "prompts" / "abspyramid" / "curating.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(f"{before}\nsense: 'To {{instance}} is to'\n", encoding="utf-8")
    return ["To {instance} is to"]
