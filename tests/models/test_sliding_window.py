"""Models whose layers look back a few tokens only, as those of Gemma 2 and 3."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from core.models.llama.completion import score_options
from tests.gguf_files import write
from tests.models.blocks import Opened, spec_of

STORY = "The cup fell from the table and broke. Then Anna drank from it. The story is"
OTHER = "The cup fell from the shelf and broke. Then Anna drank from it. The story is"
PROMPTS = (STORY, 5 * STORY, OTHER, 5 * OTHER, "The vase is on the table. The mug was")


@pytest.mark.parametrize("architecture", ["gemma2", "gemma3", "llama"])
def test_a_prompt_scores_the_same_whatever_was_asked_before(
    architecture: str, tmp_path: Path
) -> None:
    """A long prompt overwrites tokens that a shorter one with the same beginning looks at."""
    file = write(tmp_path / "m.gguf", spec_of(architecture))
    expected = [Opened(file).plain(prompt) for prompt in PROMPTS]
    for seed in range(3):
        opened, random = Opened(file), Random(seed)
        for _ in range(25):
            place = random.randrange(len(PROMPTS))
            assert opened.plain(PROMPTS[place]) == expected[place]
            opened.inspection.forget(random.choice((0, 16, 1000)))
            seen = score_options(opened.inspection, *opened.pairs(PROMPTS[place]))
            assert seen == expected[place]
