"""The lists of published models and data sets that ship with the program, and where each is."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from core.text.sizes import human_bytes

_FOLDER = Path(__file__).parent
_Row = TypeVar("_Row")


class KnownModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model whose makers publish GGUF files."""

    name: str
    """As it is asked for: `hf:OWNER/REPO:QUANT`."""
    title: str
    parameters: str
    """Such as "0.5 B"."""
    tuning: str
    """`instruct` or `base`."""
    quantisation: str
    megabytes: int
    """Of the file, rounded."""
    licence: str
    checked: str
    """The day when it was looked up: ISO 8601."""

    @property
    def facts(self) -> str:
        """Kind, size and licence in a line."""
        size = human_bytes(self.megabytes * 10**6)
        return f"{self.tuning}, {self.parameters}, {self.quantisation}, {size}, {self.licence}"


class KnownFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of a data set."""

    url: str
    megabytes: float
    """Rounded up; a server that sends ten times as much is stopped."""
    sha256: str = ""
    """Where it is known."""


class KnownData(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A data set, and where its makers publish it."""

    name: str
    title: str
    page: str
    licence: str
    citation: str
    checked: str
    use: str
    """What to do with it afterwards: a command."""
    benchmark: str = ""
    """The benchmark that opens it; empty for what is no collection."""
    repository: str = ""
    """A data set on Hugging Face, whose JSON files are fetched."""
    files: tuple[KnownFile, ...] = ()
    by_hand: str = ""
    """Why only a person can get it; empty for what can be fetched."""


def models() -> list[KnownModel]:
    """The published models, the smallest first within base and instruct."""
    return _read("models.yaml", KnownModel)


def datasets() -> list[KnownData]:
    """The published data sets."""
    return _read("datasets.yaml", KnownData)


def _read(file: str, kind: type[_Row]) -> list[_Row]:
    return msgspec.yaml.decode((_FOLDER / file).read_bytes(), type=list[kind])  # type: ignore[valid-type]
