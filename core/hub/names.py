"""Names of published models, as llama.cpp writes them: `hf:OWNER/REPO[:QUANT or FILE]`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from core.text.errors import NotFoundError
from core.text.escaping import quoted
from core.text.language import _

PREFIX = "hf:"
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_WANTED = re.compile(r"[A-Za-z0-9][\w./-]{0,199}", re.ASCII)
_PART = re.compile(r"-(\d{5})-of-(\d{5})(?=\.gguf$)", re.IGNORECASE)
_PREFERRED = ("Q4_K_M", "Q8_0")
"""Taken where a name says no quantisation, as llama.cpp does."""


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model in a repository."""

    repository: str
    wanted: str = ""
    """A quantisation or a file; empty for the usual quantisation."""

    def __str__(self) -> str:
        """As it is typed."""
        return f"{PREFIX}{self.repository}{f':{self.wanted}' if self.wanted else ''}"


def parse(text: str) -> ModelName:
    """The model that a person named; raises `NotFoundError`."""
    repository, colon, wanted = text.removeprefix(PREFIX).partition(":")
    unsafe = ".." in text
    if (
        not text.startswith(PREFIX)
        or unsafe
        or not _REPOSITORY.fullmatch(repository)
        or (colon and not _WANTED.fullmatch(wanted))
    ):
        raise NotFoundError(
            _("This is not the name of a published model."),
            where=text,
            hint=_("Write hf:OWNER/REPO, hf:OWNER/REPO:Q4_K_M or hf:OWNER/REPO:FILE.gguf."),
        )
    return ModelName(repository, wanted)


def choose(name: ModelName, files: Iterable[str]) -> tuple[str, ...]:
    """The files of the named model, all of its parts in order, out of a repository's.

    Raises `NotFoundError` listing what is there where nothing or more than one model fits.
    """
    models = _models(files)
    fitting = [parts for stem, parts in models.items() if _fits(stem, name.wanted)]
    if not name.wanted and len(models) > 1:
        by_preference = ([p for s, p in models.items() if _fits(s, q)] for q in _PREFERRED)
        fitting = next((preferred for preferred in by_preference if preferred), [])
    if len(fitting) == 1:
        return _complete(name, fitting[0])
    raise NotFoundError(_reason(name, fitting), where=str(name), hint=_listed(models))


def _models(files: Iterable[str]) -> dict[str, list[str]]:
    """The files of each model by its name without number of part and ending."""
    models: dict[str, list[str]] = {}
    for file in sorted(files):
        base = file.rpartition("/")[2].lower()
        if base.endswith(".gguf") and not base.startswith("mmproj"):
            models.setdefault(_PART.sub("", file)[: -len(".gguf")], []).append(file)
    return models


def _fits(stem: str, wanted: str) -> bool:
    if wanted.lower().endswith(".gguf"):
        whole = _PART.sub("", wanted)[: -len(".gguf")]
        return stem == whole or stem.rpartition("/")[2] == whole
    pattern = rf"(?<![A-Za-z0-9]){re.escape(wanted)}(?![A-Za-z0-9_])"
    return not wanted or re.search(pattern, stem, re.IGNORECASE) is not None


def _complete(name: ModelName, parts: list[str]) -> tuple[str, ...]:
    match = _PART.search(parts[0])
    if match and len(parts) != int(match[2]):
        raise NotFoundError(
            _("{found} of the {count} parts are there.", found=len(parts), count=int(match[2])),
            where=str(name),
        )
    return tuple(parts)


def _reason(name: ModelName, fitting: list[list[str]]) -> str:
    if fitting:
        return _("More than one model is called so.")
    if name.wanted:
        return _("There is no model {name} in this repository.", name=quoted(name.wanted))
    return _("The name does not say which model of this repository is meant.")


def _listed(models: dict[str, list[str]]) -> str:
    if not models:
        return _("The repository holds no GGUF file.")
    names = [parts[0] for parts in models.values()]
    more = f", … ({len(names)})" if len(names) > 20 else ""
    return _("Files: {names}.", names=", ".join(names[:20]) + more)
