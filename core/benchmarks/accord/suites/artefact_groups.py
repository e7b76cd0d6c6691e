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
from core.benchmarks.accord.sources.pairings import PairingTemplate
from core.benchmarks.accord.sources.qa_schemas import authors_pairing
from core.benchmarks.accord.trees.path import Pairing
from core.benchmarks.accord.trees.skills import End, Skills
from core.benchmarks.accord.trees.tree import Template, Tree
from core.files.json_values import json_lines
from core.files.rows import decoding_problem
from core.system.typed_values import ready
from core.text.errors import DataError
from core.text.escaping import QUOTED, escape_control_characters, quoted

_RowT = TypeVar("_RowT", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class Group:
    """An item of theirs: a paired tree with the terms of each copy."""

    id: str
    tree: Tree
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

    def variable(self, name: str) -> int:
        """The variable with a name; raises `DataError`."""
        if name not in self.names:
            raise DataError(f"The tree has no variable {quoted(name)}.")
        return self.names.index(name)


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
    rows: dict[str, _Data] = {}
    for where, row in _rows(data, _Data, errors):
        if row.identifier in rows:
            what = f"{quoted(row.identifier)} stands here twice."
            errors.append(DataError(what, where=where))
        else:
            rows[row.identifier] = row
    trees: dict[str, _NamedTree] = {}
    for where, family in _rows(families, _Family, errors):
        try:
            tree = _named_tree(family.tree.templates, skills)
        except DataError as error:
            errors.append(DataError.of(error, where=where))
            continue
        inside = family.data_map or {}
        rows.update(inside)
        trees.update(dict.fromkeys((*family.data_ids, *inside), tree))
    for where, group in _rows(groups, _Group, errors):
        try:
            yield _group(group, rows, trees, skills, where)
        except DataError as error:
            errors.append(DataError.of(error, where=where))


def _rows(
    path: Path | None, kind: type[_RowT], errors: list[DataError]
) -> Iterator[tuple[str, _RowT]]:
    """The rows of a file that are of a kind, each with its `file:line`; none without a file."""
    for where, value in json_lines(path, errors) if path else ():
        try:
            row = msgspec.convert(value, ready(kind))
        except (msgspec.ValidationError, RecursionError) as error:
            what = f"This row is not as expected: {decoding_problem(error)}."
            hint = f"Expected are {', '.join(kind.__struct_fields__)}."
            errors.append(DataError(what, where=where, hint=hint))
        else:
            yield where, row


def _group(
    row: _Group,
    rows: Mapping[str, _Data],
    trees: Mapping[str, _NamedTree],
    skills: Skills,
    origin: str,
) -> Group:
    copies: dict[str, _Data] = dict(row.data_map or {})
    named = [_named_tree([copy.pairing_template], skills) for copy in copies.values()]
    for label, known in row.data_ids.items():
        if known not in rows or known not in trees:
            raise DataError(f"No data or no tree is known of {quoted(known)}.")
        copies[label] = rows[known]
        named.append(trees[known])
    if not copies:
        raise DataError("The group has no copy of a tree.")
    first, tree = next(iter(copies.values())), named[0]
    if any(_shared(copy) != _shared(first) for copy in copies.values()) or any(
        other != tree for other in named
    ):
        raise DataError(
            "The copies of a group differ in more than their terms.",
            hint="They must share tree, pairing, answer variable and anti-factual variables.",
        )
    return Group(
        row.identifier,
        tree.tree,
        _pairing(first, tree),
        tree.variable(first.answer_id),
        first.reasoning_hops,
        authors_pairing(first.qa_template),
        frozenset(tree.variable(name) for name in first.anti_factual_ids),
        {
            label: _terms({**copy.mapping, **(row.mapping_map.get(label) or {})}, tree.names)
            for label, copy in copies.items()
        },
        origin,
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


def _pairing(copy: _Data, tree: _NamedTree) -> Pairing:
    paired, variable = copy.pairing_template, copy.pairing[0]
    if variable not in (paired.source_id, paired.target_id):
        raise DataError("The pairing variable is at no end of the paired template.")
    for index, template in enumerate(tree.tree.templates):
        ends = tree.names[template.source], tree.names[template.target]
        if ends == (paired.source_id, paired.target_id) and template.skill == paired.relation_type:
            return Pairing(index, End.SOURCE if variable == ends[0] else End.TARGET)
    raise DataError("The paired template is not in the tree.")


def _terms(mapping: Mapping[str, str], names: Sequence[str]) -> tuple[str, ...]:
    """The terms of a copy in our form, by variable."""
    if set(mapping) != set(names):
        missing = ", ".join(
            escape_control_characters(name, limit=QUOTED) for name in names if name not in mapping
        )
        raise DataError(
            f"A copy has no term for {missing}." if missing else "A copy has too many terms.",
            hint=f"The tree has {len(names)} variables.",
        )
    return tuple(normalise(mapping[name]) for name in names)


def _named_tree(rows: Sequence[_Template], skills: Skills) -> _NamedTree:
    """The tree that their templates make; raises `DataError` if they make none."""
    numbers: dict[str, int] = {}
    templates = []
    for row in rows:
        skills.named(row.relation_type)
        source = numbers.setdefault(row.source_id, len(numbers))
        target = numbers.setdefault(row.target_id, len(numbers))
        templates.append(Template(source, row.relation_type, target))
    return _NamedTree(Tree(tuple(templates)), tuple(numbers))
