"""Programs from files and texts."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from ._errors import Error, OptionError
from ._program import Program
from ._source import Source


def load(
    path: str | os.PathLike[str],
    *,
    target: str = "auto",
    fp: str = "fast",
    define: Mapping[str, int] | None = None,
    options: Sequence[str] = (),
) -> Program:
    """Reads a program from an `.idsl` file.

    `target`: ``auto`` is a GPU where there is one and nvcc, else the CPU; ``cpp``, ``cuda``;
    ``emulator`` executes CUDA code on the CPU, to test. `fp`: ``fast``, or ``strict`` for the
    program's own order of operations. `define`: parameters that are fixed when the program is
    compiled, as ``{"N": 512}``. `options`: any other options of the command line, as
    ``["--time-tile", "4"]``.

    Raises `CompileError` where the program is wrong, with the compiler's diagnostics, and
    `OptionError` where an option is. Warnings of the compiler are `ProgramWarning`.
    """
    name = os.fspath(path)
    if not isinstance(name, str):
        raise TypeError(f"load(): expected the path of a program as text, given {name!r}")
    with open(name, "rb") as file:
        text = file.read()
    shown = os.path.join(".", name) if name.startswith("-") else name
    return Program(Source(text, shown, shown), None, target, fp, define, options)


def compile(
    text: str,
    *,
    name: str = "program",
    target: str = "auto",
    fp: str = "fast",
    define: Mapping[str, int] | None = None,
    options: Sequence[str] = (),
) -> Program:
    """The same as `load` from the text of a program. `name`: of the generated function, and what
    diagnostics call the text."""
    if not isinstance(text, str):
        raise TypeError(f"compile(): expected the text of a program, given a {type(text).__name__}")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise OptionError(f"name: {name!r} cannot name a function")
    if text.endswith(".idsl") and "\n" not in text:
        raise OptionError(f"compile(): {text!r} is the name of a file: load() reads it")
    try:
        encoded = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Error(f"the program's text is no valid Unicode: {error}") from error
    return Program(Source(encoded, f"<{name}>"), name, target, fp, define, options)
