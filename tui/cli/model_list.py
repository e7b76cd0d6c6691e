"""`models`: lists what --model may name."""

from __future__ import annotations

from core.files import config, paths
from core.models.model_files import find_models
from core.text.errors import RunError
from tui.cli.options import JsonOption, StoreOption
from tui.cli.output import out, out_json, say
from tui.shell.model_choices import demo_entry, file_entry, folders, recorded_runs


def models(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """List what --model may name.

    That is the bundled model, the GGUF files in your folders of models, and the recorded runs.
    """
    files = find_models(folders(config.read().model_folders))
    entries = [demo_entry(), *(file_entry(file) for file in files)]
    notes = []
    try:
        entries += recorded_runs(store or paths.runs())
    except RunError as error:
        notes.append(f"The recorded runs cannot be read: {error}")
    if as_json:
        out_json(
            {
                "models": [
                    {
                        "source": entry.source,
                        "kind": entry.kind.value,
                        "name": entry.name,
                        "facts": entry.facts,
                        "trouble": entry.trouble,
                    }
                    for entry in entries
                ],
                "notes": notes,
            }
        )
        return
    for entry in entries:
        words = ", ".join(part for part in (*entry.facts, entry.trouble) if part)
        out(f"{entry.source}\n    {entry.name}{': ' if words else ''}{words}")
    for note in notes:
        say(note)
