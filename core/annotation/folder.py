"""What lies in the folder of an annotation, so that nothing else is written over it.

annotation.json      the rules; where it is, there is an annotation
tuples.jsonl         what is voted on
qualification.jsonl  the questions of the test
disqualified.jsonl   whose votes are discarded
votes/               a file of votes for each person
"""

from __future__ import annotations

from pathlib import Path

from core.annotation.votes import holds_votes

ABOUT = "annotation.json"
TUPLES = "tuples.jsonl"
QUALIFICATION = "qualification.jsonl"
DISQUALIFIED = "disqualified.jsonl"
VOTES = "votes"


def belongs_to_annotation(path: Path) -> bool:
    """Whether a file holds votes, or is or would be a part of an annotation that is there.

    Raises `OSError`.
    """
    path = path.absolute()
    folder = path.parent
    if folder.name == VOTES and (folder.parent / ABOUT).is_file():
        return True
    names = (ABOUT, TUPLES, QUALIFICATION, DISQUALIFIED)
    return (path.name in names and (folder / ABOUT).is_file()) or holds_votes(path)
