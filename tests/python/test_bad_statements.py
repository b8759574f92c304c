"""Statements that no stencil may have: an error at the line of the Python file, with a hint."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from function_errors import HEAD, check, errors_of

# Of a stencil `def s(out, u, n, c)`: a statement, the error's id, and the text that it is about.
STATEMENTS = {
    "an unknown name": ("out[j, i] = a*u[j, i]", "undeclared-name", "a"),
    "an unknown iterator": ("out[l, i] = u[l, i]", "undeclared-name", "l"),
    "iterators of two calls": ("out[j, x] = u[j, x]", "python-iterator", "out[j, x] = u[j, x]"),
    "a tuple of iterators": ("out[both, i] = 0.0", "python-value", "both"),
    "a loop": ("while u[j, i] > 0: pass", "python-statement", "while u[j, i] > 0: pass"),
    "a loop of range": ("for k in range(3): pass", "python-statement", "for k in range(3): pass"),
    "if": ("if u[j, i] > 0: out[j, i] = 1.0", "python-statement",
           "if u[j, i] > 0: out[j, i] = 1.0"),
    "return of an element": ("return u[j, i]", "scalar-from-array", "u[j, i]"),
    "return of a local at a point": ("r = u[j, i]; return 2*r", "scalar-from-array", "r"),
    "return of nothing": ("out[j, i] = 0.0; return", "python-statement", "return"),
    "return of no numbers": ("return ()", "python-statement", "return ()"),
    "return of a number and an element": ("return sg.sum(u[j, i]), u[j, i]", "scalar-from-array",
                                          "u[j, i]"),
    "a statement after return": ("return sg.sum(u[j, i]); out[j, i] = 0.0", "python-statement",
                                 "return sg.sum(u[j, i])"),
    "a reduction in a reduction": ("return sg.sum(u[j, i]/sg.max(u[j, i]))", "misplaced-reduction",
                                   "sg.max(u[j, i])"),
    "a reduction of two values": ("return sg.max(u[j, i], 0.0)", "wrong-argument-count",
                                  "sg.max(u[j, i], 0.0)"),
    "a reduction along an axis": ("return sg.sum(u[j, i], axis=0)", "wrong-argument-count",
                                  "sg.sum(u[j, i], axis=0)"),
    "a reduction of one number": ("out[j, i] = sg.sum(c)", "uniform-reduction", "sg.sum(c)"),
    "a sum of conditions": ("c2 = sg.sum(u[j, i] > 0)", "operand-type", "sg.sum(u[j, i] > 0)"),
    "any of numbers": ("out[j, i] = 1.0 if sg.any(u[j, i]) else 0.0", "operand-type", "u[j, i]"),
    "np.sum": ("return np.sum(u[j, i])", "python-call", "np.sum(u[j, i])"),
    "a reduction as an index": ("out[j, i] = u[j, sg.sum(n[j, i])]", "python-index",
                                "sg.sum(n[j, i])"),
    "xor": ("out[j, i] = n[j, i] ^ 3", "python-operator", "n[j, i] ^ 3"),
    "a shift": ("out[j, i] = n[j, i] << 3", "python-operator", "n[j, i] << 3"),
    "invert": ("out[j, i] = ~n[j, i]", "python-operator", "~n[j, i]"),
    "a matrix product": ("out[j, i] = u[j, i] @ u[j, i]", "python-operator", "u[j, i] @ u[j, i]"),
    "in": ("out[j, i] = 1.0 if n[j, i] in (1, 2) else 0.0", "python-operator", "n[j, i] in (1, 2)"),
    "is": ("out[j, i] = 1.0 if n[j, i] is c else 0.0", "python-operator", "n[j, i] is c"),
    "updated by xor": ("n[j, i] ^= 1", "python-operator", "n[j, i] ^= 1"),
    "or of numbers": ("out[j, i] = u[j, i] or 1.0", "operand-type", "u[j, i]"),
    "and of numbers": ("out[j, i] = u[j, i] > 0 and u[j, i-1]", "operand-type", "u[j, i-1]"),
    "an f-string": ("out[j, i] = f'{u[j, i]}'", "python-expression", "f'{u[j, i]}'"),
    "a text": ("out[j, i] = 'zero'", "python-value", "'zero'"),
    "None": ("out[j, i] = None", "python-value", "None"),
    "a complex number": ("out[j, i] = 2j*u[j, i]", "python-value", "2j"),
    "a power that is complex": ("out[j, i] = (-8)**0.5*u[j, i]", "python-value", "(-8)**0.5"),
    "a lambda inside": ("out[j, i] = (lambda: 1)()", "python-call", "(lambda: 1)()"),
    "a comprehension": ("out[j, i] = sum([u[j, i+d] for d in (1, 2)])", "python-call",
                        "sum([u[j, i+d] for d in (1, 2)])"),
    "a tuple": ("out[j, i] = u[j, i], 1", "python-expression", "u[j, i], 1"),
    "two targets": ("a = b = u[j, i]", "python-statement", "a = b = u[j, i]"),
    "a tuple of targets": ("a, b = u[j, i], 1.0", "python-statement", "a, b = u[j, i], 1.0"),
    "an annotation": ("a: float = u[j, i]", "python-statement", "a: float = u[j, i]"),
    "a walrus": ("out[j, i] = (a := u[j, i])", "python-expression", "a := u[j, i]"),
    "a slice that is read": ("out[j, i] = u[j-1, :]", "python-slice", ":"),
    "a slice that is written": ("out[1:-1, i] = u[j, i]", "python-slice", "1:-1"),
    "an ellipsis": ("out[...] = 0.0", "python-index", "..."),
    "too few indices": ("out[j] = u[j, i]", "wrong-rank", "out[j]"),
    "too many indices": ("out[j, i] = u[k, j, i]", "wrong-rank", "u[k, j, i]"),
    "an index that is computed": ("out[j, i] = u[j, i//2]", "python-index", "i//2"),
    "an index that is read": ("out[j, i] = u[j, n[j, i]]", "python-index", "n[j, i]"),
    "an index that floats": ("out[j, i] = u[j, 0.5]", "python-index", "0.5"),
    "an index of both iterators": ("out[j, i] = u[j, i+j]", "non-affine-index", "i+j"),
    "a whole array": ("out[j, i] = u + 1.0", "missing-index", "u"),
    "an array from outside": ("out[j, i] = field[j, i]", "python-array", "field"),
    "a number that is indexed": ("out[j, i] = c[j, i]", "wrong-argument", "s"),
    "an argument that becomes another": ("u = 0.5*c", "python-array", "u"),
    "a local before it is assigned": ("out[j, i] = r; r = 1.0", "read-before-write", "r"),
    "a local array that nothing wrote": ("w = np.empty_like(u); out[j, i] = w[j, i]",
                                         "read-before-write", "w[j, i]"),
    "an array of zeros": ("w = np.zeros_like(u); out[j, i] = w[j, i]", "python-call",
                          "np.zeros_like(u)"),
    "an array of int64": ("w = np.empty_like(u, dtype=np.int64); out[j, i] = 0.0", "python-type",
                          "np.int64"),
    "an unknown function": ("out[j, i] = math.gamma(u[j, i])", "python-call",
                            "math.gamma(u[j, i])"),
    "np.maximum": ("out[j, i] = np.maximum(u[j, i], 0.0)", "python-call",
                   "np.maximum(u[j, i], 0.0)"),
    "round": ("out[j, i] = round(u[j, i])", "python-call", "round(u[j, i])"),
    "a method": ("out[j, i] = u.mean()", "python-attribute", "u.mean"),
    "a stencil in a stencil": ("copy(out, u)", "python-statement", "copy(out, u)"),
    "too many operands": ("out[j, i] = np.sqrt(u[j, i], 1)", "wrong-argument-count",
                          "np.sqrt(u[j, i], 1)"),
    "too few operands": ("out[j, i] = max(u[j, i])", "wrong-argument-count", "max(u[j, i])"),
    "operands by name": ("out[j, i] = np.sqrt(x=u[j, i])", "python-call", "u[j, i]"),
    "numbers that are conditions": ("out[j, i] = (u[j, i] > 0)*2.0", "operand-type",
                                    "(u[j, i] > 0)*2.0"),
    "a condition beside a number": ("out[j, i] = 1.0 if (u[j, i] > 0) == 1 else 0.0",
                                    "operand-type", "(u[j, i] > 0) == 1"),
    "floor division of floats": ("out[j, i] = u[j, i]//2", "operand-type", "u[j, i]//2"),
    "remainder of floats": ("out[j, i] = u[j, i] % 2.0", "operand-type", "u[j, i] % 2.0"),
    "division of numbers by zero": ("out[j, i] = 1/0", "python-value", "1/0"),
    "remainder by zero": ("n[j, i] = n[j, i] % 0", "division-by-zero", "n[j, i] % 0"),
    "a negative power": ("out[j, i] = n[j, i]**-1", "operand-type", "n[j, i]**-1"),
    "a large whole number": ("n[j, i] += huge", "literal-overflow", "huge"),
    "an int64": ("n[j, i] += wide", "python-type", "wide"),
    "infinity": ("out[j, i] = math.inf", "python-value", "math.inf"),
    "a wrong attribute": ("out[j, i] = math.PI", "undeclared-name", "math.PI"),
    "a dimension that is not there": ("out[j, i] = u.shape[2]", "wrong-rank", "u.shape[2]"),
    "a with of something else": ("with open('f'): out[j, i] = 0.0", "python-statement",
                                 "with open('f'): out[j, i] = 0.0"),
    "a domain with a step": ("with sg.domain[::2, :]: out[j, i] = 0.0", "python-slice", "2"),
    "a domain of one dimension": ("with sg.domain[1:-1]: out[j, i] = 0.0", "domain-rank",
                                  "sg.domain[1:-1]"),
    "a local in a domain": ("with sg.domain[1:, :]: a = u[j, i]", "python-statement", "a"),
    "a domain with a broken bound": ("with sg.domain[0.5:, :]: out[j, i] = 0.0", "python-slice",
                                     "0.5"),
    "an element far outside": ("out[j, i] = u[-1 - u.shape[0], i]", "index-outside",
                               "u[-1 - u.shape[0], i]"),
    "import": ("import math", "python-statement", "import math"),
    "assert": ("assert u[j, i] > 0", "python-statement", "assert u[j, i] > 0"),
    "a letter of another alphabet": ("ä = u[j, i]; out[j, i] = ä", "python-name", "s"),
    "a name that counts from the end": ("b = -1; out[j, i] = u[b, i]", "python-index", "b"),
    "del": ("del u", "python-statement", "del u"),
}  # fmt: skip


def test_there_are_many() -> None:
    assert len(STATEMENTS) >= 80


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_that_are_none(name: str, tmp_path: Path) -> None:
    statement, identifier, about = STATEMENTS[name]
    text = HEAD + "@sg.stencil\ndef s(out, u, n, c):\n"
    text += textwrap.indent(statement, "    ") + "\n"
    text += "    out[j, i] = u[j, i] + n[j, i] + c\n\n\n@sg.program\n"
    text += "def p(out: M2, u: M2, n: I2, c: float):\n    s(out, u, n, c)\n"
    path = tmp_path / "functions.py"
    check(errors_of(text, path), path, identifier, about, HEAD.count("\n"))
