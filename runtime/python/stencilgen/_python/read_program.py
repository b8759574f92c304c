"""Programs: from Python's syntax tree to arrays, calls of stencils and loops."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from .declare import ArrayType, array, element_type, iterate
from .functions import known
from .program_tree import (
    ArrayOf,
    Compute,
    Loop,
    ParameterOf,
    ProgramTree,
    ScalarOf,
    StencilCall,
    Step,
    Swap,
)
from .read_expression import ExpressionReader
from .read_stencil import arguments_of, is_docstring, read_domain
from .source import Function, Refused, fail
from .tree import Binary, Compare, Constant, Expression, Logic, NameUse, StencilTree
from .values import Kind

_SCALARS: dict[Any, Kind] = {
    float: Kind.FLOAT, np.float64: Kind.F64, np.float32: Kind.F32, np.int32: Kind.I32,
    bool: Kind.BOOL, np.bool_: Kind.BOOL,
}  # fmt: skip


class _ProgramReader:
    """``stencil_of``: the tree of an object that is a stencil, else None."""

    def __init__(self, source: Function, stencil_of: Any) -> None:
        self._source = source
        self._stencil_of = stencil_of
        self._tree = ProgramTree(source)
        self._turns: list[str] = []
        self._locals: dict[str, bool] = {}
        self._formals: list[str] = []
        self._problems: list[Refused] = []

    def run(self) -> ProgramTree:
        try:
            self._arguments()
        except Refused as problem:
            self._problems.append(problem)
        fail(self._problems)
        self._tree.steps = self._block(self._source.node.body, True)
        fail(self._problems)
        return self._tree

    def _refuse(self, node: ast.AST, identifier: str, message: str, hint: str = "") -> NoReturn:
        self._source.refuse(node, identifier, message, hint)

    # Arguments.

    def _arguments(self) -> None:
        arguments, defaults = arguments_of(self._source)
        for one in arguments:
            try:
                self._argument(one, defaults)
            except Refused as problem:
                self._problems.append(problem)
            self._formals.append(one.arg)

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
            self._add_array(ArrayOf(one, one.arg, annotation, False))
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

    def _add_array(self, one: ArrayOf) -> None:
        self._tree.arrays[one.name] = one
        self._tree.order.append(one.name)
        for extent in one.type.extents:
            for name, _ in extent.terms:
                if name in self._tree.arrays or name in self._tree.scalars:
                    self._refuse(
                        one.at, "redeclaration", f"`{name}` is a size here, and another argument"
                    )
                self._tree.add_size(one.at, name)

    # Statements.

    def _block(self, body: Sequence[ast.stmt], outermost: bool = False) -> tuple[Step, ...]:
        steps: list[Step] = []
        for number, node in enumerate(body):
            try:
                last = outermost and number == len(body) - 1
                steps += self._statement(node, outermost, last)
            except Refused as problem:
                self._problems.append(problem)
        return tuple(steps)

    def _statement(self, node: ast.stmt, outermost: bool, last: bool) -> Sequence[Step]:
        if isinstance(node, ast.Pass) or is_docstring(node):
            return ()
        if isinstance(node, ast.For):
            return (self._loop(node),)
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            if isinstance(node.targets[0], ast.Tuple):
                return self._swap(node, node.targets[0])
            if isinstance(node.targets[0], ast.Name):
                return self._assign(node, node.targets[0], outermost)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return (self._call(node, node.value, ""),)
        if isinstance(node, ast.Return) and last:
            self._return(node)
            return ()
        hint = "a program has arrays, `for t in iterate(T):`, calls of stencils and `u, v = v, u`"
        if isinstance(node, ast.Return):
            hint = "`return` is the last statement of a program"
        elif isinstance(node, ast.While):
            hint = (
                "loops are `for t in stencilgen.iterate(T):`; `if change < 1e-6: break` as its "
                "last statement ends one"
            )
        elif isinstance(node, ast.If):
            hint = "a loop's last statement may be `if change < 1e-6: break`"
        self._refuse(node, "python-statement", "this statement has no meaning in a program", hint)

    def _reader(self) -> ExpressionReader:
        names = dict.fromkeys(self._tree.arrays, True)
        tree = self._tree
        others = [*tree.scalars, *tree.parameters, *tree.numbers, *self._turns]
        return ExpressionReader(self._source, tuple(others), {**self._locals, **names})

    def _loop(self, node: ast.For) -> Loop:
        if not isinstance(node.target, ast.Name) or node.orelse:
            self._refuse(node, "python-statement", "expected `for t in stencilgen.iterate(T):`")
        count = node.iter
        function = None
        if isinstance(count, ast.Call) and isinstance(count.func, (ast.Name, ast.Attribute)):
            function = self._reader().object_of(count.func)
        if function not in (iterate, builtins.range) or not isinstance(count, ast.Call):
            self._refuse(
                node.iter,
                "python-statement",
                "a loop of a program counts its steps",
                "write `for t in stencilgen.iterate(T):`",
            )
        if len(count.args) != 1 or count.keywords:
            self._refuse(count, "wrong-argument-count", "a loop has one number, of its steps")
        steps = self._reader().read(count.args[0])
        turn = node.target.id
        if turn in (*self._turns, *self._formals, *self._tree.numbers, *self._known()):
            self._refuse(node.target, "redeclaration", f"`{turn}` has a meaning already")
        self._turns.append(turn)
        last = node.body[-1]
        ends = isinstance(last, ast.If) and _is_break(last)
        body = self._block(node.body[:-1] if ends else node.body)
        until = every = None
        if ends:
            assert isinstance(last, ast.If)
            until, every = _looks(self._reader().read(last.test), turn)
        self._turns.pop()
        return Loop(node, node.iter, turn, steps, body, until, every)

    def _known(self) -> list[str]:
        return [*self._tree.arrays, *self._tree.parameters]

    def _assign(self, node: ast.Assign, target: ast.Name, outermost: bool) -> Sequence[Step]:
        """An array of the program's own, or a number."""
        name = target.id
        called = node.value.func if isinstance(node.value, ast.Call) else None
        base = called.value if isinstance(called, ast.Subscript) else called
        function = None
        if isinstance(base, (ast.Name, ast.Attribute)):
            function = self._reader().object_of(base)
        found = known(function)
        makes_array = function is array or (found is not None and found.style == "array")
        if name in (*self._formals, *self._known()) or (makes_array and name in self._tree.numbers):
            self._refuse(
                target, "redeclaration", f"`{name}` has a meaning already", "take another name"
            )
        if name in self._turns:
            self._refuse(target, "redeclaration", f"`{name}` is the turn of a loop")
        if makes_array:
            if not outermost:
                self._refuse(node, "python-statement", "an array is made before the loops")
            assert isinstance(node.value, ast.Call)
            kind = self._made(node.value) if function is array else self._like(node.value)
            self._add_array(ArrayOf(node, name, kind, True))
            return ()
        try:
            if self._stencil_of(function) is None:
                return (Compute(node, name, self._reader().read(node.value)),)
            assert isinstance(node.value, ast.Call)
            return (self._call(node, node.value, name),)
        finally:
            self._tree.numbers.setdefault(name, node)

    def _made(self, call: ast.Call) -> ArrayType:
        """Of `array(...)`, whose arguments are Python's own."""
        try:
            arguments = [eval_in(self._source, one) for one in call.args]
            named = {one.arg: eval_in(self._source, one.value) for one in call.keywords if one.arg}
            found: ArrayType = array(*arguments, **named)
            return found
        except Exception as error:
            self._refuse(call, "python-array", f"{error}")

    def _like(self, call: ast.Call) -> ArrayType:
        others = {one.arg: one.value for one in call.keywords}
        dtype = others.pop("dtype", call.args[1] if len(call.args) == 2 else None)
        like = call.args[0] if call.args else None
        if others or not isinstance(like, ast.Name) or like.id not in self._tree.arrays:
            self._refuse(
                call, "python-call", "expected an array of the program", "write `np.empty_like(u)`"
            )
        kind = self._tree.arrays[like.id].type
        if dtype is None:
            return ArrayType(kind.extents, kind.dtype, "")
        try:
            return ArrayType(kind.extents, element_type(self._reader().object_of(dtype)), "")
        except TypeError as error:
            self._refuse(dtype, "python-type", str(error))

    def _array_names(self, node: ast.expr) -> list[str]:
        names = node.elts if isinstance(node, ast.Tuple) else [node]
        found: list[str] = []
        for one in names:
            if not isinstance(one, ast.Name) or one.id not in self._tree.arrays:
                self._refuse(
                    one, "python-array", f"`{ast.unparse(one)}` is no array of the program"
                )
            found.append(one.id)
        return found

    def _swap(self, node: ast.Assign, target: ast.Tuple) -> list[Step]:
        """Arrays that exchange names, as exchanges of two."""
        left, right = self._array_names(target), self._array_names(node.value)
        if sorted(left) != sorted(right) or len(set(left)) != len(left):
            self._refuse(
                node,
                "python-statement",
                "the same arrays stand on both sides, each once",
                "write `u, v = v, u`",
            )
        kinds = {(self._tree.arrays[one].type.extents, self._tree.arrays[one].type.dtype)
                 for one in left}  # fmt: skip
        if len(kinds) != 1:
            self._refuse(node, "python-array", "arrays that exchange names have one type and shape")
        wanted = dict(zip(left, right))
        holds = {one: one for one in left}  # what each has so far
        steps: list[Step] = []
        for one in left:
            other = next(name for name in left if holds[name] == wanted[one])
            if other != one:
                steps.append(Swap(node, one, other))
                holds[one], holds[other] = holds[other], holds[one]
        return steps

    def _return(self, node: ast.Return) -> None:
        if node.value is None:
            return
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        names: list[str] = []
        for part in parts:
            if isinstance(part, ast.Name) and part.id in self._tree.numbers:
                names.append(part.id)
            else:
                names += self._array_names(part)
        if len(set(names)) != len(names):
            self._refuse(node, "python-array", "a result is returned twice")
        for one in names:
            if one in self._tree.arrays and self._tree.arrays[one].local:
                self._refuse(
                    node,
                    "python-array",
                    f"`{one}` is the program's own, and a result belongs to the caller",
                    f'make it an argument, `{one}: stencilgen.array(..., intent="out")`',
                )
        self._tree.results, self._tree.results_at = tuple(names), node

    # Calls.

    def _call(self, node: ast.stmt, call: ast.Call, result: str) -> StencilCall:
        """``result``: the number that takes what the stencil returns; empty where none does."""
        function: ast.expr = call.func
        place = None
        if isinstance(function, ast.Subscript):
            place, function = function, function.value
        value = self._reader().object_of(function)
        tree = self._stencil_of(value)
        if tree is None:
            name = ast.unparse(function)
            self._refuse(
                function,
                "undefined-stencil",
                f"`{name}` is no stencil",
                "a program calls functions that are decorated with `@stencilgen.stencil`",
            )
        if result and tree.result is None:
            self._refuse(
                node,
                "python-statement",
                f"the stencil `{tree.name}` returns nothing",
                "end it with `return stencilgen.sum(u[j, i])`, or leave out the assignment",
            )
        reader = self._reader()
        domain = None if place is None else read_domain(self._source, place, reader.read)
        arguments = self._bind(call, tree)
        return StencilCall(node, tree, arguments, domain, result)

    def _bind(self, call: ast.Call, tree: StencilTree) -> dict[str, Expression]:
        parameters = [
            inspect.Parameter(
                one,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
            )
            for one in tree.formals
        ]
        given: dict[str, ast.expr] = {}
        for one in call.args:
            if isinstance(one, ast.Starred):
                self._refuse(one, "python-call", "`*` means nothing in a call of a stencil")
        names = {one.arg: one.value for one in call.keywords if one.arg is not None}
        try:
            bound = inspect.Signature(parameters).bind_partial(*call.args, **names)
            given = dict(bound.arguments)
            missing = [one for one in tree.formals if one not in given and one not in tree.defaults]
            if missing or len(names) != len(call.keywords):
                raise TypeError(f"missing `{missing[0]}`" if missing else "`**` means nothing here")
        except TypeError as error:
            self._source.refuse(
                call,
                "wrong-argument-count",
                f"stencil `{tree.name}`: {error}",
                f"it takes {', '.join(f'`{one}`' for one in tree.formals)}",
                [(tree.source.place(tree.source.node), "defined here")],
            )
        return {
            one: self._actual(given[one]) if one in given else Constant(call, tree.defaults[one])
            for one in tree.formals
        }

    def _actual(self, node: ast.expr) -> Expression:
        if isinstance(node, ast.Name) and node.id in self._tree.arrays:
            return NameUse(node, node.id)
        return self._reader().read(node)


def _is_break(node: ast.If) -> bool:
    """``if change < 1e-6: break``."""
    return len(node.body) == 1 and isinstance(node.body[0], ast.Break) and not node.orelse


def _looks(condition: Expression, turn: str) -> tuple[Expression, Expression | None]:
    """A condition without ``(t + 1) % N == 0 and``, and the N: it is looked at every N turns."""
    if not isinstance(condition, Logic) or condition.operator != "and":
        return condition, None
    first, *rest = condition.operands
    if not isinstance(first, Compare) or first.operators != ("==",):
        return condition, None
    remainder, zero = first.operands
    if not (isinstance(zero, Constant) and zero.value == 0 and isinstance(remainder, Binary)):
        return condition, None
    turns = remainder.left
    counts = isinstance(turns, Binary) and turns.operator == "+"
    if remainder.operator != "%" or not counts or not isinstance(turns, Binary):
        return condition, None
    ends = (turns.left, turns.right)
    names = [one.name for one in ends if isinstance(one, NameUse)]
    ones = [one for one in ends if isinstance(one, Constant) and one.value == 1]
    if names != [turn] or len(ones) != 1:
        return condition, None
    others = rest[0] if len(rest) == 1 else Logic(condition.at, "and", tuple(rest), False)
    return others, remainder.right


def eval_in(source: Function, node: ast.expr) -> Any:
    """What Python makes of an expression outside of the function."""
    return eval(compile(ast.Expression(node), source.file, "eval"), source.names.all())


def read_program(source: Function, stencil_of: Any) -> ProgramTree:
    """Reads a program. Raises CompileError with all that is not understood."""
    return _ProgramReader(source, stencil_of).run()
