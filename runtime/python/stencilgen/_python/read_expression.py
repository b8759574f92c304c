"""Expressions of a stencil: from Python's syntax tree to what they say."""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from .declare import Iterator, Reduction
from .functions import Known, instead, known
from .source import Function, counted
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
    StencilTree,
    Unary,
    all_reductions,
)

_BINARY: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.BitAnd: "&", ast.BitOr: "|",
}  # fmt: skip
_COMPARE: dict[type, str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
_OTHER_OPERATORS = {
    "BitXor": ("^", "a power is written `**`"),
    "LShift": ("<<", "multiply by a power of two"),
    "RShift": (">>", "use `//` by a power of two"),
    "MatMult": ("@", "write the sum of products"),
    "Invert": ("~", "write `not`"),
    "In": ("in", "compare with `==`"), "NotIn": ("not in", "compare with `!=`"),
    "Is": ("is", "compare with `==`"), "IsNot": ("is not", "compare with `!=`"),
}  # fmt: skip
_OTHER_FORMS: dict[str, tuple[str, str]] = {
    "JoinedStr": ("an f-string", "a stencil computes with numbers"),
    "Lambda": ("a lambda", "write the expression itself"),
    "ListComp": ("a comprehension", "write the sum of its terms"),
    "GeneratorExp": ("a generator", "write the sum of its terms"),
    "SetComp": ("a comprehension", "write the sum of its terms"),
    "DictComp": ("a comprehension", "write the sum of its terms"),
    "Tuple": ("a tuple", "write one statement for each value"),
    "List": ("a list", "coefficients are numbers, or an argument that is an array"),
    "Dict": ("a dictionary", "use names"),
    "Set": ("a set", "use names"),
    "NamedExpr": ("`:=`", "assign in a statement of its own"),
    "Await": ("`await`", "a stencil is no coroutine"),
    "Yield": ("`yield`", "assign to an element of an array"),
    "YieldFrom": ("`yield from`", "assign to an element of an array"),
    "Starred": ("`*` before an argument", "write the arguments"),
}


def is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating))


def operator_text(operator: ast.AST) -> str:
    """``+`` for ``ast.Add``; empty where the language has none."""
    return _BINARY.get(type(operator), "")


def operator_hint(operator: ast.AST) -> tuple[str, str]:
    """How an operator that is not understood is written, and what to write instead."""
    return _OTHER_OPERATORS.get(type(operator).__name__, ("this operator", ""))


class ExpressionReader:
    """Reads expressions of one function. ``formals``: its arguments; ``locals``: its own names, and
    whether they are arrays."""

    def __init__(
        self, source: Function, formals: tuple[str, ...], local_names: Mapping[str, bool]
    ) -> None:
        self._source = source
        self._formals = formals
        self._locals = local_names

    def read(self, node: ast.expr) -> Expression:
        """Raises Refused where it is not understood."""
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Attribute):
            return self._value(node, self.object_of(node))
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.UnaryOp):
            return self._unary(node)
        if isinstance(node, ast.BinOp):
            operator = _BINARY.get(type(node.op))
            if operator is None:
                self._refuse_operator(node, node.op)
            return Binary(node, operator, self.read(node.left), self.read(node.right))
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.BoolOp):
            word = "and" if isinstance(node.op, ast.And) else "or"
            return Logic(node, word, tuple(self.read(one) for one in node.values), False)
        if isinstance(node, ast.IfExp):
            return Choose(
                node, self.read(node.test), self.read(node.body), self.read(node.orelse), False
            )
        if isinstance(node, ast.Call):
            return self._call(node)
        form, hint = _OTHER_FORMS.get(type(node).__name__, ("this expression", ""))
        self._refuse(node, "python-expression", f"{form} means nothing in a stencil", hint)

    def _refuse(self, node: ast.AST, identifier: str, message: str, hint: str = "") -> NoReturn:
        self._source.refuse(node, identifier, message, hint)

    def _refuse_operator(self, node: ast.AST, operator: ast.AST) -> NoReturn:
        text, hint = operator_hint(operator)
        self._refuse(node, "python-operator", f"`{text}` means nothing in a stencil", hint)

    def _constant(self, node: ast.Constant) -> Expression:
        if not is_number(node.value):
            self._refuse(
                node,
                "python-value",
                f"{node.value!r} is no number that a stencil computes with",
                "numbers are whole, floating, or True and False",
            )
        return Constant(node, node.value)

    def _name(self, node: ast.Name) -> Expression:
        if node.id in self._formals or node.id in self._locals:
            if self._locals.get(node.id, False):
                self._refuse_whole_array(node, node.id)
            return NameUse(node, node.id)
        return self._value(node, self.object_of(node))

    def _refuse_whole_array(self, node: ast.AST, name: str) -> NoReturn:
        self._refuse(
            node,
            "python-array",
            f"`{name}` is an array: a stencil reads its elements",
            f"write `{name}[...]` with an index for each dimension",
        )

    def object_of(self, node: ast.expr) -> Any:
        """What a name outside of the function, or an attribute of one, stands for."""
        if isinstance(node, ast.Name):
            found, value = self._source.names.find(node.id)
            if not found:
                self._refuse(
                    node,
                    "undeclared-name",
                    f"`{node.id}` is not defined",
                    "names are looked up when the function is decorated; iterators are made by "
                    '`j, i = stencilgen.iterators("j i")`',
                )
            return value
        if isinstance(node, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Attribute)):
            base = node.value
            if isinstance(base, ast.Name) and (base.id in self._formals or base.id in self._locals):
                self._refuse(
                    node,
                    "python-attribute",
                    f"`{base.id}.{node.attr}` means nothing in a stencil",
                    f"of an array there is `{base.id}.shape[0]`",
                )
            try:
                return getattr(self.object_of(base), node.attr)
            except AttributeError as error:
                self._refuse(node, "undeclared-name", str(error))
        self._refuse(node, "python-expression", "this is no name that a stencil can look up")

    def _value(self, node: ast.expr, value: Any) -> Expression:
        if isinstance(value, Iterator):
            return IteratorUse(node, value)
        if is_number(value):
            return Constant(node, value)
        name = ast.unparse(node)
        hint = "a stencil sees numbers and iterators from outside; the rest are its arguments"
        if isinstance(value, tuple) and value and all(isinstance(x, Iterator) for x in value):
            hint = f"several iterators are several names; one is `{name}, = iterators(...)`"
        elif isinstance(value, np.ndarray):
            hint = f"make it an argument of the stencil: `{name}`"
        elif isinstance(value, (types.FunctionType, types.BuiltinFunctionType, np.ufunc)):
            hint = f"call it: `{name}(...)`"
        kind = type(value).__name__
        article = "an" if kind[:1] in "aeiou" else "a"
        self._refuse(node, "python-value", f"`{name}` is {article} {kind}, and no number", hint)

    def _unary(self, node: ast.UnaryOp) -> Expression:
        if isinstance(node.op, ast.Invert):
            self._refuse_operator(node, node.op)
        text = {ast.UAdd: "+", ast.USub: "-", ast.Not: "not"}[type(node.op)]
        return Unary(node, text, self.read(node.operand))

    def _compare(self, node: ast.Compare) -> Expression:
        operators: list[str] = []
        for one in node.ops:
            text = _COMPARE.get(type(one))
            if text is None:
                self._refuse_operator(node, one)
            operators.append(text)
        operands = tuple(self.read(one) for one in (node.left, *node.comparators))
        return Compare(node, tuple(operators), operands)

    # Elements.

    def _subscript(self, node: ast.Subscript) -> Expression:
        base = node.value
        if isinstance(base, ast.Attribute) and base.attr == "shape":
            return self._shape(node, base)
        return self.element(node)

    def array_name(self, node: ast.expr) -> str:
        """An argument or local that is used as an array."""
        if isinstance(node, ast.Name) and node.id in self._formals:
            return node.id
        if isinstance(node, ast.Name) and self._locals.get(node.id, False):
            return node.id
        text = ast.unparse(node)
        if isinstance(node, ast.Name) and node.id not in self._locals:
            self.object_of(node)  # says so where it is not defined
        self._refuse(
            node,
            "python-array",
            f"`{text}` is no array of the stencil",
            "arrays are arguments of the stencil, or made by `np.empty_like` of one",
        )

    def _shape(self, node: ast.Subscript, base: ast.Attribute) -> Expression:
        name = self.array_name(base.value)
        number = node.slice
        if isinstance(number, ast.Constant) and type(number.value) is int:
            return ShapeOf(node, name, number.value)
        if isinstance(number, ast.UnaryOp) and isinstance(number.op, ast.USub):
            number = number.operand
            if isinstance(number, ast.Constant) and type(number.value) is int:
                return ShapeOf(node, name, -number.value)
        self._refuse(node, "python-index", f"expected a dimension, as `{name}.shape[0]`")

    def element(self, node: ast.Subscript) -> Read:
        """``u[j, i]`` or ``u[j][i]``."""
        keys: list[ast.expr] = []
        at: ast.expr = node
        while isinstance(at, ast.Subscript):
            inner = at.slice
            keys[:0] = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            at = at.value
        name = self.array_name(at)
        return Read(node, name, tuple(self._index(one, name) for one in keys))

    def _index(self, node: ast.expr, array: str) -> Expression:
        if isinstance(node, ast.Slice):
            self._refuse(
                node,
                "python-slice",
                f"a stencil reads and writes elements of `{array}`, and no slices",
                "index by iterators, as `u[j, i]`; ranges are written `with "
                "stencilgen.domain[1:-1, :]:`",
            )
        if isinstance(node, ast.Constant) and (node.value is Ellipsis or node.value is None):
            self._refuse(node, "python-index", f"`{ast.unparse(node)}` is no index of one element")
        index = self.read(node)
        self._check_index(index)
        return index

    def _check_index(self, index: Expression) -> None:
        if isinstance(index, Constant):
            if isinstance(index.value, (bool, np.bool_)) or not isinstance(
                index.value, (int, np.integer)
            ):
                self._refuse(index.at, "python-index", f"{index.value!r} is no index")
            return
        if isinstance(index, (IteratorUse, NameUse, ShapeOf)):
            return
        if isinstance(index, Binary) and index.operator in ("+", "-", "*"):
            self._check_index(index.left)
            self._check_index(index.right)
            return
        if isinstance(index, Unary) and index.operator in ("+", "-"):
            self._check_index(index.operand)
            return
        if (
            isinstance(index, Binary)
            and index.operator == "//"  # of a turn
            and isinstance(index.left, NameUse)
            and isinstance(index.right, Constant)
        ):
            return
        self._refuse(
            index.at,
            "python-index",
            "an index is an iterator, a whole number, or a sum of them, as `i+1` or `2*i-1`",
        )

    # Calls.

    def _call(self, node: ast.Call) -> Expression:
        function = node.func
        if isinstance(function, ast.Name) and (
            function.id in self._formals or function.id in self._locals
        ):
            self._refuse(node, "python-call", f"`{function.id}` is an argument, and no function")
        if not isinstance(function, (ast.Name, ast.Attribute)):
            self._refuse(node, "python-call", "this is no function that a stencil can call")
        value = self.object_of(function)
        if isinstance(value, Reduction):
            return self._reduction(node, value)
        found = known(value)
        text = ast.unparse(function)
        if found is None or found.style == "array":
            hint = instead(value)
            if isinstance(getattr(value, "tree", None), StencilTree):
                hint = f"a program gives what a stencil returns a name: `a = {text}(...)`"
            if found is not None:
                hint = f"a statement of its own makes an array: `name = {text}(u)`"
            self._refuse(node, "python-call", f"`{text}` means nothing in a stencil", hint)
        self._check_arguments(node, found, text)
        if found.style == "len":
            return ShapeOf(node, self.array_name(node.args[0]), 0)
        arguments = tuple(self.read(one) for one in node.args)
        if found.style in ("where", "np.where"):
            condition, a, b = arguments
            return Choose(node, condition, a, b, found.style == "np.where")
        if found.style == "logic":
            return Logic(node, found.written, arguments, True)
        if found.style == "not":
            return Unary(node, "not", arguments[0])
        if found.style == "power":
            return Binary(node, "**", arguments[0], arguments[1])
        if found.style == "square":
            return Binary(node, "**", arguments[0], Constant(node, 2))
        return Call(node, found, arguments)

    def _reduction(self, node: ast.Call, reduction: Reduction) -> Reduce:
        text = ast.unparse(node.func)
        if len(node.args) != 1 or node.keywords:
            hint = ""
            if reduction.name in ("min", "max"):
                hint = f"of several values at a point it is Python's `{reduction.name}`"
            self._refuse(
                node,
                "wrong-argument-count",
                f"`{text}` takes one value, which is computed at all points",
                hint,
            )
        operand = self.read(node.args[0])
        for inner in all_reductions(operand):
            self._refuse(
                inner.at,
                "misplaced-reduction",
                f"`stencilgen.{inner.operation}` inside of `{text}`",
                "give it a name in a statement before",
            )
        return Reduce(node, reduction.name, operand)

    def _check_arguments(self, node: ast.Call, found: Known, text: str) -> None:
        for one in node.keywords:
            self._refuse(
                one.value, "python-call", f"`{text}` takes no arguments by name in a stencil"
            )
        count = len(node.args)
        if count != found.arity and not (found.arity < 0 and count >= 2):
            expected = (
                "two or more arguments" if found.arity < 0 else counted(found.arity, "argument")
            )
            self._refuse(
                node,
                "wrong-argument-count",
                f"`{text}` takes {expected} here, {count} given",
            )
