"""A program in the language, and where each part of its text comes from."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

from .._errors import CompileError, Diagnostic
from .bindings import KEYWORDS, ArrayBinding, Binding, NumberBinding, ScalarBinding, free_name
from .boundaries import BoundaryModes
from .convert import Converter
from .declare import Affine
from .lower_domain import extents_along, lower_domain
from .lower_expression import ExpressionLowering
from .lower_stencil import LoweredStencil, lower_stencil
from .numbers import Numbers
from .program_tree import (
    Compute,
    Every,
    Loop,
    ProgramTree,
    StencilCall,
    Step,
    Swap,
    all_calls,
    values_in,
)
from .source import Refused, diagnostic, fail
from .tree import (
    Binary,
    Constant,
    Expression,
    NameUse,
    Read,
    Reduce,
    ShapeOf,
    StencilTree,
    names_in,
)
from .values import Code, Kind, Value, code
from .written import Line, Written


class _ProgramWriter:
    def __init__(self, tree: ProgramTree) -> None:
        self._tree = tree
        self._source = tree.source
        self._lines: list[Line] = []
        self._stencils: dict[tuple[int, tuple[Binding, ...]], tuple[str, LoweredStencil]] = {}
        self._stencil_lines: list[Line] = []
        self._boundaries = BoundaryModes(tree.source, tree.arrays)
        self._written: dict[str, ast.AST] = {}
        self._problems: list[Refused] = []
        self._calls = all_calls(tree.steps)
        self._iterators = self._merge_iterators()
        self._names: dict[str, str] = {}
        self._taken = set(KEYWORDS)
        self._turns: list[str] = []
        self._numbers = Numbers(tree.source)
        self._convert = Converter(self._source, self._refuse_kept)
        self._expressions = ExpressionLowering(
            self._source, self._convert, self._no_element, self._name, self._extent, {},
            self._no_reduction,
        )  # fmt: skip

    def run(self) -> Written:
        try:
            for iterator in self._iterators:
                if iterator in KEYWORDS:
                    self._source.refuse(
                        self._source.node,
                        "python-name",
                        f"an iterator cannot be called `{iterator}`",
                    )
                self._taken.add(iterator)
            for name in (*self._tree.parameters, *self._tree.order, *self._tree.numbers):
                self._program_name(name)
        except Refused as problem:
            fail([problem])
        body = self._steps(self._tree.steps, "")
        fail(self._problems)
        try:
            self._boundaries.check()
            self._numbers.check(self._tree.numbers)
            head = self._head()
        except Refused as problem:
            fail([problem])
        lines = [*head, *self._stencil_lines, *body, *self._results()]
        results = self._tree.results or ()
        return Written(tuple(lines), tuple(one for one in results if one in self._tree.numbers))

    def _line(self, *parts: str | Code, at: ast.AST | None = None) -> Line:
        return Line(Code(parts, at if at is not None else self._source.node), self._source)

    def _program_name(self, name: str) -> None:
        """Arguments keep their names, which callers use."""
        if name in self._taken:
            self._source.refuse(
                self._source.node,
                "python-name",
                f"the name `{name}` belongs to the language or to an iterator",
                "take another one",
            )
        self._names[name] = name
        self._taken.add(name)

    def _merge_iterators(self) -> tuple[str, ...]:
        longest: tuple[str, ...] = ()
        for call in self._calls:
            longest = max(longest, call.stencil.iterators, key=len)
        for call in self._calls:
            own = call.stencil.iterators
            if [one for one in longest if one in own] != list(own):
                self._fail(
                    call.at,
                    "python-iterator",
                    f"`{call.stencil.name}` uses the iterators {', '.join(own)}, and another "
                    f"stencil {', '.join(longest)}",
                    "stencils of one program share their iterators, in one order",
                )
        if not self._calls:
            message = f"the program `{self._source.name}` calls no stencil"
            self._fail(self._source.node, "python-statement", message)
        return longest or ("i",)

    def _fail(self, at: ast.AST, identifier: str, message: str, hint: str = "") -> NoReturn:
        """Raises CompileError."""
        raise CompileError([diagnostic(self._source.place(at), "error", identifier, message, hint)])

    # The parts of the text.

    def _head(self) -> list[Line]:
        lines: list[Line] = []
        for one in self._tree.parameters.values():
            default = "" if one.default is None else f"={one.default}"
            lines.append(self._line(f"parameter {one.name}{default};", at=one.at))
        lines.append(self._line(f"iterator {', '.join(self._iterators)};"))
        read: list[str] = []
        for name in self._tree.order:
            array = self._tree.arrays.get(name)
            if array is None:
                scalar = self._tree.scalars[name]
                lines.append(self._line(f"{scalar.kind.type} {name};", at=scalar.at))
                read.append(name)
                continue
            shape = ",".join(str(each) for each in array.type.extents)
            lines.append(self._line(f"{array.type.type} {name}[{shape}];", at=array.at))
            if not array.local and array.type.intent != "out":
                read.append(name)
        for name, kind in self._numbers.kinds.items():
            at = self._tree.numbers.get(name, self._source.node)
            lines.append(self._line(f"{kind.type} {name};", at=at))
        if read:
            lines.append(self._line(f"copyin {', '.join(read)};"))
        for name, (modes, call) in self._boundaries.modes.items():
            text = modes[0] if len(modes) == 1 else "[" + ", ".join(modes) + "]"
            lines.append(self._line(f"boundary {name} = {text};", at=call.at))
        return [*lines, self._line("")]

    def _results(self) -> list[Line]:
        names = self._tree.results
        if names is None:
            names = tuple(
                one.name
                for one in self._tree.arrays.values()
                if not one.local
                and one.type.intent != "in"
                and (one.name in self._written or one.type.intent in ("out", "inout"))
            )
        if not names:
            message = f"the program `{self._source.name}` writes to no argument"
            hint = "results are in arrays of the caller"
            self._fail(self._source.node, "python-statement", message, hint)
        text = f"copyout {', '.join(names)};"
        return [self._line(""), self._line(text, at=self._tree.results_at)]

    # Steps.

    def _steps(self, steps: Sequence[Step], indent: str) -> list[Line]:
        lines: list[Line] = []
        for one in steps:
            try:
                if isinstance(one, Loop):
                    lines += self._loop(one, indent)
                elif isinstance(one, Every):
                    turns = self._turns_between(one.turns, "executions")
                    head = self._line(f"{indent}every ", turns, " : {", at=one.head)
                    end = self._line(f"{indent}}}", at=one.head)
                    lines += [head, *self._steps(one.body, indent + "  "), end]
                elif isinstance(one, Swap):
                    lines.append(self._line(f"{indent}swap {one.first}, {one.second};", at=one.at))
                    self._written.setdefault(one.first, one.at)
                    self._written.setdefault(one.second, one.at)
                elif isinstance(one, Compute):
                    lines.append(self._compute(one, indent))
                else:
                    lines.append(self._call(one, indent))
            except Refused as problem:
                self._problems.append(problem)
                self._numbers.assume(one)
        return lines

    def _loop(self, one: Loop, indent: str) -> list[Line]:
        count = self._expressions.value(one.count)
        number = count.constant
        known = number is not None or str(count.code).isidentifier()
        if count.kind != Kind.WHOLE or not known:
            self._source.refuse(
                one.count.at, "python-value", "a loop's steps are a number, or a count by name"
            )
        if str(count.code) in self._turns:
            self._source.refuse(
                one.count.at, "python-value", "a loop's steps do not depend on the turn of another"
            )
        text = str(max(int(number), 0)) if number is not None else str(count.code)
        if one.turn in names_in(values_in(one.body, one.until)):
            turn = free_name(one.turn, self._taken)
            self._taken.add(turn)
            self._names[one.turn] = turn
            text = f"{turn} : {text}"
        self._turns.append(one.turn)
        body = self._steps(one.body, indent + "  ")
        end = self._end(one)
        self._turns.pop()
        head = self._line(f"{indent}iterate {text}", *end, " {", at=one.head)
        return [head, *body, self._line(f"{indent}}}", at=one.head)]

    def _end(self, one: Loop) -> list[str | Code]:
        """The condition that ends a loop."""
        if one.until is None:
            return []
        condition = self._expressions.value(one.until)
        if condition.kind != Kind.BOOL:
            self._source.refuse(
                one.until.at,
                "until-not-condition",
                "a loop ends by a condition, and this is a number",
                "compare it, as `change < 1e-6`",
            )
        parts: list[str | Code] = [" until ", condition.code]
        if one.every is not None:
            parts += [" every ", self._turns_between(one.every, "looks")]
        return parts

    def _turns_between(self, turns: Expression, what: str) -> Code:
        value = self._expressions.value(turns)
        if value.kind != Kind.WHOLE or str(value.code) in self._turns:
            message = f"the turns between two {what} are a number, or a count by name"
            self._source.refuse(turns.at, "python-value", message)
        return value.code

    def _compute(self, one: Compute, indent: str) -> Line:
        value = self._expressions.value(one.value)
        self._numbers.assign(one.at, one.name, value.kind, names_in([one.value]))
        return self._line(f"{indent}{one.name} = ", value.code, ";", at=one.at)

    def _results_of(self, one: StencilCall, lowered: LoweredStencil) -> list[str]:
        """The numbers of the program that take what a call returns and reduces."""
        names: list[str] = []
        given = names_in(one.arguments.values())
        for number, (kind, found) in enumerate(zip(lowered.results, one.stencil.results)):
            name = (
                one.results[number]
                if one.results
                else self._numbers.own(one.stencil.name, number, kind, self._taken)
            )
            reduced = isinstance(found.value, Reduce) or lowered.reductions
            self._numbers.assign(one.at, name, kind, None if reduced else given)
            names.append(name)
        base = one.results[0] if one.results else one.stencil.name
        for number, (operation, kind) in enumerate(lowered.reductions):
            names.append(self._numbers.own(f"{base}_{operation}", number, kind, self._taken))
        return names

    def _call(self, one: StencilCall, indent: str) -> Line:
        bindings = {formal: self._binding(argument) for formal, argument in one.arguments.items()}
        name, lowered = self._stencil(one, bindings)
        for formal in one.stencil.written:
            argument = one.arguments[formal]
            if isinstance(argument, NameUse):
                self._written.setdefault(argument.name, one.at)
                array = self._tree.arrays[argument.name]
                if array.type.intent == "in":
                    self._source.refuse(
                        argument.at,
                        "wrong-argument",
                        f'`{argument.name}` has the intent "in", and '
                        f"`{one.stencil.name}` writes it",
                    )
        self._boundaries.note(one, bindings)
        parts: list[str | Code] = [indent]
        if one.domain is not None:
            dimensions = _dimensions(one.stencil, bindings)
            parts += [lower_domain(self._source, one.domain, one.stencil.iterators, dimensions,
                                   self._expressions.value), " : "]  # fmt: skip
        parts += [name, " ("]
        actuals: list[str | Code] = list(self._results_of(one, lowered))
        for formal in lowered.formals:
            argument = self._divided(one.arguments[formal]) or one.arguments[formal]
            assert isinstance(argument, NameUse)
            actuals.append(code(self._names[argument.name], at=argument.at))
        for number, actual in enumerate(actuals):
            parts += [", ", actual] if number else [actual]
        return self._line(*parts, ");", at=one.at)

    def _stencil(
        self, one: StencilCall, bindings: Mapping[str, Binding]
    ) -> tuple[str, LoweredStencil]:
        """The stencil for these types, and its name."""
        key = (id(one.stencil), tuple(bindings[formal] for formal in one.stencil.formals))
        if key not in self._stencils:
            name = free_name(one.stencil.name, self._taken)
            self._taken.add(name)
            # A formal may be called as an array of the program; it is that one's name then.
            taken = {*self._iterators, *self._tree.parameters, *KEYWORDS}
            if not name.isascii():
                self._source.refuse(one.at, "python-name", f"`{name}` has letters beyond ASCII")
            iterators = {iterator: iterator for iterator in one.stencil.iterators}
            try:
                lowered = lower_stencil(one.stencil, bindings, iterators, taken, name)
            except Refused as problem:
                raise Refused(self._with_call(problem.diagnostic, one)) from None
            self._stencils[key] = (name, lowered)
            self._stencil_lines += [Line(line, one.stencil.source) for line in lowered.lines]
            self._stencil_lines.append(self._line(""))
        return self._stencils[key]

    def _with_call(self, found: Diagnostic, one: StencilCall) -> Diagnostic:
        place = self._source.place(one.at)
        return replace(
            found,
            notes=(*found.notes, place.note("in this call")),
            rendered=found.rendered
            + f"{place.file}:{place.line}:{place.column}: note: in this call\n{place.snippet()}",
        )

    # Arguments of calls.

    def _divided(self, argument: Expression) -> NameUse | None:
        """The turn of ``t // N``, where N is a positive number or a size."""
        if not isinstance(argument, Binary) or argument.operator != "//":
            return None
        turn, divisor = argument.left, argument.right
        if not isinstance(turn, NameUse) or turn.name not in self._turns:
            return None
        number = isinstance(divisor, Constant) and type(divisor.value) is int and divisor.value > 0
        size = isinstance(divisor, NameUse) and divisor.name in self._tree.parameters
        return turn if number or size else None

    def _binding(self, argument: Expression) -> Binding:
        if isinstance(argument, NameUse) and argument.name in self._tree.arrays:
            kind = self._tree.arrays[argument.name].type
            return ArrayBinding(kind.type, kind.extents)
        value = self._expressions.value(argument)
        if value.constant is not None:
            return NumberBinding.of(value.constant)
        if self._divided(argument) is not None:
            assert isinstance(argument, Binary)
            divisor = self._expressions.value(argument.right)
            return ScalarBinding(Kind.WHOLE, True, str(divisor.code))
        if not isinstance(argument, NameUse):
            self._source.refuse(
                argument.at,
                "bad-argument",
                "an argument is an array, a number, a name of one, or `t // N` of a turn",
                "compute it in the stencil, or before the program is called",
            )
        return ScalarBinding(value.kind, value.not_negative)

    def _name(self, node: NameUse) -> Value:
        kind = Kind.WHOLE
        if node.name in self._tree.scalars:
            kind = self._tree.scalars[node.name].kind
        if node.name in self._tree.numbers:
            kind = self._numbers.kind(node)
        written = self._names.get(node.name, node.name)
        is_size = node.name in self._tree.parameters
        affine = Affine(((written, 1),)) if is_size else None
        return Value(
            code(written, at=node.at),
            kind,
            affine=affine,
            cheap=True,
            not_negative=is_size or node.name in self._turns,
        )

    def _extent(self, node: ShapeOf) -> Affine:
        extents = self._tree.arrays[node.array].type.extents
        if not -len(extents) <= node.dimension < len(extents):
            self._source.refuse(
                node.at, "wrong-rank", f"array `{node.array}` has no such dimension"
            )
        return extents[node.dimension]

    def _no_element(self, read: Read) -> NoReturn:
        self._source.refuse(
            read.at,
            "python-array",
            "elements are for stencils",
            "a stencil may return a number, as `return stencilgen.sum(u[j, i])`",
        )

    def _no_reduction(self, node: Reduce) -> NoReturn:
        self._source.refuse(
            node.at,
            "misplaced-reduction",
            f"`stencilgen.{node.operation}` stands in a stencil, and not in a program",
            "let a stencil return it",
        )

    def _refuse_kept(self, type_name: str, value: Value) -> NoReturn:
        self._source.refuse(
            value.code.at or self._source.node,
            "operand-type",
            "types do not mix so in a program",
            "compute it in a stencil, or before the program is called",
        )


def _dimensions(tree: StencilTree, bindings: Mapping[str, Binding]) -> dict[str, Affine]:
    """How many values each iterator has, where all that is written agrees, or where nothing is, all
    that is read."""
    found = [
        (one, bindings.get(tree.local_arrays.get(one.array, one.array))) for one in tree.measured
    ]
    return extents_along(
        (read, binding.extents) for read, binding in found if isinstance(binding, ArrayBinding)
    )


def write_program(tree: ProgramTree) -> Written:
    """Raises CompileError where the program has no meaning in the language."""
    return _ProgramWriter(tree).run()
