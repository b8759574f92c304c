"""Boundary modes: they belong to arrays in the language, and to arguments of stencils here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from .bindings import ArrayBinding, Binding
from .declare import Affine
from .program_tree import ArrayOf, StencilCall
from .source import Function, counted
from .tree import IteratorUse, LocalArray, NameUse, StencilTree, all_reads


class BoundaryModes:
    """Those of a program's arrays, by its calls. ``modes``: by array, with the first call that says
    so."""

    def __init__(self, source: Function, arrays: Mapping[str, ArrayOf]) -> None:
        self._source = source
        self._arrays = arrays
        self._plain: dict[str, StencilCall] = {}
        self.modes: dict[str, tuple[tuple[str, ...], StencilCall]] = {}

    def note(self, one: StencilCall, bindings: Mapping[str, Binding]) -> None:
        """What a call says of the arrays that it is given. Raises Refused where that contradicts
        another call."""
        for formal, argument in one.arguments.items():
            if not isinstance(argument, NameUse) or argument.name not in self._arrays:
                continue
            modes = one.stencil.boundary.get(formal)
            if modes is None:
                if _reads_outside(one.stencil, formal, bindings):
                    self._plain.setdefault(argument.name, one)
                continue
            rank = len(self._arrays[argument.name].type.extents)
            if len(modes) not in (1, rank):
                self._source.refuse(
                    argument.at,
                    "wrong-rank",
                    f"boundary of `{formal}`: {len(modes)} modes for {counted(rank, 'dimension')}",
                )
            before = self.modes.setdefault(argument.name, (modes, one))
            if before[0] != modes:
                self._refuse_boundary(argument.name, one, before[1])

    def check(self) -> None:
        """Raises Refused where an array has a mode and a call reads outside of it without one."""
        for name, (_, call) in self.modes.items():
            if name in self._plain:
                self._refuse_boundary(name, self._plain[name], call)

    def _refuse_boundary(self, name: str, one: StencilCall, other: StencilCall) -> NoReturn:
        self._source.refuse(
            one.at,
            "python-boundary",
            f"`{one.stencil.name}` reads outside of `{name}` in another way than "
            f"`{other.stencil.name}`",
            "an array has one boundary mode in a program",
            [(self._source.place(other.at), "the other call")],
        )


def _reads_outside(tree: StencilTree, formal: str, bindings: Mapping[str, Binding]) -> bool:
    """Whether the stencil may read elements that the array has not."""

    def extents(name: str) -> tuple[Affine, ...]:
        found = bindings.get(tree.local_arrays.get(name, name))
        return found.extents if isinstance(found, ArrayBinding) else ()

    #: How many places each iterator has, by the arrays that say so.
    places: dict[str, set[Affine]] = {}
    for one in tree.measured:
        for index, extent in zip(one.indices, extents(one.array)):
            if isinstance(index, IteratorUse):
                places.setdefault(index.iterator.name, set()).add(extent)
    for statement in tree.statements:
        if isinstance(statement, LocalArray):
            continue
        for read in all_reads(statement.value):
            if read.array != formal:
                continue
            for index, extent in zip(read.indices, extents(formal)):
                if not isinstance(index, IteratorUse):
                    return True
                if places.get(index.iterator.name) != {extent}:
                    return True
    return False
