"""A program's arguments: arrays, numbers, sizes and counts."""

from __future__ import annotations

import ast
import inspect
from typing import Any, NoReturn

import numpy as np

from .declare import ArrayType
from .program_tree import ArrayOf, ParameterOf, ProgramTree, ScalarOf
from .read_stencil import arguments_of
from .source import Function, Refused, fail
from .values import Kind

_SCALARS: dict[Any, Kind] = {
    float: Kind.FLOAT, np.float64: Kind.F64, np.float32: Kind.F32, np.int32: Kind.I32,
    bool: Kind.BOOL, np.bool_: Kind.BOOL,
}  # fmt: skip


def add_array(source: Function, tree: ProgramTree, one: ArrayOf) -> None:
    """An array of the program, and the sizes that its shape names. Raises Refused."""
    tree.arrays[one.name] = one
    tree.order.append(one.name)
    for extent in one.type.extents:
        for name, _ in extent.terms:
            if name in tree.arrays or name in tree.scalars:
                source.refuse(
                    one.at, "redeclaration", f"`{name}` is a size here, and another argument"
                )
            tree.add_size(one.at, name)


class _ArgumentReader:
    def __init__(self, source: Function, tree: ProgramTree) -> None:
        self._source = source
        self._tree = tree

    def run(self) -> list[str]:
        problems: list[Refused] = []
        arguments, defaults = arguments_of(self._source)
        for one in arguments:
            try:
                self._argument(one, defaults)
            except Refused as problem:
                problems.append(problem)
        fail(problems)
        return [one.arg for one in arguments]

    def _annotation(self, one: ast.arg) -> Any:
        found = self._source.function.__annotations__.get(one.arg)
        if isinstance(found, str):
            try:
                found = eval(found, self._source.names.all())
            except Exception as error:
                assert one.annotation is not None
                self._refuse(
                    one.annotation, "python-annotation", f"{type(error).__name__}: {error}"
                )
        for extra in getattr(found, "__metadata__", ()):  # of typing.Annotated
            if isinstance(extra, ArrayType):
                return extra
        return found

    def _argument(self, one: ast.arg, defaults: dict[str, Any]) -> None:
        if not one.arg.isascii():
            self._refuse(one, "python-name", f"the name `{one.arg}` has letters beyond ASCII")
        annotation = self._annotation(one)
        default = defaults.get(one.arg, inspect.Parameter.empty)
        has_default = default is not inspect.Parameter.empty
        if annotation is int or (annotation is None and type(default) is int):
            if has_default and (type(default) is not int or default < 1):
                self._refuse(
                    one,
                    "python-value",
                    f"`{one.arg}`: {default!r} is no size or count",
                    "sizes and counts are whole numbers of at least 1",
                )
            self._tree.parameters[one.arg] = ParameterOf(
                one, one.arg, default if has_default else None
            )
            return
        if has_default:
            self._refuse(
                one,
                "python-argument",
                f"`{one.arg}` is no size or count, and has no default",
                "give it with each call",
            )
        if isinstance(annotation, ArrayType):
            add_array(self._source, self._tree, ArrayOf(one, one.arg, annotation, False))
            return
        kind = _SCALARS.get(annotation) if isinstance(annotation, type) else None
        if kind is None:
            given = "no annotation" if annotation is None else f"the annotation {annotation!r}"
            self._refuse(
                one,
                "python-annotation",
                f"`{one.arg}` has {given}",
                'an array is `u: stencilgen.array("M N")`, a number `alpha: float`, a count '
                "`T: int`",
            )
        self._tree.scalars[one.arg] = ScalarOf(one, one.arg, kind)
        self._tree.order.append(one.arg)

    def _refuse(self, node: ast.AST, identifier: str, message: str, hint: str = "") -> NoReturn:
        self._source.refuse(node, identifier, message, hint)


def read_arguments(source: Function, tree: ProgramTree) -> list[str]:
    """Adds the arguments to the program, and returns their names. Raises CompileError with all that
    is not understood."""
    try:
        return _ArgumentReader(source, tree).run()
    except Refused as problem:
        fail([problem])
        raise
