"""`abspyramid annotate` and `abspyramid votes`: people judge tuples, and what comes of it."""

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
from core.benchmarks.abspyramid.wordnet import found as installed_wordnet
from core.exchange.exporters import files
from core.statistics.kappa import Ratings
from tui.app.opening import need_terminal, open_annotator
from tui.cli.figures import print_table
from tui.cli.options import JsonOption, LangOption
from tui.cli.output import out, out_json, say


def annotate(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A file or folder of tuples to judge.", show_default=False
        ),
    ],
    person: Annotated[
        str, typer.Option("--person", metavar="NAME", help="Who votes.", show_default=False)
    ],
    folder: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="DIR",
            help="Where votes are kept; several people may share it.",
            show_default=False,
        ),
    ],
    qualification: Annotated[
        Path | None,
        typer.Option(
            "--qualification",
            metavar="FILE",
            help="Tuples with labels: 20 of them are asked first, and 18 must be right.",
        ),
    ] = None,
    number: Annotated[
        int | None,
        typer.Option("--votes", help="Votes a tuple gets in a round; 5 when an annotation begins."),
    ] = None,
    language: LangOption = None,
    as_json: JsonOption = False,
) -> None:
    """Vote on tuples: valid, invalid or ungrammatical. Go on where you left with the same command.

    Every vote is saved at once. Tuples that the first round does not agree on are asked again.
    """  # fmt: skip
    need_terminal("abspyramid votes DIR prints what was voted.")
    annotation = begin(folder, file, qualification, number, installed_wordnet())
    session = Annotating(annotation.votes, person, GUIDE)
    code = open_annotator(session, TITLE, GUIDE, language)
    session.close()
    annotator = next(
        (each for each in annotation.votes.annotators() if each.name == session.who), None
    )
    if as_json:
        out_json(None if annotator is None else _annotator_json(annotator))
    elif annotator is not None:
        say(f"{annotator.name}: {annotator.votes:,} votes in {folder}.")
        say("The same command continues.")
    if code:
        raise typer.Exit(code)


def votes(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="What --out named.", show_default=False)
    ],
    export: Annotated[
        Path | None,
        typer.Option(
            "--export", metavar="FILE", help="Write the decided tuples as they are released."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
    disqualify: Annotated[
        str | None,
        typer.Option(
            "--disqualify", metavar="NAME", help="Discard somebody's votes; others replace them."
        ),
    ] = None,
    reinstate: Annotated[
        str | None, typer.Option("--reinstate", metavar="NAME", help="Count them again.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print what is decided, what is annotated again or dropped, and how far people agree.

    Agreement is the share of pairs of votes on a tuple that are the same, and Fleiss' kappa, with
    a 95 % interval: the percentile bootstrap over tuples, 1,000 draws of a fixed seed.
    """
    annotation = open_annotation(folder)
    for name, counts in ((disqualify, False), (reinstate, True)):
        if name is not None:
            annotation.votes.decide_about(name, counts=counts)
    written = None if export is None else _export(annotation, export, force=force)
    standings = [each for _, each in annotation.votes.standings()]
    if as_json:
        out_json(
            {**_json(annotation, standings), **({} if written is None else {"exported": written})}
        )
        return
    _print(annotation, standings)
    if written is not None:
        out(f"{written:,} decided tuples were written to {export}.")


def _export(annotation: TupleAnnotation, path: Path, *, force: bool) -> int:
    """Write the decided tuples; how many there are."""
    lines = annotation.released()
    files.write(path, lines.encode("ascii"), force=force)
    return lines.count("\n")


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
        "annotators": [_annotator_json(one) for one in votes.annotators()],
        "tuples": [
            {
                "event": one.marked,
                "concept": one.concepts[0],
                "type": one.relation.value,
                "state": _state(each),
                "first_round": dict(each.first),
                "again": dict(each.again),
            }
            for one, each in zip(annotation.tuples, standings, strict=True)
        ],
    }


def _annotator_json(one: Annotator) -> dict[str, Any]:
    same, pairs = one.with_others
    tested = one.tested
    return {
        "name": one.name,
        "votes": one.votes,
        "qualification": tested
        and {
            "answered": tested.answered,
            "right": tested.right,
            "questions": tested.questions,
            "passed": tested.passed,
        },
        "disqualified": one.disqualified,
        "same_as_others": same,
        "pairs_with_others": pairs,
    }


def _ratings_json(found: Ratings | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "items": found.items,
        "raters": found.raters,
        "pairwise": found.observed,
        "expected": found.expected,
        "kappa": found.kappa,
        "kappa_interval": found.interval,
    }


def _state(each: Standing) -> str:
    """What was decided, or how far it is."""
    return each.choice or each.state.value


def _counts(standings: list[Standing]) -> dict[str, int]:
    names = (VALID, INVALID, UNGRAMMATICAL, State.OPEN, State.REANNOTATE, State.DROPPED)
    counted = Counter(map(_state, standings))
    return {str(name): counted[name] for name in names}


_SAID = {
    "valid": "decided: valid",
    "invalid": "decided: invalid",
    "ungrammatical": "dropped: ungrammatical",
    "open": "open: votes are missing",
    "reannotate": "to annotate again: no agreement",
    "dropped": "dropped: no agreement, twice",
}


def _print(annotation: TupleAnnotation, standings: list[Standing]) -> None:
    votes = annotation.votes
    rows = [(_SAID[name], f"{count:,}") for name, count in _counts(standings).items()]
    print_table(f"{len(standings):,} tuples, {votes.rules.votes} votes each", ("", "tuples"), rows)
    out()
    both = zip(("First round", "Final"), agreement(standings, votes.rules), strict=True)
    for title, found in both:
        out(f"{title}: {_told(found)}")
    people = votes.annotators()
    if people:
        out()
        print_table("Annotators", ("name", "votes", "test", "as others", ""), _people(people))
    if unknown := votes.unknown():
        say(f"There are votes on {unknown:,} tasks that are no part of this annotation.")


def _told(found: Ratings | None) -> str:
    if found is None:
        return "no tuple has two votes or more yet, or not all of them."
    kappa = "undefined: every vote is the same" if found.kappa is None else f"{found.kappa:.3f}"
    if found.interval is not None:
        kappa += " [{:.3f}, {:.3f}]".format(*found.interval)
    return (
        f"pairwise agreement {found.observed:.2%} (by chance {found.expected:.2%}), Fleiss' kappa "
        f"{kappa}, over {found.items:,} tuples with {found.raters} votes"
    )


def _people(people: tuple[Annotator, ...]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for one in people:
        tested, (same, pairs) = one.tested, one.with_others
        score = "" if tested is None else f"{tested.right} of {tested.questions}"
        failed = tested is not None and not tested.passed
        note = "disqualified" if one.disqualified else "not passed" if failed else ""
        share = f"{same / pairs:.0%} of {pairs:,}" if pairs else ""
        rows.append((one.name, f"{one.votes:,}", score, share, note))
    return rows
