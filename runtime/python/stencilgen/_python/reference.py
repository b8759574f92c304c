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

from .declare import Affine, Iterator, where
from .elements import CHOICES, MISSING, ArrayAt, Elements, Text, fitting
from .fold import fold
from .lower_domain import extents_along
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
    Reduce,
    Return,
    StencilTree,
    all_reads,
    all_reductions,
    is_written_number,
    own_nodes,
    own_reads,
    uses,
)

#: Whether a program is executed as Python, so that its calls of stencils are.
executing: contextvars.ContextVar[bool] = contextvars.ContextVar("executing", default=False)

Point = dict[str, int]  # values of iterators
Element = tuple[int, ...]
Local = Callable[[Point], Any]


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
        self._within: dict[str, list[Expression]] = {}  # what locals are made of, by name
        self._results: list[Any] = []

    def run(self) -> Any:
        """Writes the results into the arrays, and returns what the stencil does."""
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
        return tuple(self._results) if len(self._results) > 1 else next(iter(self._results), None)

    def _pass(self) -> dict[int, set[Element]]:
        """Executes all statements on copies; the elements that each has computed."""
        self._locals, self._results = {}, []
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
            elif isinstance(one, Return):
                text = self._text(one.value, one.source, "", None, None)
                numbers = self._reduced(one.value, one.domain)
                found = self._evaluate(text, {}, self._arrays, self._locals, numbers)
                self._results.append(found)
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
            reads = own_reads(value)
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
        names = {name: one.values for name, one in self._arrays.items()}
        names.update(self._names_at(point))
        for (text, is_number), n in zip(compiled, shape):
            for name in locals_.keys() & set(text.co_names):
                names[name] = locals_[name](point)
            k = int(eval(text, self._globals, names))
            found.append(k + n if is_number and k < 0 else k)
        return found

    def _evaluate(
        self,
        text: Text,
        point: Point,
        arrays: Mapping[str, ArrayAt],
        locals_: Mapping[str, Local],
        numbers: Mapping[str, Any],
    ) -> Any:
        """``numbers``: what reductions have made."""
        names = {**self._names_at(point), **numbers}
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
        numbers = self._reduced(one.value, None)
        known: dict[tuple[tuple[str, int], ...], Any] = {}

        def value(point: Point) -> Any:
            key = tuple(point.items())
            if key not in known:
                known[key] = self._evaluate(text, point, {**shapes, **arrays}, before, numbers)
            return known[key]

        self._locals[one.name] = value
        old = self._within.get(one.name, []) if one.operator else []
        self._within[one.name] = [*old, *self._parts(one.value)]

    def _parts(self, value: Expression) -> list[Expression]:
        """All that the value at a point is made of, by way of locals too."""
        found: list[Expression] = []
        for one in own_nodes(value):
            inside = self._within.get(one.name, []) if isinstance(one, NameUse) else []
            found += [one, *inside]
        return found

    # Reductions.

    def _reduced(self, value: Expression, domain: Domain | None) -> dict[str, Any]:
        """What the reductions of a value make, by their names in its text."""
        return {
            f"_reduced_{number}": self._reduce(one, domain)
            for number, one in enumerate(all_reductions(value))
        }

    def _reduce(self, node: Reduce, domain: Domain | None) -> Any:
        assert isinstance(node.at, ast.Call)
        text = self._text(node.operand, node.at.args[0], "", None, None)
        reads = [one for one in self._parts(node.operand) if isinstance(one, Read)]
        used = {
            one.iterator.name for one in self._parts(node.operand) if isinstance(one, IteratorUse)
        }
        names = [name for name in self._tree.iterators if name in used]
        ranges = {name: self._places(name, reads) for name in names}
        shapes = ((one, self._arrays[one.array].values.shape) for one in reads)
        sizes = extents_along((one, tuple(Affine((), n) for n in shape)) for one, shape in shapes)
        lengths = {name: one.constant for name, one in sizes.items()}
        for each in (self._domain, domain):
            for name, first, end in self._bounds(each, lengths):
                if name in ranges:
                    ranges[name] = {k for k in ranges[name] if first <= k < end}
        values: dict[Element, Any] = {}
        for place in itertools.product(*(sorted(ranges[name]) for name in names)):
            point = dict(zip(names, place))
            value = self._evaluate(text, point, self._arrays, self._locals, {})
            if value is not MISSING:
                values[place] = value
        return fold(node.operation, values, np.dtype(np.float64))

    def _places(self, name: str, reads: Sequence[Read]) -> set[int]:
        """Values of an iterator at which elements exist; with a boundary mode, those whose index
        would without its offset."""
        found: set[int] | None = None
        for read in reads:
            array = self._arrays[read.array]
            for number, (index, n) in enumerate(zip(read.indices, array.values.shape)):
                if not uses(index, name):
                    continue
                each = self._indices(read)[number]
                mode = array.modes[number % len(array.modes)] if array.modes else ""
                offset = self._along(each, n, {name: 0}) if mode else 0
                places = range(-n - 16, 2 * n + 16)
                fits = {k for k in places if 0 <= self._along(each, n, {name: k}) - offset < n}
                found = fits if found is None else found & fits
        return found or set()

    def _assign_element(self, number: int, one: AssignElement) -> set[Element]:
        operator = one.at.op if isinstance(one.at, ast.AugAssign) else None
        text = self._text(one.value, one.source, "", operator, one.target if operator else None)
        array = self._arrays[one.target.array]
        indices = self._indices(one.target)
        allowed = self._allowed.get(number)
        computed: dict[Element, Any] = {}
        numbers = self._reduced(one.value, one.domain)
        for point in self._points_of(one, indices, array.values.shape):
            element = tuple(self._index(indices, point, array.values.shape, self._locals))
            if allowed is not None and element not in allowed:
                continue
            value = self._evaluate(text, point, self._arrays, self._locals, numbers)
            if value is not MISSING:
                computed[element] = value
        for element, value in computed.items():
            array.values[element] = fitting(value, array.values.dtype)
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


def run_stencil(tree: StencilTree, values: Mapping[str, Any], domain: Sequence[Any] | None) -> Any:
    """Executes a stencil on arrays, in place, and returns what it does."""
    with np.errstate(all="ignore"):
        return _Run(tree, values, domain).run()
