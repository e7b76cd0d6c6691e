"""Answers that meet every requirement, written by hand, for tests of what happens with them."""

from __future__ import annotations

EVENTS = "1. A cable car stops half way\n2. A choir loses its scores\n3. A well runs dry"
ROOT = "A cable car stops half way"
SOUND = (
    ROOT,
    "The skiers wait for hours",
    "The hut sells all its soup",
    "The cook sends for more leeks",
    "The farmer buys a second field",
)
OTHER = (
    ROOT,
    "A photographer takes a picture from above",
    "The picture wins a prize",
    "Many guests book the view",
    "The mayor paints the station red",
)
THIRD = (
    ROOT,
    "A coin falls into the snow",
    "A slope begins to slide",
    "The forest road is buried",
    "The hunters move to the coast",
)
INSTEAD = (
    "The mountain is flat for a day",
    "Everybody walks to the summit",
    "Shoes become dear",
    "The cobbler learns to sing",
    "An opera house is built of leather",
)


def numbered(lines: tuple[str, ...]) -> str:
    return "\n".join(f"{i}. {line}" for i, line in enumerate(lines, 1))


THINKING = """Context Identification: It is about a cable car that stops half way.
Systematic Analysis: I know the start and look for the end.
Divide: Who waits, who eats, who pays?
Method Reuse: I remember a train that stopped in the snow.
Comparison: Option {wrong} sounds near. So the answer is {wrong}.
Self-Refinement: Wait, nothing supports that. Option {right} does follow.
Conquer: One step after the other leads to option {right}.
Emphasizing Constraints: It must follow from what happened.
Answer: {right}"""
STORY = (
    "The ferry stopped in the fog, and the captain's watch was gone when it moved again. Ida had "
    "slept beside the wheel. Tom had sold coffee on deck. Vera had fed the gulls all morning. The "
    "captain blamed Ida at once. Then a gull dropped a chain with coffee on it, and Tom gave the "
    "watch back."
)
PUZZLE = """Crime: The captain's watch vanished in the fog.
Facts:
1. Ida slept beside the wheel
2. Tom sold coffee on deck
3. Vera fed the gulls
Clue: There was coffee on the chain
Suspects:
A) Ida
B) Tom
C) Vera
First suspected: A
Because of fact: 1"""
DIRECT = f"""Question: {ROOT}. What comes of it in the end?
Options:
A) The skis are melted down
B) {SOUND[-1]}
C) The hut moves to the valley
D) Soup is forbidden
Answer: B"""
ANSWERS: dict[str, tuple[str, ...]] = {
    "direct": (EVENTS, numbered(SOUND), DIRECT, THINKING.format(wrong="A", right="B")),
    "decision": (
        EVENTS,
        f"High probability:\n{numbered(SOUND)}\nLow probability:\n{numbered(OTHER)}",
        f"""Question: {ROOT}, and the farmer buys a second field. What would have prevented that?
Options:
A) Walk the skiers down at once [stops 2]
B) Forbid cameras in the cabin [stops 6]
C) Cook dumplings as well [stops 3]
D) Paint the cabin blue [stops nothing]
E) Give no prize this year [stops 7]
Answer: A, C""",
        THINKING.format(wrong="B", right="A").replace(
            "does follow.", "does follow, and option C too."
        )[: -len("Answer: A")]
        + "Answer: A, C",
    ),
    "transition": (
        EVENTS,
        f"Sound:\n{numbered(SOUND)}\nWith scene drift (link 3):\n{numbered(OTHER)}\n"
        f"With threshold effect (link 2):\n{numbered(THIRD)}",
        f"""Question: {ROOT}. What comes of it in the end?
Options:
A) {OTHER[-1]}
B) {THIRD[-1]}
C) {SOUND[-1]}
D) Soup is forbidden
Answer: C""",
        THINKING.format(wrong="A", right="C"),
    ),
    "intervention": (
        EVENTS,
        f"High probability:\n{numbered(SOUND)}\nLow probability:\n{numbered(OTHER)}",
        f"""Intervention: A second cabin brings hot lunch up
Cuts link: 2
Question: {ROOT}, but a second cabin brings hot lunch up. What comes of it?
Options:
A) {SOUND[-1]}
B) {OTHER[-1]}
C) Soup is forbidden
D) The skis are melted down
Answer: B""",
        THINKING.format(wrong="A", right="B"),
    ),
    "counterfactual": (
        EVENTS,
        f"Normal:\n{numbered(SOUND)}\nCounterfactual:\n{numbered(INSTEAD)}",
        f"""Question: Suppose that {INSTEAD[0].lower()}. What would come of it?
Options:
A) {SOUND[-1]}
B) Soup is forbidden
C) {INSTEAD[-1]}
D) Gloves become cheap
Answer: C""",
        THINKING.format(wrong="A", right="C"),
    ),
    "case": (EVENTS, STORY, "Tom", PUZZLE, THINKING.format(wrong="A", right="B")),
}
"""What a model may write for the stages of each kind, in order."""

CRIME = (
    "The captain hung his watch beside the wheel",
    "Tom saw the watch while he sold coffee",
    "The ferry stopped blind in the fog",
    "Tom reached for the chain in the fog",
    "The watch of the captain was gone",
)
NO_CRIME = (
    "The captain hung a cuckoo beside the wheel",
    "The gulls answered every hour",
    "The passengers sang with the gulls",
    "Tom sold song books with the coffee",
    "The ferry became a floating choir",
)
OWN_CASE = (
    "Tom",
    PUZZLE,
    THINKING.format(wrong="A", right="B"),
    f"Normal:\n{numbered(CRIME)}\nCounterfactual:\n{numbered(NO_CRIME)}",
    f"""Question: {CRIME[0]}, and then the watch of the captain was gone. What would have kept it?
Options:
A) Feed the gulls before noon [stops nothing]
B) Keep the coffee seller below deck [stops 2]
C) Fasten the chain to the wheel [stops 4]
D) Wake Ida as soon as the horn sounds [stops nothing]
Answer: B, C""",
    THINKING.format(wrong="A", right="B")
    .replace("a cable car that stops half way", "a captain who hung his watch beside the wheel")
    .replace("does follow.", "does follow, and option C too.")[: -len("Answer: B")]
    + "Answer: B, C",
    f"""Question: Suppose that {NO_CRIME[0].lower()}. What would have come of it?
Options:
A) {CRIME[-1]}
B) {NO_CRIME[-1]}
C) The wheel is sold to a museum
D) Coffee is forbidden on board
Answer: B""",
    THINKING.format(wrong="A", right="B").replace(
        "a cable car that stops half way", "a captain who hung his watch beside the wheel"
    ),
)
"""What a model may write about a person's own story, in the order of the stages."""
