"""`activations`: the residual stream of every question of a collection, for notebooks.

Help and completion come to this module too, so the command imports what it does its work with.
"""

from __future__ import annotations

from tui.cli.options import JsonOption, QuietOption
from tui.cli.study_options import ActivationOptions


def activations(
    asked: ActivationOptions, as_json: JsonOption = False, quiet: QuietOption = False
) -> None:
    """Write a model's residual stream about a collection to a file.

    The tensor `states` is (rows, blocks, width). Beside it an index says of each row which item,
    position and part it is, with its role, and what the options score. The same command goes on
    with a file that was interrupted.
    """
    from tui.cli.activation_writing import write_activations

    write_activations(asked, as_json=as_json)
