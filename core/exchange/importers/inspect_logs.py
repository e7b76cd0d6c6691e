"""Reads logs of Inspect AI: `.eval` archives and `.json` files, finished or interrupted.

An archive is a zip file with `header.json` (the log without its samples) and `summaries.json`
(a line about each sample); one that was interrupted has only `_journal/start.json` and
`_journal/summaries/N.json`. Nothing is ever written to disk, member names are never used as
paths, and what is unpacked is bounded.

A score becomes a verdict in the layer that is named after its scorer. Where choices, target and
answer are letters the verdict has them as options; elsewhere its options are "incorrect" and
"correct". Values are read as Inspect reads them: "C" is 1, "I" and "N" are 0, "P" is half right
and does not count as right here.
"""

from __future__ import annotations

import json
import math
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from core.contract.question import Scoring, Status, Verdict
from core.contract.setting import Setting
from core.exchange.importers.lm_eval import ImportedRun
from core.exchange.importers.lm_eval_logs import finite_number
from core.files.installation import command_to_add
from core.files.packed import MOST_RATIO, is_bomb
from core.files.regular_file import open_regular_file
from core.runs.records import replace_surrogates
from core.text.errors import RunError
from core.text.escaping import escape_control_characters

BENCHMARK = "inspect"
"""The benchmark of an imported run, whose tasks cannot be drawn or asked here."""
LIMIT = 256 * 1024 * 1024
"""Most bytes of one log, unpacked."""
_BLOCK = 2**20
_MOST_SAMPLES = 1_000_000
_ZSTANDARD = 93
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


@dataclass(frozen=True, slots=True)
class _Log:
    """The header of a log and the summaries of its samples."""

    header: Mapping[str, Any]
    samples: Sequence[Mapping[str, Any]]
    interrupted: bool


def read(path: Path) -> ImportedRun:
    """Read a log; raises `RunError` when it is not one, is damaged, or is too large."""
    try:
        with open_regular_file(path, RunError, name="This log") as handle:
            packed = handle.read(4) == b"PK\x03\x04"
            handle.seek(0)
            log = _archive(path, handle) if packed else _plain(path, handle)
    except OSError as error:
        raise RunError(f"This log cannot be read: {error.strerror}.", where=path) from error
    return _imported(path, log)


def _plain(path: Path, handle: BinaryIO) -> _Log:
    if os.fstat(handle.fileno()).st_size > LIMIT:
        raise _too_large(path)
    document = _json(handle.read(LIMIT), path)
    if not isinstance(document, dict) or not isinstance(document.get("eval"), dict):
        raise RunError(
            "This is not a log of Inspect.",
            where=path,
            hint="Name the .eval or .json file that Inspect wrote.",
        )
    samples = _objects(document.get("samples") or [], path)
    return _Log(document, samples, document.get("status") == "started")


def _archive(path: Path, handle: BinaryIO) -> _Log:
    try:
        with zipfile.ZipFile(handle) as archive:
            members = _Members(path, handle, archive)
            finished = "header.json" in members
            name = "header.json" if finished else "_journal/start.json"
            if name not in members:
                raise RunError(
                    "This archive is not a log of Inspect.",
                    where=path,
                    hint="It has neither header.json nor _journal/start.json.",
                )
            header = members.json(name)
            if not isinstance(header, dict) or not isinstance(header.get("eval"), dict):
                raise RunError("The header of this log is damaged.", where=f"{path}: {name}")
            return _Log(header, _samples(path, members), not finished)
    except (zipfile.BadZipFile, struct.error, zlib.error, EOFError, UnicodeDecodeError) as error:
        raise _archive_error("is damaged", error, path) from error
    except NotImplementedError as error:
        raise _archive_error("cannot be unpacked", error, path) from error


def _samples(path: Path, members: _Members) -> list[Mapping[str, Any]]:
    """A summary of each sample, from the shortest member that has one."""
    if "summaries.json" in members:
        return _objects(members.json("summaries.json"), f"{path}: summaries.json")
    samples: list[Mapping[str, Any]] = []
    journal = members.under("_journal/summaries/")
    for name in sorted(journal, key=lambda name: (len(name), name)):
        samples += _objects(members.json(name), f"{path}: {name}")
    if not samples:
        for name in members.under("samples/"):
            samples += _objects([members.json(name)], f"{path}: {name}")
    return samples


class _Members:
    """The members of an archive, unpacked in memory up to a limit over all of them."""

    def __init__(self, path: Path, handle: BinaryIO, archive: zipfile.ZipFile) -> None:
        self._path = path
        self._handle = handle
        self._archive = archive
        self._left = LIMIT

    def __contains__(self, name: str) -> bool:
        return name in self._archive.NameToInfo

    def under(self, folder: str) -> list[str]:
        """The names of the JSON files directly in a folder, in archive order."""
        return [
            name
            for name in self._archive.NameToInfo
            if name.startswith(folder) and name.endswith(".json") and "/" not in name[len(folder) :]
        ]

    def json(self, name: str) -> Any:
        """A member, unpacked and decoded."""
        info = self._archive.getinfo(name)
        where = f"{self._path}: {name}"
        if info.flag_bits & 1:
            raise RunError("This archive is encrypted.", where=where)
        raw = bytearray()
        with self._unpacked(info, where) as stream:
            while block := stream.read(_BLOCK):
                raw += block
                if len(raw) > self._left:
                    raise _too_large(self._path)
                if is_bomb(len(raw), info.compress_size):
                    what = f"This unpacks to more than {MOST_RATIO} times its size."
                    raise RunError(what, where=where, hint="It is damaged or no log of Inspect.")
        self._left -= len(raw)
        return _json(bytes(raw), where)

    @contextmanager
    def _unpacked(self, info: zipfile.ZipInfo, where: str) -> Iterator[Any]:
        if info.compress_type != _ZSTANDARD:
            try:
                with self._archive.open(info) as stream:
                    yield stream
            except NotImplementedError as error:
                raise RunError(
                    f"Compression method {info.compress_type} cannot be unpacked.", where=where
                ) from error
            return
        try:
            import zstandard
        except ImportError as error:
            raise RunError(
                "This log is compressed with Zstandard, for which a package is missing.",
                where=where,
                hint=f"Install it ({command_to_add('zstandard')}), or write the log as JSON: "
                "inspect log convert --to json.",
            ) from error
        # zipfile does not know this method, so the packed bytes are located by the local header:
        # 30 bytes, the last four of them the lengths of the name and of the extra field.
        self._handle.seek(info.header_offset + 26)
        name_length, extra_length = struct.unpack("<HH", self._handle.read(4))
        self._handle.seek(name_length + extra_length, 1)
        packed = self._handle.read(info.compress_size)
        try:
            with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(
                packed
            ) as stream:
                yield stream
        except zstandard.ZstdError as error:
            raise _archive_error("is damaged", error, where) from error


def _imported(path: Path, log: _Log) -> ImportedRun:
    verdicts: list[Verdict] = []
    unscored = partial = 0
    epochs = {_text(sample.get("epoch", 1)) for sample in log.samples}
    seen: set[tuple[str, str]] = set()
    for sample in log.samples:
        item = _item(sample, several=len(epochs) > 1)
        for scorer, value, score in _values(sample):
            if value is None:
                unscored += 1
                continue
            if (item, scorer) in seen:
                raise RunError(
                    f"Sample {escape_control_characters(item)} is in this log twice.",
                    where=path,
                )
            seen.add((item, scorer))
            partial += 0 < value < 1
            verdicts.append(_verdict(item, scorer, value, sample, score))
    if not verdicts:
        raise RunError(
            "No sample of this log has a score.",
            where=path,
            hint="Score it first: inspect score LOG.",
        )
    description = log.header["eval"]
    notes = [
        f"Inspect task {_text(description.get('task')) or 'without a name'}.",
        *_caveats(log, len(epochs)),
    ]
    if unscored:
        notes.append(f"Scores that are not one number are left out: {unscored}.")
    if partial:
        notes.append(f"Scores between 0 and 1 do not count as right: {partial}.")
    notes += _disagreements(log, verdicts)
    return ImportedRun(
        model=_text(description.get("model")) or "unknown model",
        benchmark=BENCHMARK,
        verdicts=tuple(verdicts),
        totals={},
        notes=tuple(notes),
    )


def _caveats(log: _Log, epochs: int) -> Iterator[str]:
    status = _text(log.header.get("status")) or ("started" if log.interrupted else "")
    if status != "success":
        yield f"The log's status is “{status or 'unknown'}”: the run did not come to its end."
    description = log.header["eval"]
    config = description.get("config")
    limit = config.get("limit") if isinstance(config, dict) else None
    if limit is not None:
        yield f"Run with a limit ({_text(limit)}): not comparable with the whole."
    if epochs > 1:
        yield f"{epochs} epochs: every answer counts by itself."
    if log.header.get("invalidated") is True:
        yield "The log was marked as invalid."


def _disagreements(log: _Log, verdicts: Sequence[Verdict]) -> Iterator[str]:
    """A note for each accuracy in the log that differs from that of its samples."""
    results = log.header.get("results")
    scores = results.get("scores") if isinstance(results, dict) else None
    for score in scores if isinstance(scores, list) else []:
        try:
            name, logged = str(score["name"]), float(score["metrics"]["accuracy"]["value"])
        except (KeyError, TypeError, ValueError, OverflowError):
            continue
        judged = [verdict for verdict in verdicts if verdict.layer == name]
        ours = sum(1 for v in judged if v.right) / len(judged) if judged else math.nan
        if judged and abs(ours - logged) > 1e-9:
            yield f"The log gives {logged:.4f} as the accuracy of {name}; its samples {ours:.4f}."


def _values(
    sample: Mapping[str, Any],
) -> Iterator[tuple[str, float | None, Mapping[str, Any]]]:
    """Each scorer of a sample with its value; None for a value that is not one number."""
    scores = sample.get("scores")
    for scorer, score in scores.items() if isinstance(scores, dict) else ():
        if isinstance(score, dict):
            yield _text(scorer), _number(score.get("value")), score


def _number(value: object) -> float | None:
    """A score's value as Inspect turns it into a number."""
    if isinstance(value, str):
        if value in _GRADES:
            return _GRADES[value]
        if value.lower() in _WORDS:
            return _WORDS[value.lower()]
        try:
            value = float(value)
        except ValueError:
            return None
    return finite_number(float(value) if isinstance(value, bool) else value)


def _verdict(
    item: str, scorer: str, value: float, sample: Mapping[str, Any], score: Mapping[str, Any]
) -> Verdict:
    right = value == 1.0
    options, answer, gold = _chosen(sample, score)
    if answer is None or (answer == gold) != right:
        options, answer, gold = ("incorrect", "correct"), int(right), 1
    return Verdict(
        item=item,
        layer=scorer,
        setting=Setting(),
        options=options,
        scores=(),
        answer=answer,
        gold=gold,
        status=Status.OK,
        scoring=Scoring.GENERATED,
        text=_text(score.get("answer")),
        tags={"value": f"{value:g}"},
    )


def _chosen(
    sample: Mapping[str, Any], score: Mapping[str, Any]
) -> tuple[tuple[str, ...], int | None, int | None]:
    """Options, answer and gold of a multiple-choice sample; no answer where it is none."""
    choices = sample.get("choices")
    if not isinstance(choices, list) or not choices:
        return (), None, None
    target = sample.get("target")
    if isinstance(target, list) and len(target) == 1:
        target = target[0]
    answer, gold = _letter(score.get("answer"), len(choices)), _letter(target, len(choices))
    if answer is None or gold is None:
        return (), None, None
    return tuple(_text(choice) for choice in choices), answer, gold


def _letter(value: object, count: int) -> int | None:
    """The index of a letter: "A" is 0."""
    text = _text(value).strip()
    if len(text) == 1 and 0 <= ord(text) - ord("A") < count:
        return ord(text) - ord("A")
    return None


def _item(sample: Mapping[str, Any], *, several: bool) -> str:
    name = _text(sample.get("id", "?"))
    return f"{name} (epoch {_text(sample.get('epoch', 1))})" if several else name


def _text(value: object) -> str:
    """A value as text that can be stored: no lone surrogates."""
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value)
    return replace_surrogates(text)


def _objects(value: object, where: str | Path) -> list[Mapping[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
        raise RunError("The samples of this log are damaged.", where=where)
    if len(value) > _MOST_SAMPLES:
        raise RunError(f"This log has more than {_MOST_SAMPLES:,} samples.", where=where)
    return value


def _json(raw: bytes, where: str | Path) -> Any:
    try:
        return json.loads(raw)
    except RecursionError as error:
        raise RunError("This log is nested too deeply.", where=where) from error
    except ValueError as error:
        raise RunError(f"This is not JSON: {error}.", where=where) from error


def _archive_error(what: str, error: Exception, where: str | Path) -> RunError:
    return RunError(f"This archive {what}: {escape_control_characters(str(error))}.", where=where)


def _too_large(path: Path) -> RunError:
    return RunError(
        f"This log unpacks to more than {LIMIT // 1024 // 1024} MB.",
        where=path,
        hint="Import a part of it, or a log that was written without its events.",
    )
