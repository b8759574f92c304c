"""Programs executed as Python: the function itself, whose calls of stencils are executed so too."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._interface import DTYPES, Array, Interface
from .._scalars import parameter
from .declare import executed_sizes
from .reference import executing
from .source import Function


def _number(interface: Interface, name: str, value: Any) -> Any:
    """A scalar, as the type that the program gives it."""
    scalar = next(one for one in interface.scalars if one.name == name)
    return value if scalar.type == "double" else DTYPES[scalar.type].type(value)


def run_program(
    function: Function, interface: Interface, values: Mapping[str, Any], numbers: Sequence[str]
) -> Any:
    """Executes a program on copies of arrays, and returns its results as `Program.run` does.
    ``numbers``: results that are no arguments."""
    arguments: dict[str, Any] = {}
    shapes: list[tuple[Array, tuple[int, ...]]] = []
    given: dict[str, int] = {}
    for size in interface.parameters:
        if size.name in values:
            given[size.name] = parameter(size, values[size.name])
    for one in interface.visible:
        if one.name in values:
            arguments[one.name] = np.array(values[one.name])
            shapes.append((one, arguments[one.name].shape))
    sizes = interface.sizes(given, shapes)
    for one in interface.visible:
        if one.name in numbers:
            continue
        shape = tuple(extent.value(sizes) for extent in one.extents)
        arguments.setdefault(one.name, np.zeros(shape, one.dtype))
    for scalar in interface.scalars:
        arguments[scalar.name] = _number(interface, scalar.name, values[scalar.name])
    names = [one.name for one in interface.outputs]
    node = _returning(function.node, names)
    arguments.update({one.arg: sizes[one.arg] for one in node.args.args if one.arg in sizes})
    module = ast.fix_missing_locations(ast.Module([node], []))
    namespace = function.names.all()
    exec(compile(module, function.file, "exec"), namespace)
    states = (executing, executing.set(True)), (executed_sizes, executed_sizes.set(sizes))
    try:
        results = namespace[node.name](**arguments)
    finally:
        for variable, token in states:
            variable.reset(token)  # type: ignore[arg-type]
    if len(names) == 1:
        return results[names[0]]
    return results


def _returning(given: ast.FunctionDef, names: Sequence[str]) -> ast.FunctionDef:
    """The function without its decorators, that returns arrays by name."""
    node = copy.deepcopy(given)
    node.decorator_list, node.returns = [], None
    everything = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    for one in everything:
        one.annotation = None
    node.args = ast.arguments([], everything, None, [], [], None, [])
    if isinstance(node.body[-1], ast.Return):
        node.body.pop()
    keys: list[ast.expr | None] = [ast.Constant(name) for name in names]
    values: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
    node.body.append(ast.Return(ast.Dict(keys, values)))
    return node
