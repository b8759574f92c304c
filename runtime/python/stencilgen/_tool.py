"""The compiler as a program that is started."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from ._errors import BuildError, CompileError, Diagnostic, OptionError, RunError, diagnostics_of

#: Where the compiler of this package is installed: ``bin``, ``include``, and a CMake package that
#: ``find_package(stencilgen)`` finds with ``-DCMAKE_PREFIX_PATH`` set to it.
prefix = str(Path(__file__).resolve().parent / "compiler")

_USAGE_STATUS = 2


def tool() -> str:
    """The compiler's executable: ``$STENCILGEN_TOOL``, or the one of this package."""
    given = os.environ.get("STENCILGEN_TOOL")
    if given:
        return given
    path = os.path.join(prefix, "bin", "stencilgen")
    if os.path.exists(path):
        return path
    found = shutil.which("stencilgen")
    if found:
        return found
    raise BuildError(
        f"there is no compiler at `{path}`: the package was not installed by pip\n"
        "hint: `pip install ./runtime/python`, or set STENCILGEN_TOOL"
    )


@dataclass(frozen=True)
class Result:
    """What a run of the compiler has said."""

    status: int
    output: str
    messages: str  #: of standard error, without diagnostics
    diagnostics: tuple[Diagnostic, ...]


def _split(errors: str, label: str) -> tuple[tuple[Diagnostic, ...], str]:
    """The diagnostics in what a tool has written, and the rest of it."""
    decoder = json.JSONDecoder()
    at = 0
    while True:
        at = errors.find("{", at)
        if at < 0:
            return (), errors
        if at == 0 or errors[at - 1] == "\n":
            try:
                report, end = decoder.raw_decode(errors, at)
            except ValueError:
                report = None
            if isinstance(report, Mapping) and "diagnostics" in report:
                return diagnostics_of(report, label), (errors[:at] + errors[end:]).strip("\n")
        at += 1


def start(
    arguments: Sequence[str],
    text: bytes | None,
    label: str,
    relocate: Callable[[Diagnostic], Diagnostic] | None = None,
) -> Result:
    """Starts the compiler with these arguments and the text as standard input. `relocate` is what
    is made of its diagnostics."""
    command: list[str] = [tool(), *arguments, "--diagnostics-format", "json"]
    try:
        process = subprocess.run(
            command,
            input=text,
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True,
            check=False,
        )
    except OSError as error:
        raise BuildError(f"cannot start the compiler `{command[0]}`: {error.strerror}") from error
    diagnostics, messages = _split(process.stderr.decode("utf-8", "replace"), label)
    if relocate is not None:
        diagnostics = tuple(relocate(one) for one in diagnostics)
    output = process.stdout.decode("utf-8", "replace")
    return Result(process.returncode, output, messages.replace("<stdin>", label), diagnostics)


def fail(result: Result, kind: type) -> NoReturn:
    """Raises what a failed run of the compiler has said."""
    if any(one.severity == "error" for one in result.diagnostics):
        raise CompileError(result.diagnostics)
    said = result.messages.replace("stencilgen: error: ", "").strip()
    if result.status == _USAGE_STATUS:
        raise OptionError(said)
    if result.status < 0:
        said = f"the compiler was ended by signal {-result.status}\n{said}".strip()
    raise kind(said or f"the compiler ended with status {result.status}")


def checked(
    arguments: Sequence[str],
    text: bytes | None,
    label: str,
    kind: type = BuildError,
    relocate: Callable[[Diagnostic], Diagnostic] | None = None,
) -> Result:
    """The same as start, where failures raise."""
    result = start(arguments, text, label, relocate)
    if result.status != 0:
        fail(result, kind)
    return result


def parsed(output: str) -> Any:
    """The JSON object that the compiler has printed."""
    try:
        return json.loads(output)
    except ValueError as error:
        raise RunError(f"the compiler printed no JSON: {output[:200]!r}") from error


def main() -> int:
    """The command ``stencilgen``."""
    try:
        command = [tool(), *sys.argv[1:]]
        os.execv(command[0], command)
    except (OSError, BuildError) as error:
        print(f"stencilgen: error: {error}", file=sys.stderr)
        return 1
