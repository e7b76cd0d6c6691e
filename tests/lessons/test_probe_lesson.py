"""The figures that the lesson on probes tells are those of a probe of the bundled stories."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.support import ok

LESSON = Path(__file__).parents[2] / "samples" / "lessons" / "9-knows-but-does-not-say.yaml"


@pytest.mark.slow
@pytest.mark.usefixtures("demo_model")
def test_the_lesson_tells_the_figures_of_the_bundled_stories(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="probes need scikit-learn")
    store = tmp_path / "runs.sqlite"
    found = ok("study", "probe", "gita", "--model", "demo", "--store", store, "--json").json
    text = " ".join(LESSON.read_text(encoding="utf-8").split())

    def percent(share: float) -> int:
        return round(100 * share)

    best = percent(max(block["accuracy"] for block in found["blocks"]))
    for sentence in (
        "300 bundled stories the **bundled model** is right about "
        f"{percent(found['own_accuracy'])} of 100",
        f"right about **{best}**",
        f"**{round(found['base_rate'] * found['n'])} of the {found['n']}**",
        f"lazy reader is right about {percent(found['base_rate'])} of 100",
        f"The probe: **{percent(found['auc'])}**",
        f"**shuffled labels**: {percent(found['shuffled_auc'])}.",
        f"leaning to its answer: {percent(found['margin_auc'])}.",
        f"no order and no model: {percent(found['bag_of_words_auc'])}.",
        f"il **modello incluso** ha ragione su circa {percent(found['own_accuracy'])} di 100",
        f"La sonda: **{percent(found['auc'])}**",
        f"né il modello: {percent(found['bag_of_words_auc'])}.",
    ):
        assert sentence in text
    assert found["verdict"] == "in the words"
