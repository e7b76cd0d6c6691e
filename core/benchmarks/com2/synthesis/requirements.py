"""The requirements of the paper's appendix A on events, chains, questions and slow thinking.

Each function raises `Rejected` for the first requirement that is not met.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from core.benchmarks.com2.item import letter
from core.benchmarks.com2.synthesis.reply_reader import ACTIONS
from core.benchmarks.com2.synthesis.reply_values import Asked, Chains, Thinking
from core.benchmarks.com2.synthesis.stages import CHAIN_NAMES, Make
from core.benchmarks.generation.normalised_text import normalise
from core.benchmarks.generation.rejection import Reason, Rejected

EVENTS = 5
"""Events of a chain, which has one link less."""
LONGEST_EVENT = 160
LONGEST_QUESTION = 600
SINGLE = range(3, 7)
"""How many options a question with one right option has."""
_MULTIPLE = range(4, 9)
_CHAIN_NAMED = re.compile(r"\b(?:causal|first|second|third|sound) chains?\b", re.IGNORECASE)
_CONCLUDED = re.compile(r"\banswer (?:is|must be) ([A-Z](?:, [A-Z])*)\b")
_FIRST_PERSON = re.compile(r"\bI\b|\b(?:me|my)\b")
_MARK = re.compile(r"\s*(?:[0-9]{1,3}|[A-Z])[.)]\s+")
_SENTENCE = 5
"""Fewest words of a line for which equality is no coincidence."""
_SHARE = 0.5
"""Least share of an event's words in a question about it."""


def check_text(text: str, longest: int, what: str) -> None:
    """Require words, a printable line and at most `longest` characters."""
    if not normalise(text).strip() or not any(c.isalpha() for c in text):
        raise Rejected(Reason.TEXT, f"{what} has no words.")
    if len(text) > longest:
        raise Rejected(Reason.TEXT, f"{what} has more than {longest} characters.")
    if not text.isprintable():
        raise Rejected(Reason.TEXT, f"{what} holds a character that is not printed.")


def check_distinct(texts: Iterable[str], what: str) -> None:
    """Require distinct texts, ignoring case and punctuation."""
    seen: set[str] = set()
    for text in texts:
        if normalise(text) in seen:
            raise Rejected(Reason.REPEATED, f"{what} “{text}” is there twice.")
        seen.add(normalise(text))


def check_copied(text: str, examples: Iterable[str], share: float) -> None:
    """Require that at most a share of the reply's lines are copied from the worked examples.

    Lines of five words or more count, without their number or letter; headings, which end with a
    colon, do not.
    """
    shown = {line for example in examples for line in _sentences(example)}
    lines = _sentences(text)
    copied = [line for line in lines if line in shown]
    if len(copied) > share * len(lines):
        raise Rejected(
            Reason.COPIED,
            f"{len(copied)} of {len(lines)} lines are those of a worked example, such as "
            f"“{copied[0].strip()}”.",
        )


def _sentences(text: str) -> list[str]:
    content = [line for line in text.splitlines() if not line.rstrip().endswith(":")]
    lines = [normalise(_MARK.sub("", line)) for line in content]
    return [line for line in lines if len(line.split()) >= _SENTENCE]


def check_chains(chains: Chains, make: Make, root: str) -> None:
    """Require 5 distinct events and 4 links each, the right root, order and distinct tails."""
    names = [chain.name.casefold() for chain in chains.chains]
    wanted = CHAIN_NAMES[make]
    if names != [name.casefold() for name in wanted]:
        raise Rejected(Reason.ORDER, f"The chains must be, in this order: {', '.join(wanted)}.")
    for i, chain in enumerate(chains.chains):
        if len(chain.events) != EVENTS:
            raise Rejected(
                Reason.LENGTH,
                f"“{wanted[i]}” has {len(chain.events)} events; it must have {EVENTS} events "
                f"and {EVENTS - 1} links.",
            )
        for event in chain.events:
            check_text(event, LONGEST_EVENT, "An event")
        check_distinct(chain.events, "The event")
        other = make is Make.COUNTERFACTUAL and i > 0
        if (normalise(chain.events[0]) == normalise(root)) is other:
            what = "an event contrary to" if other else "the given event,"
            raise Rejected(Reason.ROOT, f"“{wanted[i]}” must begin with {what} “{root}”.")
        faulty = make is Make.TRANSITION and i > 0
        if chain.link not in (range(1, EVENTS) if faulty else (0,)):
            say = f"the link of its fault, 1 to {EVENTS - 1}" if faulty else "no faulty link"
            raise Rejected(Reason.LINK, f"“{wanted[i]}” must name {say}.")
    inner = [event for chain in chains.chains for event in chain.events[1:]]
    tails = [chain.events[-1] for chain in chains.chains]
    if len({normalise(tail) for tail in tails}) < len(tails):
        raise Rejected(Reason.TAIL, "Two chains have the same tail.")
    check_distinct(inner, "The event")


def check_asked(asked: Asked, make: Make, chains: Chains) -> None:
    """Require a question that gives nothing away, and distinct options that hold the tails."""
    check_text(asked.question, LONGEST_QUESTION, "The question")
    for option in asked.options:
        check_text(option.text, LONGEST_EVENT, "An option")
    multiple = make is Make.DECISION
    if len(asked.options) not in (_MULTIPLE if multiple else SINGLE):
        raise Rejected(Reason.OPTIONS, f"{len(asked.options)} options are too few or too many.")
    check_distinct((option.text for option in asked.options), "The option")
    check_question(asked, make, chains)
    if multiple:
        _check_advice(asked, chains)
        return
    if any(option.stops for option in asked.options):
        raise Rejected(Reason.OPTIONS, "Here no option prevents an event.")
    for tail in required_tails(make, chains):
        if sum(normalise(option.text) == normalise(tail) for option in asked.options) != 1:
            raise Rejected(Reason.TAIL, f"“{tail}” must be one of the options, word for word.")


def required_tails(make: Make, chains: Chains) -> tuple[str, ...]:
    """The tails that must be options: the right one and the misleading ones."""
    tails = tuple(chain.events[-1] for chain in chains.chains)
    return tails[-1:] if make is Make.COUNTERFACTUAL else tails


def check_question(asked: Asked, make: Make, chains: Chains) -> None:
    """Require that the question names its event, but no intermediate event and no answer."""
    if not asked.question.endswith("?"):
        raise Rejected(Reason.TEXT, "The question must end with a question mark.")
    question = normalise(asked.question)
    hidden = [event for chain in chains.chains for event in chain.events[1:-1]]
    if make is not Make.DECISION:
        hidden += [chain.events[-1] for chain in chains.chains]
    for event in hidden:
        if normalise(event) in question:
            raise Rejected(Reason.LEAK, f"The question must not name “{event}”.")
    about = [chains.chains[-1 if make is Make.COUNTERFACTUAL else 0].events[0]]
    if make is Make.DECISION:
        about.append(chains.chains[0].events[-1])
    if make is Make.INTERVENTION:
        check_text(asked.intervention, LONGEST_EVENT, "The intervention")
        if asked.cuts not in range(1, EVENTS):
            raise Rejected(Reason.LINK, f"The intervention must cut a link from 1 to {EVENTS - 1}.")
        known = [event for chain in chains.chains for event in chain.events]
        check_distinct([asked.intervention, *dict.fromkeys(known)], "The event")
        about.append(asked.intervention)
    elif asked.intervention or asked.cuts:
        raise Rejected(Reason.UNREADABLE, "Here there is no intervention.")
    for event in about:
        words = set(normalise(event).split())
        if len(words & set(question.split())) < _SHARE * len(words):
            raise Rejected(Reason.ROOT, f"The question must speak of “{event}”.")


def _check_advice(asked: Asked, chains: Chains) -> None:
    """Require that some options stop an intermediate event, and none the first or last one."""
    numbered = advice_events(chains)
    ends = {1, EVENTS, len(numbered)}
    for option in asked.options:
        if option.stops > len(numbered):
            raise Rejected(Reason.OPTIONS, f"There is no event {option.stops} to stop.")
        if option.stops in ends:
            raise Rejected(Reason.OPTIONS, "An option may stop only an event between the ends.")
    if not any(option.stops for option in asked.options):
        raise Rejected(Reason.OPTIONS, "No option stops an event.")


def advice_events(chains: Chains) -> tuple[str, ...]:
    """The events of both chains of a decision in the order of their numbers, the root once."""
    first, *others = chains.chains
    return (*first.events, *(event for chain in others for event in chain.events[1:]))


def check_thinking(thinking: Thinking, options: Sequence[str], right: frozenset[int]) -> None:
    """Require all eight actions, a wrong conclusion that is then refined, and the right answer."""
    for step in thinking.steps:
        if step.action not in ACTIONS:
            raise Rejected(Reason.ACTIONS, f"“{step.action}” is none of the eight actions.")
        if not normalise(step.text).strip():
            raise Rejected(Reason.TEXT, f"{step.action} says nothing.")
        if any(not c.isprintable() and c != "\n" for c in step.text):
            raise Rejected(Reason.TEXT, f"{step.action} holds what is not printed.")
    named = [step.action for step in thinking.steps]
    missing = [action for action in ACTIONS if action not in named]
    if missing:
        raise Rejected(Reason.ACTIONS, f"It lacks {', '.join(missing)}.")
    if any(_CHAIN_NAMED.search(step.text) for step in thinking.steps):
        raise Rejected(Reason.CHAINS_NAMED, "It speaks of the chains, which are not given.")
    if not any(_FIRST_PERSON.search(step.text) for step in thinking.steps):
        raise Rejected(Reason.TEXT, "It must think in the first person, as “I”.")
    refined = named.index("Self-Refinement")
    before = "\n".join(step.text for step in thinking.steps[:refined])
    concluded = _CONCLUDED.findall(before)
    if not concluded or _indices(concluded[-1]) == right:
        raise Rejected(
            Reason.MISTAKE,
            "Before Self-Refinement it must come to a wrong answer: “So the answer is …”.",
        )
    text = thinking.steps[refined].text
    if not normalise(text).startswith(" wait "):
        raise Rejected(Reason.MISTAKE, "Self-Refinement must begin with “Wait”.")
    after = " ".join(step.text for step in thinking.steps[refined:])
    if not all(names(after, options, i) for i in right):
        raise Rejected(Reason.MISTAKE, "After “Wait” it must come to the right option.")
    refuted = _CONCLUDED.findall(after)
    if refuted and _indices(refuted[-1]) != right:
        raise Rejected(Reason.MISTAKE, "After “Wait” it must not come to a wrong answer again.")
    check_answer(thinking.answer, len(options), right)


def check_about(thinking: Thinking, event: str) -> None:
    """Require that the thinking is about the question's event, not a worked example's."""
    words = set(normalise(event).split())
    used = set(normalise("\n".join(step.text for step in thinking.steps)).split())
    if len(words & used) < _SHARE * len(words):
        raise Rejected(Reason.ROOT, f"The thinking must speak of “{event}”.")


def names(text: str, options: Sequence[str], index: int) -> bool:
    """Whether a text names an option: “option B”, “the answer is B” or word for word."""
    concluded = [index for letters in _CONCLUDED.findall(text) for index in _indices(letters)]
    called = re.search(rf"\b[Oo]ptions?\s+{letter(index)}\b", text) is not None
    return called or index in concluded or normalise(options[index]) in normalise(text)


def _indices(letters: str) -> frozenset[int]:
    return frozenset(ord(letter) - ord("A") for letter in re.findall("[A-Z]", letters))


def check_answer(answer: Sequence[str], options: int, right: frozenset[int]) -> None:
    """Require that the stated letters are those that follow from the graph."""
    stated = {ord(letter[:1] or "?") - ord("A") for letter in answer}
    if any(len(letter) != 1 for letter in answer) or stated != right or max(stated) >= options:
        letters = ", ".join(letter(i) for i in sorted(right))
        raise Rejected(Reason.ANSWER, f"The right answer is {letters}.")
