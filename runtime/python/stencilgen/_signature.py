"""What `help` says of a program's arguments."""

from __future__ import annotations

import inspect

from ._interface import Array, Interface, Scalar, python_name


def signature_of(interface: Interface) -> inspect.Signature:
    """Arguments by place, and parameters by name."""
    parameters = [
        inspect.Parameter(
            python_name(one.name),
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            annotation=_annotation(one),
        )
        for one in interface.arguments
        if isinstance(one, Scalar) or one.visible
    ]
    for size in interface.parameters:
        parameters.append(
            inspect.Parameter(
                python_name(size.name),
                inspect.Parameter.KEYWORD_ONLY,
                default=size.fixed or size.default or None,
            )
        )
    return inspect.Signature(parameters)


def _annotation(one: Array | Scalar) -> str:
    if isinstance(one, Scalar):
        return one.type
    role = "in, out" if one.is_input and one.is_output else "out" if one.is_output else "in"
    return f"{one.dtype}{one.shape_text} ({role})"
