"""Functions that are no stencils or programs: an error at the line of the Python file, with a hint.

Each case is a module's text, what its error is called, and what the caret stands below.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

import stencilgen as sg
from function_errors import HEAD, check, errors_of

#: A stencil that returns a number, and the decorator of a program.
TOTAL = "@sg.stencil\ndef total(u): return sg.sum(u[j, i])\n@sg.program\n"

# Of a module: its text, the error's id, and the text that it is about.
MODULES = {
    "float32 in math": (
        "@sg.stencil\ndef s(u): u[j, i] = math.exp(u[j, i])\n@sg.program\ndef p(u: F2): s(u)",
        "operand-type", "u[j, i]"),
    "float32 that overflows": (
        "@sg.stencil\ndef s(u): u[j, i] = 1e300*u[j, i]\n@sg.program\ndef p(u: F2): s(u)",
        "literal-overflow", "1e300"),
    "a lambda": ("s = sg.stencil(lambda out, u: 0)", "python-lambda",
                 "s = sg.stencil(lambda out, u: 0)"),
    "another decorator below": (
        "@sg.stencil\n@functools.lru_cache(None)\ndef s(u): u[j, i] = 0.0", "python-decorator",
        "@sg.stencil"),
    "a program of a stencil": ("@sg.program\n@sg.stencil\ndef s(u): u[j, i] = 0.0",
                               "python-decorator", "@sg.program"),
    "a coroutine": ("@sg.stencil\nasync def s(u): u[j, i] = 0.0", "python-function",
                    "@sg.stencil"),
    "a stencil that does nothing": ("@sg.stencil\ndef s(u): pass", "python-statement", "s"),
    "arguments with a star": ("@sg.stencil\ndef s(*u): pass", "python-argument", "u"),
    "a default that is no number": ("@sg.stencil\ndef s(u, c=None): u[j, i] = c", "python-value",
                                    "c"),
    "a boundary of nothing": ('@sg.stencil(boundary={"v": "wrap"})\ndef s(u): u[j, i] = 0.0',
                              "undeclared-name", "s"),
    "an unknown boundary mode": (
        '@sg.stencil(boundary={"u": "absorbing"})\ndef s(u): u[j, i] = 0.0',
        "unknown-boundary-mode", "s"),
    "one mode too many": (
        '@sg.stencil(boundary={"u": ("wrap", "clamp", "wrap")})\ndef s(v, u): v[j, i] = u[j, i-1]\n'
        "@sg.program\ndef p(u: M2, v: M2): s(v, u)", "wrong-rank", "u"),
    "two modes for one array": (
        '@sg.stencil(boundary={"u": "wrap"})\ndef s(v, u): v[j, i] = u[j, i-1]\n'
        '@sg.stencil(boundary={"u": "clamp"})\ndef r(v, u): v[j, i] = u[j, i-1]\n'
        "@sg.program\ndef p(u: M2, v: M2):\n    s(v, u)\n    r(v, u)", "python-boundary",
        "r(v, u)"),
    "no annotation": ("@sg.program\ndef p(u, v: M2): copy(u, v)", "python-annotation", "u"),
    "an unknown annotation": ("@sg.program\ndef p(u: str, v: M2): copy(u, v)",
                              "python-annotation", "u: str"),
    "an annotation that fails": ("@sg.program\ndef p(u: 'sg.no', v: M2): copy(u, v)",
                                 "python-annotation", "'sg.no'"),
    "a scalar with a default": ("@sg.program\ndef p(u: M2, v: M2, c: float = 0.5): copy(u, v)",
                                "python-argument", "c: float"),
    "a count of zero": ("@sg.program\ndef p(u: M2, v: M2, T: int = 0): copy(u, v)",
                        "python-value", "T: int"),
    "too few arguments": ("@sg.program\ndef p(u: M2, v: M2): copy(u)", "wrong-argument-count",
                          "copy(u)"),
    "too many arguments": ("@sg.program\ndef p(u: M2, v: M2): copy(u, v, v)",
                           "wrong-argument-count", "copy(u, v, v)"),
    "an unknown argument": ("@sg.program\ndef p(u: M2, v: M2): copy(u, w=v)",
                            "wrong-argument-count", "copy(u, w=v)"),
    "an argument that is computed": (
        "@sg.stencil\ndef s(u, c): u[j, i] = c\n@sg.program\ndef p(u: M2, c: float): s(u, 2*c)",
        "bad-argument", "2*c"),
    "a call of something else": ("@sg.program\ndef p(u: M2, v: M2): print(u, v)",
                                 "undefined-stencil", "print"),
    "a call of nothing": ("@sg.program\ndef p(u: M2, v: M2): evolve(u, v)", "undeclared-name",
                          "evolve"),
    "an array that is not there": ("@sg.program\ndef p(u: M2): copy(u, w)", "undeclared-name", "w"),
    "what a stencil without return returns": (
        "@sg.program\ndef p(u: M2, v: M2):\n    a = copy(u, v)\n    return u", "python-statement",
        "a = copy(u, v)"),
    "a number that becomes an array": (
        TOTAL + "def p(u: M2):\n    a = total(u)\n    a = np.empty_like(u)\n    return a",
        "redeclaration", "a"),
    "an argument that becomes a number": (
        TOTAL + "def p(u: M2, a: float):\n    a = total(u)\n    return a", "redeclaration", "a"),
    "a number that is read before": (
        TOTAL + "def p(u: M2):\n    b = 2*a\n    a = total(u)\n    return a", "undeclared-name",
        "a"),
    "a number of two types": (
        TOTAL + "def p(u: M2, w: F2):\n    a = total(u)\n    a = total(w)\n    return a",
        "python-type", "a = total(w)"),
    "a number of arguments alone": (
        TOTAL + "def p(u: M2, c: float):\n    b = 2*c\n    a = total(u) \n    return a",
        "bad-argument", "b = 2*c"),
    "numbers that mix types": (
        TOTAL + "def p(w: F2, c: float):\n    a = total(w)\n    b = c*a\n    return a, b",
        "operand-type", "c"),
    "a reduction in a program": (
        TOTAL + "def p(u: M2):\n    b = total(u)\n    a = sg.sum(u[j, i])\n    return a, b",
        "misplaced-reduction", "sg.sum(u[j, i])"),
    "an element in a program": (
        TOTAL + "def p(u: M2):\n    b = total(u)\n    a = b + u[0, 0]\n    return a, b",
        "python-array", "u[0, 0]"),
    "a stencil that writes in an expression": (
        TOTAL + "def p(u: M2, v: M2):\n    a = 2*copy(u, v)\n    return a", "python-call",
        "copy(u, v)"),
    "two names for one number": (
        TOTAL + "def p(u: M2):\n    a, b = total(u)\n    return a, b", "python-statement",
        "a, b = total(u)"),
    "one name twice": (
        TOTAL + "def p(u: M2):\n    a, a = total(u)\n    return a", "redeclaration", "a"),
    "a part of a loop at a turn of its own": (
        TOTAL + "def p(u: M2, v: M2):\n    for t in sg.iterate(9):\n        copy(u, v)\n"
        "        if t % 3 == 0: copy(v, u)\n    return u", "python-statement",
        "if t % 3 == 0: copy(v, u)"),
    "a part of a loop every so many turns of another": (
        TOTAL + "def p(u: M2, v: M2):\n    for t in sg.iterate(9):\n        copy(u, v)\n"
        "        if (t + 1) % t == 0: copy(v, u)\n    return u", "python-value", "t"),
    "a part of a loop that ends by a condition": (
        TOTAL + "def p(u: M2, v: M2):\n    for t in sg.iterate(9):\n        a = total(u)\n"
        "        if (t + 1) % 3 == 0: copy(v, u)\n        if a < 1.0: break\n    return u, v",
        "every-and-until", "(t + 1) % 3 == 0"),
    "a number that is returned twice": (
        TOTAL + "def p(u: M2):\n    a = total(u)\n    return a, a", "python-array",
        "return a, a"),
    "a loop that ends by a number": (
        TOTAL + "def p(u: M2):\n    for t in sg.iterate(9):\n        a = total(u)\n"
        "        if a: break\n    return a", "until-not-condition", "a"),
    "a loop that ends in the middle": (
        TOTAL + "def p(u: M2):\n    for t in sg.iterate(9):\n        a = total(u)\n"
        "        if a < 1.0: break\n        b = total(u)\n    return a", "python-statement",
        "if a < 1.0: break"),
    "a loop that ends otherwise": (
        TOTAL + "def p(u: M2):\n    for t in sg.iterate(9):\n        a = total(u)\n"
        "        if a < 1.0: pass\n    return a", "python-statement", "if a < 1.0: pass"),
    "a loop that looks every broken number": (
        TOTAL + "def p(u: M2):\n    for t in sg.iterate(9):\n        a = total(u)\n"
        "        if (t + 1) % 2.5 == 0 and a < 1.0: break\n    return a", "python-value", "2.5"),
    "a loop that looks every zero": (
        TOTAL + "def p(u: M2):\n    for t in sg.iterate(9):\n        a = total(u)\n"
        "        if (t + 1) % 0 == 0 and a < 1.0: break\n    return a", "every-not-positive", "0"),
    "a constant that half cannot hold": (
        "@sg.stencil\ndef s(u): u[j, i] = 1e5\n@sg.program\ndef p(u: H2): s(u)",
        "literal-overflow", "1e5"),
    "while": ("@sg.program\ndef p(u: M2, v: M2):\n    while True: copy(u, v)", "python-statement",
              "while True: copy(u, v)"),
    "a loop over something else": (
        "@sg.program\ndef p(u: M2, v: M2):\n    for t in [1, 2]: copy(u, v)", "python-statement",
        "[1, 2]"),
    "a loop with a start": (
        "@sg.program\ndef p(u: M2, v: M2):\n    for t in range(1, 3): copy(u, v)",
        "wrong-argument-count", "range(1, 3)"),
    "computing in a program": ("@sg.program\ndef p(u: M2, v: M2):\n    w = u + v\n    copy(u, w)",
                               "python-array", "u"),
    "an exchange with others": (
        "@sg.program\ndef p(u: M2, v: M2):\n    copy(u, v)\n    u, v = v, v", "python-statement",
        "u, v = v, v"),
    "an exchange of two shapes": (
        '@sg.program\ndef p(u: M2, v: sg.array("N M")):\n    copy(u, v)\n    u, v = v, u',
        "python-array", "u, v = v, u"),
    "return before the end": (
        "@sg.program\ndef p(u: M2, v: M2):\n    return u\n    copy(u, v)", "python-statement",
        "return u"),
    "a result that is not the caller's": (
        "@sg.program\ndef p(u: M2):\n    v = np.empty_like(u)\n    copy(v, u)\n    return v",
        "python-array", "return v"),
    "a size that is an argument": (
        '@sg.program\ndef p(M: float, u: sg.array("M")): copy(u, u)', "redeclaration",
        'u: sg.array("M")'),
    "a name of the language": ("@sg.program\ndef p(swap: M2, v: M2): copy(swap, v)", "python-name",
                               "p"),
    "an array as a number": (
        "@sg.stencil\ndef s(u, c): u[j, i] = c\n@sg.program\ndef p(u: M2): s(u, u)",
        "missing-index", "c"),
    "an input that is written": (
        '@sg.program\ndef p(u: sg.array("M N", intent="in"), v: M2): copy(u, v)', "wrong-argument",
        "u"),
    "nothing": ("@sg.program\ndef p(u: M2): pass", "python-statement", "p"),
    "a bad array inside": (
        '@sg.program\ndef p(u: M2):\n    v = sg.array("M*N")\n    copy(u, v)', "python-array",
        'sg.array("M*N")'),
    "an end that is two ends": (
        '@sg.stencil\ndef s(u, v):\n    u[j, i] = 0.0\n    v[j, i] = 0.0\n@sg.program\n'
        'def p(u: M2, v: sg.array("M+1 N")): s[:, :](u, v)', "python-slice", ":"),
    "a name of C": ("@sg.program\ndef double(u: M2, v: M2): copy(u, v)", "python-name", "double"),
    "a length of several": (
        "@sg.program\ndef p(u: M2, v: M2):\n    for t in sg.iterate(len(u)*2): copy(u, v)",
        "python-value", "len(u)*2"),
    "stencils of other iterators": (
        "@sg.stencil\ndef s(u): u[x, j] = 0.0", "python-iterator", "u[x, j] = 0.0"),
    "int32 and float32 in an update": (
        "@sg.stencil\ndef s(n, u): n[j, i] += u[j, i]\n@sg.program\ndef p(n: I2, u: F2): s(n, u)",
        "operand-type", "n[j, i] += u[j, i]"),
}  # fmt: skip


def test_there_are_many() -> None:
    assert len(MODULES) >= 60


@pytest.mark.parametrize("name", MODULES)
def test_functions_that_are_none(name: str, tmp_path: Path) -> None:
    body, identifier, about = MODULES[name]
    path = tmp_path / "functions.py"
    check(errors_of(HEAD + body + "\n", path), path, identifier, about, HEAD.count("\n"))


def test_all_errors_of_a_function_are_said(tmp_path: Path) -> None:
    text = HEAD + "@sg.stencil\ndef s(u):\n    u[j, i] = a\n    u[j, i] = b\n    while 1: pass\n"
    error = errors_of(text, tmp_path / "functions.py")
    assert [one.message for one in error.diagnostics[:2]] == [
        "`a` is not defined",
        "`b` is not defined",
    ]
    assert len(error.diagnostics) == 3 and str(error).count("hint:") == 3


def test_the_compilers_errors_come_back_to_python(tmp_path: Path) -> None:
    text = HEAD + "@sg.stencil\ndef s(v, u):\n    v[j, 0] = u[j, i]\n\n"
    text += "@sg.program\ndef p(u: M2, v: M2):\n    s(v, u)\n"
    path = tmp_path / "functions.py"
    error = errors_of(text, path)
    (one,) = error.diagnostics
    assert one.id == "missing-iterator" and one.file == str(path)
    assert path.read_text().splitlines()[one.line - 1].strip() == "v[j, 0] = u[j, i]"


def test_warnings_come_back_to_python(tmp_path: Path) -> None:
    path = tmp_path / "warned.py"
    text = "@sg.stencil\ndef s(v, u):\n    v[j, i] = u[j-1, i]\n\n\n@sg.program\ndef p(u: M2):\n"
    path.write_text(HEAD + text + "    v = np.empty_like(u)\n    s(v, u)\n    copy(u, v)\n")
    spec = importlib.util.spec_from_file_location("warned", path)
    assert spec is not None and spec.loader is not None
    with pytest.warns(sg.ProgramWarning) as caught:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    assert f"{path}:" in str(caught[0].message) and "<p>" not in str(caught[0].message)
    assert "copyin" not in str(caught[0].message)


def test_functions_without_a_file() -> None:
    names: dict = {"sg": sg, "i": sg.iterators("i")[0]}
    with pytest.raises(sg.CompileError, match="source of `s` cannot be read"):
        exec("@sg.stencil\ndef s(u):\n    u[i] = 0.0\n", names)


def test_what_is_no_function() -> None:
    for decorator in (sg.stencil, sg.program):
        with pytest.raises(TypeError, match="is for functions"):
            decorator(3)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="is for functions"):
            decorator(len)


def test_iterators_outside_of_a_stencil() -> None:
    j, i = sg.iterators("j i")
    for use in (
        lambda: j + 1,
        lambda: 2 * i,
        lambda: j - i,
        lambda: float(i),
        lambda: [1, 2][i],
    ):
        with pytest.raises(TypeError, match="has values only inside of a function"):
            use()
    for names in ("", "a b c d", "i i", "1", "for", "é"):
        with pytest.raises(ValueError, match=r"iterators\(\)"):
            sg.iterators(names)
    with pytest.raises(TypeError, match="domain"):
        sg.domain[1:]


def test_arrays_that_are_none() -> None:
    for shape in ("", "M N L K", "M*N", "-1", "M N++"):
        with pytest.raises(ValueError, match=r"array\(\)"):
            sg.array(shape)
    with pytest.raises(TypeError, match="int64"):
        sg.array("M", "int64")
    with pytest.raises(ValueError, match="intent"):
        sg.array("M", intent="both")


def test_long_sums(tmp_path: Path) -> None:
    """A sum of hundreds of terms is a stencil."""
    terms = " + ".join(["u[j, i]"] * 400)
    path = tmp_path / "long.py"
    path.write_text(HEAD + f"@sg.stencil\ndef s(v, u):\n    v[j, i] = {terms}\n")
    spec = importlib.util.spec_from_file_location("long", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["long"] = module
    spec.loader.exec_module(module)
    assert module.s.idsl.count("u[j][i]") == 400
