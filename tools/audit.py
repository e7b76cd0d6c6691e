"""Looks for known advisories in the locked packages, and for careless code in ours.

    python tools/audit.py build/audit

Makes the environment of requirements-audit.txt in that folder. Where the packages, or the list of
advisories, cannot be reached, this says so and ends well: it can be looked at again elsewhere. What
is found ends it with 1.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements-audit.txt"
LOCKS = ("requirements.txt", "requirements-build.txt", "requirements-dev.txt")
_SECONDS = 600
_UNREACHABLE = ("ConnectionError", "ServiceError", "Failed to establish", "Max retries")
_UNKNOWN = "could not be audited"
_MOST_UNKNOWN = 10
"""With more packages that nothing is known of, the index has no advisories."""


def main() -> int:
    """Install what looks, and look."""
    folder = Path(sys.argv[1])
    python = folder / "bin" / "python"
    installed = folder / "installed.txt"
    if not installed.exists() or installed.read_bytes() != LOCK.read_bytes():
        venv.create(folder, with_pip=True, clear=True)
        pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        done = _run(*pip, "--no-deps", "--require-hashes", "-r", LOCK)
        if done.returncode:
            return _left_out("The packages that look cannot be fetched", done.stderr)
        installed.write_bytes(LOCK.read_bytes())
    found = _run(python, "-m", "bandit", "-q", "-r", "-ll", "-ii", "core", "tui", "commonsense_tui")
    print(found.stdout or "bandit: nothing of medium or high severity.")
    worst = found.returncode
    for lock in LOCKS:
        words = ("--disable-pip", "--require-hashes", "--progress-spinner", "off", "-r", lock)
        found = _run(python, "-m", "pip_audit", *words)
        unknown = found.stdout.count(_UNKNOWN)
        if unknown > _MOST_UNKNOWN or any(word in found.stderr for word in _UNREACHABLE):
            said = f"nothing is known of {unknown} packages of {lock}" if unknown else found.stderr
            return worst or _left_out("The list of advisories cannot be reached", said)
        print(f"{lock}: {(found.stdout or found.stderr).strip()}")
        worst = worst or found.returncode
    return worst


def _run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [str(word) for word in words]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"{_UNREACHABLE[0]}: it took too long")


def _left_out(why: str, said: str) -> int:
    print(f"{why}, so the audit is left out: {''.join(said.strip().splitlines()[-1:])[:200]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
