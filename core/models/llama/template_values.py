"""What every chat template is given, so that a prompt is the same on every day and machine."""

from __future__ import annotations

from datetime import datetime

NOW = datetime(2025, 1, 1)
"""The date and time that templates are told."""
THINKING = False
"""Whether templates of models that think before they answer are to have them think: an option's
log-likelihood is that of an answer without thoughts."""


def fixed_values(template: str) -> str:
    """Which of these a template uses, as runs record it; empty for none."""
    used = []
    if "strftime_now" in template:
        used.append(f"dated {NOW:%Y-%m-%d}")
    if "enable_thinking" in template:
        used.append("thinking off")
    return f"chat template {', '.join(used)}" if used else ""
