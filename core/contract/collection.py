"""A collection: a file or folder of items of one benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.language import spoken


@dataclass(frozen=True, slots=True)
class Entry:
    """A collection's line about one item: enough to list it without reading the item."""

    id: str
    label: str
    detail: str = ""
    group: str = ""
    """Consecutive entries with the same group are shown as one family."""
    short: str = ""
    """The detail in 20 cells, for a list that has no room for it; empty where that says it too."""


@dataclass(frozen=True, slots=True)
class About:
    """Where a collection comes from and how it may be used."""

    title: str
    origin: str = ""
    licence: str = "unknown"
    citation: tuple[str, ...] = ()
    note: str = ""
    translations: tuple[tuple[str, About], ...] = ()
    """The same in other languages, each after the code of its language."""

    @property
    def shown(self) -> About:
        """The same in the language of the program, where it is known in it."""
        return dict(self.translations).get(spoken(), self)


@dataclass(frozen=True, slots=True)
class Repair:
    """A defect that was read without loss, and how it was repaired."""

    where: str
    what: str

    def __post_init__(self) -> None:
        # Both repeat parts of the file.
        object.__setattr__(self, "where", escape_control_characters(self.where))
        object.__setattr__(self, "what", escape_control_characters(self.what, lines=True))


class Item(Protocol):
    """What every item of every benchmark has."""

    @property
    def id(self) -> str:
        """The item's id, unique in its collection."""
        ...


if TYPE_CHECKING:
    from typing_extensions import TypeVar

    ItemT = TypeVar("ItemT", bound=Item, default=Item)
    ItemT_co = TypeVar("ItemT_co", bound=Item, default=Item, covariant=True)
else:
    from typing import TypeVar

    # Only type checkers need the default, which Python itself knows from version 3.13 on.
    ItemT = TypeVar("ItemT", bound=Item)
    ItemT_co = TypeVar("ItemT_co", bound=Item, covariant=True)


class Collection(Protocol[ItemT_co]):
    """Items in a fixed order, opened lazily: entries are cheap, items are read when asked for.

    It is read from several threads.
    """

    @property
    def about(self) -> About:
        """Origin, licence and citation."""
        ...

    @property
    def repairs(self) -> Sequence[Repair]:
        """Defects that were repaired on reading."""
        ...

    @property
    def errors(self) -> Sequence[DataError]:
        """One error for each item that could not be read and is left out."""
        ...

    @property
    def content_hash(self) -> str:
        """SHA-256 in hexadecimal of what was opened: equal exactly where the items are equal.

        Runs are recorded under it. It may be computed when it is first asked for. Raises
        `DataError` when the items are no longer those that were opened.
        """
        ...

    def __len__(self) -> int:
        """The number of items."""
        ...

    def entry(self, index: int) -> Entry:
        """The line about the item at an index."""
        ...

    def item(self, index: int) -> ItemT_co:
        """The item at an index; raises `DataError` when it cannot be read any more."""
        ...

    def find(self, item_id: str) -> int:
        """The index of an id; raises `NotFoundError` naming the nearest ids."""
        ...

    def matching(self, text: str) -> Sequence[int]:
        """Indices of the items whose id or text contains `text`, ignoring case, in order."""
        ...
