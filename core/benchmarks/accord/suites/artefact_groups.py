"""Reads the items of the authors' program: `groups.jsonl` and the files that it refers to.

A group is one item: for each answer choice a copy of the same tree, with the same pairing and
answer variable, and terms of its own. `families.jsonl` has the trees, `data.jsonl` the copies.

Their reduction matrix is read by `Matrix.read`, their questions (`converted/*.jsonl`) by
`qa_source.open_questions`, their pairing templates (`paired/*.csv`) by `pairing_files`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from core.benchmarks.accord.knowledge.terms import normalise
from core.benchmarks.accord.sources.pairings import PairingError, PairingTemplate
from core.benchmarks.accord.sources.qa_schemas import authors_pairing
from core.benchmarks.accord.trees.path import Pairing
from core.benchmarks.accord.trees.skills import End, Skills
from core.benchmarks.accord.trees.tree import Template, Tree, TreeError
from core.files.json_values import json_lines
from core.files.rows import decoding_problem
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.suggestions import suggestion

_QUOTED = 80
_RowT = TypeVar("_RowT", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class Group:
    """An item of theirs: a paired tree with the terms of each copy."""

    id: str
    tree: Tree
    names: tuple[str, ...]
    """Their names of the variables, by variable."""
    pairing: Pairing
    answer_variable: int
    hops: int
    """As recorded; it is not checked."""
    template: PairingTemplate
    anti_factual: frozenset[int]
    """Variables that were grounded anti-factually."""
    copies: Mapping[str, tuple[str, ...]]
    """By the label of an answer choice, the terms of its copy by variable."""
    origin: str
    """Its `file:line`."""


class _Template(msgspec.Struct, frozen=True):
    """A template in their trees."""

    source_id: str
    relation_type: str
    target_id: str


class _Tree(msgspec.Struct, frozen=True):
    """A tree in their form: templates in any order, variables with any names."""

    templates: list[_Template]


@dataclass(frozen=True, slots=True)
class _NamedTree:
    """One of their trees with its variable names."""

    tree: Tree
    names: tuple[str, ...]
    """By variable, in the order in which the file names them."""


class _Data(msgspec.Struct, frozen=True):
    """A row of `data.jsonl`."""

    pairing_template: _Template
    pairing: tuple[str, str]
    qa_template: dict[str, Any]
    answer_id: str
    reasoning_hops: int
    mapping: dict[str, str]
    anti_factual_ids: list[str] = []
    identifier: str = ""


class _Family(msgspec.Struct, frozen=True):
    """A row of `families.jsonl`."""

    tree: _Tree
    data_ids: list[str] = []
    data_map: dict[str, _Data] | None = None


class _Group(msgspec.Struct, frozen=True):
    """A row of `groups.jsonl`."""

    identifier: str
    data_ids: dict[str, str] = {}
    mapping_map: dict[str, dict[str, str] | None] = {}
    data_map: dict[str, _Data] | None = None


def read_groups(
    groups: Path, families: Path | None, data: Path | None, skills: Skills, errors: list[DataError]
) -> Iterator[Group]:
    """The groups of one question, one after another.

    Args:
        groups: `groups.jsonl`.
        families: `families.jsonl`; None for trees of one template, which have no such file.
        data: `data.jsonl`; None for the same trees.
        skills: the skills that their trees may have.
        errors: receives an error for each row that cannot be read.

    Raises:
        DataError: for a file that cannot be read at all.
    """
    rows = _data(data, errors) if data else {}
    trees = _trees(families, skills, rows, errors) if families else {}
    for where, value in json_lines(groups, errors):
        try:
            yield _group(_converted(value, _Group, where), rows, trees, skills, where)
        except DataError as error:
            errors.append(error)


def _data(path: Path, errors: list[DataError]) -> dict[str, _Data]:
    rows: dict[str, _Data] = {}
    for where, value in json_lines(path, errors):
        try:
            row = _converted(value, _Data, where)
            if row.identifier in rows:
                shown = escape_control_characters(row.identifier, limit=_QUOTED)
                raise DataError(f"“{shown}” stands here twice.", where=where)
        except DataError as error:
            errors.append(error)
        else:
            rows[row.identifier] = row
    return rows


def _trees(
    path: Path, skills: Skills, rows: dict[str, _Data], errors: list[DataError]
) -> dict[str, _NamedTree]:
    """The tree of each copy by the copy's id; copies inside a family are added to `rows`."""
    trees: dict[str, _NamedTree] = {}
    for where, value in json_lines(path, errors):
        try:
            family = _converted(value, _Family, where)
            tree = _named_tree(family.tree.templates, skills, where)
        except DataError as error:
            errors.append(error)
            continue
        inside = family.data_map or {}
        rows.update(inside)
        for known in (*family.data_ids, *inside):
            trees[known] = tree
    return trees


def _group(
    row: _Group,
    rows: Mapping[str, _Data],
    trees: Mapping[str, _NamedTree],
    skills: Skills,
    where: str,
) -> Group:
    """The item of a row; raises `DataError`."""
    copies: dict[str, _Data] = dict(row.data_map or {})
    named: list[_NamedTree] = [
        _named_tree([copy.pairing_template], skills, where) for copy in copies.values()
    ]
    for label, known in row.data_ids.items():
        if known not in rows or known not in trees:
            shown = escape_control_characters(known, limit=_QUOTED)
            raise DataError(f"No data or no tree is known of “{shown}”.", where=where)
        copies[label] = rows[known]
        named.append(trees[known])
    if not copies:
        raise DataError("The group has no copy of a tree.", where=where)
    first, tree = next(iter(copies.values())), named[0]
    shared = _shared(first)
    if any(_shared(copy) != shared for copy in copies.values()) or any(
        other != tree for other in named
    ):
        raise DataError(
            "The copies of a group differ in more than their terms.",
            where=where,
            hint="They must share tree, pairing, answer variable and anti-factual variables.",
        )
    numbers = {name: number for number, name in enumerate(tree.names)}
    terms = {
        label: _terms({**copy.mapping, **(row.mapping_map.get(label) or {})}, tree.names, where)
        for label, copy in copies.items()
    }
    return Group(
        row.identifier,
        tree.tree,
        tree.names,
        _pairing(first, tree, where),
        _number(first.answer_id, numbers, where),
        first.reasoning_hops,
        _template(first, where),
        frozenset(_number(name, numbers, where) for name in first.anti_factual_ids),
        terms,
        where,
    )


def _shared(copy: _Data) -> tuple[object, ...]:
    """The parts that all copies of a group must share."""
    return (
        copy.pairing_template,
        copy.pairing,
        copy.answer_id,
        copy.reasoning_hops,
        frozenset(copy.anti_factual_ids),
        copy.qa_template,
    )


def _pairing(copy: _Data, tree: _NamedTree, where: str) -> Pairing:
    paired, variable = copy.pairing_template, copy.pairing[0]
    if variable not in (paired.source_id, paired.target_id):
        raise DataError("The pairing variable is at no end of the paired template.", where=where)
    for index, template in enumerate(tree.tree.templates):
        ends = tree.names[template.source], tree.names[template.target]
        if ends == (paired.source_id, paired.target_id) and template.skill == paired.relation_type:
            return Pairing(index, End.SOURCE if variable == ends[0] else End.TARGET)
    raise DataError("The paired template is not in the tree.", where=where)


def _template(copy: _Data, where: str) -> PairingTemplate:
    try:
        return authors_pairing(copy.qa_template)
    except PairingError as error:
        raise DataError.of(error, where=where) from error


def _terms(mapping: Mapping[str, str], names: Sequence[str], where: str) -> tuple[str, ...]:
    """The terms of a copy in our form, by variable."""
    if set(mapping) != set(names):
        missing = ", ".join(
            escape_control_characters(name, limit=_QUOTED) for name in names if name not in mapping
        )
        raise DataError(
            f"A copy has no term for {missing}." if missing else "A copy has too many terms.",
            where=where,
            hint=f"The tree has {len(names)} variables.",
        )
    return tuple(normalise(mapping[name]) for name in names)


def _number(name: str, numbers: Mapping[str, int], where: str) -> int:
    if name not in numbers:
        shown = escape_control_characters(name, limit=_QUOTED)
        raise DataError(f"The tree has no variable “{shown}”.", where=where)
    return numbers[name]


def _named_tree(rows: Sequence[_Template], skills: Skills, where: str) -> _NamedTree:
    """The tree that their templates make; raises `DataError` at `where` if they make none."""
    numbers: dict[str, int] = {}
    templates = []
    for row in rows:
        if row.relation_type not in skills:
            raise DataError(
                "There is no skill "
                f"“{escape_control_characters(row.relation_type, limit=_QUOTED)}”.",
                where=where,
                hint=suggestion("Skills", skills, row.relation_type),
            )
        source = numbers.setdefault(row.source_id, len(numbers))
        target = numbers.setdefault(row.target_id, len(numbers))
        templates.append(Template(source, row.relation_type, target))
    try:
        return _NamedTree(Tree(tuple(templates)), tuple(numbers))
    except TreeError as error:
        raise DataError.of(error, where=where) from error


def _converted(value: Any, kind: type[_RowT], where: str) -> _RowT:
    """A decoded JSON value as a row of a kind; raises `DataError` at `where`."""
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        what = f"This row is not as expected: {decoding_problem(error)}."
        hint = f"Expected are {', '.join(kind.__struct_fields__)}."
        raise DataError(what, where=where, hint=hint) from error
