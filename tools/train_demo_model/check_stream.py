"""Replay the stories a model was trained on and look for sentences that must not be there.

`python -m tools.train_demo_model.check_stream [--model FILE]` takes a few minutes. It exits with 1
when a sentence of the samples or a whole measuring story occurs in the stream.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.train_demo_model.gguf_file import read_record
from tools.train_demo_model.stream import (
    MEASURING_SEED,
    checksum,
    normalised,
    sample_sentences,
    training_story,
    unseen_stories,
)

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Replay, print what was found, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.train_demo_model.check_stream", description=__doc__
    )
    parser.add_argument(
        "--model", type=Path, default=ROOT / "samples" / "models" / "demo-gita-q8_0.gguf"
    )
    record = read_record(parser.parse_args().model)
    samples = sample_sentences(ROOT / "samples")
    # Without the sentences of that time the filter cannot be replayed: then nothing is left out.
    same = checksum(samples) == record.blocked_checksum
    blocked = samples if same else frozenset()
    measured = {
        story.sentences
        for new in (False, True)
        for story in unseen_stories(MEASURING_SEED, 1000, new)
    }
    found: set[str] = set()
    left_out = repeated = 0
    for index in range(record.stories):
        story = training_story(record.seed, index, blocked)
        if story is None:
            left_out += 1
            continue
        found.update(samples.intersection(map(normalised, story.sentences)))
        repeated += story.sentences in measured
    print(f"samples are {'the same as' if same else 'not the same as'} when the model was trained")
    print(f"{record.stories} stories, {left_out} left out for a sample sentence")
    print(f"sample sentences in training stories: {len(found)}")
    print(f"measuring stories in training stories: {repeated}")
    for sentence in sorted(found):
        print(f"  {sentence}")
    return 1 if found or repeated else 0


if __name__ == "__main__":
    sys.exit(main())
