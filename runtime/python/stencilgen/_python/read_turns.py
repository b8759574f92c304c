"""What a loop of a program does after some of its turns, and calls of stencils in expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable

from .tree import Binary, Compare, Constant, Expression, Logic, NameUse


def is_break(node: ast.If) -> bool:
    """``if change < 1e-6: break``."""
    return len(node.body) == 1 and isinstance(node.body[0], ast.Break) and not node.orelse


def may_be_period(node: ast.If) -> bool:
    """``if ... % ... == ...:``, with nothing else."""
    test = node.test
    return (
        not node.orelse
        and isinstance(test, ast.Compare)
        and isinstance(test.left, ast.BinOp)
        and isinstance(test.left.op, ast.Mod)
    )


def period_of(condition: Expression, turn: str) -> Expression | None:
    """The N of ``(t + 1) % N == 0``; None where it is something else."""
    if not isinstance(condition, Compare) or condition.operators != ("==",):
        return None
    remainder, zero = condition.operands
    if not (isinstance(zero, Constant) and zero.value == 0 and isinstance(remainder, Binary)):
        return None
    turns = remainder.left
    if remainder.operator != "%" or not isinstance(turns, Binary) or turns.operator != "+":
        return None
    ends = (turns.left, turns.right)
    names = [one.name for one in ends if isinstance(one, NameUse)]
    ones = [one for one in ends if isinstance(one, Constant) and one.value == 1]
    return remainder.right if names == [turn] and len(ones) == 1 else None


def looks_of(condition: Expression, turn: str) -> tuple[Expression, Expression | None]:
    """A condition without ``(t + 1) % N == 0 and``, and the N: it is looked at every N turns."""
    if not isinstance(condition, Logic) or condition.operator != "and":
        return condition, None
    first, *rest = condition.operands
    every = period_of(first, turn)
    if every is None:
        return condition, None
    others = rest[0] if len(rest) == 1 else Logic(condition.at, "and", tuple(rest), False)
    return others, every


class CallsTaken(ast.NodeTransformer):
    """Puts names in the places of calls. ``name_of``: the name for a call, or None where the call
    stays."""

    def __init__(self, name_of: Callable[[ast.Call], str | None]) -> None:
        self._name_of = name_of
        self.found = False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = self._name_of(node)
        if name is None:
            return self.generic_visit(node)
        self.found = True
        return ast.copy_location(ast.Name(name, ast.Load()), node)
