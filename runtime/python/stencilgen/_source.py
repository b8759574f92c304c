"""The text of a program, and what the compiler says about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from . import _tool
from ._errors import BuildError, Diagnostic


@dataclass(frozen=True)
class Source:
    """The text of a program. ``label`` is what diagnostics call it."""

    text: bytes
    label: str
    path: str | None = None  #: of the file that has the text
    #: Where a program was written from something else, its diagnostics at the places there.
    relocate: Callable[[Diagnostic], Diagnostic] | None = None

    def ask(
        self, command: Sequence[str], kind: type = BuildError, *, read_file: bool = False
    ) -> _tool.Result:
        """Starts the compiler with the text as standard input, which ``-`` in the command stands
        for; with ``read_file`` the file that has the text is read, where there is one.

        Raises `CompileError` where the program is wrong, `OptionError` where an option is, and
        ``kind`` for the rest."""
        text: bytes | None = self.text
        if read_file and self.path is not None:
            text, command = None, [self.path if one == "-" else one for one in command]
        return _tool.checked(command, text, self.label, kind, self.relocate)
