"""The text and the syntax tree of a function, and messages about places in it."""

from __future__ import annotations

import ast
import functools
import linecache
import types
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from .._errors import CompileError, Diagnostic, Note


@dataclass(frozen=True)
class Place:
    """A part of a file. Lines and columns count from 1, and the end is past the last character."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str  #: of the first line

    def snippet(self) -> str:
        """The line, and a caret below it."""
        if not self.text:
            return ""
        before = "".join(c if c == "\t" else " " for c in self.text[: self.column - 1])
        end = self.end_column if self.end_line == self.line else len(self.text) + 1
        mark = "^" + "~" * (min(end, len(self.text) + 1) - self.column - 1)
        return f"{self.line:5} | {self.text}\n      | {before}{mark}\n"

    def note(self, message: str) -> Note:
        return Note(self.file, self.line, self.column, self.end_line, self.end_column, message)


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 range`, `2 ranges`; for messages."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def diagnostic(
    place: Place,
    severity: str,
    identifier: str,
    message: str,
    hint: str = "",
    notes: Sequence[tuple[Place, str]] = (),
) -> Diagnostic:
    """A message as the command line prints them."""
    rendered = f"{place.file}:{place.line}:{place.column}: {severity}: {message} [{identifier}]\n"
    rendered += place.snippet()
    if hint:
        rendered += f"  hint: {hint}\n"
    for at, text in notes:
        rendered += f"{at.file}:{at.line}:{at.column}: note: {text}\n{at.snippet()}"
    return Diagnostic(
        severity,
        identifier,
        message,
        hint,
        place.file,
        place.line,
        place.column,
        place.end_line,
        place.end_column,
        tuple(at.note(text) for at, text in notes),
        rendered,
    )


class Refused(Exception):
    """A part of a function is not understood; `diagnostic` says why."""

    def __init__(self, found: Diagnostic) -> None:
        self.diagnostic = found
        super().__init__(found.message)


class Names:
    """The objects that names of a function stand for, as they are when it is decorated."""

    def __init__(self, function: types.FunctionType) -> None:
        self._globals = function.__globals__
        self._cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))

    def find(self, name: str) -> tuple[bool, Any]:
        """Whether the name stands for anything, and for what."""
        if name in self._cells:
            try:
                return True, self._cells[name].cell_contents
            except ValueError:
                return False, None
        if name in self._globals:
            return True, self._globals[name]
        builtins = self._globals.get("__builtins__", {})
        found = builtins if isinstance(builtins, dict) else vars(builtins)
        return name in found, found.get(name)

    def all(self) -> dict[str, Any]:
        """To execute the function's source with."""
        cells = {}
        for name in self._cells:
            known, value = self.find(name)
            if known:
                cells[name] = value
        return {**self._globals, **cells}


@dataclass(frozen=True)
class Function:
    """A Python function that is read."""

    function: types.FunctionType
    node: ast.FunctionDef
    file: str
    lines: tuple[str, ...]
    names: Names

    @property
    def name(self) -> str:
        return self.function.__name__

    def place(self, node: ast.AST) -> Place:
        """Where the node stands; of a function, its name."""
        line = int(getattr(node, "lineno", self.node.lineno))
        column = int(getattr(node, "col_offset", 0))
        end_line = int(getattr(node, "end_lineno", line) or line)
        end_column = int(getattr(node, "end_col_offset", column + 1) or column + 1)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            text = self._line(line)
            column = text.index(node.name, text.index("def", column) + 3)
            end_line, end_column = line, column + len(node.name)
            return Place(self.file, line, column + 1, end_line, end_column + 1, text)
        return Place(
            self.file,
            line,
            self._characters(line, column) + 1,
            end_line,
            self._characters(end_line, end_column) + 1,
            self._line(line),
        )

    def _line(self, line: int) -> str:
        return self.lines[line - 1].rstrip("\r\n") if line <= len(self.lines) else ""

    def _characters(self, line: int, offset: int) -> int:
        """Python counts bytes of UTF-8."""
        return len(self._line(line).encode("utf-8")[:offset].decode("utf-8", "replace"))

    def refuse(
        self,
        node: ast.AST,
        identifier: str,
        message: str,
        hint: str = "",
        notes: Sequence[tuple[Place, str]] = (),
    ) -> NoReturn:
        """Raises Refused at the node."""
        raise Refused(diagnostic(self.place(node), "error", identifier, message, hint, notes))


def fail(found: Iterable[Refused]) -> None:
    """Raises CompileError where there is anything."""
    diagnostics = [one.diagnostic for one in found]
    if diagnostics:
        raise CompileError(diagnostics) from None


@functools.lru_cache(maxsize=8)
def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def function_of(given: Any, decorator: str) -> Function:
    """The source of what a decorator is given.

    Raises TypeError where that is nothing like a function, and CompileError where its source cannot
    be read or is no plain ``def``.
    """
    function = given
    wrapped = getattr(given, "__wrapped__", None)
    if not isinstance(function, types.FunctionType) and wrapped is not None:
        function = wrapped
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"@{decorator} is for functions, given {given!r}")
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = tuple(linecache.getlines(code.co_filename, function.__globals__))
    first = code.co_firstlineno
    line = lines[first - 1].rstrip("\r\n") if first <= len(lines) else ""
    start = len(line) - len(line.lstrip()) + 1
    place = Place(code.co_filename, first, start, first, len(line) + 1, line)

    def refuse(identifier: str, message: str, hint: str) -> NoReturn:
        raise CompileError([diagnostic(place, "error", identifier, message, hint)])

    if wrapped is not None:
        refuse(
            "python-decorator",
            f"`{function.__name__}` is changed by another decorator before `@{decorator}` reads it",
            f"write `@{decorator}` directly above `def`",
        )
    if function.__name__ == "<lambda>":
        refuse("python-lambda", "a lambda has no statements to read", "write it with `def`")
    tree = _parsed("".join(lines)) if lines else None
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        begin = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        if begin != first or node.name != function.__code__.co_name:
            continue
        if isinstance(node, ast.AsyncFunctionDef):
            refuse("python-function", f"`{node.name}` is asynchronous", "write it with `def`")
        return Function(function, node, code.co_filename, lines, Names(function))
    refuse(
        "no-source",
        f"the source of `{function.__name__}` cannot be read",
        "functions are read from files and notebooks, and not from `exec` or the interactive "
        "interpreter",
    )
