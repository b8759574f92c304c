"""Statements of a stencil: from Python's syntax tree to what they say."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from .declare import Iterator, domain, element_type
from .functions import known
from .read_expression import ExpressionReader, is_number, operator_hint, operator_text
from .source import Function, Refused, diagnostic, fail
from .tree import (
    AssignElement,
    AssignLocal,
    Domain,
    Expression,
    IteratorUse,
    LocalArray,
    NameUse,
    Range,
    Read,
    Return,
    Statement,
    StencilTree,
    all_iterators,
    own_nodes,
)

_MODES = {
    "clamp": "clamp", "mirror": "mirror", "mirror101": "mirror101", "wrap": "wrap",
    "periodic": "wrap", "extrapolate": "extrapolate", "none": "none",
}  # fmt: skip
_STATEMENTS: dict[str, tuple[str, str]] = {
    "If": ("`if` statements have no meaning", "write `a if condition else b`, or `where`"),
    "While": ("`while` loops have no meaning", "loops over steps are in a program: `iterate`"),
    "For": ("`for` loops have no meaning", "loops over steps are in a program: `iterate`"),
    "AnnAssign": ("an annotation has no meaning", "write the assignment alone"),
    "Delete": ("`del` has no meaning", "leave it out"),
    "Assert": ("`assert` has no meaning", "check arguments before the call"),
    "Raise": ("`raise` has no meaning", "check arguments before the call"),
    "Try": ("`try` has no meaning", "what a point computes raises nothing"),
    "Global": ("`global` has no meaning", "results are elements of arrays"),
    "Nonlocal": ("`nonlocal` has no meaning", "results are elements of arrays"),
    "Import": ("`import` has no meaning", "import above the function"),
    "ImportFrom": ("`import` has no meaning", "import above the function"),
    "FunctionDef": ("a function has no meaning", "write one stencil for each"),
    "ClassDef": ("a class has no meaning", "write one stencil for each"),
    "Match": ("`match` has no meaning", "write `a if condition else b`, or `where`"),
}


def arguments_of(source: Function) -> tuple[list[ast.arg], dict[str, Any]]:
    """The function's arguments, and their defaults. Raises Refused where one is no plain one."""
    given = source.node.args
    for other, text in ((given.vararg, "*"), (given.kwarg, "**")):
        if other is not None:
            source.refuse(
                other,
                "python-argument",
                f"`{text}{other.arg}` means nothing here",
                "name each argument",
            )
    found = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    function = source.function
    defaults = dict(function.__kwdefaults__ or {})
    late = function.__defaults__ or ()
    places = [*given.posonlyargs, *given.args]
    defaults.update(zip((one.arg for one in places[len(places) - len(late) :]), late))
    return found, defaults


def is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


class _StencilReader:
    def __init__(self, source: Function, formals: tuple[str, ...]) -> None:
        self._source = source
        self._locals: dict[str, bool] = {}
        self._like: dict[str, str] = {}
        self._pointwise: set[str] = set()  # locals that differ from point to point
        self._formals = formals
        self._expressions = ExpressionReader(source, formals, self._locals)
        self._problems: list[Refused] = []
        self._statements: list[Statement] = []

    def run(self) -> tuple[list[Statement], dict[str, str]]:
        for node in ast.walk(self._source.node):  # a name that is assigned is the function's own
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._locals.setdefault(node.id, False)
        self._block(self._source.node.body, None)
        for one in self._statements[:-1]:
            if isinstance(one, Return) and one.at is not self._statements[-1].at:
                message = "nothing follows `return` in a stencil"
                self._problems.append(self._refused(one.at, "python-statement", message))
        fail(self._problems)
        return self._statements, self._like

    def _refused(self, node: ast.AST, identifier: str, message: str) -> Refused:
        return Refused(diagnostic(self._source.place(node), "error", identifier, message))

    def _block(self, body: Sequence[ast.stmt], inside: Domain | None) -> None:
        for node in body:
            try:
                self._statement(node, inside)
            except Refused as problem:
                self._problems.append(problem)

    def _refuse(self, node: ast.AST, identifier: str, message: str, hint: str = "") -> NoReturn:
        self._source.refuse(node, identifier, message, hint)

    def _statement(self, node: ast.stmt, inside: Domain | None) -> None:
        if isinstance(node, ast.Pass) or is_docstring(node):
            return
        if isinstance(node, ast.Assign):
            return self._assign(node, inside)
        if isinstance(node, ast.AugAssign):
            operator = operator_text(node.op)
            if not operator:
                text, hint = operator_hint(node.op)
                message = f"`{text}=` means nothing in a stencil"
                self._refuse(node, "python-operator", message, hint)
            return self._store(node, node.target, operator, node.value, inside)
        if isinstance(node, ast.With):
            return self._with(node, inside)
        if isinstance(node, ast.Return):
            return self._return(node, inside)
        message, hint = _STATEMENTS.get(
            type(node).__name__, ("this statement has no meaning", "a stencil assigns to elements")
        )
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            hint = "stencils are called by programs, and not by each other"
        self._refuse(node, "python-statement", f"{message} in a stencil", hint)

    def _assign(self, node: ast.Assign, inside: Domain | None) -> None:
        if len(node.targets) != 1 or isinstance(node.targets[0], (ast.Tuple, ast.List)):
            self._refuse(
                node,
                "python-statement",
                "a stencil assigns one value at a time",
                "write one statement for each",
            )
        target = node.targets[0]
        if isinstance(target, ast.Name) and isinstance(node.value, ast.Call):
            function = node.value.func
            local = isinstance(function, ast.Name) and (
                function.id in self._locals or function.id in self._formals
            )
            if isinstance(function, (ast.Name, ast.Attribute)) and not local:
                found = known(self._expressions.object_of(function))
                if found is not None and found.style == "array":
                    return self._local_array(node, target, node.value, inside)
        return self._store(node, target, "", node.value, inside)

    def _store(
        self,
        node: ast.stmt,
        target: ast.expr,
        operator: str,
        value: ast.expr,
        inside: Domain | None,
    ) -> None:
        if isinstance(target, ast.Subscript):
            element = self._expressions.element(target)
            read = self._expressions.read(value)
            self._statements.append(AssignElement(node, element, operator, read, value, inside))
            return
        if not isinstance(target, ast.Name):
            self._refuse(target, "python-statement", "a stencil assigns to elements and names")
        if target.id in self._formals:
            self._refuse(
                target,
                "python-array",
                f"`{target.id}` is an argument, and cannot be another value",
                f"assign to an element, as `{target.id}[j, i] = ...`, or take another name",
            )
        if self._locals.get(target.id, False):
            self._refuse(target, "python-array", f"`{target.id}` is an array, and stays one")
        if inside is not None:
            self._refuse(
                target,
                "python-statement",
                f"`{target.id}` is no element, and has a value at all points",
                "assign it above the `with`",
            )
        read = self._expressions.read(value)
        if self._differs(read) is not None:
            self._pointwise.add(target.id)
        self._statements.append(AssignLocal(node, target.id, operator, read, value))

    def _differs(self, value: Expression) -> Expression | None:
        """The first part of a value by which it differs from point to point."""
        for one in own_nodes(value):
            if isinstance(one, (Read, IteratorUse)):
                return one
            if isinstance(one, NameUse) and one.name in self._pointwise:
                return one
        return None

    def _return(self, node: ast.Return, inside: Domain | None) -> None:
        hint = "write `return stencilgen.sum(u[j, i])`, or `max`, `norm2`, ..."
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        values: list[Return] = []
        for part in parts:
            if part is None:
                self._refuse(node, "python-statement", "a stencil returns a number", hint)
            value = self._expressions.read(part)
            point = self._differs(value)
            if point is not None:
                self._refuse(
                    point.at,
                    "scalar-from-array",
                    "a stencil returns numbers, and this has a value at each point",
                    hint,
                )
            values.append(Return(node, value, part, inside))
        if not values:
            self._refuse(node, "python-statement", "a stencil returns a number", hint)
        self._statements += values

    def _local_array(
        self, node: ast.Assign, target: ast.Name, call: ast.Call, inside: Domain | None
    ) -> None:
        assigned = any(
            isinstance(one, (AssignLocal, LocalArray)) and one.name == target.id
            for one in self._statements
        )
        if inside is not None or assigned or target.id in self._formals:
            self._refuse(node, "python-array", f"`{target.id}` cannot become an array here")
        others = {one.arg: one.value for one in call.keywords}
        dtype = others.pop("dtype", call.args[1] if len(call.args) == 2 else None)
        if others or not 1 <= len(call.args) <= 2:
            self._refuse(
                call, "python-call", "expected an array, and its dtype where that is another"
            )
        like = self._expressions.array_name(call.args[0])
        kind = None
        if dtype is not None:
            try:
                kind = element_type(self._expressions.object_of(dtype))
            except TypeError as error:
                self._refuse(dtype, "python-type", str(error))
        self._locals[target.id] = True
        self._like[target.id] = self._like.get(like, like)
        self._statements.append(LocalArray(node, target.id, like, kind))

    def _with(self, node: ast.With, inside: Domain | None) -> None:
        place = node.items[0].context_expr
        right = len(node.items) == 1 and node.items[0].optional_vars is None
        if not (right and isinstance(place, ast.Subscript)) or (
            self._expressions.object_of(place.value) is not domain
        ):
            self._refuse(
                node,
                "python-statement",
                "this `with` has no meaning in a stencil",
                "write `with stencilgen.domain[1:-1, :]:`",
            )
        if inside is not None:
            self._refuse(place, "python-slice", "a domain inside of a domain", "write one of both")
        found = read_domain(self._source, place, self._expressions.read)
        self._block(node.body, found)


def read_domain(source: Function, node: ast.Subscript, read: Any) -> Domain:
    """``...[1:-1, :]`` by what reads a bound. Raises Refused."""
    inner = node.slice
    ranges: list[Range] = []
    for one in inner.elts if isinstance(inner, ast.Tuple) else [inner]:
        if not isinstance(one, ast.Slice):
            ranges.append(Range(one, read(one), None, True))
            continue
        if one.step is not None:
            source.refuse(one.step, "python-slice", "a domain has all points between its bounds")
        bounds: list[Expression | None] = [
            None if bound is None else read(bound) for bound in (one.lower, one.upper)
        ]
        ranges.append(Range(one, bounds[0], bounds[1]))
    return Domain(node, tuple(ranges))


def _modes(source: Function, name: str, value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, (tuple, list)) else (value,)
    modes: list[str] = []
    for one in values:
        if one is None:
            modes.append("none")
        elif isinstance(one, str) and one in _MODES:
            modes.append(_MODES[one])
        elif is_number(one) and np.isfinite(one):
            modes.append(f"constant({float(one)!r})")
        else:
            source.refuse(
                source.node,
                "unknown-boundary-mode",
                f"boundary of `{name}`: {one!r} is no mode",
                "the modes are 'clamp', 'mirror', 'mirror101', 'wrap' (or 'periodic'), "
                "'extrapolate', a number that is read outside, and None",
            )
    return tuple(modes)


def _boundary(
    source: Function, formals: Sequence[str], given: Mapping[str, Any]
) -> dict[str, tuple[str, ...]]:
    for name in given:
        if name not in formals:
            known_names = ", ".join(f"`{one}`" for one in formals)
            source.refuse(
                source.node,
                "undeclared-name",
                f"boundary: the stencil has no argument `{name}`",
                f"its arguments are {known_names}",
            )
    return {name: _modes(source, name, value) for name, value in given.items()}


def _iterators(source: Function, statements: Sequence[Statement]) -> tuple[str, ...]:
    """The iterators that are used, the slowest first."""
    found: list[tuple[ast.AST, Iterator]] = []
    for one in statements:
        if isinstance(one, LocalArray):
            continue
        used = all_iterators(one.value)
        if isinstance(one, AssignElement):
            used = [*all_iterators(one.target), *used]
        found += [(one.at, each) for each in used]
    longest = max((each.all for _, each in found), key=len, default=())
    for at, each in found:
        if [one for one in longest if one in each.all] != list(each.all):
            source.refuse(
                at,
                "python-iterator",
                f"the iterators {', '.join(each.all)} were not made together with "
                f"{', '.join(longest)}",
                "one call of `iterators` says which of them is the slowest",
            )
    names = {each.name for _, each in found}
    return tuple(name for name in longest if name in names)


def read_stencil(source: Function, boundary: Mapping[str, Any]) -> StencilTree:
    """Reads a stencil. Raises CompileError with all that is not understood."""
    try:
        arguments, defaults = arguments_of(source)
        formals = tuple(one.arg for one in arguments)
        for one in arguments:
            value = defaults.get(one.arg, 0)
            if not is_number(value):
                source.refuse(one, "python-value", f"`{one.arg}`: {value!r} is no number")
        modes = _boundary(source, formals, boundary)
    except Refused as problem:
        fail([problem])
    statements, like = _StencilReader(source, formals).run()
    try:
        if not any(isinstance(one, (AssignElement, Return)) for one in statements):
            source.refuse(
                source.node,
                "python-statement",
                f"the stencil `{source.name}` assigns to no element of an array, and returns "
                "nothing",
                "write what a point becomes, as `out[j, i] = u[j, i-1] + u[j, i+1]`",
            )
        iterators = _iterators(source, statements)
    except Refused as problem:
        fail([problem])
    return StencilTree(source, formals, defaults, modes, tuple(statements), iterators, like)
