"""Activations are written row by row, go on where they stopped, and are read back as they were."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from commonsense_tui import read_activations
from core.exchange.exporters.activation_file import ActivationFile
from core.exchange.exporters.document import ExportError
from core.files.tensor_file import read_header
from core.studies.activations import ActivationRow, QuestionStates, parse_blocks, parse_positions
from core.text.errors import DataError, NotFoundError, SettingError

METADATA = {"model": "perché", "positions": "spans", "blocks": "1,4"}
WIDTH = 5


def question(number: int, rows: int = 2, scale: float = 1.0) -> QuestionStates:
    """Random states of a question."""
    states = np.random.default_rng(number).normal(size=(rows, 2, WIDTH)) * scale
    index = tuple(
        ActivationRow(
            number * rows + row, f"item {number}", "layer", "group", row, row, "breakpoint",
            "È tardi.\n", ("yes", "no"), (-1.5, None), 1, False,
        )
        for row in range(rows)
    )  # fmt: skip
    return QuestionStates(index, states.astype(np.float32))


def by_hand(path: Path) -> tuple[dict[str, str], NDArray[np.floating]]:
    """What the format's own description says is in a file."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    tensor = header["states"]
    begin, end = tensor["data_offsets"]
    assert (8 + length) % 8 == 0
    assert len(data) == 8 + length + end
    kind = {"F16": "<f2", "F32": "<f4"}[tensor["dtype"]]
    numbers = np.frombuffer(data[8 + length + begin : 8 + length + end], kind)
    return header["__metadata__"], numbers.reshape(tensor["shape"])


def written(path: Path, questions: list[QuestionStates], *, half: bool = False) -> None:
    with ActivationFile(path, METADATA, 2, WIDTH, half=half) as file:
        for each in questions[file.questions :]:
            file.add(each)
        file.finish()


@pytest.mark.parametrize("half", [False, True])
def test_a_file_holds_its_rows_and_is_mapped_with_its_index(tmp_path: Path, half: bool) -> None:
    path = tmp_path / "deep" / "a.safetensors"
    questions = [question(number) for number in range(3)]
    written(path, questions, half=half)
    expected = np.concatenate([each.states for each in questions])
    metadata, numbers = by_hand(path)
    assert metadata == METADATA
    assert np.array_equal(numbers, expected.astype("<f2" if half else "<f4"))
    loaded = read_activations(path)
    assert isinstance(loaded.states, np.memmap)
    assert np.array_equal(loaded.states, numbers)
    assert loaded.blocks == (1, 4)
    assert loaded.index == [msgspec.to_builtins(row) for each in questions for row in each.index]
    assert sorted(each.name for each in path.parent.iterdir()) == ["a.index.parquet", path.name]


@pytest.mark.parametrize("cut", [0, 1, 40])
def test_an_interrupted_file_goes_on_and_is_the_same_as_one_written_at_once(
    tmp_path: Path, cut: int
) -> None:
    questions = [question(number) for number in range(4)]
    written(tmp_path / "whole.safetensors", questions)
    path = tmp_path / "part.safetensors"
    with ActivationFile(path, METADATA, 2, WIDTH, half=False) as file:
        for each in questions[:3]:
            file.add(each)
    assert not path.exists()
    part = tmp_path / "part.safetensors.part"
    lines = tmp_path / "part.safetensors.part.jsonl"
    # A power cut may take the end of either file.
    lines.write_bytes(lines.read_bytes()[: len(lines.read_bytes()) - cut])
    part.write_bytes(part.read_bytes()[: len(part.read_bytes()) - cut])
    written(path, questions)
    assert path.read_bytes() == (tmp_path / "whole.safetensors").read_bytes()
    assert read_activations(path).index == read_activations(tmp_path / "whole.safetensors").index
    assert not part.exists()
    assert not lines.exists()


@pytest.mark.parametrize("left", [0, 400])
def test_rows_that_are_gone_are_written_again(tmp_path: Path, left: int) -> None:
    questions = [question(number) for number in range(4)]
    written(tmp_path / "whole.safetensors", questions)
    path = tmp_path / "part.safetensors"
    with ActivationFile(path, METADATA, 2, WIDTH, half=False) as file:
        for each in questions[:3]:
            file.add(each)
    part = tmp_path / "part.safetensors.part"
    part.write_bytes(part.read_bytes()[:left])
    written(path, questions)
    assert path.read_bytes() == (tmp_path / "whole.safetensors").read_bytes()


def test_the_part_of_another_file_is_not_continued(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    with ActivationFile(path, METADATA, 2, WIDTH, half=False) as file:
        file.add(question(0))
        file.add(question(1))
        with pytest.raises(ExportError, match="Another program"):
            ActivationFile(path, METADATA, 2, WIDTH, half=False)
    with pytest.raises(ExportError, match="another file"):
        ActivationFile(path, METADATA | {"model": "other"}, 2, WIDTH, half=False)
    with pytest.raises(ExportError, match="another file"):
        ActivationFile(path, METADATA, 2, WIDTH, half=True)
    with ActivationFile(path, METADATA | {"model": "other"}, 2, WIDTH, half=False, force=True) as f:
        assert (f.questions, f.rows) == (0, 0)


def test_a_number_beyond_sixteen_bits_is_refused_and_one_that_never_was_is_kept(
    tmp_path: Path,
) -> None:
    states = question(0)
    states.states[0, 0, 0] = np.nan
    with ActivationFile(tmp_path / "a.safetensors", METADATA, 2, WIDTH, half=True) as file:
        file.add(states)
        with pytest.raises(ExportError, match=r"item 1.*16 bits"):
            file.add(question(1, scale=1e6))


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    written(path, [question(0)])
    with pytest.raises(ExportError, match="there already"):
        written(path, [question(0)])
    with pytest.raises(ExportError, match="safetensors"):
        written(tmp_path / "a.npy", [question(0)])


def test_an_index_without_parquet_is_json_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    path = tmp_path / "a.safetensors"
    written(path, [question(0), question(1)])
    assert (tmp_path / "a.index.jsonl").exists()
    assert [row["row"] for row in read_activations(path).index] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 64,
        (2).to_bytes(8, "little") + b"{}",
        (9).to_bytes(8, "little") + b'{"states"',
        (2**63).to_bytes(8, "little") + b'{"states": 1}',
        (60).to_bytes(8, "little")
        + b'{"states":{"dtype":"F32","shape":[9,9],"data_offsets":[0,324]}}'[:60],
    ],
)
def test_another_file_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(content)
    with pytest.raises(DataError, match="no safetensors file"):
        read_header(path)
    with pytest.raises(DataError):
        read_activations(path)


def test_a_missing_file_or_index_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    with pytest.raises(NotFoundError):
        read_activations(path)
    written(path, [question(0)])
    (tmp_path / "a.index.parquet").unlink()
    with pytest.raises(DataError, match="no index"):
        read_activations(path)
    (tmp_path / "a.index.jsonl").write_text('{"row": 1}\n')
    with pytest.raises(DataError, match="no index of activations"):
        read_activations(path)


def test_blocks_and_positions_are_read_as_typed() -> None:
    assert parse_blocks("all", 3) == (0, 1, 2)
    assert parse_blocks("2, 0,2", 3) == (2, 0)
    for word in ("", "3", "-1", "x", "1,,2", "²"):
        with pytest.raises(SettingError):
            parse_blocks(word, 3)
    with pytest.raises(SettingError, match="no positions"):
        parse_positions("first")


@pytest.mark.parametrize("name", ["a.safetensors.part", "a.safetensors.part.jsonl"])
@pytest.mark.parametrize("target", ["precious", "nothing", "/dev/zero", None])
def test_the_part_is_written_through_no_link_and_waits_for_no_pipe(
    tmp_path: Path, name: str, target: str | None
) -> None:
    (tmp_path / "precious").write_text("A precious text")
    if target is None:
        os.mkfifo(tmp_path / name)
    else:
        (tmp_path / name).symlink_to(tmp_path / target)
    with pytest.raises(ExportError, match="not a regular file") as told:
        written(tmp_path / "a.safetensors", [question(0)])
    assert told.value.where == str(tmp_path / name)
    assert (tmp_path / "precious").read_text() == "A precious text"
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("has_parquet", [True, False])
def test_the_index_is_written_through_no_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_parquet: bool
) -> None:
    if not has_parquet:
        monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    (tmp_path / "precious").write_text("A precious text")
    (tmp_path / "a.safetensors.part.jsonl.index").symlink_to(tmp_path / "precious")
    written(tmp_path / "a.safetensors", [question(0)])
    assert (tmp_path / "precious").read_text() == "A precious text"
    assert len(read_activations(tmp_path / "a.safetensors").index) == 2


@pytest.mark.parametrize("name", ["a.index.parquet", "a.index.jsonl"])
def test_an_index_takes_the_place_of_no_link(tmp_path: Path, name: str) -> None:
    (tmp_path / "precious").write_text("A precious text")
    (tmp_path / name).symlink_to(tmp_path / "precious")
    with pytest.raises(ExportError, match="link to another file"):
        written(tmp_path / "a.safetensors", [question(0)])
    assert (tmp_path / name).is_symlink()


def test_two_programs_write_no_file_at_once(tmp_path: Path) -> None:
    with ActivationFile(tmp_path / "a.safetensors", METADATA, 2, WIDTH, half=False) as file:
        file.add(question(0))
        with pytest.raises(ExportError, match="Another program"):
            written(tmp_path / "a.safetensors", [question(0)])
        file.finish()


def test_where_nothing_can_be_locked_no_part_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*_asked: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("core.system.file_lock.fcntl.flock", no_locks)
    with pytest.raises(ExportError, match="No locks available"):
        written(tmp_path / "a.safetensors", [question(0)])
    assert not list(tmp_path.iterdir())
