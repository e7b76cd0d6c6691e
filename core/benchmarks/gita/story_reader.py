"""Reads a released story document into a `Story` without loss.

Schemas: GITA4CALAMITA (Pensa et al., 2024, section 3.4 and appendix A), GITA v1, whose `states`
annotate twenty attributes of every entity sentence by sentence, and TRIP, which both follow.
The conflict is `confl_sents[0]` with `breakpoint`. `confl_pairs` is not used: it is empty for
every order story of the release. Labels are kept as they were released.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from core.benchmarks.gita import story_keys
from core.benchmarks.gita.item import Change, Story
from core.contract.collection import About
from core.files.regular_file import read_regular
from core.system.typed_values import ready
from core.text.errors import DataError
from core.text.escaping import escape_control_characters
from core.text.language import _

MAX_SENTENCES = 12
"""The limit for pairs of sentences and prompts; TRIP's stories have four to seven sentences."""

MOST_CHANGES = 2_000
"""Most annotated changes of a story's states; those of GITA v1 have up to 475."""

GITA_WORKER = "GAP"
"""`worker_id` of the released GITA stories."""

GITA4CALAMITA = About(
    title="GITA4CALAMITA",
    origin="https://github.com/EkhiAzur/GITA4CALAMITA",
    licence="CC BY-NC-SA 4.0",
    citation=(
        "Giulia Pensa, Ekhi Azurmendi, Julen Etxaniz, Begoña Altuna and Itziar Gonzalez-Dios "
        "(2024). GITA4CALAMITA - Evaluating the Physical Commonsense Understanding of Italian "
        "LLMs in a Multi-layered Approach: A CALAMITA Challenge. CLiC-it 2024.",
    ),
    note="The paper states this licence for GITA v1; the repository carries no licence file.",
)
GITA_V1 = About(
    title="GITA v1",
    origin="https://github.com/GiuliaAPensa/GITAdataset",
    licence="CC BY-NC-SA 4.0",
    citation=(
        "Giulia Pensa, Begoña Altuna and Itziar Gonzalez-Dios (2024). A Multilayered Approach to "
        "Physical Commonsense Understanding: Creation and Evaluation of an Italian Dataset. "
        "LREC-COLING 2024, pages 819-831.",
    ),
    note="The GITA4CALAMITA paper states this licence; the repository carries no licence file.",
)

_Code = Annotated[int, msgspec.Meta(ge=0, le=8)]


class Released(msgspec.Struct, gc=False):
    """The fields of a released document that the program reads; `raw` keeps all of them."""

    story_id: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    sentences: Annotated[list[str], msgspec.Meta(min_length=1, max_length=MAX_SENTENCES)]
    plausible: bool
    example_id: str | int | None = None
    worker_id: str | int | None = None
    type: str | None = None
    actor: str | None = None
    location: str | None = None
    breakpoint: int | None = None
    confl_sents: int | list[Any] | None = None
    states: str | list[str | dict[str, list[tuple[str, _Code]]]] | None = None


class _Sample(msgspec.Struct):
    """A line of an evaluation-harness samples file."""

    doc: msgspec.Raw
    doc_id: int = -1


class Decoded(NamedTuple):
    """A document and the number of its sample, if it comes from one."""

    released: Released
    sample: int | None
    """`doc_id` of the sample; -1 without one; None for a document outside a sample."""


class Gloss(msgspec.Struct, frozen=True):
    """A story in English, from `gloss.json` beside the stories."""

    sentences: tuple[str, ...] = ()
    why: str = ""
    whys: dict[str, str] = {}
    """`why` in other languages, by the codes of the languages."""


class Annotation(NamedTuple):
    """The three layers of annotation, with their indices checked."""

    conflict: int | None
    breakpoint: int | None
    state: str


_LETTERS = {"order": story_keys.ORDER, "cloze": story_keys.CLOZE}
_STORY = msgspec.json.Decoder(Released)
_SAMPLE = msgspec.json.Decoder(_Sample)
_FIELD_PATH = re.compile(r" - at `\$\.?(.*)`$")
_MAX_GLOSS_BYTES = 64 * 2**20
"""Maximal size of a file of glosses."""


def decode(raw: bytes, where: str) -> Decoded:
    """Read a document, also one inside a sample; raises `DataError` naming the field."""
    try:
        return Decoded(_STORY.decode(raw), None)
    except msgspec.ValidationError as error:
        sample = _sample(raw)
        if sample is None:
            raise _mismatch(error, where) from error
        return Decoded(decode(bytes(sample.doc), where).released, sample.doc_id)
    except (ValueError, RecursionError):
        return _decode_slowly(raw, where)


def _sample(raw: bytes) -> _Sample | None:
    try:
        return _SAMPLE.decode(raw)
    except (ValueError, RecursionError):
        return None


def _decode_slowly(raw: bytes, where: str) -> Decoded:
    """Read a document that the fast decoder refuses, such as one with NaN in an unused field."""
    value = _json(raw, where)
    inner = value.get("doc") if isinstance(value, dict) and "sentences" not in value else None
    try:
        if inner is None:
            return Decoded(msgspec.convert(value, ready(Released)), None)
        number = value.get("doc_id")
        return Decoded(
            msgspec.convert(inner, ready(Released)), number if isinstance(number, int) else -1
        )
    except msgspec.ValidationError as error:
        raise _mismatch(error, where) from error
    except RecursionError:
        raise DataError(_("This story is nested too deeply."), where=where) from None


def _json(raw: bytes, where: str) -> Any:
    try:
        value = json.loads(raw.decode("utf-8"), parse_int=_integer)
        # Half a surrogate pair is valid JSON but cannot be shown or stored.
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        raise DataError(
            _("This is not JSON: {msg} (column {colno}).", msg=error.msg, colno=error.colno),
            where=where,
            hint=_("Expected is one story as a JSON object."),
        ) from error
    except UnicodeError as error:
        raise DataError(
            _("This text is not valid Unicode."), where=where, hint=_("Save it as UTF-8.")
        ) from error
    except RecursionError:
        raise DataError(_("This story is nested too deeply."), where=where) from None
    return value


def _integer(digits: str) -> int | str:
    """The integer, or its digits where Python refuses to convert so many."""
    try:
        return int(digits)
    except ValueError:
        return digits


def _mismatch(error: msgspec.ValidationError, where: str) -> DataError:
    text = str(error)
    path = _FIELD_PATH.search(text)
    field = f"The field “{path[1]}” of this story" if path and path[1] else "This story"
    return DataError(
        _("{field} is not as expected.", field=field),
        where=where,
        hint=(text[: path.start()] if path else text).replace("`", "") + ".",
    )


def annotation(released: Released, where: str) -> Annotation:
    """Check the annotated indices against the sentences, and how many there are of changes.

    Raises `DataError`.
    """
    length = len(released.sentences)
    breakpoint_ = -1 if released.breakpoint is None else released.breakpoint
    if not -1 <= breakpoint_ < length:
        raise _out_of_range("breakpoint", breakpoint_, length, where)
    conflict = _first_index(released.confl_sents, where)
    if conflict is not None and not 0 <= conflict < length:
        raise _out_of_range("confl_sents", conflict, length, where)
    states = released.states
    if isinstance(states, list):
        changes = sum(
            len(entities)
            for attributes in states
            if isinstance(attributes, dict)
            for entities in attributes.values()
        )
        if changes > MOST_CHANGES:
            raise DataError(
                _(
                    "The states of this story have {count:,} changes; {most:,} are the most.",
                    count=changes,
                    most=MOST_CHANGES,
                ),
                where=where,
            )
        states = next((state for state in states if isinstance(state, str)), None)
    return Annotation(conflict, breakpoint_ if breakpoint_ >= 0 else None, states or "")


def _first_index(value: Any, where: str) -> int | None:
    """The first sentence index in `confl_sents`, at any depth of nesting."""
    while isinstance(value, list):
        value = value[0] if value else None
    if value is None or value == -1:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise DataError(
            _("The field “confl_sents” of this story is not as expected."),
            where=where,
            hint=_("Expected are positions of sentences."),
        )
    return value


def _out_of_range(field: str, index: int, length: int, where: str) -> DataError:
    return DataError(
        _(
            "The field “{field}” of this story names sentence {index}, which does not exist.",
            field=field,
            index=index,
        ),
        where=where,
        hint=f"Expected is a position from 0 to {length - 1}"
        + (", or -1." if field == "breakpoint" else "."),
    )


def letter(released: Released) -> int:
    """The kind of a story by its fields, as a letter of `core.benchmarks.gita.story_keys`.

    A plausible story without a breakpoint has no letter, whatever its type: the release has a
    plausible story of type "order".
    """
    if released.plausible and (released.breakpoint is None or released.breakpoint < 0):
        return story_keys.NO_LETTER
    return _LETTERS.get((released.type or "").lower(), story_keys.IMPLAUSIBLE)


def released_id(released: Released) -> str:
    """The id as released, or the story's number where there is none."""
    return str(released.story_id if released.example_id is None else released.example_id)


def story(raw: bytes, where: str, *, key: str, family: int, gloss: Gloss | None = None) -> Story:
    """Read a document into the story with this key; raises `DataError`.

    A gloss with another number of sentences than the story is left out.
    """
    gloss = gloss or Gloss()
    decoded = decode(raw, where)
    released = decoded.released
    marks = annotation(released, where)
    document = _json(raw, where)
    return Story(
        key=key,
        example_id=released_id(released),
        story_id=family,
        type=released.type,
        actor=released.actor or "",
        location=released.location or "",
        sentences=tuple(released.sentences),
        plausible=released.plausible,
        conflict=marks.conflict,
        breakpoint=marks.breakpoint,
        state=marks.state,
        changes=_changes(released),
        gloss=gloss.sentences if len(gloss.sentences) == len(released.sentences) else (),
        why=gloss.why,
        whys=gloss.whys,
        raw=document if decoded.sample is None else document["doc"],
    )


def _changes(released: Released) -> tuple[Change, ...]:
    if not isinstance(released.states, list):
        return ()
    return tuple(
        Change(sentence, entity, attribute, code)
        for sentence, attributes in enumerate(released.states)
        if isinstance(attributes, dict)
        for attribute, entities in attributes.items()
        for entity, code in entities
    )


def glosses(folder: Path, errors: list[DataError]) -> Mapping[str, Gloss]:
    """The English texts from `gloss.json` in a folder, by key; empty without the file."""
    path = folder / "gloss.json"
    try:
        raw = read_regular(path, _MAX_GLOSS_BYTES, DataError, name=path.name)
        return msgspec.json.decode(raw, type=ready(dict[str, Gloss]))
    except FileNotFoundError:
        return {}
    except DataError as error:
        errors.append(error)
    except (ValueError, RecursionError) as error:
        reason = escape_control_characters(str(error).replace("`", ""))
        errors.append(
            DataError(
                _("{name} is left out: {reason}.", name=path.name, reason=reason),
                where=path,
                hint=_("Expected are sentences, why and whys, by story."),
            )
        )
    return {}


def known_about(released: Released) -> About | None:
    """The origin of a released GITA collection, recognised by annotator and annotation."""
    if released.worker_id != GITA_WORKER:
        return None
    return GITA_V1 if isinstance(released.states, list) else GITA4CALAMITA
