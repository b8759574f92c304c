"""What a function that is a program says: its arguments, and calls of stencils on them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Union

from .declare import ArrayType
from .source import Function
from .tree import Domain, Expression, StencilTree
from .values import Kind


@dataclass(frozen=True)
class ArrayOf:
    """An array of the program. One that is `local` is not an argument."""

    at: ast.AST
    name: str
    type: ArrayType
    local: bool


@dataclass(frozen=True)
class ScalarOf:
    at: ast.AST
    name: str
    kind: Kind


@dataclass(frozen=True)
class ParameterOf:
    at: ast.AST
    name: str
    default: int | None


@dataclass(frozen=True)
class StencilCall:
    at: ast.stmt
    stencil: StencilTree
    arguments: dict[str, Expression]  #: by formal; of arrays, NameUse
    domain: Domain | None
    results: tuple[str, ...] = ()  #: the numbers that take what it returns


@dataclass(frozen=True)
class Compute:
    """A number of the program becomes what an expression of numbers is."""

    at: ast.stmt
    name: str
    value: Expression


@dataclass(frozen=True)
class Loop:
    at: ast.For
    head: ast.AST  #: its first line
    turn: str
    count: Expression
    body: tuple[Step, ...]
    until: Expression | None  #: ends the loop where it holds after a turn
    every: Expression | None  #: it is looked at after so many turns


@dataclass(frozen=True)
class Every:
    """What a loop does after so many turns each."""

    at: ast.If
    head: ast.AST
    turns: Expression
    body: tuple[Step, ...]


@dataclass(frozen=True)
class Swap:
    at: ast.stmt
    first: str
    second: str


Step = Union[StencilCall, Compute, Loop, Every, Swap]


@dataclass
class ProgramTree:
    source: Function
    arrays: dict[str, ArrayOf] = field(default_factory=dict)
    scalars: dict[str, ScalarOf] = field(default_factory=dict)
    parameters: dict[str, ParameterOf] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)  #: of arrays and scalars
    numbers: dict[str, ast.AST] = field(default_factory=dict)  #: that the program computes
    steps: tuple[Step, ...] = ()
    results: tuple[str, ...] | None = None  #: of `return`
    results_at: ast.AST | None = None

    def add_size(self, at: ast.AST, name: str) -> None:
        """A parameter that an extent names."""
        self.parameters.setdefault(name, ParameterOf(at, name, None))


def all_calls(steps: Sequence[Step]) -> list[StencilCall]:
    """The calls of stencils, in loops too."""
    found: list[StencilCall] = []
    for one in steps:
        if isinstance(one, StencilCall):
            found.append(one)
        elif isinstance(one, (Loop, Every)):
            found += all_calls(one.body)
    return found


def values_in(steps: Sequence[Step], condition: Expression | None = None) -> list[Expression]:
    """The expressions of the steps and, if there is one, a condition that ends them."""
    found = [] if condition is None else [condition]
    for one in steps:
        if isinstance(one, StencilCall):
            found += one.arguments.values()
        elif isinstance(one, Compute):
            found.append(one.value)
        elif isinstance(one, Loop):
            found += values_in(one.body, one.until)
        elif isinstance(one, Every):
            found += values_in(one.body)
    return found
