"""Reads GITA stories from the documents of an evaluation log."""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Sequence

from core.benchmarks.gita import story_keys, story_reader
from core.benchmarks.gita.item import Story, StoryItem
from core.contract.benchmark import LoggedDocument


def items(documents: Sequence[LoggedDocument]) -> list[StoryItem]:
    """One story with its family for each document; raises `DataError`.

    Repeated and wrong ids are repaired as in a collection, as far as the stories of the log allow.
    """
    raws = [json.dumps(document.fields).encode() for document in documents]
    released = [
        story_reader.decode(raw, document.where).released
        for raw, document in zip(raws, documents, strict=True)
    ]
    ids = [story_reader.released_id(each) for each in released]
    families = array("q", (each.story_id for each in released))
    letters = bytearray(story_reader.letter(each) for each in released)

    def text(i: int) -> story_keys.Text:
        return story_keys.Text(tuple(released[i].sentences), released[i].actor or "")

    repaired = story_keys.repaired(story_keys.Claims(ids, families, letters), text)
    members: defaultdict[int, list[Story]] = defaultdict(list)
    stories = []
    for i, (raw, document) in enumerate(zip(raws, documents, strict=True)):
        family, key = repaired.get(i, (families[i], ids[i]))
        stories.append(story_reader.story(raw, document.where, key=key, family=family))
        members[family].append(stories[-1])
    return [StoryItem(story, tuple(members[story.story_id])) for story in stories]
