"""Parses `--form` and `--scoring`: how a model is asked, and how its answers are read."""

from __future__ import annotations

from core.contract.question import Form, Scoring
from tui.cli.lookup import check_choice


def parse_form(text: str | None) -> Form | None:
    """Parse --form; None stands for the model's own form. Raises `NotFoundError`."""
    if text is None:
        return None
    check_choice(text, Form, "prompt form", "--form")
    return Form(text)


def parse_scoring(text: str | None) -> Scoring | None:
    """Parse --scoring; None stands for the benchmark's own scoring. Raises `NotFoundError`."""
    if text is None:
        return None
    check_choice(
        text, (Scoring.LOGLIKELIHOOD, Scoring.GENERATED, Scoring.SCHEMA), "scoring", "--scoring"
    )
    return Scoring(text)
