"""Loads the model with a given name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from core.files import config, paths
from core.files.shipped import samples
from core.hub.models import find_model
from core.hub.names import PREFIX
from core.models.person import PERSON_PREFIX, Ask, PersonModel
from core.models.protocol import Model
from core.models.replay import REPLAY_PREFIX, ReplayModel
from core.text.addresses import is_server, shown_address
from core.text.errors import ModelError, NotFoundError
from core.text.language import _

DEMO = "demo"


async def load_model(
    name: str,
    *,
    on_progress: Callable[[float], None] | None = None,
    on_log: Callable[[str], None] | None = None,
    replay: Callable[[str], ReplayModel] | None = None,
    person: Ask | None = None,
    gpu_layers: int = 0,
    threads: int = 0,
    context: int = 0,
    exact: bool = False,
) -> Model:
    """Load "demo", a GGUF file, "replay:RUN", "person:NAME" or the model at a server's address.

    "hf:OWNER/REPO:QUANT" is a published model that was fetched; nothing is fetched here.

    `on_progress` is called with the loaded share of the file, `on_log` with each line of
    llama.cpp's log; `replay` opens a recorded run, `person` asks a person. Of a model file an
    accelerator computes `gpu_layers` layers, and the processor with `threads` threads; 0 for as
    many as are the fastest. Its context takes at most `context` tokens, 0 for the usual; where
    `exact`, its keys and values are kept as 32-bit numbers. Raises `ModelError` or `NotFoundError`;
    if the caller is cancelled, loading stops and leaves no process behind.
    """
    shown = shown_name(name)
    if shown.startswith("…"):
        from core.models.openai.key import KEY_VARIABLE

        raise ModelError(
            _("An address with a password in it would be stored with every run."),
            where=shown,
            hint=_("Put the key into the environment variable {variable}.", variable=KEY_VARIABLE),
        )
    if name.startswith(REPLAY_PREFIX):
        if replay is None:
            raise ModelError(_("Recorded runs cannot be replayed here."), where=name)
        return replay(name.removeprefix(REPLAY_PREFIX))
    if name.startswith(PERSON_PREFIX):
        if person is None:
            raise ModelError(
                _("A person can be asked only inside the program."),
                where=name,
                hint=_("Open it, press m, and type this there."),
            )
        return PersonModel(name.removeprefix(PERSON_PREFIX), person)
    if is_server(name):
        from core.models.openai.client import OpenAIModel

        return await OpenAIModel.connect(name.strip(), prices=config.read_or_defaults()[0].prices)
    if shown != name:
        raise ModelError(
            _("This is not the address of a server."), where=shown, hint=_("Write http://…")
        )
    from core.models.llama.client import LlamaModel

    return await LlamaModel.load(
        model_file(name),
        on_progress=on_progress,
        on_log=on_log,
        source=name if name == DEMO or name.startswith(PREFIX) else "",
        demo=name == DEMO,
        gpu_layers=gpu_layers,
        thread_count=threads,
        context=context,
        exact=exact,
    )


def shown_name(name: str) -> str:
    """A model's name as it may be shown: of an address, well formed or not, without its secrets."""
    is_other = name.startswith((REPLAY_PREFIX, PERSON_PREFIX, PREFIX))
    # `Path.is_file` would raise an error for a text that cannot be a path.
    is_file = os.path.isfile(paths.expanded(name))  # noqa: PTH113
    return name if is_other or is_file else shown_address(name)


def is_file_name(name: str) -> bool:
    """Whether a name is that of a file with weights, which any machine could load."""
    return not (name.startswith((REPLAY_PREFIX, PERSON_PREFIX)) or is_server(name))


def model_file(name: str) -> Path:
    """The file that "demo", "hf:…" or a path names; it need not exist. Raises `NotFoundError`."""
    if name.startswith(PREFIX):
        return find_model(name)
    if name == DEMO:
        return demo_file()
    if not name.strip():
        raise NotFoundError(_("No model was named."), hint=_("Name a .gguf file, or demo."))
    try:
        return paths.expanded(name)
    except RuntimeError:
        raise NotFoundError(_("There is no such home folder."), where=name) from None


def demo_file() -> Path:
    """The bundled model."""
    return samples() / "models" / "demo-q8_0.gguf"
