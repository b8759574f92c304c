"""Numbers that a program computes: what stencils return, and what follows from that."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from .bindings import free_name
from .program_tree import Compute, StencilCall, Step
from .source import Function
from .tree import NameUse
from .values import Kind


class Numbers:
    """``kinds``: by name, in the order in which they are first assigned."""

    def __init__(self, source: Function) -> None:
        self._source = source
        self.kinds: dict[str, Kind] = {}
        self._own: dict[tuple[str, int, Kind], str] = {}
        self._reads: dict[str, list[Iterable[str] | None]] = {}

    def own(self, wish: str, number: int, kind: Kind, taken: set[str]) -> str:
        """A number that the function has no name for; the same for the same wish, number and
        kind."""
        key = (wish, number, kind)
        if key not in self._own:
            self._own[key] = free_name(wish, taken)
            taken.add(self._own[key])
            self.kinds[self._own[key]] = kind
        return self._own[key]

    def kind(self, node: NameUse) -> Kind:
        """Of a number that is read. Raises Refused where nothing has assigned it before."""
        if node.name not in self.kinds:
            message = f"`{node.name}` is read before it is assigned"
            self._source.refuse(node.at, "read-before-write", message)
        return self.kinds[node.name]

    def assume(self, step: Step) -> None:
        """A step with a problem assigns its number nevertheless."""
        names = (step.name,) if isinstance(step, Compute) else ()
        for name in step.results if isinstance(step, StencilCall) else names:
            self.kinds.setdefault(name, Kind.F64)

    def assign(self, at: ast.AST, name: str, kind: Kind, reads: Iterable[str] | None) -> None:
        """``reads``: the names that the value depends on; None where it is a reduction. Raises
        Refused where the number had another type."""
        before = self.kinds.setdefault(name, kind)
        if before != kind:
            self._source.refuse(
                at,
                "python-type",
                f"`{name}` is {before.value} above, and becomes {kind.value} here",
                "take another name, or convert it, as `np.float64(0)`",
            )
        self._reads.setdefault(name, []).append(reads)

    def check(self, named: Mapping[str, ast.AST]) -> None:
        """Raises Refused where a number depends on no reduction: it is no part of the program."""
        reduced: set[str] = set()
        while True:
            more = {
                name
                for name, all_reads in self._reads.items()
                if any(one is None or reduced & set(one) for one in all_reads)
            }
            if more == reduced:
                break
            reduced = more
        for name, at in named.items():
            if name in self._reads and name not in reduced:
                self._source.refuse(
                    at,
                    "bad-argument",
                    f"`{name}` depends on no reduction",
                    "compute it in the stencil, or before the program is called",
                )
