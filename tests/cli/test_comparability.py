"""`runs show` and `runs compare` beside published figures."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from tests.cli.support import ok, recorded

MODELS = ("gemma-2-9b", "gemma-2-27b", "Meta-Llama-3.1-8B", "Meta-Llama-3.1-8B-Instruct")


def imported(shared_data: Path, model: str, store: Path) -> str:
    logs = shared_data / "gita4calamita" / "logs" / model
    return str(ok("import", "lm-eval", logs, "--store", store, "--json").json["run"])


def metrics_file(shared_data: Path, model: str) -> dict[str, str]:
    """The figures that the authors released with a log, as they printed them."""
    text = (shared_data / "gita4calamita" / "logs" / model / "metrics.txt").read_text()
    return dict(re.findall(r"\|(\w[\w ]*?) *\| *3\|(\d\.\d+)\|", text))


@pytest.mark.parametrize("model", MODELS)
def test_released_logs_give_the_published_figures_which_stand_beside_them(
    model: str, shared_data: Path, tmp_path: Path
) -> None:
    store = tmp_path / "runs.sqlite"
    run_id = imported(shared_data, model, store)
    shown = ok("runs", "show", run_id, "--store", store, "--json").json
    released = metrics_file(shared_data, model)
    assert len(released) == 10
    assert shown["not_checkable"] == []
    row = {b["metric"]: b for b in shown["published"]["comparable"] if b["row"] == model}
    assert set(row) == set(released)
    for metric, text in released.items():
        assert row[metric]["printed"] == text
        # The files print seventeen digits, the last of which may be a rounding of the others.
        assert abs(Decimal(repr(row[metric]["here"])) - Decimal(text)) < Decimal("1e-15")
        assert row[metric]["here"] == shown["metrics"][metric]
    text = ok("runs", "show", run_id, "--store", store).out
    [own] = [line for line in text.splitlines() if line.startswith(" this run ")]
    [beside] = [line for line in text.splitlines() if line.startswith(f" {model} ")]
    assert own.split()[2:] == beside.split()[1:]
    assert "Pensa et al. (2024)" in text
    assert "results/*/metrics.txt" in text


def test_the_other_profile_of_a_released_log_is_not_compared(
    shared_data: Path, tmp_path: Path
) -> None:
    store = tmp_path / "runs.sqlite"
    run_id = imported(shared_data, "gemma-2-9b", store)
    text = ok("runs", "show", run_id, "--profile", "by-type", "--store", store).out
    assert "Not compared with published figures: questions without an answer; profile" in text
    assert "this run" not in text


@pytest.mark.slow
def test_two_released_logs_of_a_form_have_the_rows_of_it_beside_them(
    shared_data: Path, tmp_path: Path
) -> None:
    store = tmp_path / "runs.sqlite"
    first, second, chat = (
        imported(shared_data, model, store) for model in (MODELS[0], MODELS[2], MODELS[3])
    )
    both = ok("runs", "compare", first, second, "--store", store, "--json").json["published"]
    rows = {each["row"] for each in both["comparable"]}
    assert rows == {"Meta-Llama-3.1-8B", "Meta-Llama-3.1-70B", "gemma-2-9b", "gemma-2-27b"}
    assert len(both["differs"]) == 2
    text = ok("runs", "compare", first, second, "--store", store).out
    assert re.search(r"\n A  +0\.5843 .*\n B  +0\.6096 ", text)
    mixed = ok("runs", "compare", first, chat, "--store", store)
    assert "no published row was asked as both runs were" in mixed.out


def test_bundled_items_are_never_compared(tmp_path: Path, demo_model: None) -> None:
    store = tmp_path / "runs.sqlite"
    words = ("evaluate", "gita", "--shots", "3", "--store", store, "--limit", "2")
    evaluated = ok(*words, "--model", "demo", "--json").json["published"]
    assert evaluated["comparable"] == []
    for rows in evaluated["differs"]:
        assert "bundled items, not the released ones" in rows["why"]
        assert "only the first 2 items" in rows["why"]
    assert "Not compared with published figures: only the first 2 items; bundled" in ok(*words).out


def test_a_benchmark_without_published_figures_says_so(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    run_id = recorded(store)
    shown = ok("runs", "show", run_id, "--store", store)
    assert "Not compared with published figures: no figures are published for it." in shown.out
    as_json = ok("runs", "show", run_id, "--store", store, "--json").json
    assert as_json["published"] == {"comparable": [], "differs": []}
