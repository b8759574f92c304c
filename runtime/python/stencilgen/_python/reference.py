"""Stencils and programs executed as Python, element by element.

Nothing here knows the language or its compiler: Python evaluates each expression of the function,
on numpy's numbers. What belongs to stencils is which elements exist and which statements belong
together.
"""

from __future__ import annotations

import ast
import contextvars
import copy
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Callable

import numpy as np

from .._interface import DTYPES, Array, Interface
from .._scalars import parameter
from .declare import Iterator, executed_sizes, where
from .elements import CHOICES, MISSING, ArrayAt, Elements, Text
from .source import Function
from .tree import (
    AssignElement,
    AssignLocal,
    Domain,
    Expression,
    LocalArray,
    Range,
    Read,
    StencilTree,
    all_reads,
    is_written_number,
    uses,
)

_executing: contextvars.ContextVar[bool] = contextvars.ContextVar("executing", default=False)

Point = dict[str, int]  # values of iterators
Element = tuple[int, ...]
Local = Callable[[Point], Any]


def is_executing() -> bool:
    """Whether a program is executed as Python, so that its calls of stencils are."""
    return _executing.get()


class _Run:
    def __init__(
        self, tree: StencilTree, values: Mapping[str, Any], domain: Sequence[Any] | None
    ) -> None:
        self._tree = tree
        self._domain = domain
        names = tree.source.names.all()
        self._points = {name: one.name for name, one in names.items() if isinstance(one, Iterator)}
        self._globals = {**names, "_where": where, **CHOICES}
        self._values = values
        self._arrays: dict[str, ArrayAt] = {}
        self._locals: dict[str, Local] = {}
        self._texts: dict[int, Text] = {}
        self._allowed: dict[int, set[Element]] = {}

    def run(self) -> None:
        """Writes the results into the arrays."""
        groups = self._groups()
        while True:
            computed = self._pass()
            before = dict(self._allowed)
            for number, members in groups.items():
                self._allowed[number] = set.intersection(*(computed[one] for one in members))
            if self._allowed == before:
                break
        for name in self._tree.written:
            self._values[name][...] = self._arrays[name].values

    def _pass(self) -> dict[int, set[Element]]:
        """Executes all statements on copies; the elements that each has computed."""
        self._locals = {}
        self._arrays = {
            name: ArrayAt(np.array(value), self._tree.boundary.get(name, ()))
            for name, value in self._values.items()
            if isinstance(value, np.ndarray)
        }
        computed: dict[int, set[Element]] = {}
        for number, one in enumerate(self._tree.statements):
            if isinstance(one, LocalArray):
                like = self._arrays[one.like].values
                kind = like.dtype if one.dtype is None else one.dtype
                zeros = np.zeros(like.shape, kind)
                self._arrays[one.name] = ArrayAt(zeros, (), np.zeros(like.shape, bool))
            elif isinstance(one, AssignLocal):
                self._assign_local(one)
            else:
                computed[number] = self._assign_element(number, one)
        return computed

    # Expressions.

    def _compiled(self, node: ast.AST) -> Any:
        assert isinstance(node, ast.expr)
        return compile(ast.fix_missing_locations(ast.Expression(node)), "reference", "eval")

    def _indices(self, read: Read) -> list[tuple[Any, bool]]:
        """Each with whether it is a number."""
        return [
            (self._compiled(copy.deepcopy(one.at)), is_written_number(one)) for one in read.indices
        ]

    def _text(self, value: Expression, source: ast.expr, before: str, operator: ast.AST | None,
              target: Read | None) -> Text:  # fmt: skip
        """The value; with an operator, that of what was before and the value."""
        key = id(source)
        if key not in self._texts:
            reads = all_reads(value)
            node = Elements(value, reads).rebuilt(source)
            if operator is not None:
                left: ast.expr = ast.Name(before, ast.Load())
                if target is not None:
                    left = ast.Name(f"_{len(reads)}", ast.Load())
                    reads.append(target)
                node = ast.BinOp(left, operator, node)  # type: ignore[arg-type]
            found = [(one.array, self._indices(one)) for one in reads]
            self._texts[key] = Text(self._compiled(node), found)
        return self._texts[key]

    def _names_at(self, point: Point) -> dict[str, Any]:
        names: dict[str, Any] = {
            name: point[one] for name, one in self._points.items() if one in point
        }
        names.update(self._values)
        return names

    def _index(
        self,
        compiled: Sequence[tuple[Any, bool]],
        point: Point,
        shape: Sequence[int],
        locals_: Mapping[str, Local],
    ) -> list[int]:
        """Where an element is. Numbers below 0 count from the end, as numpy has it."""
        found: list[int] = []
        names = self._names_at(point)
        for (text, is_number), n in zip(compiled, shape):
            for name in locals_.keys() & set(text.co_names):
                names[name] = locals_[name](point)
            k = int(eval(text, self._globals, names))
            found.append(k + n if is_number and k < 0 else k)
        return found

    def _evaluate(
        self, text: Text, point: Point, arrays: Mapping[str, ArrayAt], locals_: Mapping[str, Local]
    ) -> Any:
        names = self._names_at(point)
        names.update((name, one.values) for name, one in arrays.items())
        for name in locals_.keys() & set(text.code.co_names):
            names[name] = locals_[name](point)
            if names[name] is MISSING:
                return MISSING
        for number, (array, indices) in enumerate(text.reads):
            index = self._index(indices, point, arrays[array].values.shape, locals_)
            names[f"_{number}"] = arrays[array].at(index)
            if names[f"_{number}"] is MISSING:
                return MISSING
        return eval(text.code, self._globals, names)

    # Statements.

    def _assign_local(self, one: AssignLocal) -> None:
        operator = one.at.op if isinstance(one.at, ast.AugAssign) else None
        text = self._text(one.value, one.source, one.name, operator, None)
        arrays = {name: self._arrays[name].copy() for name, _ in text.reads}
        shapes = {name: each for name, each in self._arrays.items() if name not in arrays}
        before = dict(self._locals)
        known: dict[tuple[tuple[str, int], ...], Any] = {}

        def value(point: Point) -> Any:
            key = tuple(point.items())
            if key not in known:
                known[key] = self._evaluate(text, point, {**shapes, **arrays}, before)
            return known[key]

        self._locals[one.name] = value

    def _assign_element(self, number: int, one: AssignElement) -> set[Element]:
        operator = one.at.op if isinstance(one.at, ast.AugAssign) else None
        text = self._text(one.value, one.source, "", operator, one.target if operator else None)
        array = self._arrays[one.target.array]
        indices = self._indices(one.target)
        allowed = self._allowed.get(number)
        computed: dict[Element, Any] = {}
        for point in self._points_of(one, indices, array.values.shape):
            element = tuple(self._index(indices, point, array.values.shape, self._locals))
            if allowed is not None and element not in allowed:
                continue
            value = self._evaluate(text, point, self._arrays, self._locals)
            if value is not MISSING:
                computed[element] = value
        for element, value in computed.items():
            array.values[element] = value
            if array.computed is not None:
                array.computed[element] = True
        return set(computed)

    def _points_of(
        self, one: AssignElement, indices: list[tuple[Any, bool]], shape: Sequence[int]
    ) -> list[Point]:
        """Those whose element is in the array and in the domains."""
        ranges: dict[str, set[int]] = {}
        sizes: dict[str, int] = {}
        for each, index, n in zip(indices, one.target.indices, shape):
            used = [name for name in self._tree.iterators if uses(index, name)]
            if not used:
                if not 0 <= self._along(each, n, {}) < n:
                    return []
                continue
            name = used[0]
            sizes[name] = n
            around = range(-n - 16, 2 * n + 16)
            fits = {k for k in around if 0 <= self._along(each, n, {name: k}) < n}
            ranges[name] = ranges.get(name, fits) & fits
        for domain in (self._domain, one.domain):
            for name, first, end in self._bounds(domain, sizes):
                if name in ranges:
                    ranges[name] = {k for k in ranges[name] if first <= k < end}
        names = [name for name in self._tree.iterators if name in ranges]
        places = itertools.product(*(sorted(ranges[name]) for name in names))
        return [dict(zip(names, place)) for place in places]

    def _along(self, index: tuple[Any, bool], n: int, point: Point) -> int:
        """One index of an element."""
        return self._index([index], point, [n], self._locals)[0]

    def _bounds(
        self, domain: Sequence[Any] | Domain | None, sizes: Mapping[str, int]
    ) -> list[tuple[str, int, int]]:
        if domain is None:
            return []
        ranges = domain.ranges if isinstance(domain, Domain) else domain
        return [
            (name, *self._range(one, sizes.get(name, 0)))
            for name, one in zip(self._tree.iterators, ranges)
        ]

    def _range(self, one: Any, n: int) -> tuple[int, int]:
        """The first value and the end."""
        if isinstance(one, Range):
            names = {**self._values, **{name: a.values for name, a in self._arrays.items()}}
            first, end = (
                None
                if each is None
                else int(eval(self._compiled(copy.deepcopy(each.at)), self._globals, names))
                for each in (one.first, one.end)
            )
            single = one.single
        else:
            single = not isinstance(one, slice)
            first, end = (one, None) if single else (one.start, one.stop)
        first = 0 if first is None else first + n if first < 0 else first
        if single:
            return first, first + 1
        return first, n if end is None else end + n if end < 0 else end

    # Statements that belong together: an assignment, and updates of the same elements.

    def _groups(self) -> dict[int, list[int]]:
        """The members, by member."""
        self._pass()
        open_groups: dict[str, list[list[int]]] = {}
        found: dict[int, list[int]] = {}
        for number, one in enumerate(self._tree.statements):
            if not isinstance(one, AssignElement):
                continue
            array = one.target.array
            groups = open_groups.setdefault(array, [])
            if not one.operator and all(each.array != array for each in all_reads(one.value)):
                groups.clear()
            for members in groups:
                if self._joins(number, members[0]):
                    members.append(number)
                    break
            else:
                groups.append([number])
            for members in groups:
                if len(members) > 1:
                    found.update(dict.fromkeys(members, members))
        return found

    def _joins(self, number: int, first: int) -> bool:
        one, other = self._tree.statements[number], self._tree.statements[first]
        assert isinstance(one, AssignElement) and isinstance(other, AssignElement)
        if self._normal(one) != self._normal(other):
            return False
        if one.domain is None:
            return True
        sizes = dict.fromkeys(self._tree.iterators, 1000)
        return other.domain is not None and self._bounds(one.domain, sizes) == self._bounds(
            other.domain, sizes
        )

    def _normal(self, one: AssignElement) -> list[Any]:
        """Of each index its iterator and factor, and the offset where that counts."""
        found: list[Any] = []
        shape = self._arrays[one.target.array].values.shape
        for each, index, n in zip(self._indices(one.target), one.target.indices, shape):
            used = [name for name in self._tree.iterators if uses(index, name)]
            base = self._along(each, n, dict.fromkeys(used, 0))
            if used:
                factor = self._along(each, n, dict.fromkeys(used, 1)) - base
                found.append((used[0], factor, 0 if factor == 1 else base))
            else:
                found.append(base)
        return found


def run_stencil(tree: StencilTree, values: Mapping[str, Any], domain: Sequence[Any] | None) -> None:
    """Executes a stencil on arrays, in place."""
    with np.errstate(all="ignore"):
        _Run(tree, values, domain).run()


def _number(interface: Interface, name: str, value: Any) -> Any:
    """A scalar, as the type that the program gives it."""
    scalar = next(one for one in interface.scalars if one.name == name)
    return value if scalar.type == "double" else DTYPES[scalar.type].type(value)


def run_program(function: Function, interface: Interface, values: Mapping[str, Any]) -> Any:
    """Executes a program on copies of arrays, and returns its results as `Program.run` does."""
    arguments: dict[str, Any] = {}
    shapes: list[tuple[Array, tuple[int, ...]]] = []
    given: dict[str, int] = {}
    for size in interface.parameters:
        if size.name in values:
            given[size.name] = parameter(size, values[size.name])
    for one in interface.visible:
        if one.name in values:
            arguments[one.name] = np.array(values[one.name])
            shapes.append((one, arguments[one.name].shape))
    sizes = interface.sizes(given, shapes)
    for one in interface.visible:
        shape = tuple(extent.value(sizes) for extent in one.extents)
        arguments.setdefault(one.name, np.zeros(shape, one.dtype))
    for scalar in interface.scalars:
        arguments[scalar.name] = _number(interface, scalar.name, values[scalar.name])
    names = [one.name for one in interface.outputs]
    node = _returning(function.node, names)
    arguments.update({one.arg: sizes[one.arg] for one in node.args.args if one.arg in sizes})
    module = ast.fix_missing_locations(ast.Module([node], []))
    namespace = function.names.all()
    exec(compile(module, function.file, "exec"), namespace)
    states = (_executing, _executing.set(True)), (executed_sizes, executed_sizes.set(sizes))
    try:
        results = namespace[node.name](**arguments)
    finally:
        for variable, token in states:
            variable.reset(token)  # type: ignore[arg-type]
    if len(names) == 1:
        return results[names[0]]
    return results


def _returning(given: ast.FunctionDef, names: Sequence[str]) -> ast.FunctionDef:
    """The function without its decorators, that returns arrays by name."""
    node = copy.deepcopy(given)
    node.decorator_list, node.returns = [], None
    everything = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    for one in everything:
        one.annotation = None
    node.args = ast.arguments([], everything, None, [], [], None, [])
    if isinstance(node.body[-1], ast.Return):
        node.body.pop()
    keys: list[ast.expr | None] = [ast.Constant(name) for name in names]
    values: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
    node.body.append(ast.Return(ast.Dict(keys, values)))
    return node
