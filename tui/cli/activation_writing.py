"""What the command `activations` does: it writes states question by question."""

from __future__ import annotations

from contextlib import aclosing

from core.contract.setting import typed_values
from core.exchange.exporters import files
from core.exchange.exporters.activation_file import ENDING, ActivationFile
from core.models.protocol import Model
from core.runs.questions import QuestionSource
from core.studies.activations import activations, metadata_of, parse_blocks, parse_positions
from core.studies.subject import Subject, task_layer
from core.text.errors import ModelError
from tui.cli.answer_options import parse_form
from tui.cli.lookup import named_benchmark, open_collection, words
from tui.cli.model_loading import run_with_model
from tui.cli.output import WorkFailedError, out, out_json, say
from tui.cli.progress import ProgressLine
from tui.cli.study_options import ActivationOptions


def write_activations(asked: ActivationOptions, *, as_json: bool) -> None:
    """Write the file, or go on with it, and print where it is.

    Raises `ExportError`, `SettingError` and the errors of what is opened; `WorkFailedError`.
    """
    files.check_free(asked.to, force=asked.force, ending=ENDING)
    where, form = parse_positions(asked.positions), parse_form(asked.form)
    bench, data = named_benchmark(asked.benchmark, asked.data)
    path, collection = open_collection(bench, data)
    values = typed_values(words(asked.settings))
    source = QuestionSource(bench, collection, values, limit=asked.limit)
    layer = task_layer(source, asked.task_layer)

    async def work(loaded: Model) -> None:
        subject = await Subject.of(loaded, source, path, layer, form)
        chosen = parse_blocks(asked.blocks, subject.access.blocks)
        cases = subject.cases()
        metadata = metadata_of(subject, where, chosen)
        width = subject.access.width
        with ActivationFile(
            asked.to, metadata, len(chosen), width, half=asked.half, force=asked.force
        ) as file:
            if file.questions:
                say(f"Questions in the file already: {file.questions} of {len(cases)}.")
            line = ProgressLine()
            left = cases[file.questions :]
            try:
                async with aclosing(activations(subject, left, where, chosen, file.rows)) as states:
                    async for each in states:
                        file.add(each)
                        line.show(f"states: {file.questions}/{len(cases)}")
            except ModelError as error:
                say("What was read is kept; the same command goes on.")
                raise WorkFailedError(error) from error
            finally:
                line.end()
            rows, index = file.rows, file.finish()
            if as_json:
                out_json({"path": str(file.path), "rows": rows, "index": str(index)})
            else:
                out(str(file.path))
                out(str(index))

    run_with_model(asked.model, None, work, context=asked.context, exact=asked.exact)
