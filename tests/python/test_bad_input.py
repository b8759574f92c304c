"""What is wrong is an exception that says what was expected and what was given, and never a crash.

Each case is a call, the exception, and words of its message.
"""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import stencilgen as sg
from conftest import HEAT, STAGGERED, Foreign, random_array


def _read_only():
    u = np.zeros((5, 6))
    u.flags.writeable = False
    return u


def _unaligned():
    return np.frombuffer(bytearray(8 * 30 + 1), np.uint8, offset=1).view(np.float64).reshape(5, 6)


def _gpu_interface(**more):
    interface = {"shape": (5, 6), "typestr": "<f8", "data": (4096, False), "version": 3, **more}
    return Foreign(cuda_array_interface=interface)


BASE = np.zeros((40, 40))
STRUCTURED = np.zeros((5, 6), dtype=[("a", "f8"), ("b", "i2")])

# Arrays that are no argument u of the heat equation.
ARRAYS = {
    "float32": (np.zeros((5, 6), np.float32), TypeError, ["`u`", "float64 [M, N]", "float32"]),
    "integers": (np.zeros((5, 6), int), TypeError, ["float64", "int64", "astype"]),
    "bools": (np.zeros((5, 6), bool), TypeError, ["float64", "bool"]),
    "complex": (np.zeros((5, 6), complex), TypeError, ["complex128"]),
    "half": (np.zeros((5, 6), np.float16), TypeError, ["float16"]),
    "long double": (np.zeros((5, 6), np.longdouble), TypeError, ["float64"]),
    "objects": (np.zeros((5, 6), object), TypeError, ["object"]),
    "texts": (np.zeros((5, 6), "U3"), TypeError, ["<U3"]),
    "a structure": (STRUCTURED, TypeError, ["float64"]),
    "other byte order": (np.zeros((5, 6), ">f8"), TypeError, [">f8", "order of bytes"]),
    "one dimension": (np.zeros(30), ValueError, ["2 dimensions, [M, N]", "(30,)"]),
    "three dimensions": (np.zeros((5, 6, 1)), ValueError, ["2 dimensions", "(5, 6, 1)"]),
    "no dimension": (np.array(1.0), ValueError, ["2 dimensions", "()"]),
    "empty": (np.zeros((0, 6)), ValueError, ["M", "at least 1"]),
    "read-only": (_read_only(), ValueError, ["`u` is read-only"]),
    "broadcast": (np.broadcast_to(np.zeros(6), (5, 6)), ValueError, ["read-only"]),
    "masked": (np.ma.masked_array(np.zeros((5, 6))), TypeError, ["mask"]),
    "backwards": (np.zeros((5, 6))[::-1], ValueError, ["backwards", "ascontiguousarray"]),
    "backwards along the last": (np.zeros((5, 6))[:, ::-1], ValueError, ["backwards"]),
    "unaligned": (_unaligned(), ValueError, ["aligned"]),
    "a field of a structure": (STRUCTURED["a"], ValueError, ["`u`", "aligned"]),
    "overlapping itself": (
        np.lib.stride_tricks.as_strided(np.zeros(30), (5, 6), (8, 8), writeable=True),
        ValueError,
        ["overlap each other"],
    ),
    "one element again and again": (
        np.lib.stride_tricks.as_strided(np.zeros(30), (5, 6), (0, 8), writeable=True),
        ValueError,
        ["again and again"],
    ),
    "None": (None, TypeError, ["`u`", "given None"]),
    "a list": ([[0.0, 1.0]], TypeError, ["given a list", "numpy.array"]),
    "a number": (1.5, TypeError, ["given a float"]),
    "a numpy number": (np.float64(2), TypeError, ["float64"]),
    "a text": ("u", TypeError, ["given a str"]),
    "bytes": (b"12345678", TypeError, ["given a bytes"]),
    "a type": (np.ndarray, TypeError, ["given a type"]),
    "of a GPU": (_gpu_interface(), TypeError, ["memory of a GPU", "target=\"cuda\""]),
    "of a GPU by DLPack": (
        Foreign(dlpack_device=lambda: (2, 0), dlpack=lambda **_: None),
        TypeError,
        ["memory of a GPU", "__dlpack__"],
    ),
    "of another device": (
        Foreign(dlpack_device=lambda: (10, 0), dlpack=lambda **_: None),
        TypeError,
        ["kind 10"],
    ),
    "no capsule": (
        Foreign(dlpack_device=lambda: (1, 0), dlpack=lambda **_: 17),
        TypeError,
        ["no capsule"],
    ),
    "float32 by DLPack": (
        Foreign(dlpack_device=lambda: (1, 0), dlpack=np.zeros((5, 6), np.float32).__dlpack__),
        TypeError,
        ["float32"],
    ),
    "other rank by DLPack": (
        Foreign(dlpack_device=lambda: (1, 0), dlpack=np.zeros(6).__dlpack__),
        ValueError,
        ["2 dimensions"],
    ),
    "read-only by DLPack": (
        Foreign(dlpack_device=lambda: (1, 0), dlpack=_read_only().__dlpack__),
        ValueError,
        ["`u`"],
    ),
}  # fmt: skip


def raises(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    for word in words:
        assert word in message, message
    return caught.value


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays(heat, name):
    value, kind, words = ARRAYS[name]
    raises(kind, words, lambda: heat(u=value, alpha=0.2))


GOOD = {"alpha": 0.2}
# Calls that are wrong beside their array.
CALLS = {
    "no array": ({"alpha": 0.1}, TypeError, ["misses the array `u` of float64 [M, N]"]),
    "no scalar": ({"u": 0}, TypeError, ["misses the scalar `alpha`"]),
    "an unknown name": ({"u": 0, **GOOD, "beta": 1}, TypeError, ["`beta`", "`u`, `alpha`", "`T`"]),
    "alpha is None": ({"u": 0, "alpha": None}, TypeError, ["`alpha`", "given None"]),
    "alpha is a text": ({"u": 0, "alpha": "0.2"}, TypeError, ["'0.2', a str"]),
    "alpha is complex": ({"u": 0, "alpha": 1j}, TypeError, ["1j"]),
    "alpha is a bool": ({"u": 0, "alpha": True}, TypeError, ["True"]),
    "alpha is an array": ({"u": 0, "alpha": np.zeros(1)}, TypeError, ["an array of float64"]),
    "alpha is too large": ({"u": 0, "alpha": 10**400}, ValueError, ["too large"]),
    "T is not whole": ({"u": 0, **GOOD, "T": 2.0}, TypeError, ["`T`", "2.0, a float"]),
    "T is a bool": ({"u": 0, **GOOD, "T": True}, TypeError, ["`T`", "True"]),
    "T is None": ({"u": 0, **GOOD, "T": None}, TypeError, ["`T`", "None"]),
    "T is 0": ({"u": 0, **GOOD, "T": 0}, ValueError, ["`T`", "from 1", "0"]),
    "T is negative": ({"u": 0, **GOOD, "T": -3}, ValueError, ["-3"]),
    "T is too large": ({"u": 0, **GOOD, "T": 2**31}, ValueError, ["2147483647"]),
    "M contradicts": ({"u": 0, **GOOD, "M": 6}, ValueError, ["(6, 6)", "(5, 6)", "M = 6, as"]),
    "a stream": ({"u": 0, **GOOD, "stream": 7}, TypeError, ["`stream`"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls(heat, name):
    arguments, kind, words = CALLS[name]
    if "u" in arguments:
        arguments = {**arguments, "u": np.zeros((5, 6))}
    raises(kind, words, lambda: heat(**arguments))
    if "u" in arguments and name != "a stream":
        raises(kind, words, lambda: heat.run(**arguments))


def test_arguments_by_place(heat):
    u = np.zeros((5, 6))
    raises(TypeError, ["at most 2", "u, alpha"], lambda: heat(u, 0.1, 3))
    raises(TypeError, ["two values for `u`"], lambda: heat(u, u=u))


def test_arrays_that_contradict_each_other(staggered, swapping):
    raises(
        ValueError,
        ["`from`", "(7,), [N + 1]", "given (6,)", "N = 6, as array `in` has the shape (6,)"],
        lambda: staggered(np.zeros(6), np.zeros(6), np.zeros(12)),
    )
    raises(
        ValueError,
        ["`out`", "(12,)", "(13,)"],
        lambda: staggered(np.zeros(6), np.zeros(7), np.zeros(13)),
    )
    raises(ValueError, ["`v`", "(5, 6)", "(6, 5)"], lambda: swapping(BASE[:5, :6], BASE.T[:6, :5]))


def test_arrays_that_overlap(swapping, staggered):
    words = ["`u` and `v` overlap", "writes `u`"]
    raises(ValueError, words, lambda: swapping(u=BASE, v=BASE))
    raises(ValueError, words, lambda: swapping(u=BASE[:9], v=BASE[3:12]))
    raises(ValueError, words, lambda: swapping(u=BASE[:9, :9], v=BASE[3:12, 3:12]))
    # Between each other, and the same input twice, is fine.
    swapping(u=BASE[::2, ::2], v=BASE[1::2, ::2])
    line = np.zeros(7)
    staggered(line[:6], line, np.zeros(12))


def test_results_need_memory_in_calls_alone(staggered):
    arrays = {"in": np.zeros(6), "from": np.zeros(7)}
    raises(TypeError, ["misses the array `out`"], lambda: staggered(**arrays))
    assert staggered.run(**arrays).shape == (12,)
    raises(TypeError, ["misses the array `in`"], lambda: staggered.run(from_=np.zeros(7)))


def test_scalars_of_other_types(kinds):
    f, w = np.zeros(10, np.float32), np.zeros(3, np.float32)
    n, b = np.zeros(10, np.int32), np.zeros(10, bool)
    good = {"f": f, "w": w, "n": n, "b": b, "factor": 1.0, "shift": 1, "flag": True}
    kinds.run(**good)
    for name, value, kind, word in [
        ("shift", 1.0, TypeError, "whole"),
        ("shift", 2**31, ValueError, "32 bits"),
        ("shift", True, TypeError, "True"),
        ("flag", 1, TypeError, "True or False"),
        ("factor", "1", TypeError, "number"),
        ("w", np.zeros(4, np.float32), ValueError, "(3,)"),
        ("n", np.zeros(10, np.int64), TypeError, "int64"),
        ("b", np.zeros(10, np.uint8), TypeError, "uint8"),
    ]:
        raises(kind, [f"`{name}`", word], lambda: kinds.run(**{**good, name: value}))  # noqa: B023


def test_a_fixed_parameter(heat):
    fixed = sg.compile(HEAT, name="heat", target="cpp", define={"N": 6})
    words = ["(5, 6)", "(5, 7)", "N = 6, as fixed by `define`"]
    raises(ValueError, words, lambda: fixed(np.zeros((5, 7)), 0.1))
    raises(ValueError, ["fixed at 6"], lambda: fixed(np.zeros((5, 6)), 0.1, N=7))


def test_no_size(heat):
    words = ["`M` has no value", "no default"]
    raises(TypeError, words, lambda: heat.device())
    raises(TypeError, ["no parameter `K`"], lambda: heat.device(K=3))


def test_arrays_that_stay(heat):
    with heat.device(M=5, N=6) as arrays:
        raises(ValueError, ["no contents"], lambda: arrays.run(alpha=0.1))
        raises(ValueError, ["(5, 6)", "(6, 5)"], lambda: arrays.upload(u=np.zeros((6, 5))))
        raises(TypeError, ["float32"], lambda: arrays.upload(u=np.zeros((5, 6), np.float32)))
        raises(KeyError, ["no array `w`", "`u`"], lambda: arrays.upload(w=1))
        raises(KeyError, ["no array `alpha`"], lambda: arrays["alpha"])
        arrays["u"] = np.zeros((5, 6))
        raises(TypeError, ["misses the scalar `alpha`"], lambda: arrays.run())
        raises(TypeError, ["`u` is none"], lambda: arrays.run(alpha=1.0, u=1))
        raises(TypeError, ["no argument `x`"], lambda: arrays.run(alpha=1.0, x=1))
        raises(TypeError, ["stream"], lambda: arrays.run(alpha=1.0, stream=1))
        raises(ValueError, ["read-only"], lambda: arrays.download("u", _read_only()))
        raises(ValueError, ["gaps"], lambda: arrays.bind(u=np.zeros((5, 12))[:, ::2]))
    raises(sg.RunError, ["closed"], lambda: arrays["u"])
    huge = 2**31 - 1
    raises(MemoryError, ["array u"], lambda: heat.device(M=huge, N=huge))


def test_wrong_programs_carry_diagnostics():
    text = HEAT.replace("alpha*(", "beta*(")
    error = raises(
        sg.CompileError,
        ["<heat>:7:14: error: 'beta' is not declared [undeclared-name]", "^~~~"],
        lambda: sg.compile(text, name="heat"),
    )
    (one,) = error.diagnostics
    assert (one.severity, one.id, one.file) == ("error", "undeclared-name", "<heat>")
    assert (one.line, one.column, one.end_line, one.end_column) == (7, 14, 7, 18)
    assert one.message == "'beta' is not declared" and isinstance(one.hint, str)
    many = HEAT.replace("alpha;\n", "alpha\n").replace("u[j-1][i]", "u[j-1][k]")
    assert len(raises(sg.CompileError, [], lambda: sg.compile(many)).diagnostics) >= 1
    twice = HEAT.replace("double u[M,N], alpha;", "double u[M,N], alpha, u[M];")
    (one,) = raises(sg.CompileError, ["note:"], lambda: sg.compile(twice)).diagnostics
    assert one.notes and one.notes[0].line == 4


def test_warnings_of_the_compiler():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program = sg.compile(STAGGERED, name="staggered", target="cpp")
    assert [one.category for one in caught] == [sg.ProgramWarning]
    assert "<staggered>:8:9: warning" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert [one.id for one in program.diagnostics] == ["copyout-partly-written"]


TEXTS = {
    "empty": "",
    "no text at all": " \n\t ",
    "Python": "def heat(u):\n  return u\n",
    "a zero byte": "parameter N=3;\0",
    "not finished": HEAT[:100],
    "no statement": "parameter N=3; iterator i; double u[N];",
    "not ASCII": HEAT.replace("heat", "h\u00e9at").replace("step", "st\u00e9p"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_that_are_no_programs(name):
    raises(sg.CompileError, ["error:"], lambda: sg.compile(TEXTS[name]))


def test_what_is_no_text(tmp_path):
    raises(TypeError, ["text of a program", "bytes"], lambda: sg.compile(b"parameter"))
    raises(TypeError, ["NoneType"], lambda: sg.compile(None))
    raises(sg.Error, ["Unicode"], lambda: sg.compile("\ud800"))
    raises(sg.OptionError, ["heat.idsl", "load()"], lambda: sg.compile("heat.idsl"))
    raises(FileNotFoundError, ["none.idsl"], lambda: sg.load(tmp_path / "none.idsl"))
    raises(IsADirectoryError, [], lambda: sg.load(tmp_path))
    raises(TypeError, ["path"], lambda: sg.load(b"heat.idsl"))
    raises(TypeError, [], lambda: sg.load(None))
    (tmp_path / "-o").write_text("no program")
    raises(sg.CompileError, ["error:"], lambda: sg.load(tmp_path / "-o"))


OPTIONS = {
    "target": ({"target": "gpu"}, ["target", "auto, cpp, cuda, emulator", "'gpu'"]),
    "fp": ({"fp": "exact"}, ["--fp", "exact"]),
    "an option": ({"options": ["--tyme-tile", "4"]}, ["--tyme-tile", "--time-tile"]),
    "no list": ({"options": "--time-tile 4"}, ["list", "['--time-tile', '4']"]),
    "no texts": ({"options": ["--time-tile", 4]}, ["4"]),
    "a parameter": ({"define": {"K": 3}}, ["K"]),
    "a value": ({"define": {"N": 2.5}}, ["whole number", "`N`", "2.5"]),
    "a small value": ({"define": {"N": 0}}, ["N", "0"]),
    "a name": ({"name": "two words"}, ["'two words'"]),
    "a keyword of C": ({"name": "double"}, ["double"]),
    "for another target": ({"target": "cpp", "options": ["--blockdim", "x=32"]}, ["--blockdim"]),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name):
    options, words = OPTIONS[name]
    error = raises(sg.OptionError, words, lambda: sg.compile(HEAT, **options))
    assert isinstance(error, ValueError)


def test_what_verify_and_tune_do_not_know(heat):
    raises(TypeError, ["`beta`"], lambda: heat.verify(beta=1))
    raises(TypeError, ["`T`", "whole"], lambda: heat.verify(T=1.5))
    raises(sg.OptionError, ["--budget"], lambda: heat.tune(budget=-1))
    raises(sg.OptionError, ["`M`"], lambda: heat.verify())
    raises(TypeError, ["no parameter `alpha`"], lambda: heat.explain(alpha=1))
    emulated = sg.compile(HEAT, target="emulator")
    raises(sg.OptionError, ["emulator"], lambda: emulated.tune())


# What concerns a whole process is tried in one of its own.
SCRIPT = """
import sys, numpy as np, stencilgen as sg
sys.path.insert(0, sys.argv[1])
from conftest import HEAT
try:
    sg.compile(HEAT, name=sys.argv[2], target="cpp")(np.zeros((5, 6)), 0.2)
except sg.BuildError as error:
    print(error)
    sys.exit(42)
"""


def build_error(name: str, **environment: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(Path(__file__).parent), name],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 42, ended.stdout + ended.stderr
    return ended.stdout


def test_no_compiler(tmp_path):
    error = build_error("no_compiler", PATH=str(tmp_path), CXX="")
    assert "no C++ compiler is in PATH" in error and "install g++" in error


def test_a_compiler_that_fails(tmp_path):
    compiler = tmp_path / "broken"
    compiler.write_text("#!/bin/sh\necho 'no licence today' >&2\nexit 1\n")
    compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
    error = build_error("broken_compiler", CXX=str(compiler))
    assert "cannot compile the generated code" in error and "no licence today" in error


def test_a_cache_that_cannot_be_written(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    error = build_error("no_cache", STENCILGEN_CACHE_DIR=str(file / "cache"))
    assert "cannot keep libraries in" in error and "STENCILGEN_CACHE_DIR" in error
    error = build_error("no_home", STENCILGEN_CACHE_DIR="", XDG_CACHE_HOME="", HOME="")
    assert "no folder to keep libraries in" in error


def test_a_full_disk(tmp_path):
    """A compiler that finds none of the space it needs, as ld says it."""
    compiler = tmp_path / "full"
    compiler.write_text(
        '#!/bin/sh\ncase "$*" in *--version*) echo 1; exit 0;; esac\n'
        "echo 'ld: final link failed: No space left on device' >&2\nexit 1\n"
    )
    compiler.chmod(0o755)
    cache = tmp_path / "cache"
    error = build_error("full_disk", CXX=str(compiler), STENCILGEN_CACHE_DIR=str(cache))
    assert "No space left on device" in error
    assert list((cache / "libraries").iterdir()) == []


def test_no_stencilgen(tmp_path):
    error = build_error("no_tool", STENCILGEN_TOOL=str(tmp_path / "none"))
    assert "cannot start the compiler" in error and "none" in error


def test_cuda_without_a_gpu():
    with pytest.raises(sg.BuildError) as caught:
        sg.compile(HEAT, target="cuda")(random_array(5, 6), 0.2)
    assert "GPU" in str(caught.value)
