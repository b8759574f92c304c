"""A stencil that is called on arrays, as a program of one call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Union

import numpy as np

from .._interface import DTYPES
from .bindings import KEYWORDS, free_name
from .declare import Affine, ArrayType
from .read_expression import is_number
from .read_program import ArrayOf, ProgramTree, ScalarOf, StencilCall
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
from .write_program import Written, write_program

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


def direct_tree(tree: StencilTree) -> Shape:
    """What a call on arrays of float64 looks like."""
    sizes = _size_names(tree)
    found: list[tuple[str, Any]] = []
    for name in tree.formals:
        roles = _roles(tree).get(name)
        if roles is None:
            found.append((name, Kind.FLOAT))
            continue
        extents = tuple(
            Affine(((sizes[role] if role else f"{name}_{place}", 1),))
            for place, role in enumerate(roles)
        )
        found.append((name, ("double", extents)))
    return tuple(found)


def _type_of(name: str, value: np.ndarray[Any, Any]) -> str:
    for type_name, dtype in DTYPES.items():
        if value.dtype == dtype:
            return type_name
    known = ", ".join(str(one) for one in DTYPES.values())
    raise TypeError(f"array `{name}`: expected one of {known}, given {value.dtype}")


def call_shape(tree: StencilTree, values: Mapping[str, Any]) -> Shape:
    """What a call looks like: arrays whose sizes along one iterator are nearly the same share that
    size. Raises TypeError and ValueError where a stencil cannot be called so."""
    sizes = _size_names(tree)
    roles = _roles(tree)
    base: dict[str, int] = {}
    found: list[tuple[str, Any]] = []
    for name in tree.formals:
        value = values[name]
        if name not in roles:
            kind = kind_of_number(value) if is_number(value) else None
            if kind is None:
                raise TypeError(
                    f"argument `{name}`: expected a number, given {type(value).__name__}"
                )
            found.append((name, kind))
            continue
        if not isinstance(value, np.ndarray):
            raise TypeError(f"array `{name}`: expected a numpy array, given {type(value).__name__}")
        type_name = _type_of(name, value)
        if value.ndim != len(roles[name]):
            raise ValueError(
                f"array `{name}`: expected {len(roles[name])} dimensions, given {value.shape}"
            )
        extents: list[Affine] = []
        for place, (role, size) in enumerate(zip(roles[name], value.shape)):
            first = base.setdefault(role, size) if role else -1
            if role and abs(size - first) < _NEAR and first > _NEAR:
                extents.append(Affine(((sizes[role], 1),), size - first))
            elif role and size == first:
                extents.append(Affine(((sizes[role], 1),)))
            else:
                extents.append(Affine(((f"{name}_{place}", 1),)))
        found.append((name, (type_name, tuple(extents))))
    return tuple(found)


def direct_program(tree: StencilTree, shape: Shape) -> Written:
    """The program of one call. Raises CompileError where the stencil has no meaning then."""
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
        program.arrays[name] = ArrayOf(node, name, ArrayType(extents, DTYPES[type_name], ""), False)
        for extent in extents:
            for size, _ in extent.terms:
                program.add_size(node, size)
    program.steps = (StencilCall(node, tree, arguments, None),)
    return write_program(program)
