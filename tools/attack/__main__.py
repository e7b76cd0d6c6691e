"""`python -m tools.attack NAME`: runs one attack and prints what came of it."""

from __future__ import annotations

import argparse
import faulthandler
import logging
import os
import signal
import sys
import tempfile
from importlib import import_module

from tools.attack.attempts import Tally

ATTACKS = (
    "data", "impossible", "gguf", "stores", "packages", "kills", "server", "serve", "keys", "soak",
)  # fmt: skip


def main() -> int:
    """The exit code is 1 where an attempt failed."""
    parser = argparse.ArgumentParser(prog="python -m tools.attack", description=__doc__)
    parser.add_argument("attack", choices=ATTACKS)
    parser.add_argument("--tries", type=int, help="how many attempts (for soak: minutes)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="only what has this in its name")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="attack-home-") as home:
        os.environ["HOME"] = home
        for name in ("CONFIG", "DATA", "CACHE", "STATE"):
            os.environ[f"XDG_{name}_HOME"] = os.path.join(home, name.lower())  # noqa: PTH118
        attack = import_module(f"tools.attack.{given.attack}")
        faulthandler.enable()
        logging.disable(logging.CRITICAL)
        # What was found so far is told by an attack that is stopped, too.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            attack.main(given.tries or attack.TRIES, given.seed, given.only)
        except KeyboardInterrupt:
            print("stopped early")
    tally = Tally.begun[0]
    print(tally.report())
    return bool(tally.failures)


if __name__ == "__main__":
    sys.exit(main())
