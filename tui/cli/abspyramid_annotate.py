"""`abspyramid annotate` and `abspyramid votes`: people vote on tuples."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from core.annotation.annotation import Annotator, agreement
from core.annotation.rounds import Standing, State
from core.annotation.session import Annotating
from core.benchmarks.abspyramid.annotation import (
    GUIDE,
    INVALID,
    TITLE,
    UNGRAMMATICAL,
    VALID,
    TupleAnnotation,
    begin,
    open_annotation,
)
from core.benchmarks.abspyramid.wordnet import find_wordnet as installed_wordnet
from core.exchange.exporters import files
from core.statistics.kappa import Ratings
from core.text.errors import DataError
from core.text.quantities import counted
from tui.app.opening import need_terminal, open_annotator
from tui.cli.figures import kappa_text, print_table
from tui.cli.options import ForceOption, JsonOption, LangOption
from tui.cli.output import complain, out, out_json, say


def annotate(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file or folder of tuples to vote on.")
    ],
    person: Annotated[str, typer.Option("--person", metavar="NAME", help="Vote under this name.")],
    folder: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Keep the votes in this folder; several people may share it.",
        ),
    ],
    qualification: Annotated[
        Path | None,
        typer.Option(
            "--qualification",
            metavar="FILE",
            help="Test the annotator with labelled tuples first: 20 are asked and 18 "
            "must be right.",
        ),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option(
            "--votes",
            help="Collect this many votes a tuple and round; 5 when an annotation begins.",
        ),
    ] = None,
    language: LangOption = None,
    as_json: JsonOption = False,
) -> None:
    """Vote on tuples: valid, invalid or ungrammatical.

    Every vote is saved at once, and the same command continues. Tuples on which the first round
    does not agree are asked again.
    """
    need_terminal("abspyramid votes DIR prints what was voted.")
    annotation = begin(folder, file, qualification, number, installed_wordnet())
    session = Annotating(annotation.votes, person, GUIDE)
    code = open_annotator(session, TITLE, GUIDE, language)
    session.close()
    try:
        # What is told is what is on the disk: files may have been removed meanwhile.
        annotation.votes.refresh()
    except DataError as error:
        complain(error)
    annotator = next(
        (each for each in annotation.votes.annotators() if each.name == session.who), None
    )
    if as_json:
        out_json(None if annotator is None else _annotator_json(annotator))
    elif annotator is not None:
        say(f"{annotator.name}: {counted(annotator.votes, 'vote')} in {folder}.")
        say("The same command continues.")
    if code:
        raise typer.Exit(code)


def votes(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that --out named.")],
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            metavar="FILE",
            help="Write the decided tuples to this file, in the format of the release.",
        ),
    ] = None,
    force: ForceOption = False,
    disqualify: Annotated[
        str | None,
        typer.Option(
            "--disqualify",
            metavar="NAME",
            help="Discard this annotator's votes; others replace them.",
        ),
    ] = None,
    reinstate: Annotated[
        str | None,
        typer.Option("--reinstate", metavar="NAME", help="Count this annotator's votes again."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print decisions, agreement and annotators.

    Agreement is the share of pairs of votes on a tuple that are the same, and Fleiss' kappa with a
    95 % interval: a percentile bootstrap over tuples, 1,000 draws with a fixed seed.
    """
    annotation = open_annotation(folder)
    for name, counts in ((disqualify, False), (reinstate, True)):
        if name is not None:
            annotation.votes.decide_about(name, counts=counts)
    if export is not None:
        lines = annotation.released()
        files.write(export, lines.encode("ascii"), force=force)
        exported = lines.count("\n")
    standings = [each for _, each in annotation.votes.standings()]
    if as_json:
        more = {} if export is None else {"exported": exported}
        out_json(_json(annotation, standings) | more)
        return
    _print(annotation, standings)
    if export is not None:
        out(f"Written to {export}: {counted(exported, 'decided tuple')}.")


def _json(annotation: TupleAnnotation, standings: list[Standing]) -> dict[str, Any]:
    votes = annotation.votes
    first, final = agreement(standings, votes.rules)
    test = votes.test
    return {
        "votes_per_tuple": votes.rules.votes,
        "n": len(standings),
        "states": _counts(standings),
        "agreement": {"first_round": _ratings_json(first), "final": _ratings_json(final)},
        "discarded_votes": sum(each.discarded for each in standings),
        "surplus_votes": sum(each.surplus for each in standings),
        "unknown_tasks": votes.unknown(),
        "qualification": test and {"questions": test.questions, "to_pass": test.to_pass},
        "annotators": [_annotator_json(annotator) for annotator in votes.annotators()],
        "tuples": [
            {
                "event": annotated.marked,
                "concept": annotated.concepts[0],
                "type": annotated.relation.value,
                "state": _state(each),
                "first_round": dict(each.first),
                "again": dict(each.again),
            }
            for annotated, each in zip(annotation.tuples, standings, strict=True)
        ],
    }


def _annotator_json(annotator: Annotator) -> dict[str, Any]:
    same, pairs = annotator.with_others
    tested = annotator.tested
    return {
        "name": annotator.name,
        "votes": annotator.votes,
        "qualification": tested
        and {
            "answered": tested.answered,
            "right": tested.right,
            "questions": tested.questions,
            "passed": tested.passed,
        },
        "disqualified": annotator.disqualified,
        "same_as_others": same,
        "pairs_with_others": pairs,
    }


def _ratings_json(ratings: Ratings | None) -> dict[str, Any] | None:
    if ratings is None:
        return None
    return {
        "items": ratings.items,
        "raters": ratings.raters,
        "pairwise": ratings.observed,
        "expected": ratings.expected,
        "kappa": ratings.kappa,
        "kappa_interval": ratings.interval,
    }


def _state(each: Standing) -> str:
    """The decision on a tuple, or the state of its rounds."""
    return each.choice or each.state.value


def _counts(standings: list[Standing]) -> dict[str, int]:
    names = (VALID, INVALID, UNGRAMMATICAL, State.OPEN, State.REANNOTATE, State.DROPPED)
    counted = Counter(map(_state, standings))
    return {str(name): counted[name] for name in names}


_STATES = {
    "valid": "decided: valid",
    "invalid": "decided: invalid",
    "ungrammatical": "dropped: ungrammatical",
    "open": "open: votes are missing",
    "reannotate": "to annotate again: no agreement",
    "dropped": "dropped: no agreement, twice",
}


def _print(annotation: TupleAnnotation, standings: list[Standing]) -> None:
    votes = annotation.votes
    rows = [(_STATES[name], f"{count:,}") for name, count in _counts(standings).items()]
    print_table(f"{len(standings):,} tuples, {votes.rules.votes} votes each", ("", "tuples"), rows)
    out()
    both = zip(("First round", "Final"), agreement(standings, votes.rules), strict=True)
    for title, ratings in both:
        out(f"{title}: {_agreement(ratings)}")
    people = votes.annotators()
    if people:
        out()
        print_table("Annotators", ("name", "votes", "test", "as others", ""), _people(people))
    if unknown := votes.unknown():
        say(f"There are votes on {unknown:,} tasks that do not belong to this annotation.")


def _agreement(ratings: Ratings | None) -> str:
    if ratings is None:
        return "no tuple has two votes or more yet, or not all of them."
    kappa = kappa_text(ratings.kappa, ratings.interval, "vote")
    return (
        f"pairwise agreement {ratings.observed:.2%} (by chance {ratings.expected:.2%}), "
        f"Fleiss' kappa {kappa}, over {ratings.items:,} tuples with {ratings.raters} votes"
    )


def _people(people: tuple[Annotator, ...]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for person in people:
        tested, (same, pairs) = person.tested, person.with_others
        score = "" if tested is None else f"{tested.right} of {tested.questions}"
        failed = tested is not None and not tested.passed
        note = "disqualified" if person.disqualified else "not passed" if failed else ""
        share = f"{same / pairs:.0%} of {pairs:,}" if pairs else ""
        rows.append((person.name, f"{person.votes:,}", score, share, note))
    return rows
