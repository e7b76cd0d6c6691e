"""What has to be installed for models that are files, and how to add it."""

from __future__ import annotations

from core.files.installation import command_to_add

REQUIREMENT = "llama-cpp-python==0.3.36"
"""The version that the layout of its structures was checked for; pyproject.toml has the same."""
HOW_TO_ADD = (
    f"Add it by {command_to_add(REQUIREMENT)}, which needs a C and a C++ compiler. Without it a "
    "server (--model http://…) or a recorded run (--model replay:RUN) can be asked."
)
"""What to do where it is not installed."""
HOW_TO_REPAIR = (
    f"Install it again: {command_to_add(REQUIREMENT)} --force-reinstall --no-deps --no-cache-dir"
)
"""What to do where it is installed and does not load."""
