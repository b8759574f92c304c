"""Text in the language, and where each part of it comes from."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .._errors import Diagnostic
from .source import Function, Place, diagnostic
from .values import Code

#: In place of hints that speak of the language.
_HINTS = {
    "read-before-write": "make it an argument of the program, or let a stencil write it first",
    "may-be-undefined": "make it an argument of the program, or write all of it first",
    "copyout-partly-written": "leave out the intent: elements that are not written are kept then",
    "domain-outside": "a slice ends before its second bound, and lies in the array",
}


@dataclass(frozen=True)
class Line:
    code: Code
    source: Function


@dataclass(frozen=True)
class Written:
    """The text of a program. ``numbers``: results that are no arrays of the caller."""

    lines: tuple[Line, ...]
    numbers: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "".join(f"{one.code}\n" for one in self.lines)

    def place(self, line: int, column: int, end_line: int, end_column: int) -> Place:
        """What a part of the text was written from. Lines and columns count from 1."""
        one = self.lines[min(line, len(self.lines)) - 1]
        end = end_column - 1 if end_line == line else len(str(one.code))
        best: tuple[int, ast.AST] | None = None
        for first, last, node in one.code.spans():
            wide = last - first
            covers = first <= column - 1 and end <= last
            if covers and (best is None or wide < best[0]):
                best = (wide, node)
        return one.source.place(one.source.node if best is None else best[1])

    def relocate(self, found: Diagnostic) -> Diagnostic:
        """A message about the text, as one about the Python file."""
        at = self.place(found.line, found.column, found.end_line, found.end_column)
        notes = [
            (self.place(one.line, one.column, one.end_line, one.end_column), one.message)
            for one in found.notes
        ]
        hint = _HINTS.get(found.id, found.hint)
        return diagnostic(at, found.severity, found.id, found.message, hint, notes)
