"""A stencil that is called on arrays, as a program of one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Union

import numpy as np

from .._interface import dtype_of, known_types, type_of
from .bindings import KEYWORDS, free_name
from .declare import Affine, ArrayType
from .program_tree import ArrayOf, ProgramTree, ScalarOf, StencilCall
from .read_expression import is_number
from .tree import (
    AssignElement,
    Binary,
    IteratorUse,
    LocalArray,
    NameUse,
    Read,
    StencilTree,
    all_reads,
)
from .values import Kind, kind_of_number
from .write_program import write_program
from .written import Written

_NEAR = 8  # sizes that differ by less are one size plus a number, as of a staggered grid

#: Of an argument: an array's type and extents, or a number's kind.
Shape = tuple[tuple[str, Union[tuple[str, tuple[Affine, ...]], Kind]], ...]


def _reads(tree: StencilTree) -> list[Read]:
    found: list[Read] = []
    for one in tree.statements:
        if isinstance(one, LocalArray):
            continue
        found += all_reads(one.value)
        if isinstance(one, AssignElement):
            found.append(one.target)
    return found


def _roles(tree: StencilTree) -> dict[str, list[str | None]]:
    """The iterator of each dimension of each array, where all its indices have the same."""
    roles: dict[str, list[str | None]] = {}
    for read in _reads(tree):
        names: list[str | None] = []
        for index in read.indices:
            node = index
            while isinstance(node, Binary) and node.operator in "+-":
                node = node.left
            names.append(node.iterator.name if isinstance(node, IteratorUse) else None)
        name = tree.local_arrays.get(read.array, read.array)
        before = roles.setdefault(name, names)
        if before is not names and len(before) == len(names):
            for place, (old, new) in enumerate(zip(before, names)):
                if old is None or new is None:
                    before[place] = old or new
                elif old != new:
                    before[place] = None
    return roles


def _size_names(tree: StencilTree) -> dict[str, str]:
    """The size along each iterator."""
    taken = {*tree.formals, *tree.iterators, *KEYWORDS}
    last = "LMN"[-len(tree.iterators) :] if tree.iterators else ""
    return {one: free_name(size, taken) for one, size in zip(tree.iterators, last)}


def _kind_of(name: str, value: Any) -> Kind:
    """Of a number."""
    kind = kind_of_number(value) if is_number(value) else None
    if kind is None:
        raise TypeError(f"argument `{name}`: expected a number, given {type(value).__name__}")
    return kind


def _type_of(name: str, value: Any) -> str:
    """Of an array's elements."""
    if not isinstance(value, np.ndarray):
        raise TypeError(f"array `{name}`: expected a numpy array, given {type(value).__name__}")
    found = type_of(value.dtype)
    if found is None:
        raise TypeError(f"array `{name}`: expected one of {known_types()}, given {value.dtype}")
    return found


class DirectCalls:
    """What calls of one stencil on arrays look like, and their programs."""

    def __init__(self, tree: StencilTree) -> None:
        self._tree = tree
        self._roles = _roles(tree)
        self._sizes = _size_names(tree)

    def usual_shape(self) -> Shape:
        """A call on arrays of float64 whose sizes fit each other."""
        found: list[tuple[str, Any]] = []
        for name in self._tree.formals:
            roles = self._roles.get(name)
            if roles is None:
                found.append((name, Kind.FLOAT))
                continue
            extents = tuple(self._extent(name, place, 0) for place in range(len(roles)))
            found.append((name, ("double", extents)))
        return tuple(found)

    def shape(self, values: Mapping[str, Any]) -> Shape:
        """A call: arrays whose sizes along one iterator are nearly the same share that size.

        Raises TypeError and ValueError where a stencil cannot be called so."""
        base: dict[str, int] = {}
        found: list[tuple[str, Any]] = []
        for name in self._tree.formals:
            value = values[name]
            if name not in self._roles:
                found.append((name, _kind_of(name, value)))
                continue
            type_name = _type_of(name, value)
            roles = self._roles[name]
            if value.ndim != len(roles):
                raise ValueError(
                    f"array `{name}`: expected {len(roles)} dimensions, given {value.shape}"
                )
            extents: list[Affine] = []
            for place, (role, size) in enumerate(zip(roles, value.shape)):
                first = base.setdefault(role, size) if role else -1
                near = first > _NEAR and abs(size - first) < _NEAR
                shared = role is not None and (size == first or near)
                extents.append(self._extent(name, place, size - first if shared else None))
            found.append((name, (type_name, tuple(extents))))
        return tuple(found)

    def _extent(self, name: str, place: int, more: int | None) -> Affine:
        """The size along the dimension's iterator, and so much more; or one of its own."""
        role = self._roles[name][place]
        if role is None or more is None:
            return Affine(((f"{name}_{place}", 1),))
        return Affine(((self._sizes[role], 1),), more)

    def program(self, shape: Shape) -> Written:
        """The program of one call. Raises CompileError where the stencil has no meaning then."""
        tree = self._tree
        node = tree.source.node
        program = ProgramTree(tree.source)
        arguments: dict[str, Any] = {}
        for name, one in shape:
            arguments[name] = NameUse(node, name)
            program.order.append(name)
            if isinstance(one, Kind):
                program.scalars[name] = ScalarOf(node, name, one)
                continue
            type_name, extents = one
            program.arrays[name] = ArrayOf(
                node, name, ArrayType(extents, dtype_of(type_name), ""), False
            )
            for extent in extents:
                for size, _ in extent.terms:
                    program.add_size(node, size)
        results: list[str] = []
        for returned in tree.results:
            taken = [*program.order, *self._sizes.values(), *results]
            results.append(free_name("result", taken))
            program.numbers[results[-1]] = returned.at
            program.results, program.results_at = (*tree.written, *results), returned.at
        program.steps = (StencilCall(tree.source.node, tree, arguments, None, tuple(results)),)
        return write_program(program)
