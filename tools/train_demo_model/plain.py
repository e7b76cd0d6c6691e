"""Plain text: sentences of chains, activities and stories in a row.

Every word of them is predicted: so the model learns which words go together, also of what no prompt
asks.
"""

from __future__ import annotations

from random import Random

from tools.train_demo_model.causes import Teller, load_schemas
from tools.train_demo_model.concepts import activities, activity_numbers
from tools.train_demo_model.rows import Asked
from tools.train_demo_model.written import written_story

_JOINTS = {
    "en": (". So ", ". Therefore ", ". Then ", ". ", ". Because of this ", ". In the end "),
    "it": (". Così ", ". Perciò ", ". Poi ", ". ", ". Per questo ", ". Alla fine "),
}
_CALLED = ("This is {}.", "That is {}.", "It is an example of {}.", "One calls this {}.")
_NOT = ("This is not {}.", "Nobody would call this {}.")


def chain(rng: Random, language: str = "en") -> Asked:
    """What happens one after the other in a chain of causes, or in its other branch."""
    schema = rng.choice(load_schemas(language))
    events = schema.other if rng.random() < 0.25 else schema.chain
    teller = Teller(rng, new=False, language=language)
    text = teller.say(events[0])
    for event in events[1:]:
        joint, said = rng.choice(_JOINTS[language]), teller.say(event)
        small = not joint.endswith(". ") and not said.startswith(teller.people)
        text += joint + (said[0].lower() + said[1:] if small else said)
    return _asked(text + ".")


def activity(rng: Random) -> Asked:
    """An everyday activity and what it is an instance of."""
    table = activities()[rng.choice(activity_numbers())]
    head = rng.choice(table["say"]).replace("{o}", rng.choice(table["with"]))
    text = head.replace("{X}", "PersonX").replace("{Y}", "PersonY") + "."
    kinds = table["kinds"]
    text += " " + rng.choice(_CALLED).format(kinds[0])
    if len(kinds) > 1:
        first = rng.randrange(len(kinds) - 1)
        above = rng.choice(kinds[first + 1 :])
        text += f" {kinds[first].capitalize()} is a kind of {above}."
    if table.get("not") and rng.random() < 0.5:
        text += " " + rng.choice(_NOT).format(rng.choice(table["not"]))
    return _asked(text)


def story(rng: Random) -> Asked:
    """A plausible story of those written by hand."""
    return _asked(" ".join(written_story(rng, plausible=True).sentences))


def _asked(text: str) -> Asked:
    *most, last = (" " + text).rsplit(" ", 1)
    return Asked(
        benchmark="plain",
        layer="plain",
        instruction="",
        text=" ".join(most),
        answer=last,
        options=(),
        plain=True,
    )
