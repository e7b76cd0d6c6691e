"""Headers, listings, memory and fingerprints, of good files and hostile ones."""

from __future__ import annotations

import hashlib
import os
import random
import struct
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from core.models import memory, model_files
from core.models.gguf_header import read_header
from core.models.llama.client import LlamaModel
from core.models.model_files import check_memory, describe, find_models, fingerprint
from core.text.errors import CommonsenseError, ModelError, NotFoundError
from tests.gguf_files import Tiny, changed_number, write


def text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


def gguf(*pairs: bytes, tensors: int = 0, version: int = 3, count: int | None = None) -> bytes:
    number = len(pairs) if count is None else count
    return b"GGUF" + struct.pack("<IQQ", version, tensors, number) + b"".join(pairs)


def test_header_says_what_was_written(tiny: Path) -> None:
    import gguf as library

    header = read_header(tiny)
    reader = library.GGUFReader(tiny)
    assert header.parameters == sum(int(tensor.n_elements) for tensor in reader.tensors)
    assert header.architecture == "llama"
    assert header.quantisation == "F32"
    assert header.text("general.name") == "Tiny test model"
    assert header.of_architecture("context_length") == 512
    assert header.size <= reader.data_offset


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b"GG", "not a GGUF"),
        (b'{"not": "a model"}\n' * 20, "not a GGUF"),
        (os.urandom(5000).replace(b"GGUF", b"XXXX"), "not a GGUF"),
        (b"GGUF", "cut short"),
        (gguf(version=1), "version 1"),
        (gguf(version=0x03000000), "version"),
        (gguf(count=2**60), "keys"),
        (gguf(count=5_000), "keys"),
        (gguf(tensors=2**60), "tensors"),
        (gguf(count=3), "cut short"),
        (gguf(struct.pack("<Q", 2**62)), "cut short"),
        (gguf(text(b"k") + struct.pack("<I", 99)), "unknown type"),
        (gguf(text(b"k") + struct.pack("<IQ", 8, 2**63)), "cut short"),
        (gguf(text(b"k") + struct.pack("<IIQ", 9, 9, 1)), "unknown type"),
        (gguf(text(b"k") + struct.pack("<IIQ", 9, 8, 2**61)), "cut short"),
        (gguf(text(b"k") + struct.pack("<IIQ", 9, 10, 2**61)), "cut short"),
        (gguf(text(b"k") + struct.pack("<IIQQ", 9, 8, 1, 2**50)), "cut short"),
        (gguf(text(b"t") + struct.pack("<I", 5), tensors=1, count=0), "dimensions"),
        (
            gguf(text(b"t") + struct.pack("<IQIQ", 1, 8, 0, 2**40), tensors=1, count=0),
            "needs more than",
        ),
        (gguf(), "no weights"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_hostile_headers_are_refused(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=says) as caught:
        check_memory(path)
    assert caught.value.where == str(path)


def test_lists_of_very_many_texts_are_not_passed_over(tmp_path: Path) -> None:
    one = text(b"k") + struct.pack("<IIQ", 9, 8, 2_500_000) + bytes(20_000_000)
    path = tmp_path / "m.gguf"
    # Not all zeros, or its middle would be a hole in some file systems.
    path.write_bytes(gguf(one * 2, count=2) + b"end")
    with pytest.raises(ModelError, match="lists of 5,000,000 texts"):
        check_memory(path)


def test_damaged_headers_never_do_more_than_raise(tmp_path: Path, tiny: Path) -> None:
    data = tiny.read_bytes()
    path = tmp_path / "m.gguf"
    drawn = random.Random(3)
    for _ in range(150):
        damaged = bytearray(data)
        for _ in range(drawn.randint(1, 4)):
            damaged[drawn.randrange(4, 6000)] = drawn.randrange(256)
        path.write_bytes(bytes(damaged))
        with suppress(CommonsenseError):
            assert check_memory(path).context > 0


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_header(tmp_path / "missing.gguf")
    with pytest.raises(ModelError, match="folder"):
        read_header(tmp_path)
    with pytest.raises(ModelError):
        read_header(Path("a\0b"))
    os.mkfifo(tmp_path / "pipe.gguf")
    with pytest.raises(ModelError, match="not a regular file"):
        read_header(tmp_path / "pipe.gguf")
    with pytest.raises(ModelError, match="not a regular file"):
        read_header(Path("/dev/zero"))


def test_file_that_cannot_be_opened(tmp_path: Path) -> None:
    """Not even root follows a link to itself."""
    loop = tmp_path / "loop.gguf"
    loop.symlink_to(loop)
    for path in (loop, tmp_path / f"{'x' * 300}.gguf"):
        with pytest.raises(ModelError, match=r"cannot be read: .+\.") as caught:
            read_header(path)
        assert caught.value.where == str(path)
        assert ".gguf file" in caught.value.hint
        assert describe(path).problem


def test_a_file_inside_a_file_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no such model file") as caught:
        read_header(write(tmp_path / "m.gguf") / "inside.gguf")
    assert ".gguf file" in caught.value.hint


def test_file_that_may_not_be_read(tmp_path: Path) -> None:
    """Whoever is root reads it all the same; nobody gets anything but one of the two."""
    path = write(tmp_path / "m.gguf")
    path.chmod(0)
    if os.access(path, os.R_OK):
        assert read_header(path).architecture == "llama"
    else:
        with pytest.raises(ModelError, match="cannot be read: Permission denied"):
            read_header(path)


def test_listing(tmp_path: Path) -> None:
    write(tmp_path / "b.gguf")
    (tmp_path / "deep").mkdir()
    write(tmp_path / "deep" / "a.gguf", Tiny(precision="q8_0"))
    (tmp_path / "broken.gguf").write_bytes(b"GGUF")
    (tmp_path / "notes.txt").write_text("no model")
    (tmp_path / "big-00001-of-00002.gguf").write_bytes((tmp_path / "b.gguf").read_bytes())
    (tmp_path / "big-00002-of-00002.gguf").write_bytes(b"x" * 1000)
    (tmp_path / "folder.gguf").mkdir()
    (tmp_path / "dangling.gguf").symlink_to(tmp_path / "nowhere")
    paths = find_models([tmp_path, tmp_path, tmp_path / "none"])
    found = {path.stem: describe(path) for path in paths}
    assert sorted(found) == ["a", "b", "big-00001-of-00002", "broken"]
    a, b = found["a"], found["b"]
    assert (a.quantisation, b.quantisation) == ("Q8_0", "F32")
    assert a.architecture == "llama"
    assert a.parameters == b.parameters > 100_000
    assert a.bytes == a.path.stat().st_size < b.bytes
    assert b.memory > b.bytes
    assert not a.problem
    assert found["broken"].problem
    assert found["big-00001-of-00002"].bytes == b.bytes + 1000


def test_a_model_that_does_not_fit_is_refused_with_numbers(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_files, "available_memory", lambda: 10_000_000)
    with pytest.raises(ModelError, match=r"needs about \d+ MB of memory; 10 MB are free"):
        check_memory(tiny)
    monkeypatch.setattr(model_files, "available_memory", lambda: None)
    assert check_memory(tiny).context == 512


def test_context_shrinks_to_the_memory(tmp_path: Path) -> None:
    path = changed_number(tmp_path / "m.gguf", "llama.context_length", 10**9)
    header = read_header(path)
    needs = memory.needs_of(header, path.stat().st_size)
    # Two blocks, four heads of 16 numbers, key and value, two bytes each.
    assert needs.token == 2 * 4 * 16 * 2 * 2
    assert memory.context_for(header, needs, None) == memory.LONGEST_CONTEXT
    some = needs.total(3000)
    assert memory.context_for(header, needs, some) == 3000
    with pytest.raises(ModelError):
        memory.context_for(header, needs, needs.total(memory.SHORTEST_CONTEXT) - 1)


def test_a_context_may_be_as_long_as_the_model_was_trained_for(tmp_path: Path) -> None:
    path = changed_number(tmp_path / "m.gguf", "llama.context_length", 131_072)
    header = read_header(path)
    needs = memory.needs_of(header, path.stat().st_size)
    assert memory.needs_of(header, path.stat().st_size, exact=True).token == 2 * needs.token
    assert memory.context_for(header, needs, None) == memory.LONGEST_CONTEXT
    assert memory.context_for(header, needs, None, 100_000) == 100_000
    assert memory.context_for(header, needs, None, 10**6) == 131_072
    assert memory.context_for(header, needs, needs.total(50_000), 100_000) == 50_000


async def test_a_longer_context_takes_longer_prompts(tmp_path: Path) -> None:
    path = write(tmp_path / "m.gguf", Tiny(context=12_000, width=32, heads=2, hidden=32))
    prompt = " the cup was open" * 2_100
    usual = await LlamaModel.load(path)
    assert usual.info.context == memory.LONGEST_CONTEXT
    with pytest.raises(ModelError, match="context takes 8,192") as caught:
        await usual.score(prompt, [" yes"])
    assert "--context" in caught.value.hint
    await usual.close()
    longer = await LlamaModel.load(path, context=12_000, exact=True)
    assert longer.info.context == 12_000
    (score,) = await longer.score(prompt, [" yes"])
    assert score.logprob < 0
    await longer.close()


def test_available_memory_is_plausible() -> None:
    found = memory.available_memory()
    assert found is None or 2**20 < found < 2**50


def test_cached_files_of_a_control_group_count_as_free(tmp_path: Path) -> None:
    """A container that has just read a model has it in its cache, which is freed when needed."""
    gigabyte = 2**30

    def group(limit: object, used: int, stat: str) -> int | None:
        for name, content in (("max", limit), ("current", used), ("stat", stat)):
            (tmp_path / f"memory.{name}").write_text(f"{content}\n")
        return memory.allowance_of(tmp_path)

    stat = f"anon {gigabyte}\nfile {3 * gigabyte}\ninactive_file {2 * gigabyte}\n"
    assert group(4 * gigabyte, 4 * gigabyte, stat) == 2 * gigabyte
    assert group(4 * gigabyte, gigabyte, stat) == 4 * gigabyte
    assert group(gigabyte, 4 * gigabyte, stat) == 0
    assert group("max", gigabyte, stat) is None
    assert group(gigabyte, gigabyte, "anon 5") is None
    assert memory.allowance_of(tmp_path / "none") is None


def test_fingerprints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = write(tmp_path / "one.gguf")
    same = write(tmp_path / "same.gguf")
    other = write(tmp_path / "other.gguf", Tiny(seed=1))
    assert fingerprint(one) == fingerprint(same) != fingerprint(other)
    monkeypatch.setattr(model_files, "_WHOLE", 1000)
    assert fingerprint(one) == fingerprint(same) != fingerprint(other)
    assert fingerprint(one).startswith("sampled-sha256:")


def test_a_fingerprint_reads_the_whole_file_a_piece_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    content = b"GGUF" + bytes(8_000_003)
    path.write_bytes(content)
    tracemalloc.start()
    try:
        found = fingerprint(path)
        _now, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == f"sha256:{hashlib.sha256(content).hexdigest()}"
    assert most < 1_000_000


@pytest.mark.parametrize("look", [check_memory, fingerprint])
def test_file_that_goes_away_while_it_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, look: Callable[[Path], object]
) -> None:
    path = write(tmp_path / "m.gguf")
    found = model_files.parts_of

    def vanishing(asked: Path) -> tuple[Path, ...]:
        parts = found(asked)
        asked.unlink()
        return parts

    monkeypatch.setattr(model_files, "parts_of", vanishing)
    with pytest.raises(NotFoundError) as caught:
        look(path)
    assert caught.value.where == str(path)


def test_part_that_goes_away_is_a_problem_of_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "m.gguf")
    monkeypatch.setattr(model_files, "parts_of", lambda asked: (asked, tmp_path / "gone.gguf"))
    assert describe(path).problem == "There is no such model file."


def test_file_with_a_name_that_is_too_long_for_its_other_parts(tmp_path: Path) -> None:
    path = tmp_path / f"{'m' * 300}-00001-of-00002.gguf"
    with pytest.raises(ModelError, match="name too long"):
        fingerprint(path)


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (9_949, "9.9 kB"),
        (9_960, "10 kB"),
        (999_499, "999 kB"),
        (999_500, "1.0 MB"),
        (350_000_000, "350 MB"),
        (4_123_000_000, "4.1 GB"),
        (99_600_000_000, "100 GB"),
    ],
)
def test_bytes_in_words(count: int, shown: str) -> None:
    assert memory.human_bytes(count) == shown
