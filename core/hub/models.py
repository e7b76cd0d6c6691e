"""Gets a published model: looks it up, fetches its files, records it, and finds it again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from core.hub import cache, client, record
from core.hub.arriving_file import OnBytes
from core.hub.client import Listing, RepositoryFile
from core.hub.names import ModelName, choose, parse
from core.hub.record import Fetched, FetchedFile, FetchedKind
from core.hub.space import check_space
from core.text.errors import HubError, NotFoundError
from core.text.language import _


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that can be fetched."""

    name: ModelName
    listing: Listing
    files: tuple[RepositoryFile, ...]
    """All of its parts, in order."""

    @property
    def bytes(self) -> int:
        """Of all parts."""
        return sum(file.bytes for file in self.files)


def command_for(name: str) -> str:
    """The command that fetches a model."""
    return f"commonsense-tui get model {name}"


def look_up(text: str) -> Offer:
    """Ask the server for the model of a name; raises `HubError`, `NotFoundError`."""
    name = parse(text)
    listing = client.list_files(FetchedKind.MODEL, name.repository)
    by_name = {file.name: file for file in listing.files}
    files = tuple(by_name[each] for each in choose(name, by_name))
    unchecked = [file.name for file in files if not file.sha256]
    if unchecked:
        raise HubError(_("The server names no checksum of this file."), where=unchecked[0])
    return Offer(name, listing, files)


def check_room(offer: Offer) -> None:
    """Raise `HubError` where the disk has no room for what is not there yet."""
    missing = 0
    for file in offer.files:
        blob = client.blob_of(offer.listing, file)
        part = client.part_of(blob)
        if not blob.exists():
            missing += file.bytes - (min(part.stat().st_size, file.bytes) if part.exists() else 0)
    if missing:
        hint = _("Make room, or name another folder with HF_HOME.")
        check_space(cache.folder(), missing, hint)


def is_whole(fetched: Fetched) -> bool:
    """Whether all files of a model that was fetched are there in their sizes."""
    folder = Path(fetched.path).parent
    files = (folder / Path(file.name).name for file in fetched.files)
    try:
        return [file.stat().st_size for file in files] == [each.bytes for each in fetched.files]
    except OSError:
        return False


def get(offer: Offer, on_bytes: OnBytes) -> Fetched:
    """Fetch a model and record it; raises `HubError`.

    `on_bytes` is called with the bytes of all parts that are there; what it raises stops the
    transfer, and the next one goes on from there.
    """
    check_room(offer)
    paths: list[Path] = []
    before = 0
    for file in offer.files:
        on_more = client.beyond(before, on_bytes)
        paths.append(client.fetch_into_cache(offer.listing, file, on_more))
        before += file.bytes
    fetched = Fetched(
        kind=FetchedKind.MODEL,
        name=str(offer.name),
        path=str(paths[0]),
        source=offer.listing.repository,
        revision=offer.listing.revision,
        licence=offer.listing.licence,
        files=tuple(FetchedFile(file.name, file.bytes, file.sha256) for file in offer.files),
        fetched=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    record.remember(fetched)
    return fetched


def find_model(text: str) -> Path:
    """The file of a model that was fetched, by us or by another program with the same cache.

    Raises `NotFoundError` where it is not on this machine.
    """
    name = parse(text)
    fetched = record.find(FetchedKind.MODEL, str(name))
    if fetched is not None:
        return Path(fetched.path)
    snapshot = cache.snapshot(name.repository)
    try:
        if snapshot is not None:
            files = cache.gguf_files(snapshot)
            return files[choose(name, files)[0]]
    except NotFoundError:
        # Other files of the repository are there: the answer is the same as without any.
        pass
    raise NotFoundError(
        _("This model is not on this machine."),
        where=text,
        hint=command_for(str(name)),
    )
