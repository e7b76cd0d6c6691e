"""The files of plots: valid, equal for equal runs, and with names from elsewhere as mere text."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest
from matplotlib.lines import Line2D
from matplotlib.style import context

from core.exchange.exporters.document import FileExistsAlreadyError
from core.exchange.plots.gathering import KINDS
from core.exchange.plots.plot import PlotError
from core.exchange.plots.style import STYLE, Key, page
from core.exchange.plots.writing import ENDINGS, write_plot
from core.runs.store import Store
from tests.exchange.plots.stores import add, trees

HOSTILE = ("$\\frac{", "<script>", "\x1b[31m", "_hidden", "中\u202e", "--><b>", "x" * 300, "%s {0}")


def two_runs(store: Store) -> list[str]:
    answered = [each._replace(output_tokens=7) for each in trees()]
    other = [each for each in answered if each.gold == 0][:-3]
    return [add(store, "accord", each, model=f"m{len(each)}").id for each in (answered, other)]


def texts(svg: str) -> set[str]:
    """The texts of an SVG, which matplotlib repeats as comments beside their outlines."""
    return set(re.findall(r"<!-- (.*?) -->", svg))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_without_anything_that_acts(
    store: Store, tmp_path: Path, kind: str
) -> None:
    svg = write_plot(store, kind, two_runs(store), tmp_path / "a.svg").read_bytes()
    tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(svg).iter()}
    assert not tags & {"script", "image", "foreignObject", "text", "a"}


def test_pictures_are_as_wide_as_a_column_and_files_for_print_have_their_fonts(
    store: Store, tmp_path: Path
) -> None:
    runs = two_runs(store)
    png, pdf = (
        write_plot(store, "layers", runs, tmp_path / f"a{ending}").read_bytes()
        for ending in (".png", ".pdf")
    )
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", png[16:24])
    assert width == 3.4 * 300
    assert 300 < height < 3000
    assert pdf.startswith(b"%PDF-")
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf


def test_an_svg_refers_to_nothing_elsewhere(store: Store, tmp_path: Path) -> None:
    svg = write_plot(store, "layers", two_runs(store), tmp_path / "a.svg").read_text()
    assert "<!DOCTYPE" not in svg
    for element in ElementTree.fromstring(svg).iter():
        for name, value in element.attrib.items():
            assert not name.endswith("href") or value.startswith("#")
            assert "url(" not in value.replace("url(#", "")


@pytest.mark.slow
def test_another_process_with_another_configuration_gives_equal_bytes(
    store: Store, tmp_path: Path
) -> None:
    runs = two_runs(store)
    (tmp_path / "matplotlibrc").write_text("font.size: 30\ntext.usetex: True\n")
    code = """
import sys
from pathlib import Path
from core.exchange.plots.writing import write_plot
from core.runs.store import Store

store, runs, *paths = sys.argv[1:]
with Store(Path(store), create=False) as opened:
    for path in map(Path, paths):
        write_plot(opened, path.stem, runs.split(), path)
assert "matplotlib.pyplot" not in sys.modules
"""
    there = [tmp_path / "there" / f"layers{ending}" for ending in ENDINGS]
    there.append(tmp_path / "there" / "grid.svg")
    configuration = {
        "MATPLOTLIBRC": str(tmp_path / "matplotlibrc"),
        "PYTHONHASHSEED": "7",
        # Its list of fonts, which takes long to make.
        "MPLCONFIGDIR": matplotlib.get_cachedir(),
    }
    subprocess.run(
        [sys.executable, "-c", code, store.path, " ".join(runs), *there],
        check=True,
        env=os.environ | configuration,
    )
    for path in there:
        here = write_plot(store, path.stem, runs, tmp_path / path.name)
        assert here.read_bytes() == path.read_bytes(), path.name


LONG = "Mistral-Small-24B-Instruct-2501-abliterated-experimental-revision-7-Q4_K_M-imatrix"
"""Two names that begin with this differ beyond the width of a column."""


def test_long_names_are_broken_into_lines_and_not_cut(store: Store, tmp_path: Path) -> None:
    runs = [add(store, "accord", trees(), model=f"{LONG}-{end}").id for end in ("one", "two")]
    for kind in ("layers", "funnel", "hops", "grid"):
        drawn = write_plot(store, kind, runs, tmp_path / f"{kind}.svg").read_text()
        written = texts(drawn.replace("&#45;", "-"))
        for end in ("one", "two"):
            assert any(line.partition(",")[0].endswith(end) for line in written), kind
        assert not any("…" in line for line in written)


def test_a_legend_with_long_names_stays_on_the_page_and_above_the_axes() -> None:
    keys = [Key(Line2D([], []), name) for name in ("W" * 56, "W" * 150, f"{LONG} one", "short")]
    with context(["default", STYLE]):
        figure = page("Title", keys, ["Caption."], 1.5)
        axes = figure.subplots()
        figure.draw_without_rendering()
    legend, drawn = figure.legends[0].get_window_extent(), axes.get_window_extent()
    assert legend.y0 >= drawn.y1
    assert legend.x1 <= figure.bbox.x1


def test_hostile_names_are_drawn_as_text(store: Store, tmp_path: Path) -> None:
    runs = [
        add(store, "accord", trees(), model=name, setting=(("k", name),)).id for name in HOSTILE
    ]
    assert write_plot(store, "layers", runs, tmp_path / "a.pdf").read_bytes().startswith(b"%PDF-")
    for kind, drawn in (("layers", runs), ("grid", runs[:4])):
        svg = write_plot(store, kind, drawn, tmp_path / f"{kind}.svg").read_text()
        ElementTree.fromstring(svg)
        assert "\x1b" not in svg
        assert "<script" not in svg
    shown = texts((tmp_path / "layers.svg").read_text())
    assert {"$\\frac{", "&lt;script&gt;", "⟨1B⟩[31m", "_hidden", "⟨4E2D⟩⟨RLO⟩"} <= shown


def test_hostile_values_of_tags_are_drawn_as_text(store: Store, tmp_path: Path) -> None:
    answers = [
        each._replace(tags={**each.tags, "hops": "$\\frac{", "distractors": "\x1b<b>"})
        for each in trees()
        if each.layer == "answer"
    ]
    run = add(store, "accord", answers).id
    for kind in ("hops", "grid"):
        shown = texts(write_plot(store, kind, [run], tmp_path / f"{kind}.svg").read_text())
        assert "$\\frac{" in shown
    assert "⟨1B⟩&lt;b&gt;" in shown


def test_drawing_leaves_the_settings_of_matplotlib_alone(store: Store, tmp_path: Path) -> None:
    before = dict(matplotlib.rcParams)
    write_plot(store, "layers", two_runs(store), tmp_path / "a.pdf")
    assert dict(matplotlib.rcParams) == before


def test_demonstrations_are_marked(store: Store, tmp_path: Path) -> None:
    run = add(store, "accord", trees(), model="demo", demo=True)
    for kind in ("layers", "hops"):
        svg = write_plot(store, kind, [run.id], tmp_path / f"{kind}.svg").read_text()
        assert "demo (demonstration)" in svg
        assert "Demonstration: " in svg


def test_without_matplotlib_nothing_is_written(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = two_runs(store)
    for name in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("drawing", "style"):
        monkeypatch.delitem(sys.modules, f"core.exchange.plots.{name}", raising=False)
    with pytest.raises(PlotError) as refused:
        write_plot(store, "layers", runs, tmp_path / "a.pdf")
    assert "commonsense-tui[plots]" in refused.value.hint
    assert not (tmp_path / "a.pdf").exists()


def test_an_unknown_ending_is_refused_and_a_file_kept(store: Store, tmp_path: Path) -> None:
    runs = two_runs(store)
    with pytest.raises(PlotError) as refused:
        write_plot(store, "layers", runs, tmp_path / "a.jpg")
    assert ".pdf, .svg, .png" in refused.value.hint
    there = tmp_path / "a.svg"
    there.write_text("mine")
    with pytest.raises(FileExistsAlreadyError):
        write_plot(store, "layers", runs, there)
    assert there.read_text() == "mine"
    assert write_plot(store, "layers", runs, there, force=True).read_text().startswith("<?xml")
