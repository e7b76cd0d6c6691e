"""`make bundle`, and its archive in a room without network, compiler, index or home."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.packaging.environments import ROOT

pytestmark = pytest.mark.slow

MINUTE = 60.0
# No program is found on the path, and the library that comes with a compiler is not there.
ROOM = """
for library in /lib/*/libgomp.so.1 /usr/lib/*/libgomp.so.1; do
  if [ -e "$library" ]; then mount --bind /dev/null "$(readlink -f "$library")"; fi
done
exec env -i PATH=/nowhere HOME=/nowhere PIP_NO_INDEX=1 LANG=C.UTF-8 "$@"
"""


@pytest.fixture(scope="session")
def room() -> list[str]:
    """What a command is put behind, to be run without network and without that library."""
    command = ["unshare", "--map-root-user", "--net", "--mount", "sh", "-ec", ROOM, "room"]
    if shutil.which("unshare") is None or subprocess.run([*command, "/bin/true"]).returncode:
        pytest.skip("needs namespaces of its own: unshare --map-root-user --net --mount")
    return command


@pytest.fixture(scope="session")
def unpacked(compiled_llama: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The archive as it is unpacked on the other machine."""
    folder = tmp_path_factory.mktemp("bundle")
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "bundle.py", "--to", folder],
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [archive] = folder.iterdir()
    with tarfile.open(archive) as tar:
        # Older versions of Python 3.11 have no filters.
        tar.extraction_filter = getattr(tarfile, "data_filter", lambda member, _path: member)
        tar.extractall(folder)
    archive.unlink()
    [unpacked] = folder.iterdir()
    yield unpacked
    shutil.rmtree(folder)


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(command), cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8"
    )


def test_it_installs_in_under_a_minute_and_does_the_main_job(
    unpacked: Path, room: list[str], tmp_path: Path
) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run(*room, sys.executable, unpacked / "install.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Time of the processor: other programs may be running here.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < MINUTE

    program = done.stdout.splitlines()[-1]
    words = ("evaluate", "gita", "--limit", "3", "--store", "runs.sqlite", "--json")
    summary = run(*room, program, *words, cwd=tmp_path)
    assert summary.returncode == 0, summary.stderr
    assert json.loads(summary.stdout)["n"] == 3
    words = ("export", "html", "gita", "0-O0", "--out", "story.html")
    assert run(*room, program, *words, cwd=tmp_path).returncode == 0
    assert "</html>" in (tmp_path / "story.html").read_text(encoding="utf-8")
    assert not (tmp_path / "environment").exists()


def test_a_damaged_package_is_refused(unpacked: Path, tmp_path: Path) -> None:
    wheel = next((unpacked / "wheels").glob("rich-*.whl"))
    content = wheel.read_bytes()
    wheel.write_bytes(content[:-1])
    try:
        done = run(sys.executable, unpacked / "install.py", cwd=tmp_path)
    finally:
        wheel.write_bytes(content)
    assert done.returncode == 1
    assert f"{wheel} is missing or damaged" in done.stderr


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"python": "cpython 3.9"}, "This bundle is for cpython 3.9"),
        ({"machine": "riscv64"}, "riscv64"),
        ({"libc": "glibc 9.99"}, "needs glibc 9.99 or newer"),
    ],
)
def test_a_machine_that_is_not_like_it_is_told_so(
    unpacked: Path, tmp_path: Path, changed: dict[str, str], said: str
) -> None:
    about = unpacked / "bundle.json"
    text = about.read_text(encoding="utf-8")
    made = json.loads(text)
    about.write_text(json.dumps(made | {"machine": made["machine"] | changed}))
    try:
        done = run(sys.executable, unpacked / "install.py", cwd=tmp_path)
    finally:
        about.write_text(text, encoding="utf-8")
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr
