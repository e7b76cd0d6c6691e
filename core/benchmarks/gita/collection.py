"""A file of GITA stories: an index of it is held, and stories are read when they are needed."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path

from core.benchmarks.gita import story_keys, story_reader
from core.benchmarks.gita.item import Story, StoryItem, kind_of
from core.contract.about import read_about
from core.contract.collection import About, Entry, Repair
from core.contract.indexed_collection import IndexedCollection
from core.files.row_file import RowFile, RowIndex
from core.files.unreadable import CappedErrors, too_many_failures, unreadable_file_error
from core.text.errors import DataError, NotFoundError
from core.text.escaping import shortened
from core.text.language import N_, _, ngettext
from core.text.suggestions import nearest

KNOWN_NAMES = (
    "stories.json",
    "stories.jsonl",
    "gita.json",
    "GITA_test.json",
    "gita_docs.jsonl",
    "www.json",
    "samples_story_class_*.jsonl",
    "samples_gita_story_class_*.jsonl",
    "samples_conflict_detec*.jsonl",
    "samples_physical_state_*.jsonl",
)
"""Files that are looked for in a folder, in this order, and then in its subfolders."""

EXPECTED = N_(
    "Expected are GITA stories: a JSON object of stories by key, a JSON list, or JSON lines."
)
SINGLE_KEYS = frozenset({"sentences", "story_id", "doc"})
"""An object with one of these keys is one story or one sample, not stories by key."""
_BESIDE = ("ABOUT.yaml", "gloss.json")
"""Files that are read with a file of stories, from the folder that it is in."""
_FOLDER_DEPTH = 3
_KEPT_STORIES = 512


class _Index:
    """The position, key and family of each story in a file."""

    def __init__(self, file: RowFile) -> None:
        self.file = file
        self.rows = RowIndex((file,))
        self.keys: list[str] = []
        self.families = array("q")
        self.letters = bytearray()
        self.misnamed: dict[int, str] = {}
        """Ids inside documents whose key in the file is another, by position."""
        self.samples = False
        """Whether the file is a samples file of an evaluation harness."""
        self.about: About | None = None
        """The origin of the stories, where the first of them shows it."""

    def fill(self, errors: CappedErrors) -> None:
        """Add every story of the file, and an error for each unreadable one.

        Raises `DataError` after very many unreadable rows.
        """
        seen: set[tuple[int, str]] = set()
        for row in self.file.rows(errors, _(EXPECTED), SINGLE_KEYS):
            where = self.file.where(row.line)
            try:
                released, sample = story_reader.decode(row.raw, where)
                story_reader.annotation(released, where)
            except DataError as error:
                errors.append(error)
                if too_many_failures(len(self.keys), errors.total):
                    raise unreadable_file_error(errors[0]) from error
                continue
            own = story_reader.released_id(released)
            self.samples = self.samples or sample is not None
            if sample is not None and sample >= 0:
                # A harness with several filters writes every document once for each of them.
                if (sample, own) in seen:
                    continue
                seen.add((sample, own))
            if row.key is not None and row.key != own:
                self.misnamed[len(self.keys)] = own
            if not self.keys:
                self.about = story_reader.known_about(released)
            self.rows.add(0, row)
            self.keys.append(own if row.key is None else row.key)
            self.families.append(released.story_id)
            self.letters.append(story_reader.letter(released))


class StoryCollection(IndexedCollection[StoryItem]):
    """The stories of one file.

    Memory holds positions and keys, a few recent stories and, after a first search, the case-folded
    texts. Stories of a family may be anywhere in the file.
    """

    def __init__(
        self,
        index: _Index,
        about: About,
        glosses: Mapping[str, story_reader.Gloss],
        errors: list[DataError],
    ) -> None:
        super().__init__(about, errors)
        self._index = index
        self._glosses = glosses
        self._story = lru_cache(maxsize=_KEPT_STORIES)(self._read_story)
        self._repeats = self._repair()

    @property
    def repairs(self) -> Sequence[Repair]:
        """Repeated and wrong ids, with the keys of the stories."""
        wrong = self._index.misnamed | {i: own for i, (own, _times) in self._repeats.items()}
        return [self._repair_of(i, own) for i, own in sorted(wrong.items())]

    @property
    def content_hash(self) -> str:
        """SHA-256 of the file and of the `ABOUT.yaml` and `gloss.json` beside it, as opened."""
        return self._index.file.content_hash()

    @property
    def from_samples(self) -> bool:
        """Whether the file is a log of an evaluation harness, to which no stories are added."""
        return self._index.samples

    def __len__(self) -> int:
        return len(self._index.keys)

    def entry(self, index: int) -> Entry:
        key = self._index.keys[index]
        released = self._released(index)
        label = " · ".join(part for part in (released.actor, released.location) if part)
        return Entry(key, label, _(kind_of(key).value), str(self._index.families[index]))

    def find(self, item_id: str) -> int:
        """The position of a key, or of a released id that only one story has."""
        if item_id in self._index.keys:
            return self._index.keys.index(item_id)
        candidates = {i for i, own in self._index.misnamed.items() if own == item_id}
        candidates |= {i for i, (own, _times) in self._repeats.items() if own == item_id}
        if len(candidates) == 1:
            return candidates.pop()
        near = self._nearest(item_id)
        raise NotFoundError(
            _("There is no story “{item_id}”.", item_id=shortened(item_id)),
            where=self._index.file.shown,
            hint=_("Did you mean {names}?", names=" or ".join(near)) if near else "",
        )

    def _read_item(self, index: int) -> StoryItem:
        """The story at a position with its family.

        A relative that cannot be read is left out of the family and named in `errors`.
        """
        story = self._story(index)
        members = self._families[self._index.families[index]]
        family = (story if i == index else self._relative(i) for i in members)
        return StoryItem(story, tuple(member for member in family if member is not None))

    @cached_property
    def _families(self) -> Mapping[int, Sequence[int]]:
        """The positions of the stories of each family."""
        families: defaultdict[int, list[int]] = defaultdict(list)
        for i, number in enumerate(self._index.families):
            families[number].append(i)
        return families

    def _searched_text(self, index: int) -> str:
        released = self._released(index)
        key, actor, location = self._index.keys[index], released.actor, released.location
        return "\n".join((key, actor or "", location or "", *released.sentences))

    def _released(self, index: int) -> story_reader.Released:
        rows = self._index.rows
        return story_reader.decode(rows.read(index).raw, rows.where(index)).released

    def _relative(self, index: int) -> Story | None:
        try:
            return self._story(index)
        except DataError as error:
            if all(str(error) != str(known) for known in self._errors):
                self._errors.append(error)
            return None

    def _read_story(self, index: int) -> Story:
        key = self._index.keys[index]
        return story_reader.story(
            self._index.rows.read(index).raw,
            self._index.rows.where(index),
            key=key,
            family=self._index.families[index],
            gloss=self._glosses.get(key),
        )

    def _repair(self) -> dict[int, tuple[str, int]]:
        """Assign repaired keys; return the original ids and how often each occurs."""
        index = self._index

        def text(i: int) -> story_keys.Text:
            released = self._released(i)
            return story_keys.Text(tuple(released.sentences), released.actor or "")

        repaired = story_keys.repaired(
            story_keys.Claims(index.keys, index.families, index.letters), text
        )
        if not repaired:
            return {}
        counts = Counter(index.keys)
        repeats = {i: (index.keys[i], counts[index.keys[i]]) for i in repaired}
        for i, (family, key) in repaired.items():
            index.families[i], index.keys[i] = family, key
        return repeats

    def _repair_of(self, i: int, own: str) -> Repair:
        key = self._index.keys[i]
        kind = kind_of(key).value
        if i not in self._repeats:
            what = _(
                "its id is {own}; this {kind} story is listed under its key, {key}",
                own=own,
                kind=kind,
                key=key,
            )
        elif self._repeats[i][1] > 1:
            count = self._repeats[i][1]
            times = _("twice") if count == 2 else _("{count} times", count=count)
            what = _(
                "id {own} is used {times}; this {kind} story is listed as {key}",
                own=own,
                times=times,
                kind=kind,
                key=key,
            )
        else:
            what = _(
                "id {own} and story_id disagree; this {kind} story is listed as {key}",
                own=own,
                kind=kind,
                key=key,
            )
        return Repair(self._index.rows.where(i), what)

    def _nearest(self, item_id: str) -> list[str]:
        """Similar keys of the same family, or else of all stories."""
        stem = item_id.upper().partition("-")[0].strip()
        family = [key for key in self._index.keys if key.partition("-")[0] == stem]
        near = nearest(item_id.upper(), family[:200], n=3, cutoff=0.5)
        if near or family:
            return near or family[:3]
        size = range(len(item_id) - 1, len(item_id) + 2)
        similar = (key for key in self._index.keys if len(key) in size and key[:1] == item_id[:1])
        return nearest(item_id, islice(similar, 2000), n=3)


def open_stories(path: Path) -> StoryCollection:
    """Open a file of stories, or the first known file of a folder.

    Every document is checked and none is kept. Raises `DataError` when no story can be read.
    """
    file = located(path)
    errors = CappedErrors()
    with ExitStack() as until_open:
        try:
            rows = RowFile(file)
            until_open.callback(rows.close)
            index = _Index(rows)
            index.fill(errors)
        except OSError as error:
            raise DataError(
                _("This file cannot be read: {why}.", why=error.strerror),
                where=file,
            ) from error
        if not index.keys:
            raise _no_stories(file, errors)
        rows.add(file.parent / name for name in _BESIDE)
        about = read_about(file.parent, errors) or index.about or About(title=file.name)
        glosses = story_reader.glosses(file.parent, errors)
        collection = StoryCollection(index, about, glosses, errors.listed(rows.shown))
        until_open.pop_all()
    return collection


def _no_stories(file: Path, errors: CappedErrors) -> DataError:
    if not errors:
        return DataError(_("This file holds no story."), where=file)
    first = errors[0]
    others = errors.total - 1
    more = ngettext(
        "{others} more part of it could not be read.",
        "{others} more parts of it could not be read.",
        others,
        others=others,
    )
    hint = f"{first.hint} {more}".strip() if others else first.hint
    return DataError(first.what, where=first.where, hint=hint)


def located(path: Path) -> Path:
    """The file of stories that `path` means; raises `DataError` when there is none."""
    try:
        if path.is_file():
            return path
        if path.is_dir():
            for file in _candidates(path):
                return file
            raise DataError(
                _("No file of stories was found in this folder."),
                where=path,
                hint=_("Files looked for: {names}.", names=", ".join(KNOWN_NAMES)),
            )
        exists = path.exists()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise DataError(_("This cannot be read: {why}.", why=why), where=path) from error
    raise DataError(
        _("This is neither a file nor a folder.")
        if exists
        else _("There is no such file or folder."),
        where=path,
    )


def _candidates(folder: Path) -> Iterator[Path]:
    folders = [folder]
    for _depth in range(_FOLDER_DEPTH + 1):
        for pattern in KNOWN_NAMES:
            for inside in folders:
                yield from sorted(file for file in inside.glob(pattern) if file.is_file())
        folders = [
            inner for outer in folders for inner in sorted(outer.iterdir()) if inner.is_dir()
        ]
