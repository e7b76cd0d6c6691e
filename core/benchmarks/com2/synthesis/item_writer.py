"""Writes a synthesised item as a YAML file and verifies it by reading it back."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from core.benchmarks.com2.documents import read_item
from core.benchmarks.com2.graph import CausalEventGraph
from core.benchmarks.com2.item import Com2Item
from core.benchmarks.com2.scenarios import derive
from core.benchmarks.com2.writer import item_fields
from core.files.atomic import atomic_write
from core.text.errors import DataError


def write_item(path: Path, item: Com2Item) -> str:
    """Write an item atomically; returns the SHA-256 of the file.

    Raises `DataError` when the file cannot be written, or when the item that is read back has
    another graph or another derived answer; then the file is removed.
    """
    import yaml

    body = yaml.safe_dump(
        {"id": item.id, **item_fields(item)}, allow_unicode=False, sort_keys=False, width=100
    )
    try:
        atomic_write(path, body)
    except OSError as error:
        raise DataError(
            f"The item cannot be written: {error.strerror}.", where=str(path)
        ) from error
    again = read_item(path)
    same = _same(again.graph, item.graph) and all(
        derive(again, new).gold == derive(item, old).gold
        for new, old in zip(again.tasks, item.tasks, strict=True)
    )
    if not same:
        path.unlink()
        raise DataError("The item reads back as another one.", where=path)
    return sha256(body.encode()).hexdigest()


def _same(one: CausalEventGraph, other: CausalEventGraph) -> bool:
    return (one.events, one.links, one.groups) == (other.events, other.links, other.groups)
