"""The studies in a store of runs: each with its plan, the values kept so far, and its result."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from core.runs import locks
from core.runs.columns import DAMAGED, decoded
from core.runs.database import Database
from core.runs.records import RunState, replace_surrogates
from core.studies.plan import Study, StudyPlan
from core.text.errors import NotFoundError, RunError
from core.text.language import _
from core.text.suggestions import nearest

ValueT = TypeVar("ValueT")
_COLUMNS = "id, plan, state, created, result"


class StudyStore:
    """The studies of an open store. Close it, or use it in a `with` statement, in one thread."""

    def __init__(
        self, path: Path, *, create: bool = True, database: Database | None = None
    ) -> None:
        """Open the store at `path`; raises `RunError`.

        Without `create` nothing is written, and a store that does not exist is empty. `database` is
        the file where it is open already; then who opened it closes it.
        """
        self.path = path
        self._db = Database(path, create=create) if database is None else database

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def studies(self) -> list[Study]:
        """All studies that can be read, the oldest first; `damaged_studies` has the others."""
        return self._sorted_out()[0]

    def damaged_studies(self) -> list[RunError]:
        """What is wrong with each study whose record cannot be read."""
        return self._sorted_out()[1]

    def study(self, study_id: str) -> Study:
        """The study with an id, or with the only id that begins so; raises `NotFoundError`."""
        ids = [row[0] for row in self._select("ORDER BY rowid")]
        matches = [known for known in ids if known.startswith(study_id)] if study_id else []
        wanted = matches[0] if len(matches) == 1 else study_id
        for row in self._select("WHERE id = ?", (replace_surrogates(wanted),)):
            return self._study_of(row)
        if len(matches) > 1:
            raise NotFoundError(
                _("Several studies begin with “{study_id}”.", study_id=study_id),
                where=self.path,
                hint=_("Studies: {names}.", names=", ".join(matches[-3:])),
            )
        near = nearest(study_id, ids, n=3) or ids[-3:]
        raise NotFoundError(
            _("There is no study “{study_id}”.", study_id=study_id),
            where=self.path,
            hint=_("Studies: {names}.", names=", ".join(near))
            if near
            else _("No study is recorded yet."),
        )

    def start(self, plan: StudyPlan, *, restart: bool = False) -> Study:
        """Begin a study, or return the one with an equal plan; `restart` forgets that one."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self._db.guarded(), self._db.transaction():
            if restart:
                self._delete(plan.id)
            if not self._select("WHERE id = ?", (plan.id,)):
                row = {"id": plan.id, "kind": plan.kind, "plan": _text(plan), "created": now}
                self._db.insert("studies", row | {"state": RunState.PAUSED.value})
        return self.study(plan.id)

    def adopt(self, study: Study) -> Study:
        """The study with the plan of one in another store; it is begun, when that was, if need be.

        Neither values nor the result are taken over.
        """
        with self._db.guarded():
            if not self._select("WHERE id = ?", (study.id,)):
                row = {"id": study.id, "kind": study.plan.kind, "plan": _text(study.plan)}
                row |= {"created": study.created, "state": RunState.PAUSED.value}
                self._db.insert("studies", row)
        return self.study(study.id)

    def set_state(self, study_id: str, state: RunState) -> None:
        """Record the state of a study."""
        with self._db.guarded():
            self._db.execute("UPDATE studies SET state = ? WHERE id = ?", (state.value, study_id))

    def finish(self, study_id: str, result: dict[str, Any]) -> None:
        """Record the result of a study, which is done then."""
        with self._db.guarded():
            self._db.execute(
                "UPDATE studies SET state = ?, result = ? WHERE id = ?",
                (RunState.DONE.value, _text(result), study_id),
            )

    def delete(self, study_id: str) -> None:
        """Delete a study with what it measured; raises `RunError` while a program conducts it."""
        with self.hold(study_id), self._db.guarded(), self._db.transaction():
            self._delete(study_id)

    def forget(self, study_id: str) -> None:
        """Delete a study that is held and was refused, with what it measured."""
        with self._db.guarded(), self._db.transaction():
            self._delete(study_id)

    def kept(self, study_id: str, own: Container[str] | None = None) -> KeptValues:
        """The values that a study has measured so far; `own` are the ids of a shard's items."""
        return KeptValues(self._db, study_id, own)

    @contextmanager
    def hold(self, study_id: str) -> Iterator[None]:
        """Keep other programs from conducting a study; raises `RunError` if one already does."""
        with locks.hold(self.path, study_id):
            yield

    def _delete(self, study_id: str) -> None:
        self._db.execute("DELETE FROM study_values WHERE study = ?", (study_id,))
        self._db.execute("DELETE FROM studies WHERE id = ?", (study_id,))

    def _select(self, clause: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._db.guarded():
            return self._db.execute(f"SELECT {_COLUMNS} FROM studies {clause}", values).fetchall()  # nosec B608

    def _sorted_out(self) -> tuple[list[Study], list[RunError]]:
        """The studies, and the errors of those that cannot be read."""
        studies, damaged = [], []
        for row in self._select("ORDER BY created, rowid"):
            try:
                studies.append(self._study_of(row))
            except RunError as error:
                damaged.append(error)
        return studies, damaged

    def _study_of(self, row: tuple[Any, ...]) -> Study:
        """The study in a row; raises `RunError` for a row that this program cannot have written."""
        study_id, plan, state, created, result = row
        try:
            study = Study(
                str(study_id),
                decoded(plan, StudyPlan),
                RunState(state),
                str(created),
                None if result is None else decoded(result, dict[str, Any]),
            )
            # The kind becomes part of the name of a file.
            if study.plan.id != study.id or not study.plan.kind.isidentifier():
                raise ValueError("another plan")
        except (*DAMAGED, TypeError) as error:
            raise RunError(
                _("The record of study {study} is damaged.", study=str(study_id)),
                where=self.path,
                hint=_("Move the store away, or repair it."),
            ) from error
        if study.state is RunState.RUNNING and not locks.is_held(self.path, study.id):
            return msgspec.structs.replace(study, state=RunState.PAUSED)
        return study


class OtherShardsError(Exception):
    """What comes next needs values that other shards measure."""


class KeptValues:
    """What a study measured, by keys of its own; each value is on disk once `put` returns."""

    def __init__(self, db: Database, study_id: str, own: Container[str] | None = None) -> None:
        self._db = db
        self._study = study_id
        self._own = own
        self._left = False

    def get(self, key: str, kind: type[ValueT]) -> ValueT | None:
        """The value of a key, None where there is none; raises `RunError` for a damaged one."""
        text = self.text(key)
        if text is None:
            return None
        try:
            return decoded(text, kind)
        except (*DAMAGED, TypeError) as error:
            raise self.damaged() from error

    def put(self, key: str, value: Any) -> None:
        """Keep a value that `msgspec` can write as JSON, in the place of the one before."""
        self.put_text(key, _text(value))

    async def measured(
        self, key: str, kind: type[ValueT], item: str, measure: Callable[[], Awaitable[ValueT]]
    ) -> ValueT | None:
        """The value of a key, measured and kept if it was not before.

        None where it is about an item that another shard measures. Raises `RunError` for a damaged
        value, and what `measure` raises.
        """
        value = self.get(key, kind)
        if value is not None:
            return value
        if self._own is not None and item not in self._own:
            self._left = True
            return None
        value = await measure()
        self.put(key, value)
        return value

    def check_complete(self) -> None:
        """Raise `OtherShardsError` where `measured` left anything to other shards."""
        if self._left:
            raise OtherShardsError

    def texts(self) -> Iterator[tuple[str, str]]:
        """Every key with its value as it is on disk; raises `RunError` for a damaged one."""
        with self._db.guarded():
            rows = self._db.execute(
                "SELECT key, value FROM study_values WHERE study = ? ORDER BY rowid", (self._study,)
            )
            for key, text in rows:
                if not isinstance(key, str) or not isinstance(text, str):
                    raise self.damaged()
                yield key, text

    def text(self, key: str) -> str | None:
        """The value of a key as it is on disk, None where there is none."""
        with self._db.guarded():
            row = self._db.execute(
                "SELECT value FROM study_values WHERE study = ? AND key = ?",
                (self._study, replace_surrogates(key)),
            ).fetchone()
        return None if row is None else row[0]

    def put_text(self, key: str, text: str) -> None:
        """Keep a value that is JSON already, in the place of the one before."""
        with self._db.guarded():
            self._db.execute(
                "INSERT OR REPLACE INTO study_values (study, key, value) VALUES (?, ?, ?)",
                (self._study, replace_surrogates(key), text),
            )

    def drop(self, beginning: str) -> None:
        """Delete the values whose keys begin so, once a result no longer needs them."""
        with self._db.guarded():
            self._db.execute(
                "DELETE FROM study_values WHERE study = ? AND substr(key, 1, ?) = ?",
                (self._study, len(beginning), beginning),
            )

    def damaged(self) -> RunError:
        """The error for a value that this program cannot have written."""
        return RunError(
            _("A value of study {study} is damaged.", study=self._study),
            where=self._db.path,
            hint=_("Conduct the study again with --restart."),
        )


def _text(value: Any) -> str:
    """A value as JSON, in which NaN and the infinities are Python's, and a lone surrogate an
    escape."""
    return json.dumps(msgspec.to_builtins(value))
