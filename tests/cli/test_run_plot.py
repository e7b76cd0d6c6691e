"""`runs plot`: pictures of runs for a paper."""

from __future__ import annotations

import json
from pathlib import Path

from core.exchange.plots.gathering import KINDS, gather
from core.runs.store import Store
from tests.cli.support import ok, recorded, run
from tui.cli.completion import plots


def test_a_plot_is_written_where_it_is_wanted(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    name = recorded(store)
    to = tmp_path / "plots" / "layers.pdf"
    words = ("runs", "plot", "layers", name, "--store", store, "--to", to)
    assert ok(*words).out == f"{to}\n"
    assert to.read_bytes().startswith(b"%PDF-")
    again = run(*words)
    assert again.code == 2
    assert "--force" in again.err
    assert ok(*words, "--force").out == f"{to}\n"


def test_the_points_are_the_figures_that_the_run_shows(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    name = recorded(store)
    shown = ok("runs", "show", name, "--store", store, "--json").json
    with Store(store, create=False) as opened:
        plot = gather(opened, "figures", [name])
    [series] = plot.series
    points = {
        category: point
        for category, point in zip(plot.categories, series.points, strict=True)
        if point
    }
    assert {each: point.value for each, point in points.items()} == shown["metrics"]
    assert {each: point.n for each, point in points.items()} == shown["denominators"]
    intervals = {each: point.interval for each, point in points.items() if point.interval}
    assert json.loads(json.dumps(intervals)) == shown["intervals"]


def test_what_cannot_be_drawn_is_refused_in_words(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    name = recorded(store)
    to = tmp_path / "a.svg"
    unknown = run("runs", "plot", "pie", name, "--store", store, "--to", to)
    assert unknown.code == 2
    assert "layers, figures, hops, grid, funnel, tokens, forest" in unknown.err
    hops = run("runs", "plot", "hops", name, "--store", store, "--to", to)
    assert hops.code == 2
    assert "layers, figures, funnel, tokens, forest" in hops.err
    assert not to.exists()


def test_kinds_are_completed_and_named_in_the_help() -> None:
    assert plots("f") == ["figures", "funnel", "forest"]
    shown = " ".join(ok("runs", "plot", "--help").out.split())
    assert all(kind in shown for kind in KINDS)
