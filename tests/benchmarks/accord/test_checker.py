"""`accord check`: what was generated passes, and each of many corruptions is found."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from core.benchmarks.accord.grounding.instance import Instance
from core.benchmarks.accord.grounding.records import encoded
from core.benchmarks.accord.knowledge.terms import plain
from core.benchmarks.accord.soundness import Check
from core.benchmarks.accord.suites.checker import Report, checked
from core.benchmarks.accord.suites.files import ITEMS, MANIFEST
from core.benchmarks.accord.trees.skills import End
from core.text.errors import DataError
from tests.benchmarks.accord.suites import bundled, bundled_questions, generator, instances, written
from tests.cli.support import ok, run

GROUNDS = bundled().grounds
FLAGS = {flag.key: True for flag in Check}


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite on disk, whose lines are changed."""

    folder: Path

    @property
    def items(self) -> Path:
        return self.folder / ITEMS

    @property
    def lines(self) -> list[bytes]:
        return self.items.read_bytes().splitlines()

    def place(self, hops: int, distractors: int) -> int:
        """The line of the first item of a cell that is not factual."""
        for place, line in enumerate(self.lines):
            fields = json.loads(line)
            if (fields.get("hops"), fields.get("distractors")) == (hops, distractors) and fields[
                "chosen"
            ] != fields["question"]["answer"]:
                return place
        raise LookupError

    def put(self, place: int, *lines: bytes) -> None:
        """Put lines in the place of one."""
        every = self.lines
        every[place : place + 1] = lines
        self.items.write_bytes(b"".join(line + b"\n" for line in every))

    def item(self, place: int) -> Instance:
        (found,) = instances([self.lines[place]])
        return found

    def report(self) -> Report:
        return checked(self.folder, GROUNDS)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    written(generator((1, 2, 3), seed=1, questions=bundled_questions(3)), folder)
    return folder


@pytest.fixture
def suite(made: Path, tmp_path: Path) -> Suite:
    for name in (ITEMS, MANIFEST):
        (tmp_path / name).write_bytes((made / name).read_bytes())
    return Suite(tmp_path)


def forged(item: Instance, label: str, variable: int, term: str) -> Instance:
    """An item with another term at one place, its ids made anew to fit."""
    at = item.structure.question.labels.index(label)
    terms = list(item.copies[at])
    terms[variable] = term
    copies = (*item.copies[:at], tuple(terms), *item.copies[at + 1 :])
    return replace(item, copies=copies)


def inner(item: Instance) -> int:
    """A variable on the path that is neither end."""
    return item.structure.path.variables[1]


# -- what was generated --------------------------------------------------------------------------


def test_generated_suites_pass_the_checker(suite: Suite) -> None:
    report = suite.report()
    assert report.sound
    assert report.lines == report.total == len(suite.lines)
    assert report.bare == 3
    assert report.items > 50
    assert not report.failed
    text = ok("accord", "check", suite.folder).out
    assert f"{report.items} items, 3 bare questions, {report.refused} refused" in text
    assert "passes every check" in text


def test_every_cell_passes_with_other_seeds_and_rules(tmp_path: Path) -> None:
    for number, words in enumerate((("--seed", "9"), ("--rule", "grow"), ("--rule", "cover"))):
        folder = tmp_path / str(number)
        ok("accord", "generate", "--sizes", "2-4", "--limit", "3", *words, "--out", folder)
        assert ok("accord", "check", folder, "--json").json["sound"] is True


# -- corruptions that leave the ids as they were --------------------------------------------------


def _flip_implied(fields: dict[str, Any]) -> None:
    labels = [choice["label"] for choice in fields["question"]["choices"]]
    fields["chosen"] = labels[labels.index(fields["chosen"]) - 1]


def _flip_wording(fields: dict[str, Any]) -> None:
    start, _, rest = fields["pairing"]["surface"].partition("[[")
    both, _, end = rest.partition("]]")
    positive, _, negative = both.partition("|")
    fields["pairing"]["surface"] = f"{start}[[{negative}|{positive}]]{end}"


def _turn_template(fields: dict[str, Any]) -> None:
    template = fields["templates"][fields["path"][-1]]
    template["source"], template["target"] = template["target"], template["source"]


def _repeat_template(fields: dict[str, Any]) -> None:
    fields["templates"].append(fields["templates"][-1])


def _add_template(fields: dict[str, Any]) -> None:
    _repeat_template(fields)
    for terms in fields["terms"].values():
        terms.append(f"{terms[-1]} too")
    fields["distractors"] += 1


def _swap_copies(fields: dict[str, Any]) -> None:
    terms = fields["terms"]
    terms["A"], terms["B"] = terms["B"], terms["A"]


def _count(name: str, by: int = 1) -> Callable[[dict[str, Any]], None]:
    def change(fields: dict[str, Any]) -> None:
        fields[name] += by

    return change


def _drop(name: str) -> Callable[[dict[str, Any]], None]:
    def change(fields: dict[str, Any]) -> None:
        del fields[name]

    return change


def _put(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(fields: dict[str, Any]) -> None:
        fields[name] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        _flip_implied,
        _flip_wording,
        _turn_template,
        _repeat_template,
        _add_template,
        _swap_copies,
        _count("hops"),
        _count("distractors", -1),
        _drop("terms"),
        _put("path", []),
        _put("path", [99]),
        _put("path", [-1]),
        _put("pairing_variable", 50),
        _put("chosen", "Z"),
        _put("factual", [1]),
        _put("factual", [77]),
        _put("terms", {}),
        _put("templates", []),
        _put("extra", 1),
        _put("id", "[red]\u202e\u001b[2J"),
    ],
)
def test_a_changed_line_is_reported_with_its_position(
    change: Callable[[dict[str, Any]], None], suite: Suite
) -> None:
    place = suite.place(2, 1)
    fields = json.loads(suite.lines[place])
    change(fields)
    suite.put(place, json.dumps(fields).encode())
    report = suite.report()
    assert not report.sound
    assert report.lines == report.total
    told = [str(error) for error in report.unreadable] + report.unsound
    assert told
    assert all(f"{ITEMS}:{place + 1}" in one for one in told)
    assert not any("\x1b" in one or "\u202e" in one for one in told)


UNSIGNED = {"seed", "knowledge", "language", "concept", "reviewed"}
"""What tells of an item's origin, and is no part of what its id is a hash of."""


def test_a_change_of_any_value_is_reported(suite: Suite) -> None:
    line = suite.lines[suite.place(2, 1)]
    suite.items.write_bytes(b"".join(one + b"\n" for one in (*suite.lines[:4], line)))
    place = 4
    assert suite.report().sound
    looked_at = 0
    for way in _values(json.loads(line)):
        fields = json.loads(line)
        *before, last = way
        holder = fields
        for step in before:
            holder = holder[step]
        now = holder[last]
        holder[last] = f"{now} x" if isinstance(now, str) else not now if now is True else now + 1
        suite.put(place, json.dumps(fields).encode())
        assert not suite.report().sound or last in UNSIGNED, way
        looked_at += 1
    assert looked_at > 60


def _values(fields: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every text, number and truth value in JSON."""
    if isinstance(fields, dict | list):
        places = fields if isinstance(fields, dict) else range(len(fields))
        for place in places:
            yield from _values(fields[place], (*way, place))
    else:
        yield way


@pytest.mark.parametrize(
    "line",
    [b"", b"{", b"null", b"\x00" * 9, b"\xff\xfe", b"[" * 10**5, b'{"bare":1}', b'{"refused":{}}'],
)
def test_an_invalid_line_is_reported_with_its_position(line: bytes, suite: Suite) -> None:
    suite.put(4, line)
    report = suite.report()
    assert not report.sound
    assert [error.where.endswith(f"{ITEMS}:5") for error in report.unreadable] == [True]
    assert run("accord", "check", suite.folder).code == 1


def test_a_truncated_line_is_reported(suite: Suite) -> None:
    suite.items.write_bytes(suite.items.read_bytes()[:-40])
    assert len(suite.report().unreadable) == 1


def test_a_duplicate_line_is_reported(suite: Suite) -> None:
    place = suite.place(2, 1)
    suite.put(place, suite.lines[place], suite.lines[place])
    ran = run("accord", "check", suite.folder, "--json")
    assert ran.code == 1
    assert ran.json["repeated"] == 1
    assert ran.json["sound"] is False


def test_missing_lines_are_reported(suite: Suite) -> None:
    suite.items.write_bytes(b"".join(line + b"\n" for line in suite.lines[:-2]))
    ran = run("accord", "check", suite.folder, "--json")
    assert ran.json["complete"] is False


# -- forgeries whose ids fit: only the checks of the content are left ------------------------------


def failed(suite: Suite, place: int, item: Instance) -> set[Check]:
    """What the suite fails with a forged item in a line, every flag of it being claimed."""
    suite.put(place, encoded(item, FLAGS))
    report = suite.report()
    assert not report.unreadable
    assert all(f"{ITEMS}:{place + 1}:" in one for one in report.unsound)
    assert bool(report.failed) is bool(report.unsound) is not report.sound
    return set(report.failed)


def test_an_unchanged_forged_item_is_sound(suite: Suite) -> None:
    place = suite.place(3, 0)
    assert not failed(suite, place, suite.item(place))


@pytest.mark.parametrize("cell", [(2, 0), (2, 1), (1, 2)])
def test_a_term_that_is_an_answer_choice_is_found(cell: tuple[int, int], suite: Suite) -> None:
    place = suite.place(*cell)
    item = suite.item(place)
    path = item.structure.path
    ends = {path.pairing_variable, path.answer_variable}
    for variable in set(item.structure.tree.variables) - ends:
        for label in item.structure.question.labels:
            text = item.structure.question.text(label)
            found = failed(suite, place, forged(item, "A", variable, text.upper()))
            assert Check.NO_CHOICE_INSIDE in found
            assert Check.NO_REPEAT in found


def test_the_pairing_term_inside_is_found(suite: Suite) -> None:
    place = suite.place(3, 0)
    item = suite.item(place)
    found = failed(suite, place, forged(item, "C", inner(item), item.structure.pairing.term))
    assert {Check.NO_CHOICE_INSIDE, Check.NO_REPEAT} <= found


def test_a_statement_shared_by_two_copies_is_found(suite: Suite) -> None:
    """The copies would say it once plainly and once negated, or imply two answers."""
    place = suite.place(2, 0)
    item = suite.item(place)
    other = next(label for label in item.structure.question.labels if label != item.chosen)
    term = item.terms(item.chosen)[inner(item)]
    found = failed(suite, place, forged(item, other, inner(item), term))
    assert {Check.NO_REPEAT, Check.ONE_IMPLIED, Check.NO_CONTRADICTION} <= found


def test_a_fact_that_must_not_be_one_is_found(suite: Suite) -> None:
    """Each copy of each item of two hops: the fact that its answer stands in, if it has any."""
    forgeries = 0
    for place, line in enumerate(suite.lines):
        fields = json.loads(line)
        if (fields.get("hops"), fields.get("distractors")) != (2, 0):
            continue
        item = suite.item(place)
        tree, path = item.structure.tree, item.structure.path
        last = tree.templates[path.templates[-1]]
        end = End.SOURCE if last.source == inner(item) else End.TARGET
        relation = GROUNDS.skills[last.skill].concept_net
        for label in item.structure.question.labels:
            answer = item.structure.question.text(label)
            for term in GROUNDS.knowledge.facts(relation, end, answer)[:1]:
                found = failed(suite, place, forged(item, label, inner(item), term))
                assert Check.ANTI_FACTUAL in found
                forgeries += 1
        suite.put(place, line)
    assert forgeries >= 5


def test_an_anti_fact_that_must_be_a_fact_is_found(suite: Suite) -> None:
    place = suite.place(2, 0)
    item = suite.item(place)
    assert Check.FACTUAL in failed(suite, place, replace(item, factual=frozenset({inner(item)})))


def test_a_term_from_outside_its_relation_is_found(suite: Suite) -> None:
    place = suite.place(2, 1)
    item = suite.item(place)
    for term in ("no such thing", "[bold]\u202ex\x1b]8;;http://x\x07y"):
        changed = forged(item, "B", inner(item), term)
        assert failed(suite, place, changed) == {Check.IN_RELATION}
        ran = run("accord", "check", suite.folder)
        assert ran.code == 1
        assert "\x1b" not in ran.out
        assert "\u202e" not in ran.out


def test_the_pairing_statement_must_name_its_terms(suite: Suite) -> None:
    place = suite.place(2, 0)
    item = suite.item(place)
    path = item.structure.path
    for variable in (path.pairing_variable, path.answer_variable):
        found = failed(suite, place, forged(item, "B", variable, "something else"))
        assert Check.PAIRED in found


def test_another_sense_of_the_same_word_is_the_same_term(suite: Suite) -> None:
    place = suite.place(2, 1)
    item = suite.item(place)
    first, second = sorted(
        set(item.structure.tree.variables)
        - {item.structure.path.pairing_variable, item.structure.path.answer_variable}
    )
    word = plain(item.terms("A")[first])
    found = failed(suite, place, forged(item, "A", second, f"{word}/n"))
    assert Check.NO_REPEAT in found


def test_a_wrong_recorded_flag_is_reported(suite: Suite) -> None:
    place = suite.place(2, 1)
    suite.put(place, encoded(suite.item(place), FLAGS | {"no_repeat": False}))
    report = suite.report()
    assert not report.sound
    assert not report.failed
    assert "says otherwise of itself" in report.unsound[0]


# -- the suite -----------------------------------------------------------------------------------


def test_another_knowledge_base_is_refused(suite: Suite, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "AtLocation.csv").write_text("pot,kitchen\n")
    ran = run("accord", "check", suite.folder, "--kb", other)
    assert ran.code == 2
    assert "was made with" in ran.err
    assert "--kb" in ran.err


def test_a_knowledge_base_beside_the_suite_is_used(tmp_path: Path) -> None:
    """So a suite is passed on together with what it was made of."""
    knowledge = tmp_path / "knowledge"
    knowledge.mkdir()
    rows = "".join(f"thing {n},place {n % 9}\n" for n in range(60))
    for skill in GROUNDS.skills.values():
        (knowledge / f"{skill.concept_net}.csv").write_text(rows)
    folder = tmp_path / "suite"
    words = ("accord", "generate", "--sizes", "1-2", "--limit", "2", "--out", folder)
    ok(*words, "--kb", knowledge)
    assert run("accord", "check", folder).code == 2
    ok("accord", "check", folder, "--kb", knowledge)
    knowledge.rename(folder / "knowledge")
    ok("accord", "check", folder)


def test_a_suite_without_items_is_reported(suite: Suite) -> None:
    suite.items.unlink()
    with pytest.raises(DataError, match="no items yet"):
        suite.report()


def test_a_missing_suite_is_reported(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        ran = run("accord", "check", folder)
        assert ran.code == 2
        assert "There is no suite in this folder." in ran.err
