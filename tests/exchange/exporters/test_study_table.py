"""The table of a study, as a spreadsheet reads it."""

from __future__ import annotations

import csv
from typing import Any

from core.exchange.exporters.study_table import study_csv
from core.studies.report import StudyReport, StudyTable

HOSTILE = 'a,=HYPERLINK("http://e.example/","q");@SUM(1),-1+1'


def test_no_part_of_a_line_of_the_method_is_a_formula() -> None:
    picture: Any = None
    table = StudyTable(("block", "effect"), ((0, 0.5),))
    report = StudyReport(HOSTILE, (f"Model {HOSTILE}, -0.3 nats.",), (HOSTILE,), table, picture)
    lines = study_csv(report).decode().splitlines()
    for delimiter in ",;":
        for row in csv.reader(lines, delimiter=delimiter):
            assert not [cell for cell in row if cell.startswith(("=", "+", "-", "@"))]
    assert lines[1].endswith(", -0.3 nats.")
    assert [line[:2] for line in lines] == ["# ", "# ", "# ", "bl", "0,"]
