"""What a step hides and counts is read, and nothing wrong goes without its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.contract import registry
from core.contract.setting import Setting
from core.contract.view import Note, Role, Statements
from core.lessons.hiding import without
from core.lessons.lesson import Hidden
from core.lessons.lesson_reader import read_lesson
from core.text.errors import DataError
from tests.lessons.support import lesson

GRID = """
- say: Look.
  item: kettle
  count:
    caption: All questions
    when: {right: answer}
    of: [{tagged: {layer: answer, variant: anti-factual}}]
    rows:
      - {text: one, set: {hops: 1}}
      - {text: two, set: {hops: 2}}
    columns:
      - {text: no noise, set: {distractors: 0}}
      - {text: wrong, when: {wrong: answer}, of: [{gold: {layer: answer, is: A}}]}
"""


def test_a_cell_joins_its_row_its_column_and_the_whole(tmp_path: Path) -> None:
    (step,) = lesson(tmp_path, GRID, "accord").steps
    figures = step.figures
    assert figures is not None
    assert [row.spoken("en") for row in figures.rows] == ["one", "two"]
    first, second = figures.cells[1]
    assert (first.claim.text, dict(first.values)) == (
        "right: answer",
        {"hops": "2", "distractors": "0"},
    )
    assert (second.claim.text, dict(second.values)) == ("wrong: answer", {"hops": "2"})
    assert [fact.text for fact in second.of] == [
        "tagged: {layer: answer, variant: anti-factual}",
        "gold: {layer: answer, is: A}",
    ]


def test_a_claim_is_read_once_however_much_is_counted_with_it(tmp_path: Path) -> None:
    """Else few lines of a lesson would fill the memory."""
    check = (
        "  check:\n    - gap: {when: {right: answer}, of: [{gold: {layer: answer, is: A}}], "
        "set: {hops: 1}, than: {hops: 2}, at least: 0}\n"
    )
    (step,) = lesson(tmp_path, GRID + check, "accord").steps
    assert step.figures is not None
    cells = [cell for row in step.figures.cells for cell in row]
    assert len({id(cell.of[0]) for cell in cells}) == 1
    here, there = step.checks[0].counted
    assert here.claim is there.claim
    assert here.of is there.of
    assert (here.values, there.values) == ((("hops", "1"),), (("hops", "2"),))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("hide: [marks, all]", "cannot be “all”"),
        ("hide: marks", "must be a list"),
        ("exception: perhaps", "exception"),
        ("count: {caption: All, rows: [{text: one}]}", "Nothing is counted"),
        ("count: {rows: [{text: one, when: {right: answer}}]}", "lacks caption"),
        ("count: {caption: All, rows: []}", "1 to 9 rows"),
        (
            "count: {caption: A, rows: [{text: b, when: {right: answer}, of: [right: bare]}]}",
            "facts",
        ),
        ("check: [of all: {when: {right: answer}}]", "lacks a bound"),
        ("check: [gap: {when: {right: answer}, set: {hops: 1}, at least: 0}]", "lacks than"),
        ("check: [tagged: {layer: answer}]", "one tag or more"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, wrong: str, told: str) -> None:
    with pytest.raises(DataError) as caught:
        lesson(tmp_path, f"- say: Look.\n  item: kettle\n  {wrong}\n", "accord")
    assert told in str(caught.value)
    assert f"{tmp_path / 'one.yaml'}:8" in str(caught.value)


def test_an_item_may_be_another_one_in_each_language(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    text = (
        "title: {en: One, it: Uno}\nabout: {en: This., it: Questo.}\nbenchmark: gita\n"
        "minutes: 1\nsteps:\n  - say: {en: Look., it: Guardate.}\n    item: {en: '0', it: '1'}\n"
    )
    file.write_text(text, encoding="utf-8")
    assert [read_lesson(file, code).steps[0].item for code in ("en", "it")] == ["0", "1"]
    file.write_text(text.replace(", it: '1'", ""), encoding="utf-8")
    with pytest.raises(DataError, match="it"):
        read_lesson(file)


def test_what_is_hidden_is_nowhere_in_the_view() -> None:
    gita = registry.load("gita")
    story = registry.open_collection(gita, gita.samples())
    view = gita.view(story.item(story.find("1-O0")), Setting())
    bare = without(view, frozenset(Hidden))
    (statements,) = bare.sections
    assert isinstance(statements, Statements)
    assert {one.role for one in statements.statements} == {Role.PLAIN}
    assert not any(one.note for one in statements.statements)
    assert not statements.links
    assert not bare.badges
    assert without(view, frozenset()) == view
    marks = without(view, {Hidden.WHY})
    assert not any(isinstance(section, Note) for section in marks.sections)
    assert any(isinstance(part, Statements) and part.links for part in marks.sections)
