"""The base class of collections that hold an index and read items when they are needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import ClassVar, Generic

from core.contract.collection import About, Entry, ItemT, Repair
from core.text.errors import DataError
from core.text.text_index import TextIndex, position_of


class IndexedCollection(ABC, Generic[ItemT]):
    """A `Collection` over an index. A subclass lists the entries and reads an item by its index.

    The items that were read last are kept.
    """

    kept_items: ClassVar[int] = 512
    """The number of items that are kept: more than a bundled collection has, since one item too
    many has every one of them read again in each pass."""

    def __init__(
        self, about: About, errors: Iterable[DataError] = (), repairs: Sequence[Repair] = ()
    ) -> None:
        self._about = about
        self._errors = list(errors)
        self._repairs = repairs
        self._item = lru_cache(maxsize=self.kept_items)(self._read_item)

    @property
    def about(self) -> About:
        """Origin, licence and citation."""
        return self._about

    @property
    def repairs(self) -> Sequence[Repair]:
        """Defects that were repaired on reading."""
        return self._repairs

    @property
    def errors(self) -> Sequence[DataError]:
        """One error for each item that could not be read and is left out."""
        return tuple(self._errors)

    @property
    @abstractmethod
    def content_hash(self) -> str:
        """SHA-256 of the opened data, see `Collection.content_hash`."""

    @abstractmethod
    def __len__(self) -> int:
        """The number of items."""

    @abstractmethod
    def entry(self, index: int) -> Entry:
        """The line about the item at an index."""

    def item(self, index: int) -> ItemT:
        """The item at an index; raises `DataError` when it cannot be read."""
        return self._item(index)

    def find(self, item_id: str) -> int:
        """The index of an id; raises `NotFoundError` naming the nearest ids."""
        return position_of(item_id, self._positions)

    def matching(self, text: str) -> Sequence[int]:
        """Indices of the items whose searched text contains `text`, ignoring case, in order."""
        return self._text_index.matching(text)

    @abstractmethod
    def _read_item(self, index: int) -> ItemT:
        """Read the item at an index; raises `DataError`."""

    @abstractmethod
    def _searched_text(self, index: int) -> str:
        """The text of the item at an index that is searched, with its id."""

    @cached_property
    def _positions(self) -> Mapping[str, int]:
        return {self.entry(index).id: index for index in reversed(range(len(self)))}

    @cached_property
    def _text_index(self) -> TextIndex:
        return TextIndex(len(self), self._searched_text)
