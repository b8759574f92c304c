"""What can go wrong, as exceptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Note:
    """A second place that a diagnostic is about."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str


@dataclass(frozen=True)
class Diagnostic:
    """One message of the compiler about a program. Lines and columns count from 1.

    ``str`` of it is what the command line prints: the message, the program's line, and a caret.
    """

    severity: str  #: ``error`` or ``warning``
    id: str  #: stays the same from version to version, as ``undeclared-name``
    message: str
    hint: str  #: empty where there is none
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    notes: tuple[Note, ...]
    rendered: str

    def __str__(self) -> str:
        return self.rendered


class Error(Exception):
    """What stencilgen cannot do; all exceptions of its own are such."""


class CompileError(Error):
    """The program is wrong. ``diagnostics`` says where and why, as objects, warnings included."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return "\n" + "".join(str(one) for one in self.diagnostics).rstrip("\n")


class OptionError(Error, ValueError):
    """An option that does not exist, or does not fit the program or another option."""


class BuildError(Error, RuntimeError):
    """The program is right, but no library could be made of it: no compiler, no space on a disk."""


class RunError(Error, RuntimeError):
    """The program was started and failed: a device that is not there, or ran into an error."""


class ProgramWarning(UserWarning):
    """The category of what the compiler warns about."""


def _place(entry: Mapping[str, Any], label: str) -> tuple[str, int, int, int, int]:
    name = str(entry["file"])
    return (
        label if name == "<stdin>" else name,
        int(entry["line"]),
        int(entry["column"]),
        int(entry["end_line"]),
        int(entry["end_column"]),
    )


def diagnostics_of(report: Mapping[str, Any], label: str) -> tuple[Diagnostic, ...]:
    """The diagnostics of a report of the compiler. ``label`` is what standard input is called."""
    return tuple(
        Diagnostic(
            str(entry["severity"]),
            str(entry["id"]),
            str(entry["message"]),
            str(entry["hint"]),
            *_place(entry, label),
            notes=tuple(
                Note(*_place(note, label), str(note["message"])) for note in entry["notes"]
            ),
            rendered=str(entry["rendered"]).replace("<stdin>:", label + ":"),
        )
        for entry in report["diagnostics"]
    )
