"""Options that stand together in several commands, as one parameter of each.

A group is a dataclass whose fields are annotated as the parameters of a command are. It may extend
another one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def with_single_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command as Typer takes it: each field of its groups is a parameter of its own.

    A group's options stand in `--help` where the group stands among the parameters.
    """
    groups: dict[str, type] = {}
    fields: dict[str, list[str]] = {}
    parameters: list[Parameter] = []
    for parameter in signature(command, eval_str=True).parameters.values():
        if not is_dataclass(parameter.annotation):
            parameters.append(parameter)
            continue
        group: Any = parameter.annotation
        options = signature(group).parameters
        # The annotations of an inherited field are names of another module.
        kinds = get_type_hints(group, include_extras=True)
        groups[parameter.name], fields[parameter.name] = group, list(options)
        parameters += (each.replace(annotation=kinds[each.name]) for each in options.values())
    if not groups:
        return command

    @wraps(command)
    def single(**values: Any) -> Any:
        for name, group in groups.items():
            values[name] = group(**{field: values.pop(field) for field in fields[name]})
        return command(**values)

    keywords = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in parameters]
    single.__signature__ = Signature(keywords)  # type: ignore[attr-defined]
    single.__annotations__ = {each.name: each.annotation for each in keywords}
    return single
