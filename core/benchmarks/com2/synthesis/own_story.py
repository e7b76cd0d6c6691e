"""A case from a person's own detective story: decision, intervention and counterfactual.

Xiong et al. (2025), section 2.4: Com²-hard asks all three about each story.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random

from core.benchmarks.com2.synthesis.attempts import Asker, known_replies
from core.benchmarks.com2.synthesis.cases import read_story
from core.benchmarks.com2.synthesis.one_item import Request, keep_item, make_own_case
from core.benchmarks.com2.synthesis.pipeline import check_writes, open_journal, plan_of
from core.benchmarks.com2.synthesis.provenance import Outcome
from core.benchmarks.com2.synthesis.stages import OWN_CASE
from core.benchmarks.generation.rejection import Rejected
from core.contract.question import Form
from core.files.regular_file import read_text
from core.models.protocol import Model
from core.text.errors import DataError

_LIMIT = 100_000
ITEM = "case"
"""The id of the item."""


def read_own_story(path: Path) -> str:
    """The story in a text file; raises `DataError` for one that is too short or too long."""
    text = read_text(path, _LIMIT, name="The story")
    try:
        return read_story(text)
    except Rejected as error:
        raise DataError(
            error.what, where=path, hint="Give a story of 40 words to 4,000 characters."
        ) from error


async def make_from_story(
    model: Model,
    folder: Path,
    request: Request,
    story: str,
    form: Form,
    now: Callable[[], str],
) -> Outcome:
    """Make the case of a story, as `case.yaml` in a folder, or say why it was rejected.

    Every reply is kept in the folder's provenance, so that the same command resumes a stopped one.
    Raises `ModelError`, `ConfigError` where the folder belongs to another story or model, and
    `DataError` where another program writes it.
    """
    check_writes(model, form)
    story_hash = sha256(story.encode("utf-8", "replace")).hexdigest()
    plan = plan_of(request, model, form, OWN_CASE, story_hash)
    with open_journal(folder, plan) as journal:
        known = next(iter(journal.outcomes()), None)
        if known is not None:
            return known
        with journal.section() as section:
            asker = Asker(
                model, form, section, now, request.tries, request.seed, {}, known_replies(journal)
            )
            rng = Random(f"{request.seed}:{story_hash}")
            making = make_own_case(asker, ITEM, request, story, rng)
            return await keep_item(making, asker, ITEM, folder)
