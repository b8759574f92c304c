"""Expressions of a stencil in the language, with numpy's types."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

from .convert import Converter, is_flexible
from .declare import Affine
from .operators import Operators
from .source import Function
from .tree import (
    Binary,
    Call,
    Choose,
    Compare,
    Constant,
    Expression,
    IteratorUse,
    Logic,
    NameUse,
    Read,
    Reduce,
    ShapeOf,
    Unary,
)
from .values import (
    AND,
    CHOICE,
    EQUAL,
    OR,
    ORDER,
    POWER,
    SIGN,
    Code,
    Kind,
    Value,
    code,
)  # fmt: skip


class ExpressionLowering(Operators):
    """Writes expressions. ``element`` writes a read, ``name`` what an argument or local is,
    ``extent`` the size of a dimension, and ``reduce`` a reduction."""

    def __init__(
        self,
        source: Function,
        convert: Converter,
        element: Callable[[Read], Value],
        name: Callable[[NameUse], Value],
        extent: Callable[[ShapeOf], Affine],
        iterators: Mapping[str, tuple[str, bool]],
        reduce: Callable[[Reduce], Value],
    ) -> None:
        super().__init__(source, convert)
        self._reduce = reduce
        self._element = element
        self._name = name
        self._extent = extent
        self._iterators = iterators

    def value(self, node: Expression) -> Value:
        """Raises Refused where numpy's meaning cannot be written."""
        if isinstance(node, Constant):
            return self.constant(node.at, node.value)
        if isinstance(node, IteratorUse):
            written, not_negative = self._iterators[node.iterator.name]
            return Value(
                code(written, at=node.at), Kind.WHOLE, cheap=True, not_negative=not_negative
            )
        if isinstance(node, NameUse):
            return self._name(node)
        if isinstance(node, Read):
            return self._element(node)
        if isinstance(node, Reduce):
            return self._reduce(node)
        if isinstance(node, ShapeOf):
            return self.sizes(node.at, self._extent(node))
        if isinstance(node, Unary):
            return self._unary(node)
        if isinstance(node, Binary):
            return self.binary(
                node.at, node.operator, self.value(node.left), self.value(node.right)
            )
        if isinstance(node, Compare):
            return self._compare(node)
        if isinstance(node, Logic):
            return self._logic(node)
        if isinstance(node, Choose):
            return self._choose(node)
        return self._call(node)

    # Operators.

    def _unary(self, node: Unary) -> Value:
        value = self.value(node.operand)
        if node.operator == "not":
            return Value(code("!", value.inside(SIGN), at=node.at), Kind.BOOL, SIGN)
        self.require_numbers(node.at, node.operator, value)
        if node.operator == "+":
            return value
        if value.constant is not None:
            return self.folded(node.at, operator.neg, value)
        inner = (
            value.inside(POWER)
            if not str(value.code).startswith("-")
            else code("(", value.code, ")")
        )
        return Value(
            code("-", inner, at=node.at),
            value.kind,
            SIGN,
            flexible=value.flexible,
            affine=value.affine.times(-1) if value.affine else None,
        )

    # Conditions.

    def _compare(self, node: Compare) -> Value:
        found: Value | None = None
        operands = [self.value(one) for one in node.operands]
        for text, *pair in zip(node.operators, operands, operands[1:]):
            a, b = pair
            if (a.kind == Kind.BOOL) != (b.kind == Kind.BOOL):
                self._source.refuse(
                    node.at, "operand-type", f"`{text}` compares a condition with a number"
                )
            if a.kind != Kind.BOOL:
                (a, b), _ = self._convert.operands([a, b])
            binds = EQUAL if text in ("==", "!=") else ORDER
            parts = code(a.inside(binds + 1), f" {text} ", b.inside(binds + 1), at=node.at)
            one = Value(parts, Kind.BOOL, binds)
            if found is not None:
                one = Value(
                    code(found.inside(AND), " && ", one.inside(AND + 1), at=node.at), Kind.BOOL, AND
                )
            found = one
        assert found is not None
        return found

    def _logic(self, node: Logic) -> Value:
        values = [self.value(one) for one in node.operands]
        for one, value in zip(node.operands, values):
            if value.kind != Kind.BOOL and not node.any_type:
                self._source.refuse(
                    one.at,
                    "operand-type",
                    f"`{node.operator}` joins conditions, and this is a number, which Python would "
                    "return",
                    "compare it, as `x != 0`",
                )
        binds, text = (AND, " && ") if node.operator == "and" else (OR, " || ")
        parts: list[str | Code] = []
        for value in values:
            parts += [text] if parts else []
            parts.append(value.inside(binds + 1))
        return Value(Code(tuple(parts), node.at), Kind.BOOL, binds)

    def _choose(self, node: Choose) -> Value:
        condition = self.value(node.condition)
        a, b = self.value(node.then_value), self.value(node.else_value)
        if (a.kind == Kind.BOOL) != (b.kind == Kind.BOOL):
            self._source.refuse(
                node.at, "operand-type", "one value is a condition, the other a number"
            )
        kind = a.kind
        if kind != Kind.BOOL:
            (a, b), kind = self._convert.operands([a, b])
        parts = code(condition.inside(OR), " ? ", a.inside(OR), " : ", b.inside(CHOICE), at=node.at)
        flexible = is_flexible([a, b], kind)
        if node.of_numpy and kind.is_weak:
            if kind == Kind.WHOLE:
                self._refuse_wide(node.at, "np.where", "stencilgen.where")
            kind = Kind.F64
        return Value(
            parts, kind, CHOICE, flexible=flexible, not_negative=a.not_negative and b.not_negative
        )

    def _refuse_wide(self, at: ast.AST, name: str, other: str) -> None:
        self._source.refuse(
            at,
            "operand-type",
            f"`{name}` of Python's whole numbers is an int64 of numpy",
            f"write `{other}`",
        )

    # Calls.

    def _call(self, node: Call) -> Value:
        function = node.function
        values = [self.value(one) for one in node.arguments]
        self.require_numbers(node.at, function.name, *values)
        if all(one.constant is not None for one in values):
            return self.folded(node.at, function.function, *values)
        if function.style == "cast":
            return self._cast(node, values[0])
        if function.style == "builtin" and len(values) > 1:
            return self._nested(node, values)
        if function.style == "math":
            self._check_math(node, values)
        if function.style == "abs" and values[0].kind == Kind.WHOLE:
            self._refuse_wide(node.at, function.name, "abs")
        if function.written in ("floor", "ceil", "trunc") and not values[0].kind.is_floating:
            self._source.refuse(node.at, "operand-type", f"`{function.name}` of a whole number")
        values, kind = self._convert.operands(values)
        flexible = is_flexible(values, kind)
        if function.style == "math":
            kind = Kind.FLOAT
        elif function.style in ("numpy", "abs") and (kind.is_weak or kind == Kind.I32):
            kind = Kind.I32 if function.style == "abs" and kind == Kind.I32 else Kind.F64
        return self._written(node.at, function.written, values, kind, flexible)

    def _written(
        self, at: ast.AST, name: str, values: list[Value], kind: Kind, flexible: bool
    ) -> Value:
        parts: list[str | Code] = [name, "("]
        for number, one in enumerate(values):
            parts += [", "] if number else []
            parts.append(one.code)
        positive = name in ("abs", "fabs", "sqrt", "exp", "exp2") or (
            name in ("min", "max") and all(one.not_negative for one in values)
        )
        return Value(Code((*parts, ")"), at), kind, flexible=flexible, not_negative=positive)

    def _nested(self, node: Call, values: list[Value]) -> Value:
        found = values[0]
        for one in values[1:]:
            (a, b), kind = self._convert.operands([found, one])
            found = self._written(
                node.at, node.function.written, [a, b], kind, is_flexible([a, b], kind)
            )
        return found

    def _check_math(self, node: Call, values: list[Value]) -> None:
        for argument, one in zip(node.arguments, values):
            if one.kind == Kind.F32:
                self._source.refuse(
                    argument.at,
                    "operand-type",
                    f"`{node.function.name}` computes in double precision, and this is float32",
                    f"write `np.{node.function.name.partition('.')[2]}`, which keeps float32, or "
                    "`np.float64(x)`",
                )

    def _cast(self, node: Call, value: Value) -> Value:
        name = node.function.name
        if name == "float32":
            found = self._convert.to_float(value)
            kind = Kind.F32
        elif name in ("float64", "float"):
            found = self._convert.to_double(value)
            kind = Kind.F64 if name == "float64" else Kind.FLOAT
        else:
            keeps = not value.kind.is_floating
            found = value if keeps else self._convert.kept(value, "int")
            kind = Kind.I32 if name == "int32" else Kind.WHOLE
        return Value(
            found.code, kind, found.binds, None, False, value.not_negative, None, found.cheap
        )
