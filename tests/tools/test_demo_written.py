"""Stories written by hand: their file is read strictly, and told as it says."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tools.train_demo_model.check_stream import written
from tools.train_demo_model.written import (
    FOLDER,
    WrittenFamily,
    read_families,
    written_families,
    written_story,
)

FAMILY = """\
# What stands here is not read.

= in pieces Anna f
1 Anna ha un vaso. / Anna possiede un vaso.
2 Il vaso cade.
3 Il vaso si rompe.
4 Anna piange.
5 Anna raccoglie i cocci.
O 3 2 1 4 5 | 1 3
C 5 Anna mette i fiori nel vaso intero. | 3 5 in pieces
P 4 Anna ride.
Q 1 2 3 5 4
"""


@pytest.fixture
def family(tmp_path: Path) -> WrittenFamily:
    file = tmp_path / "stories.txt"
    file.write_text(FAMILY, encoding="utf-8")
    (found,) = read_families(file)
    return found


def test_a_family_has_the_variants_of_its_lines(family: WrittenFamily) -> None:
    assert (family.name, family.feminine, family.state) == ("Anna", True, "in pieces")
    assert [len(kind) for kind in (family.plausible, family.orders, family.clozes)] == [3, 1, 1]
    order = family.tell(family.orders[0], Random(1), rename=False)
    assert order.sentences[0] == "Il vaso si rompe."
    assert (order.pair, order.state, order.plausible) == ((0, 2), "in pieces", False)
    cloze = family.tell(family.clozes[0], Random(1), rename=False)
    assert cloze.sentences[4] == "Anna mette i fiori nel vaso intero."
    assert (cloze.pair, cloze.state) == ((2, 4), "in pieces")
    assert {family.tell(family.plausible[0], Random(n), False).sentences[0] for n in range(9)} == {
        "Anna ha un vaso.",
        "Anna possiede un vaso.",
    }


def test_another_name_stands_in_every_sentence(family: WrittenFamily) -> None:
    told = family.tell(family.plausible[0], Random(4), rename=True)
    name = told.sentences[0].split()[0]
    assert name != "Anna"
    assert name in told.sentences[3]
    assert not any("Anna" in text for text in told.sentences)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("3 Il vaso si rompe.", "2 Il vaso si rompe."),
        ("O 3 2 1 4 5 | 1 3", "O 3 2 1 4 | 1 3"),
        ("O 3 2 1 4 5 | 1 3", "O 3 2 1 4 5 | 3 1"),
        ("O 3 2 1 4 5 | 1 3", "O 3 2 1 4 5"),
        ("| 3 5 in pieces", "| 3 5 glued"),
        ("= in pieces Anna f", "= in pieces Anna x"),
        ("P 4 Anna ride.", "P 9 Anna ride."),
        ("P 4 Anna ride.", "P 4 Anna ride"),
        ("Q 1 2 3 5 4", "Z 1 2 3 5 4"),
        ("5 Anna raccoglie i cocci.\n", ""),
    ],
)
def test_a_line_that_is_not_as_it_should_be_is_named(tmp_path: Path, line: str, wrong: str) -> None:
    file = tmp_path / "stories.txt"
    assert line in FAMILY
    file.write_text(FAMILY.replace(line, wrong), encoding="utf-8")
    with pytest.raises(ValueError, match=r"stories\.txt"):
        read_families(file)


def test_families_for_measuring_are_told_by_no_training() -> None:
    told = {text for family in written_families() for text in family.texts}
    kept = {text for family in written_families(kept=True) for text in family.texts}
    assert kept
    assert not told & kept
    assert len(written_families()) > 8 * len(written_families(kept=True))


def test_every_written_story_is_of_a_family() -> None:
    texts = {text for family in written_families(kept=True) for text in family.texts}
    for number in range(40):
        story = written_story(Random(number), plausible=number % 2 == 0, kept=True)
        assert story.plausible == (number % 2 == 0)
        assert set(story.sentences) <= texts


def test_all_written_text_is_looked_through() -> None:
    files = sorted(FOLDER.glob("written_stories*.txt"))
    texts = set(written())
    assert files
    assert all(text in texts for file in files for text in read_families(file)[0].texts)
