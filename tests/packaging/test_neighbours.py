"""`doctor` where another distribution brings packages of our names."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from tests.packaging.environments import Environment, make_environment, pip


def other_wheel(folder: Path) -> Path:
    """A wheel of somebody else's with a package `core`."""
    path = folder / "their_engine-2.0-py3-none-any.whl"
    info = "their_engine-2.0.dist-info"
    files = {
        "core/their_module.py": "",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: their-engine\nVersion: 2.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [f"{name},," for name in (*files, f"{info}/RECORD")]
    files[f"{info}/RECORD"] = "\n".join(record) + "\n"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def shared(environment: Environment) -> dict[str, str]:
    """What `doctor` says of packages that are not ours alone, by their names."""
    done = environment.run(environment.program, "doctor", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    checks = json.loads(done.stdout)["checks"]
    return {
        check["name"]: f"{check['detail']} {check['hint']}"
        for check in checks
        if check["name"].startswith("package ")
    }


@pytest.mark.slow
def test_doctor_names_the_other_owner_of_a_package(wheel: Path, tmp_path: Path) -> None:
    environment = make_environment(tmp_path, wheel)
    assert shared(environment) == {}
    pip(environment, "install", "--quiet", "--no-deps", "--no-index", other_wheel(tmp_path))
    told = shared(environment)
    assert list(told) == ["package core"]
    assert "their-engine" in told["package core"]
    assert "pipx install commonsense-tui" in told["package core"]
    assert "uv tool install commonsense-tui" in told["package core"]
