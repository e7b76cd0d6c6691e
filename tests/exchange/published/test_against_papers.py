"""Every published figure is the one that the papers' text or the released files print there."""

from __future__ import annotations

import re

import pytest

from core.exchange.published.library import names, table, tables
from core.exchange.published.table import LOST, NO_FIGURE, PublishedTable
from tests.exchange.published.papers import paper, released_metrics, table_rows, without_blanks

Rows = list[tuple[str, tuple[str, ...]]]
"""Name and cells of each row."""
PLAIN = (
    "com2-table-1",
    "abspyramid-table-1",
    "abspyramid-table-2",
    "abspyramid-table-3",
    "abspyramid-table-5",
    "abspyramid-table-7",
    "abspyramid-table-13",
    "abspyramid-table-16",
    "abspyramid-table-17",
    "abspyramid-table-18",
    "abspyramid-table-19",
)
"""Tables whose rows stand in the text one a line: name, then cells."""
SENTENCES = {
    "com2-people": r"平均(\d+)%和(\d+)%的准确率。慢思考过程的可靠性为(\d+)%",
    "com2-training": r"其中分别有(\d+)、(\d+)、(\d+)、(\d+)和(\d+)个问题",
    "abspyramid-agreement": (
        r"(\d+)annotatorsparticipatedinqualificationtests,with(\d+)\(([\d.]+)%\)annotators"
        r"passingthem.TheIAAscoreofpairwiseagreementproportionis([\d.]+)%,"
    ),
    "accord-counts": (
        r"with(\d+)instancesofConceptNet’s\*AtLocation\*.{,60}with(\d+)instancesof\*IsA\*"
        r".{,120}keepingonly(\d+)\.Ofthe\$(\d+)\\times13=(\d+)\$instances,.{,200}"
        r"remaining(\d+)instances\..{,80}resultingin(\d+)pairingtemplates\.Fromthese93pairings,"
        r"wegeneratereasoningtreesofsizes1–5,.{,80}with([\d,]+)uniquetotaltreesanda"
        r"guaranteedminimumof(\d+)uniquetreesperpairing\..{,240}with([\d,]+)uniquetrees\."
    ),
}
"""What the text says of figures outside tables, without blanks; the groups are figures in order."""
CHECKED = {
    *PLAIN,
    *SENTENCES,
    "com2-table-2",
    "abspyramid-table-4",
    "abspyramid-table-6",
    "abspyramid-table-14",
    "abspyramid-table-15",
    "abspyramid-table-20",
    "accord-table-3",
    "gita-metrics",
    "gita-table-2",
}


def number(name: str) -> int:
    """The number of a table in its paper."""
    return int(name.rpartition("-")[2])


def rows_of(published: PublishedTable) -> Rows:
    return [(row.name, row.texts) for row in published.rows]


def test_every_table_is_checked_against_its_source() -> None:
    assert set(names()) == CHECKED


@pytest.mark.parametrize("name", PLAIN)
def test_rows_of_a_plain_table_are_those_of_the_paper(name: str) -> None:
    published = table(name)
    # Above the rows stands one line of column names; an empty cell is one without a figure.
    printed = [
        (cells[0].casefold(), tuple(cell or NO_FIGURE for cell in cells[1:]))
        for cells in table_rows(published.benchmark, number(name))[1:]
    ]
    assert [(label.casefold(), texts) for label, texts in rows_of(published)] == printed


def test_com2_table_2_is_that_of_the_paper() -> None:
    # Two lines of column names; the first cell is a kind of model or empty, and some cells between
    # the name and the figures are empty. The text reads the letter o of one name as a zero.
    printed = [
        (cells[1].replace("GPT-40", "GPT-4o"), tuple(cell for cell in cells[2:] if cell))
        for cells in table_rows("com2", 2)[2:]
    ]
    assert rows_of(table("com2-table-2")) == printed
    assert {len(texts) for _, texts in printed} == {11}


@pytest.mark.parametrize("name", ["abspyramid-table-4", "abspyramid-table-20"])
def test_a_table_with_kinds_of_methods_is_that_of_the_paper(name: str) -> None:
    """In the text one line can hold all models of a kind: each cell has the figures of a column."""
    published = table(name)
    kinds: dict[str, list[list[str]]] = {}
    kind = ""
    for cells in table_rows("abspyramid", number(name))[1:]:
        kind = cells[0] or kind
        kinds.setdefault(kind, []).append(cells[1:])
    lost = 0
    for kind, lines in kinds.items():
        rows = [row for row in published.rows if kind == (row.variant or row.name)]
        if kind in {"Random", "Majority Vote"}:
            assert [list(row.texts) for row in rows] == [cells[1:] for cells in lines]
            continue
        assert " ".join(row.name for row in rows) == " ".join(cells[0] for cells in lines)
        for i in range(len(published.columns)):
            printed = " ".join(cells[1 + i] for cells in lines).split()
            ours = [row.texts[i] for row in rows]
            if len(printed) == len(ours):
                assert ours == printed
            else:
                # The text has lost a cell: nothing but dashes is left, or none is published.
                assert len(printed) == len(ours) - 1
                assert set(ours) == ({NO_FIGURE} if set(printed) == {NO_FIGURE} else {LOST})
                lost += set(ours) == {LOST}
    assert sum(LOST in row.texts for row in published.rows) == 6 * lost
    assert lost == (name == "abspyramid-table-4")
    assert len(published.rows) == 2 + sum(
        len(lines[0][1].split()) if len(lines) == 1 else len(lines)
        for kind, lines in kinds.items()
        if kind not in {"Random", "Majority Vote"}
    )


def test_abspyramid_table_6_is_that_of_the_paper_without_the_gains_beside() -> None:
    figure = re.compile(r"\$?(\d\d\.\d\d|-)(?![\d.])")
    printed = [
        (cells[0], tuple(match[1] for cell in cells[1:] if (match := figure.match(cell))))
        for cells in table_rows("abspyramid", 6)[1:]
    ]
    assert rows_of(table("abspyramid-table-6")) == printed


@pytest.mark.parametrize("name", ["abspyramid-table-14", "abspyramid-table-15"])
def test_a_table_by_share_of_training_data_is_that_of_the_paper(name: str) -> None:
    """Five lines a model, whose name stands in the third."""
    lines = table_rows("abspyramid", number(name))[1:]
    models = [lines[i - i % 5 + 2][0] for i in range(len(lines))]
    assert [(row.name, row.variant, *row.texts) for row in table(name).rows] == [
        (model, *cells[1:]) for model, cells in zip(models, lines, strict=True)
    ]


@pytest.mark.parametrize("name", SENTENCES)
def test_figures_in_sentences_are_those_of_the_paper(name: str) -> None:
    published = table(name)
    text = without_blanks(paper(published.benchmark))
    (found,) = re.findall(SENTENCES[name], text)
    ours = [text for row in published.rows for text in row.texts]
    if name == "com2-training":
        total = re.search(r"训练数据包括([\d,]+)个例子", text)
        assert total is not None
        assert ours.pop() == total[1]
    elif name == "abspyramid-agreement":
        kappa = re.findall(r"Fleiss's\$\\kappa\$is(0\.\d+)", text)
        assert [ours.pop()] == kappa
    assert ours == list(found)


def test_the_ranges_of_accord_are_those_of_its_table_3() -> None:
    *_, own = table_rows("accord", 3)
    assert own[0].startswith("ACCORD")
    printed = [end for cell in own[-2:] for end in cell.split("–")]
    (row,) = table("accord-table-3").rows
    assert list(row.texts) == printed


def test_the_counts_of_gita_are_those_of_its_table_2() -> None:
    text = paper("gita")
    cells = re.findall(r"<row><cell>([^<]+)</cell><cell>(\d+)</cell></row>", text)
    assert [label for label, _ in cells] == [
        "plausible stories",
        "implausible stories (ORDER)",
        "implausible stories (CLOZE)",
        "total stories",
    ]
    assert [row.texts for row in table("gita-table-2").rows] == [(count,) for _, count in cells]


def test_the_paper_of_gita_has_no_figures_in_its_table_3() -> None:
    assert re.search(r"<label>3</label><figDesc>[^<]*</figDesc><table */>", paper("gita"))


def test_the_metrics_of_gita_are_those_of_the_released_files() -> None:
    published = table("gita-metrics")
    assert len(published.rows) == 8
    for row in published.rows:
        metrics, shots, values = zip(*released_metrics(row.name), strict=True)
        assert metrics == tuple(column.name for column in published.columns)
        assert values == row.texts
        assert set(shots) == {published.conditions["shots"]}


def test_no_sentence_of_a_paper_stands_in_the_data() -> None:
    for published in tables():
        source = " ".join(paper(published.benchmark).casefold().split())
        for text in (published.title, *published.notes):
            words = text.casefold().split()
            for i in range(len(words) - 9):
                assert " ".join(words[i : i + 10]) not in source, text
