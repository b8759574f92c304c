"""Programs: from Python's syntax tree to arrays, calls of stencils and loops."""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
from collections.abc import Sequence
from typing import Any, NoReturn

from .bindings import KEYWORDS, free_name
from .declare import ArrayType, array, element_type, iterate
from .functions import known
from .program_tree import (
    ArrayOf,
    Compute,
    Every,
    Loop,
    ProgramTree,
    StencilCall,
    Step,
    Swap,
)
from .read_arguments import add_array, read_arguments
from .read_expression import ExpressionReader
from .read_stencil import is_docstring, read_domain
from .read_turns import CallsTaken, is_break, looks_of, may_be_period, period_of
from .source import Function, Refused, fail
from .tree import Constant, Expression, NameUse, StencilTree


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
        self._last: list[ast.stmt] = source.node.body[-1:]  #: with results that have names

    def run(self) -> ProgramTree:
        self._formals = read_arguments(self._source, self._tree)
        self._tree.steps = self._block(self._source.node.body, True)
        fail(self._problems)
        self._source.node.body[-1:] = self._last
        return self._tree

    def _refuse(self, node: ast.AST, identifier: str, message: str, hint: str = "") -> NoReturn:
        self._source.refuse(node, identifier, message, hint)

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
                if isinstance(node.value, ast.Call):
                    return self._several(node, node.targets[0], node.value)
                return self._swap(node, node.targets[0])
            if isinstance(node.targets[0], ast.Name):
                return self._assign(node, node.targets[0], outermost)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return self._call(node, node.value, ())
        if isinstance(node, ast.Return) and last:
            return self._return(node)
        every = self._every(node)
        if every is not None:
            return (every,)
        hint = "a program has arrays, `for t in iterate(T):`, calls of stencils and `u, v = v, u`"
        if isinstance(node, ast.Return):
            hint = "`return` is the last statement of a program"
        elif isinstance(node, ast.While):
            hint = (
                "loops are `for t in stencilgen.iterate(T):`; `if change < 1e-6: break` as its "
                "last statement ends one"
            )
        elif isinstance(node, ast.If):
            hint = (
                "a loop may have `if (t + 1) % 10 == 0:`, and `if change < 1e-6: break` as its "
                "last statement"
            )
        self._refuse(node, "python-statement", "this statement has no meaning in a program", hint)

    def _every(self, node: ast.stmt) -> Every | None:
        """``if (t + 1) % N == 0:``, if it is that."""
        if not isinstance(node, ast.If) or not self._turns or not may_be_period(node):
            return None
        turns = period_of(self._reader().read(node.test), self._turns[-1])
        return None if turns is None else Every(node, node.test, turns, self._block(node.body))

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
        ends = isinstance(last, ast.If) and is_break(last)
        body = self._block(node.body[:-1] if ends else node.body)
        until = every = None
        if ends:
            assert isinstance(last, ast.If)
            steps_before, test = self._calls_taken(last, last.test)
            body = (*body, *steps_before)
            until, every = looks_of(self._reader().read(test), turn)
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
            add_array(self._source, self._tree, ArrayOf(node, name, kind, True))
            return ()
        try:
            if self._stencil_of(function) is None:
                before, value = self._calls_taken(node, node.value)
                return (*before, Compute(node, name, self._reader().read(value)))
            assert isinstance(node.value, ast.Call)
            return self._call(node, node.value, (name,))
        finally:
            self._tree.numbers.setdefault(name, node)

    def _several(self, node: ast.stmt, target: ast.Tuple, call: ast.Call) -> Sequence[Step]:
        """``low, high = ends(u)``."""
        names: list[str] = []
        for one in target.elts:
            taken = (*self._formals, *self._known(), *self._turns, *names)
            if not isinstance(one, ast.Name) or one.id in taken:
                text = ast.unparse(one)
                self._refuse(one, "redeclaration", f"`{text}` is no name for a number here")
            names.append(one.id)
        try:
            return self._call(node, call, tuple(names))
        finally:
            for name in names:
                self._tree.numbers.setdefault(name, node)

    def _stencil_at(self, call: ast.Call) -> StencilTree | None:
        """The stencil that is called, if it is one."""
        base = call.func.value if isinstance(call.func, ast.Subscript) else call.func
        if not isinstance(base, (ast.Name, ast.Attribute)):
            return None
        found: StencilTree | None = self._stencil_of(self._reader().object_of(base))
        return found

    def _calls_taken(self, node: ast.stmt, value: ast.expr) -> tuple[list[Step], ast.expr]:
        """An expression without calls of stencils: these are steps before it, whose results have
        names of their own."""
        steps: list[Step] = []

        def name_of(call: ast.Call) -> str | None:
            tree = self._stencil_at(call)
            if tree is None:
                return None
            if tree.written or len(tree.results) != 1:
                self._refuse(
                    call,
                    "python-call",
                    f"`{tree.name}` "
                    + ("writes arrays" if tree.written else "does not return one number"),
                    "call it in a statement of its own",
                )
            name = self._new_number(call, tree.name)
            steps.extend(self._call(node, call, (name,)))
            return name

        return steps, CallsTaken(name_of).visit(copy.deepcopy(value))

    def _new_number(self, at: ast.AST, wish: str) -> str:
        everything = {one.id for one in ast.walk(self._source.node) if isinstance(one, ast.Name)}
        name = free_name(wish, {*everything, *self._formals, *self._tree.numbers, *KEYWORDS})
        self._tree.numbers[name] = at
        return name

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

    def _return(self, node: ast.Return) -> Sequence[Step]:
        if node.value is None:
            return ()
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        names: list[str] = []
        steps: list[Step] = []
        named: list[ast.stmt] = []
        for part in parts:
            if isinstance(part, ast.Name) and part.id in self._tree.numbers:
                names.append(part.id)
            elif isinstance(part, ast.Name):
                names += self._array_names(part)
            else:
                own = self._result_names(part)
                targets: list[ast.expr] = [ast.Name(one, ast.Store()) for one in own]
                target = targets[0] if len(own) == 1 else ast.Tuple(targets, ast.Store())
                given = ast.fix_missing_locations(
                    ast.copy_location(ast.Assign([target], part), part)
                )
                steps += self._statement(given, True, False)
                named.append(given)
                names += own
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
        if named:
            values: list[ast.expr] = [ast.Name(one, ast.Load()) for one in names]
            value = ast.Tuple(values, ast.Load())
            last = ast.fix_missing_locations(ast.copy_location(ast.Return(value), node))
            self._last = [*named, last]
        return steps

    def _result_names(self, part: ast.expr) -> list[str]:
        """Names for what is returned without one: the numbers that a stencil gives, or one."""
        tree = self._stencil_at(part) if isinstance(part, ast.Call) else None
        if tree is None:
            return [self._new_number(part, "result")]
        return [self._new_number(part, tree.name) for _ in tree.results or (None,)]

    # Calls.

    def _call(self, node: ast.stmt, call: ast.Call, results: tuple[str, ...]) -> Sequence[Step]:
        """``results``: the numbers that take what the stencil returns; empty where none do."""
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
        if results and len(tree.results) != len(results):
            returns = f"{len(tree.results)} numbers" if tree.results else "nothing"
            self._refuse(
                node,
                "python-statement",
                f"the stencil `{tree.name}` returns {returns}",
                "end it with `return stencilgen.sum(u[j, i])`, or leave out the assignment"
                if not tree.results
                else "give each a name, as `low, high = ends(u)`",
            )
        before: list[Step] = []
        reader = self._reader()
        domain = None if place is None else read_domain(self._source, place, reader.read)
        arguments = self._bind(node, call, tree, before)
        return (*before, StencilCall(node, tree, arguments, domain, results))

    def _bind(
        self, node: ast.stmt, call: ast.Call, tree: StencilTree, before: list[Step]
    ) -> dict[str, Expression]:
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
            one: self._actual(node, given[one], before)
            if one in given
            else Constant(call, tree.defaults[one])
            for one in tree.formals
        }

    def _actual(self, node: ast.stmt, actual: ast.expr, before: list[Step]) -> Expression:
        if isinstance(actual, ast.Name) and actual.id in self._tree.arrays:
            return NameUse(actual, actual.id)
        steps, value = self._calls_taken(node, actual)
        before += steps
        found = self._reader().read(value)
        if not steps or isinstance(found, NameUse):
            return found
        name = self._new_number(actual, "number")
        before.append(Compute(node, name, found))
        return NameUse(actual, name)


def eval_in(source: Function, node: ast.expr) -> Any:
    """What Python makes of an expression outside of the function."""
    return eval(compile(ast.Expression(node), source.file, "eval"), source.names.all())


def read_program(source: Function, stencil_of: Any) -> ProgramTree:
    """Reads a program. Raises CompileError with all that is not understood."""
    return _ProgramReader(source, stencil_of).run()
