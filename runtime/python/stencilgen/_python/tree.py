"""What a function that is a stencil says: statements over arrays at a point."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Union

from .declare import Iterator
from .functions import Known
from .source import Function


@dataclass(frozen=True)
class Constant:
    at: ast.AST
    value: Any  #: a number of Python or numpy


@dataclass(frozen=True)
class IteratorUse:
    at: ast.AST
    iterator: Iterator


@dataclass(frozen=True)
class NameUse:
    """An argument or a local that stands for one number."""

    at: ast.AST
    name: str


@dataclass(frozen=True)
class Read:
    at: ast.AST
    array: str
    indices: tuple[Expression, ...]


@dataclass(frozen=True)
class ShapeOf:
    """``u.shape[0]``."""

    at: ast.AST
    array: str
    dimension: int


@dataclass(frozen=True)
class Unary:
    at: ast.AST
    operator: str  #: ``+``, ``-`` or ``not``
    operand: Expression


@dataclass(frozen=True)
class Binary:
    """Arithmetic as Python writes it, ``//`` and ``**`` included."""

    at: ast.AST
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Compare:
    """``a < b <= c`` has two operators."""

    at: ast.AST
    operators: tuple[str, ...]
    operands: tuple[Expression, ...]


@dataclass(frozen=True)
class Logic:
    at: ast.AST
    operator: str  #: ``and`` or ``or``
    operands: tuple[Expression, ...]
    any_type: bool  #: numpy's functions take numbers, Python's words would return them


@dataclass(frozen=True)
class Choose:
    at: ast.AST
    condition: Expression
    then_value: Expression
    else_value: Expression
    of_numpy: bool


@dataclass(frozen=True)
class Call:
    at: ast.AST
    function: Known
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Reduce:
    """``stencilgen.sum(...)`` and its like: one number of the values at all points."""

    at: ast.AST
    operation: str  #: as the language calls it
    operand: Expression


Expression = Union[
    Constant, IteratorUse, NameUse, Read, ShapeOf, Unary, Binary, Compare, Logic, Choose, Call,
    Reduce,
]  # fmt: skip


def parts(node: Expression) -> tuple[Expression, ...]:
    """The expressions that it is made of."""
    if isinstance(node, (Unary, Reduce)):
        return (node.operand,)
    if isinstance(node, Binary):
        return (node.left, node.right)
    if isinstance(node, (Compare, Logic)):
        return node.operands
    if isinstance(node, Choose):
        return (node.condition, node.then_value, node.else_value)
    if isinstance(node, Call):
        return node.arguments
    if isinstance(node, Read):
        return node.indices
    return ()


def all_nodes(node: Expression) -> list[Expression]:
    """The expression and all that it is made of, from left to right."""
    return _nodes(node, True)


def own_nodes(node: Expression) -> list[Expression]:
    """The same without operands of reductions, which are not about one point."""
    return _nodes(node, False)


def _nodes(node: Expression, operands: bool) -> list[Expression]:
    found: list[Expression] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        found.append(one)
        if operands or not isinstance(one, Reduce):
            waiting += reversed(parts(one))
    return found


def own_reads(node: Expression) -> list[Read]:
    """The elements that the value at a point depends on, but for those of reductions."""
    return [one for one in own_nodes(node) if isinstance(one, Read)]


def all_reductions(node: Expression) -> list[Reduce]:
    return [one for one in own_nodes(node) if isinstance(one, Reduce)]


def all_reads(node: Expression) -> list[Read]:
    """The elements that the value depends on."""
    return [one for one in all_nodes(node) if isinstance(one, Read)]


def all_iterators(node: Expression) -> list[Iterator]:
    return [one.iterator for one in all_nodes(node) if isinstance(one, IteratorUse)]


def names_in(values: Iterable[Expression]) -> set[str]:
    """The arguments and locals that values depend on."""
    return {one.name for value in values for one in all_nodes(value) if isinstance(one, NameUse)}


def is_written_number(node: Expression) -> bool:
    """Whether an index is a number in the function's text: then it may count from the end."""
    return not any(isinstance(one, (IteratorUse, NameUse, ShapeOf)) for one in all_nodes(node))


def uses(node: Expression, name: str) -> bool:
    """Whether the value depends on the iterator."""
    return any(one.name == name for one in all_iterators(node))


@dataclass(frozen=True)
class Range:
    """A slice, or one index."""

    at: ast.AST
    first: Expression | None
    end: Expression | None
    single: bool = False


@dataclass(frozen=True)
class Domain:
    at: ast.AST
    ranges: tuple[Range, ...]


@dataclass(frozen=True)
class AssignElement:
    at: ast.stmt
    target: Read
    operator: str  #: empty, or that of ``+=``
    value: Expression
    source: ast.expr  #: of the value
    domain: Domain | None


@dataclass(frozen=True)
class AssignLocal:
    at: ast.stmt
    name: str
    operator: str
    value: Expression
    source: ast.expr


@dataclass(frozen=True)
class LocalArray:
    """``flux = np.empty_like(u)``."""

    at: ast.stmt
    name: str
    like: str
    dtype: Any


@dataclass(frozen=True)
class Return:
    """``return`` of one number, which no point has for itself; of several, one each."""

    at: ast.stmt
    value: Expression
    source: ast.expr
    domain: Domain | None


Statement = Union[AssignElement, AssignLocal, LocalArray, Return]


@dataclass(frozen=True)
class StencilTree:
    source: Function
    formals: tuple[str, ...]
    defaults: dict[str, Any]
    boundary: dict[str, tuple[str, ...]]  #: of formals: one mode, or one a dimension
    statements: tuple[Statement, ...]
    iterators: tuple[str, ...]  #: those that are used, the slowest first
    local_arrays: dict[str, str] = field(default_factory=dict)  #: and what they are like

    @property
    def arrays(self) -> set[str]:
        """The formals that are indexed."""
        found: set[str] = set()
        for one in self.statements:
            if isinstance(one, LocalArray):
                found.add(one.like)
                continue
            found.update(read.array for read in all_reads(one.value))
            if isinstance(one, AssignElement):
                found.add(one.target.array)
        return found & set(self.formals)

    @property
    def written(self) -> list[str]:
        """The formals that are assigned to."""
        names = [one.target.array for one in self.statements if isinstance(one, AssignElement)]
        return [name for name in self.formals if name in names]

    @property
    def measured(self) -> list[Read]:
        """The elements whose arrays say how far the points go: those that are written, or where
        there are none, those that are read."""
        found = [one.target for one in self.statements if isinstance(one, AssignElement)]
        return found or self.read

    @property
    def read(self) -> list[Read]:
        """All elements that are read."""
        values = [one.value for one in self.statements if not isinstance(one, LocalArray)]
        return [read for value in values for read in all_reads(value)]

    @property
    def results(self) -> tuple[Return, ...]:
        """What the stencil returns, a number or several; the last statement."""
        return tuple(one for one in self.statements if isinstance(one, Return))

    @property
    def name(self) -> str:
        return self.source.name
