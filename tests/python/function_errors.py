"""What the tests of functions that are no stencils or programs share: modules as text, in files."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import stencilgen as sg

HEAD = """\
import functools
import math
import numpy as np
import stencilgen as sg

k, j, i = sg.iterators("k j i")
x, = sg.iterators("x")
both = sg.iterators("j i")
field = np.zeros((3, 4))
wide = np.int64(3)
huge = 2**40
M2 = sg.array("M N")
F2 = sg.array("M N", sg.float32)
I2 = sg.array("M N", sg.int32)
H2 = sg.array("M N", sg.float16)


@sg.stencil
def copy(out, u):
    out[j, i] = u[j, i]


"""


def errors_of(text: str, path: Path) -> sg.CompileError:
    """What importing the text raises."""
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.raises(sg.CompileError) as raised:
        spec.loader.exec_module(module)
    return raised.value


def check(error: sg.CompileError, path: Path, identifier: str, about: str, first: int) -> None:
    one = error.diagnostics[0]
    assert one.id == identifier, str(error)
    assert one.file == str(path) and one.line >= first
    line = path.read_text(encoding="utf-8").splitlines()[one.line - 1]
    assert one.end_line > one.line or line[one.column - 1 : one.end_column - 1] == about, str(error)
    shown = str(one).splitlines()
    assert shown[0] == f"{path}:{one.line}:{one.column}: error: {one.message} [{identifier}]"
    assert shown[1] == f"{one.line:5} | {line}"
    marked = shown[2][len("      | ") :]
    assert set(marked.strip()) <= {"^", "~"} and marked.index("^") == one.column - 1
