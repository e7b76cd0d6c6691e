"""A full disk while a run is recorded: a typed error, sound verdicts, and the run goes on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.contract.question import Verdict
from core.runs.store import Store
from tests.cli.support import ok
from tests.fifth.support import INSTALLED
from tests.runs.worker import evaluate

PLACE = {
    "cwd": Path(__file__).parents[2],
    "env": os.environ | {"PYTHONPATH": f"{INSTALLED}:{Path(__file__).parents[2]}"},
    "text": True,
    "capture_output": True,
}
KILOBYTES = 300
RECORD = f"""
import asyncio, resource, sys
from pathlib import Path
from core.text.errors import RunError
from tests.runs.worker import evaluate
if sys.argv[3] == "limit":
    most = {KILOBYTES} * 1024
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
try:
    asyncio.run(evaluate(Path(sys.argv[1]), Path(sys.argv[2]), 0.0))
except RunError as error:
    print("RunError", error.what)
"""
ON_A_SMALL_DISK = f"""
mount -t tmpfs -o size={KILOBYTES}k tmpfs "$1" || exit 77
"$3" -c "$4" "$1/runs.sqlite" "$5" disk
cp "$1"/* "$2"
"""
"""The small disk is gone with the process, so what is on it is copied."""


def recorded_until_full(folder: Path, towers: Path, how: str) -> list[str]:
    """What a program printed that recorded into `folder` until nothing more could be written."""
    if how == "limit":
        words = [sys.executable, "-c", RECORD, str(folder / "runs.sqlite"), str(towers), how]
        done = subprocess.run(words, check=False, **PLACE)  # type: ignore[call-overload]
    else:
        if shutil.which("unshare") is None:
            pytest.skip("needs unshare to make a small disk")
        disk = folder.with_name("disk")
        disk.mkdir()
        words = ["unshare", "-rm", "sh", "-c", ON_A_SMALL_DISK, "sh", str(disk), str(folder)]
        words += [sys.executable, RECORD, str(towers)]
        done = subprocess.run(words, check=False, **PLACE)  # type: ignore[call-overload]
        if done.returncode == 77 or "unshare" in done.stderr:
            pytest.skip(f"needs a small disk: {done.stderr.strip()}")
    assert (done.returncode, done.stderr) == (0, "")
    return list(done.stdout.splitlines())


def verdicts(path: Path) -> list[Verdict]:
    with Store(path, create=False) as store:
        store.database.check()
        [run] = store.runs()
        return store.verdicts(run.id)


@pytest.mark.parametrize("how", ["disk", "limit"])
async def test_a_full_disk_ends_a_run_with_a_message_and_what_was_recorded_is_kept(
    how: str, data: Path, tmp_path: Path
) -> None:
    await evaluate(tmp_path / "whole.sqlite", data, 0.0)
    whole = verdicts(tmp_path / "whole.sqlite")
    folder = tmp_path / "recorded"
    folder.mkdir()
    *told, last = recorded_until_full(folder, data, how)
    assert last == "RunError The store cannot be written: the disk is full or failing."
    kept = verdicts(folder / "runs.sqlite")
    assert 0 < len(kept) < len(whole)
    assert kept == whole[: len(kept)]
    # What was shown is recorded; the last one may have been recorded without being shown.
    assert len(kept) - len(told) in {0, 1}
    await evaluate(folder / "runs.sqlite", data, 0.0)
    assert verdicts(folder / "runs.sqlite") == whole


ON_A_FULL_DISK = """
mount -t tmpfs -o size=16k tmpfs "$1" || exit 77
cat /dev/zero > "$1/all" 2> /dev/null
"$2" -c "from tui.cli.start import main; main()" doctor --store "$1/runs.sqlite"
"""


def test_doctor_says_that_no_store_can_be_made_on_a_full_disk(tmp_path: Path) -> None:
    if shutil.which("unshare") is None:
        pytest.skip("needs unshare to make a small disk")
    words = ["unshare", "-rm", "sh", "-c", ON_A_FULL_DISK, "sh", str(tmp_path), sys.executable]
    done = subprocess.run(words, check=False, **PLACE)  # type: ignore[call-overload]
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(f"needs a small disk: {done.stderr.strip()}")
    assert f"the disk of {tmp_path} is full" in done.stdout
    assert done.returncode == 1


WRITE_TO_A_SMALL_DISK = """
mkdir "$1/disk" && mount -t tmpfs -o size=$2 tmpfs "$1/disk" || exit 77
disk="$1/disk" python="$3"; shift 3
"$python" -c "from tui.cli.start import main; main()" "$@"
ended=$?
ls -A "$disk"
exit $ended
"""


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ("16k", ("runs", "backup", "--to", "disk/copy.sqlite")),
        ("16k", ("runs", "pack", "gita-demo-1", "--to", "disk/copy.sqlite")),
        ("48k", ("runs", "pack", "gita-demo-1", "--to", "disk/copy.sqlite")),
        (
            "16k",
            (
                "activations",
                "gita",
                "--model",
                "demo",
                "--limit",
                "10",
                "--to",
                "disk/a.safetensors",
            ),
        ),
    ],
    ids=lambda part: part if isinstance(part, str) else part[1],
)
def test_a_command_that_a_full_disk_stops_names_its_file_and_leaves_nothing(
    tmp_path: Path, demo_model: None, words: tuple[str, ...], size: str
) -> None:
    if shutil.which("unshare") is None:
        pytest.skip("needs unshare to make a small disk")
    store = tmp_path / "runs.sqlite"
    ok("evaluate", "gita", "--model", "demo", "--limit", "30", "--store", store)
    words = tuple(word.replace("disk/", f"{tmp_path}/disk/") for word in words)
    more = () if words[0] == "activations" else ("--store", str(store))
    shell = ["unshare", "-rm", "sh", "-c", WRITE_TO_A_SMALL_DISK, "sh", str(tmp_path), size]
    done = subprocess.run(  # type: ignore[call-overload]
        [*shell, sys.executable, *words, *more], check=False, **PLACE
    )
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(f"needs a small disk: {done.stderr.strip()}")
    assert done.returncode == 2
    assert f"where: {words[words.index('--to') + 1]}" in done.stderr
    # The same command goes on with what it wrote of activations.
    assert words[0] == "activations" or done.stdout == ""


READ = """
import resource, sys
from pathlib import Path
from core.runs.store import Store
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
with Store(Path(sys.argv[1]), create=False) as store:
    [run] = store.runs()
    print(len(store.verdicts(run.id)))
"""


async def test_where_nothing_can_be_written_any_more_a_store_is_read(
    data: Path, tmp_path: Path
) -> None:
    path = tmp_path / "runs.sqlite"
    await evaluate(path, data, 0.0)
    words = [sys.executable, "-c", READ, str(path)]
    done = subprocess.run(words, check=False, **PLACE)  # type: ignore[call-overload]
    assert (done.stdout.strip(), done.stderr) == (str(len(verdicts(path))), "")
