"""A stencil in the language, for one combination of types."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from .bindings import KEYWORDS, ArrayBinding, Binding, NumberBinding, ScalarBinding, free_name
from .convert import Converter
from .declare import Affine, language_type
from .lower_domain import extents_along, lower_domain
from .lower_expression import ExpressionLowering
from .source import counted
from .tree import (
    AssignElement,
    AssignLocal,
    IteratorUse,
    LocalArray,
    NameUse,
    Read,
    Reduce,
    Return,
    ShapeOf,
    Statement,
    StencilTree,
    all_iterators,
    is_written_number,
)
from .values import PRODUCT, SIGN, Code, Kind, Value, code, kind_of_type, promoted

_SAME_OPERATOR = "+-*/"


@dataclass(frozen=True)
class LoweredStencil:
    """Its lines, and the formals that are left: numbers have been written in their places.

    ``results``: the kinds of what it returns, its first formals. ``reductions``: of each reduction
    that has a formal of its own, next to those, what it is and makes.
    """

    lines: tuple[Code, ...]
    formals: tuple[str, ...]
    results: tuple[Kind, ...]
    reductions: tuple[tuple[str, Kind], ...]


class StencilLowering:
    """``taken``: names of the program that a stencil's own must not hide."""

    def __init__(
        self,
        tree: StencilTree,
        bindings: Mapping[str, Binding],
        iterators: Mapping[str, str],
        taken: Iterable[str],
    ) -> None:
        self._tree = tree
        self._source = tree.source
        self._bindings = bindings
        self._names = {*taken, *KEYWORDS}
        self._written: dict[str, str] = {}
        self._arrays: dict[str, ArrayBinding] = {}
        self._locals: dict[str, Value] = {}
        self._lines: list[Code] = []
        self._reductions: list[tuple[str, str, Kind]] = []  # formals, operations and kinds
        self._results: list[tuple[str, Kind]] = []
        self._where: list[str | Code] = []  # the domain of the statement
        self._kept: dict[tuple[str, str], str] = {}  # of formals, which stay the same
        self._iterators = {
            name: (written, name not in self._shifted()) for name, written in iterators.items()
        }
        self._convert = Converter(self._source, self._keep)
        self._expressions = ExpressionLowering(
            self._source, self._convert, self._element, self._name, self._extent, self._iterators,
            self._reduce,
        )  # fmt: skip

    def run(self, name: str) -> LoweredStencil:
        """The stencil under a name of the program. Raises Refused."""
        formals: list[str] = []
        for formal in self._tree.formals:
            binding = self._bindings[formal]
            if isinstance(binding, NumberBinding):
                continue
            formals.append(formal)
            self._new_name(formal, formal)
            if isinstance(binding, ArrayBinding):
                self._arrays[formal] = binding
        self._check_use()
        for one in self._tree.statements:
            self._statement(one)
        own = [formal for formal, _ in self._results]
        own += [formal for formal, _, _ in self._reductions]
        written = [self._written[one] for one in formals]
        text = f"stencil {name} ({', '.join([*own, *written])}) {{"
        return LoweredStencil(
            (code(text, at=self._source.node), *self._lines, code("}")),
            tuple(formals),
            tuple(kind for _, kind in self._results),
            tuple((operation, kind) for _, operation, kind in self._reductions),
        )

    def _shifted(self) -> set[str]:
        """Iterators that may be negative: of `out[j+1, i]`."""
        found: set[str] = set()
        for one in self._tree.statements:
            if not isinstance(one, AssignElement):
                continue
            for index in one.target.indices:
                if not isinstance(index, IteratorUse):
                    found.update(each.name for each in all_iterators(index))
        return found

    def _new_name(self, name: str, wish: str) -> str:
        if not wish.isascii():
            self._source.refuse(
                self._source.node,
                "python-name",
                f"the name `{wish}` has letters that the language has not",
                "names are of the letters A to Z, digits and `_`",
            )
        written = free_name(wish, self._names)
        self._names.add(written)
        self._written[name] = written
        return written

    def _check_use(self) -> None:
        """An array is indexed, and a number is not."""
        indexed = self._tree.arrays
        for formal in self._tree.formals:
            is_array = isinstance(self._bindings[formal], ArrayBinding)
            if formal in indexed and not is_array:
                self._source.refuse(
                    self._source.node,
                    "wrong-argument",
                    f"`{formal}` is a number in this call, and the stencil indexes it",
                )

    # Statements.

    def _emit(self, *parts: str | Code, at: ast.AST | None) -> None:
        line = Code(parts, at)
        self._lines.append(code("  ", line))

    def _statement(self, one: Statement) -> None:
        if isinstance(one, LocalArray):
            return self._local_array(one)
        if isinstance(one, AssignElement):
            return self._assign_element(one)
        if isinstance(one, Return):
            return self._return(one)
        self._where = []
        return self._assign_local(one)

    def _local_array(self, one: LocalArray) -> None:
        like = self._arrays.get(one.like)
        if like is None:
            self._source.refuse(one.at, "python-array", f"`{one.like}` is no array in this call")
        element = like.type if one.dtype is None else language_type(one.dtype)
        self._arrays[one.name] = ArrayBinding(element, like.extents)
        name = self._new_name(one.name, one.name)
        shape = ",".join(str(each) for each in like.extents)
        self._emit(f"{element} {name}[{shape}];", at=one.at)

    def _domain(self, one: AssignElement | Return) -> list[str | Code]:
        if one.domain is None:
            return []
        elements = [one.target] if isinstance(one, AssignElement) else self._tree.read
        dimensions = extents_along((each, self._binding(each).extents) for each in elements)
        found = lower_domain(
            self._source, one.domain, self._tree.iterators, dimensions, self._expressions.value
        )
        return [found, " : "]

    def _assign_element(self, one: AssignElement) -> None:
        target = self._element(one.target)
        type_name = self._binding(one.target).type
        self._where = self._domain(one)
        value = self._expressions.value(one.value)
        operator = one.operator
        if operator:
            operator, value = self._updated(one, target, value)
        else:
            value = self._convert.for_store(value, type_name)
        self._emit(*self._where, target.code, f" {operator}= ", value.code, ";", at=one.at)

    def _updated(self, one: AssignElement, target: Value, value: Value) -> tuple[str, Value]:
        """`+=` and its like: as they are where the language means the same, else spelt out."""
        operator = one.operator
        if operator not in _SAME_OPERATOR or (operator == "/" and not target.kind.is_floating):
            result = self._expressions.binary(one.at, operator, target, value)
            if operator in ("&", "|"):
                return operator, value
            return "", self._convert.for_store(result, self._binding(one.target).type)
        self._expressions.require_numbers(one.at, f"{operator}=", target, value)
        if target.kind == Kind.I32 and value.kind == Kind.F32:
            self._source.refuse(
                one.at,
                "operand-type",
                f"`{operator}=` mixes int32 and float32, which numpy does in float64",
                "write `np.float64(...)` around the value",
            )
        (_, operand), _ = self._convert.operands([target, value])
        return operator, operand

    # Numbers that no point has for itself are scalars of the program: formals.

    def _return(self, one: Return) -> None:
        self._where = self._domain(one)
        name = self._own_formal("result")
        if isinstance(one.value, Reduce):
            kind = self._fold(one.value, name)
        else:
            value = self._expressions.value(one.value)
            kind = value.kind
            self._emit(f"{name} = ", value.code, ";", at=one.at)
        self._results.append((name, kind))

    def _own_formal(self, wish: str) -> str:
        name = free_name(wish, self._names)
        self._names.add(name)
        return name

    def _reduce(self, node: Reduce) -> Value:
        """By a statement before the one that reads it."""
        name = self._own_formal(f"{node.operation}_of")
        kind = self._fold(node, name)
        self._reductions.append((name, node.operation, kind))
        positive = node.operation == "norm2"
        return Value(code(name, at=node.at), kind, cheap=True, not_negative=positive)

    def _fold(self, node: Reduce, name: str) -> Kind:
        """Assigns the reduction, and returns the kind of what it makes."""
        operation = node.operation
        value = self._expressions.value(node.operand)
        if operation not in ("any", "all"):
            self._expressions.require_numbers(node.at, f"stencilgen.{operation}", value)
        elif value.kind != Kind.BOOL:
            self._source.refuse(
                node.operand.at,
                "operand-type",
                f"`stencilgen.{operation}` is about conditions, and this is a number",
                "compare it, as `x != 0`",
            )
        kind = {Kind.FLOAT: Kind.F64, Kind.WHOLE: Kind.I32}.get(value.kind, value.kind)
        if operation == "norm2" and not kind.is_floating:
            kind = Kind.F64
        self._emit(*self._where, f"{name} = {operation}(", value.code, ");", at=node.at)
        return kind

    def _assign_local(self, one: AssignLocal) -> None:
        value = self._expressions.value(one.value)
        if one.operator:
            return self._update_local(one, value)
        self._assign_value(one, value)

    def _declare(self, one: AssignLocal, value: Value) -> None:
        name = self._new_name(one.name, one.name)
        type_name = value.kind.type
        self._emit(f"{type_name} {name} = ", value.code, ";", at=one.at)
        self._locals[one.name] = Value(
            code(name), value.kind, cheap=True, not_negative=value.not_negative
        )

    def _update_local(self, one: AssignLocal, value: Value) -> None:
        old = self._locals.get(one.name)
        if old is None:
            self._refuse_unset(one.at, one.name)
        same = one.operator in _SAME_OPERATOR and (
            one.operator != "/" or old.kind.is_floating or value.kind.is_floating
        )
        known = old.constant is not None and value.constant is not None
        if not same or known:
            result = self._expressions.binary(one.at, one.operator, old, value)
            return self._assign_value(one, result)
        self._expressions.require_numbers(one.at, f"{one.operator}=", old, value)
        kind = promoted(old.kind, value.kind)
        if old.constant is not None:
            # `s = 0.0` gets the type of what is added to it.
            text = self._convert.literal(one.at, old.constant, old.kind).code
            name = self._new_name(one.name, one.name)
            self._emit(f"{kind.type} {name} = ", text, ";", at=one.at)
            old = Value(code(name), kind, cheap=True)
        elif kind.type != old.kind.type:
            result = self._expressions.binary(one.at, one.operator, old, value)
            return self._assign_value(one, result)
        (_, operand), _ = self._convert.operands([old, value])
        name = str(old.code)
        self._emit(f"{name} {one.operator}= ", operand.code, ";", at=one.at)
        self._locals[one.name] = Value(code(name), kind, cheap=True)

    def _assign_value(self, one: AssignLocal, result: Value) -> None:
        if result.constant is not None and result.kind.is_weak:
            self._locals[one.name] = result
        else:
            self._declare(one, result)

    def _keep(self, type_name: str, value: Value) -> str:
        """A local of the type with the value."""
        text = str(value.code)
        is_formal = text in self._written.values() and all(
            text != str(one.code) for one in self._locals.values()
        )
        if is_formal and (type_name, text) in self._kept:
            return self._kept[type_name, text]
        name = free_name(text if text.isidentifier() else "value", self._names)
        self._names.add(name)
        self._emit(f"{type_name} {name} = ", value.code, ";", at=value.code.at)
        if is_formal:
            self._kept[type_name, text] = name
        return name

    # What names and elements are.

    def _refuse_unset(self, at: ast.AST, name: str) -> NoReturn:
        self._source.refuse(at, "read-before-write", f"`{name}` is read before it is assigned")

    def _name(self, node: NameUse) -> Value:
        binding = self._bindings.get(node.name)
        if node.name in self._locals:
            one = self._locals[node.name]
            return Value(
                code(one.code, at=node.at),
                one.kind,
                one.binds,
                one.constant,
                one.flexible,
                one.not_negative,
                one.affine,
                one.cheap,
            )
        if isinstance(binding, NumberBinding):
            return self._expressions.constant(node.at, binding.value)
        if isinstance(binding, ScalarBinding):
            written = self._written[node.name]
            if binding.divisor:
                quotient = code(written, f" / {binding.divisor}", at=node.at)
                return Value(quotient, Kind.WHOLE, PRODUCT, not_negative=True)
            affine = Affine(((written, 1),)) if binding.kind == Kind.WHOLE else None
            return Value(
                code(written, at=node.at),
                binding.kind,
                affine=affine,
                cheap=True,
                not_negative=binding.not_negative,
            )
        if node.name in self._arrays:
            self._source.refuse(
                node.at,
                "missing-index",
                f"`{node.name}` is an array here: a stencil reads its elements",
                f"write `{node.name}[...]` with an index for each dimension",
            )
        self._refuse_unset(node.at, node.name)

    def _binding(self, read: Read) -> ArrayBinding:
        found = self._arrays.get(read.array)
        if found is None:
            self._refuse_unset(read.at, read.array)
        if len(found.extents) != len(read.indices):
            self._source.refuse(
                read.at,
                "wrong-rank",
                f"array `{read.array}` has {counted(len(found.extents), 'dimension')}, "
                f"{counted(len(read.indices), 'index', 'indices')} given",
            )
        return found

    def _extent(self, node: ShapeOf) -> Affine:
        extents = self._arrays[node.array].extents if node.array in self._arrays else ()
        if not -len(extents) <= node.dimension < len(extents):
            self._source.refuse(
                node.at,
                "wrong-rank",
                f"array `{node.array}` has {counted(len(extents), 'dimension')}",
            )
        return extents[node.dimension]

    def _element(self, read: Read) -> Value:
        binding = self._binding(read)
        parts: list[str | Code] = [self._written[read.array]]
        for index, extent in zip(read.indices, binding.extents):
            value = self._expressions.value(index)
            if value.kind not in (Kind.WHOLE, Kind.I32):
                self._source.refuse(index.at, "python-index", "this is no whole number")
            if value.constant is not None and value.constant < 0:
                # From the end, as numpy has it.
                if not is_written_number(index):
                    self._source.refuse(
                        index.at,
                        "python-index",
                        f"this index is {value.constant}, and only numbers in the text count from "
                        "the end",
                        f"write `{read.array}.shape[0]{value.constant}`",
                    )
                last = extent + Affine((), int(value.constant))
                value = Value(code(str(last), at=index.at), Kind.WHOLE, SIGN)
            parts += ["[", value.code.tight(), "]"]
        return Value(Code(tuple(parts), read.at), kind_of_type(binding.type), cheap=True)


def lower_stencil(
    tree: StencilTree,
    bindings: Mapping[str, Binding],
    iterators: Mapping[str, str],
    taken: Iterable[str],
    name: str,
) -> LoweredStencil:
    """Raises Refused where a statement has no meaning with these types."""
    return StencilLowering(tree, bindings, iterators, taken).run(name)
