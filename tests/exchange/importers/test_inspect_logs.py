"""Logs of Inspect: real ones, damaged ones, hostile ones."""

from __future__ import annotations

import contextlib
import io
import json
import os
import struct
import sys
import tempfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.contract.question import Form, Scoring
from core.exchange.importers import inspect_archive, inspect_logs
from core.exchange.importers.imported_run import ImportedRun
from core.models.protocol import Sampling
from core.runs.summaries import plain_summary
from core.text.errors import RunError

HEADER: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {"task": "quiz", "model": "org/model", "config": {"limit": None}},
    "results": {"scores": [{"name": "choice", "metrics": {"accuracy": {"value": 0.5}}}]},
}


def sample(number: int, value: Any, answer: str = "A", **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "epoch": 1,
        "input": "Which?",
        "choices": ["one", "two"],
        "target": "A",
        "scores": {"choice": {"value": value, "answer": answer}},
        **more,
    }


SAMPLES = [sample(1, "C"), sample(2, "I", "B")]


def archive(path: Path, members: dict[str, Any], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as made:
        for name, content in members.items():
            raw = content if isinstance(content, bytes) else json.dumps(content).encode()
            made.writestr(name, raw)
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.eval"


# -- real logs ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "model", "layer", "text"),
    [
        ("mmlu-summary-choices.eval", "openai/gpt-4o", "choice", "C"),
        ("log_formats.eval", "ollama/llama3.1", "match", "No"),
        ("log_formats.json", "ollama/llama3.1", "match", "No"),
    ],
)
def test_published_logs_are_imported(
    shared_data: Path, name: str, model: str, layer: str, text: str
) -> None:
    imported = inspect_logs.read(shared_data / "inspect_logs" / name)
    assert imported.model == model
    [verdict] = imported.verdicts
    assert (verdict.item, verdict.layer, verdict.text) == ("1", layer, text)
    assert verdict.right is False
    assert verdict.scoring is Scoring.GENERATED
    [figure] = plain_summary(imported.verdicts).figures
    assert (figure.value, figure.n) == (0.0, 1)
    assert any("limit (1)" in note for note in imported.notes)


def test_a_real_multiple_choice_log_has_its_options(shared_data: Path) -> None:
    log = shared_data / "inspect_logs" / "mmlu-summary-choices.eval"
    [verdict] = inspect_logs.read(log).verdicts
    assert len(verdict.options) == 4
    assert verdict.options[1] == "6.8 eV"
    assert (verdict.answer, verdict.gold) == (2, 0)


def test_a_real_log_without_its_header_is_an_interrupted_one(shared_data: Path, log: Path) -> None:
    source = shared_data / "inspect_logs" / "mmlu-summary-choices.eval"
    with zipfile.ZipFile(source) as whole:
        journal = {n: whole.read(n) for n in whole.namelist() if n.startswith("_journal/")}
    imported = inspect_logs.read(archive(log, journal))
    assert imported.verdicts == inspect_logs.read(source).verdicts
    assert any("did not come to its end" in note for note in imported.notes)


# -- how it was asked --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["log_formats.eval", "log_formats.json"])
def test_a_published_log_is_recorded_with_the_conditions_that_it_has(
    shared_data: Path, name: str
) -> None:
    imported = inspect_logs.read(shared_data / "inspect_logs" / name)
    assert (imported.form, imported.limit, imported.sampling.temperature) == (Form.CHAT, 1, 1.0)
    assert [verdict.output_tokens for verdict in imported.verdicts] == [2]
    assert "Seed with which answers were drawn: unknown." in imported.notes


def conditioned(log: Path, config: dict[str, Any], **limit: Any) -> ImportedRun:
    header = {
        **HEADER,
        "eval": {**HEADER["eval"], "config": limit, "dataset": {"samples": 9}},
        "plan": {"config": config},
    }
    usage = {"org/model": {"output_tokens": 5}, "grader": {"output_tokens": 70}}
    rows = [row | {"model_usage": usage} for row in SAMPLES]
    return inspect_logs.read(archive(log, {"header.json": header, "summaries.json": rows}))


def test_a_log_with_its_conditions_has_them_in_the_run(log: Path) -> None:
    config = {"temperature": 0.7, "max_tokens": 64, "seed": 5}
    imported = conditioned(log, config, limit=2)
    assert (imported.form, imported.limit) == (Form.CHAT, 2)
    assert imported.sampling == Sampling(0.7, 64)
    # Those of a model that only grades do not count.
    assert [verdict.output_tokens for verdict in imported.verdicts] == [5, 5]
    assert "Seed with which answers were drawn: 5." in imported.notes
    assert not any("temperature" in note for note in imported.notes)


def test_a_log_without_its_temperature_says_that_it_is_unknown(log: Path) -> None:
    assert any("temperature is unknown" in note for note in conditioned(log, {}).notes)


@pytest.mark.parametrize(
    ("limit", "first", "chosen"),
    [
        (3, 3, ()), ([0, 3], 3, ()), ([2, 4], None, (2, 3)), (9, None, ()), (None, None, ()),
        ([2], None, ()), ([4, 2], None, ()), ("3", None, ()), (True, None, ()),
        ([1, 10**12], None, ()),
    ],
)  # fmt: skip
def test_a_limit_says_which_samples_were_asked(
    log: Path, limit: Any, first: int | None, chosen: tuple[int, ...]
) -> None:
    imported = conditioned(log, {}, limit=limit)
    assert (imported.limit, imported.chosen) == (first, chosen)


# -- values ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("C", True), ("I", False), ("P", False), ("N", False), (1, True), (0, False), (True, True),
        (0.5, False), ("yes", True), ("No", False), ("true", True), ("1.0", True), ("0", False),
    ],
)  # fmt: skip
def test_values_are_read_as_inspect_reads_them(log: Path, value: Any, right: bool) -> None:
    archive(log, {"header.json": HEADER, "summaries.json": [sample(1, value, "free text")]})
    [verdict] = inspect_logs.read(log).verdicts
    assert verdict.right is right


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), None, {"a": 1}, [1], "quite", "1e999", 10**400]
)
def test_values_that_are_not_one_number_are_left_out_and_counted(log: Path, value: Any) -> None:
    archive(log, {"header.json": HEADER, "summaries.json": [*SAMPLES, sample(3, value)]})
    imported = inspect_logs.read(log)
    assert [v.item for v in imported.verdicts] == ["1", "2"]
    assert any("left out: 1" in note for note in imported.notes)


def test_an_answer_that_contradicts_its_score_is_not_imported(log: Path) -> None:
    # The target's letter was answered, but the scorer said it is wrong: the score counts.
    archive(log, {"header.json": HEADER, "summaries.json": [sample(1, "I", "A")]})
    [verdict] = inspect_logs.read(log).verdicts
    assert verdict.options == ("incorrect", "correct")
    assert verdict.right is False


def test_epochs_are_told_apart(log: Path) -> None:
    twice = [*SAMPLES, *(row | {"epoch": 2} for row in SAMPLES)]
    archive(log, {"header.json": HEADER, "summaries.json": twice})
    imported = inspect_logs.read(log)
    assert len({v.item for v in imported.verdicts}) == 4
    assert any("2 epochs" in note for note in imported.notes)


def test_an_accuracy_that_differs_from_the_log_is_reported(log: Path) -> None:
    archive(log, {"header.json": HEADER, "summaries.json": [sample(1, "C")]})
    assert any("0.5000" in note and "1.0000" in note for note in inspect_logs.read(log).notes)


def test_journal_summaries_come_in_numeric_order(log: Path) -> None:
    journal = {f"_journal/summaries/{n}.json": [sample(n, "C")] for n in (10, 9, 1)}
    archive(log, {"_journal/start.json": {"eval": HEADER["eval"]}, **journal})
    assert [v.item for v in inspect_logs.read(log).verdicts] == ["1", "9", "10"]


def test_samples_alone_are_enough(log: Path) -> None:
    archive(log, {"header.json": HEADER, "samples/1_epoch_1.json": SAMPLES[0]})
    assert len(inspect_logs.read(log).verdicts) == 1


# -- hostile and damaged -----------------------------------------------------------------------


def test_a_decompression_bomb_is_refused(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect_archive, "LIMIT", 1_000_000)
    bomb = b"[" + b" " * 50_000_000 + b"]"
    archive(log, {"header.json": HEADER, "summaries.json": bomb})
    assert log.stat().st_size < 100_000
    with pytest.raises(RunError, match="more than"):
        inspect_logs.read(log)


@pytest.mark.parametrize(
    "row", [b"{},", b'{"id":[[[[[[[[[[[[]]]]]]]]]]]]},'], ids=["empty", "nested"]
)
def test_a_small_archive_never_becomes_many_objects(
    log: Path, row: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspect_archive, "MOST_SAMPLES", 30_000)
    rows = row * (60_000_000 // len(row))
    archive(log, {"header.json": HEADER, "summaries.json": b"[" + rows + b"{}]"})
    assert log.stat().st_size < 300_000
    del rows
    tracemalloc.start()
    with pytest.raises(RunError):
        inspect_logs.read(log)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 250 * 2**20


def test_a_large_field_is_refused_before_it_is_decoded(log: Path) -> None:
    scores = {str(n): {} for n in range(300_000)}
    archive(log, {"header.json": HEADER, "summaries.json": [sample(1, "C", scores=scores)]})
    with pytest.raises(RunError, match="field “scores”"):
        inspect_logs.read(log)


def test_many_members_share_one_limit(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect_archive, "MOST_READ", 1_000_000)
    some = {f"_journal/summaries/{n}.json": b"[" + b" " * 90_000 + b"]" for n in range(20)}
    archive(log, {"_journal/start.json": {"eval": HEADER["eval"]}, **some})
    with pytest.raises(RunError, match="more than"):
        inspect_logs.read(log)


def test_member_names_are_never_used_as_paths(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    archive(
        log,
        {
            "header.json": HEADER,
            "summaries.json": SAMPLES,
            "../escaped.json": [],
            "/absolute.json": [],
            "samples/../../x.json": [],
        },
    )
    inspect_logs.read(log)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["inside", "log.eval"]


@pytest.mark.parametrize(
    "members",
    [
        {"readme.txt": b"hello"},
        {"header.json": b"not json"},
        {"header.json": []},
        {"header.json": {"eval": 3}},
        {"header.json": HEADER, "summaries.json": {}},
        {"header.json": HEADER, "summaries.json": [1]},
        {"header.json": HEADER, "summaries.json": []},
        {"header.json": HEADER, "summaries.json": [*SAMPLES, SAMPLES[0]]},
        {"header.json": HEADER, "summaries.json": b"[" * 200_000},
    ],
)
def test_other_files_are_refused_with_the_reason(log: Path, members: dict[str, Any]) -> None:
    with pytest.raises(RunError) as raised:
        inspect_logs.read(archive(log, members))
    assert str(log) in raised.value.where


def test_an_unknown_compression_is_named(log: Path) -> None:
    archive(log, {"header.json": HEADER, "summaries.json": SAMPLES})
    _set_method(log, 97)
    with pytest.raises(RunError, match="method 97"):
        inspect_logs.read(log)


def test_an_encrypted_archive_is_told(log: Path) -> None:
    archive(log, {"header.json": HEADER, "summaries.json": SAMPLES})
    raw = bytearray(log.read_bytes())
    at = 0
    while (at := raw.find(b"PK\x01\x02", at)) >= 0:
        raw[at + 8] |= 1
        at += 4
    log.write_bytes(raw)
    with pytest.raises(RunError, match="encrypted"):
        inspect_logs.read(log)


def test_zstandard_is_read_when_the_package_is_installed(log: Path) -> None:
    zstandard = pytest.importorskip("zstandard", reason="needs zstandard: make install-tests")
    packer = zstandard.ZstdCompressor()
    _pack_with(log, packer.compress)
    assert [v.item for v in inspect_logs.read(log).verdicts] == ["1", "2"]
    raw = bytearray(log.read_bytes())
    raw[60:70] = b"\xff" * 10
    log.write_bytes(raw)
    with pytest.raises(RunError, match="damaged"):
        inspect_logs.read(log)


def test_a_zstandard_bomb_is_refused(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zstandard = pytest.importorskip("zstandard", reason="needs zstandard: make install-tests")
    monkeypatch.setattr(inspect_archive, "LIMIT", 100_000)
    packer = zstandard.ZstdCompressor()
    _pack_with(log, lambda raw: packer.compress(raw + b" " * 30_000_000))
    with pytest.raises(RunError, match="more than"):
        inspect_logs.read(log)


def test_a_large_member_is_refused_before_it_is_read(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zstandard = pytest.importorskip("zstandard", reason="needs zstandard: make install-tests")
    monkeypatch.setattr(inspect_archive, "LIMIT", 100_000)
    packer = zstandard.ZstdCompressor()
    # Only the first frame of a member is unpacked.
    _pack_with(log, lambda raw: packer.compress(raw) + bytes(200_000))
    with pytest.raises(RunError, match="more than"):
        inspect_logs.read(log)


def test_zstandard_without_its_package_is_named(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _pack_with(log, lambda raw: raw)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(RunError, match="Zstandard") as raised:
        inspect_logs.read(log)
    assert "pip install zstandard" in raised.value.hint


def test_a_missing_file_and_a_folder_are_told(tmp_path: Path) -> None:
    for path in (tmp_path / "none.eval", tmp_path):
        with pytest.raises(RunError, match="cannot be read"):
            inspect_logs.read(path)


@pytest.mark.timeout(90)
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log.eval")
    with pytest.raises(RunError, match="not a regular file") as raised:
        inspect_logs.read(tmp_path / "log.eval")
    assert raised.value.where == str(tmp_path / "log.eval")


@pytest.mark.parametrize("name", ["a\0b", "a" * 5000])
def test_an_invalid_file_name_is_reported(tmp_path: Path, name: str) -> None:
    with pytest.raises(RunError, match="cannot be read"):
        inspect_logs.read(tmp_path / name)


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"header.json": b"5"},
        {"header.json": HEADER, "samples/a\nError: forged.json": b"{"},
        {"header.json": HEADER, "summaries.json": [sample(1, "C") | {"id": "x\ny"}] * 2},
    ],
    ids=["empty", "header", "member", "twice"],
)
def test_names_cannot_forge_lines(tmp_path: Path, members: dict[str, Any]) -> None:
    path = archive(tmp_path / "a\nError: forged.eval", members)
    with pytest.raises(RunError) as raised:
        inspect_logs.read(path)
    assert "\n" not in str(raised.value)


def _whole() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("header.json", json.dumps(HEADER))
        made.writestr("summaries.json", json.dumps(SAMPLES))
    return stream.getvalue()


@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), min_size=1, max_size=6))
@settings(max_examples=150, deadline=None)
def test_no_damage_ends_in_a_traceback(changes: list[tuple[int, int]]) -> None:
    raw = bytearray(_whole())
    for at, value in changes:
        raw[at % len(raw)] = value
    _read_or_refuse(bytes(raw))


@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["id", "epoch", "scores", "choices", "target", "value", "answer", "x"]),
        inner, max_size=4,
    ),
    max_leaves=12,
))  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_no_sample_ends_in_a_traceback(value: Any) -> None:
    log = {**HEADER, "samples": [sample(1, value), {"scores": value}, {"id": value}]}
    _read_or_refuse(json.dumps(log).encode())
    _read_or_refuse(json.dumps({**HEADER, "eval": value, "samples": SAMPLES}).encode())
    _read_or_refuse(json.dumps({**HEADER, "results": value, "samples": SAMPLES}).encode())


def _read_or_refuse(raw: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".eval") as file:
        file.write(raw)
        file.flush()
        with contextlib.suppress(RunError):
            inspect_logs.read(Path(file.name))


def test_a_header_with_a_large_field_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text(json.dumps({**HEADER, "stats": "x" * 3_000_000, "results": "x" * 3_000_000}))
    with pytest.raises(RunError, match="more than 2 MB"):
        inspect_logs.read(log)


def test_an_archive_of_very_many_members_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = archive(tmp_path / "log.eval", {"header.json": HEADER, "summaries.json": SAMPLES})
    assert inspect_logs.read(log).verdicts
    monkeypatch.setattr(inspect_archive, "MOST_DIRECTORY", 50)
    with pytest.raises(RunError, match="its directory has more than"):
        inspect_logs.read(log)


def _set_method(path: Path, method: int) -> None:
    """Write a compression method into every header of an archive."""
    raw = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x01\x02", 10), (b"PK\x03\x04", 8)):
        at = 0
        while (at := raw.find(signature, at)) >= 0:
            raw[at + offset : at + offset + 2] = struct.pack("<H", method)
            at += 4
    path.write_bytes(raw)


def _pack_with(path: Path, pack: Callable[[bytes], bytes]) -> None:
    """An archive whose members are packed by `pack` and marked as Zstandard."""
    members = {"header.json": HEADER, "summaries.json": SAMPLES}
    packed = {name: pack(json.dumps(content).encode()) for name, content in members.items()}
    archive(path, packed, zipfile.ZIP_STORED)
    _set_method(path, 93)
