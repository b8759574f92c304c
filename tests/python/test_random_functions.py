"""Random stencils written as Python, and the same functions executed as Python: with
``fp="strict"`` they agree to the bit. All types are mixed, so that it is numpy's rules that decide.

STENCILGEN_RANDOM_FUNCTIONS says how many stencils (default 200), STENCILGEN_RANDOM_SEED where they
begin.
"""

from __future__ import annotations

import concurrent.futures
import importlib.util
import os
import random
import subprocess
import sys
import warnings
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import stencilgen as sg

IN_ONE = 10  # stencils of one program
COUNT = int(os.environ.get("STENCILGEN_RANDOM_FUNCTIONS", "200")) // IN_ONE
SEED = int(os.environ.get("STENCILGEN_RANDOM_SEED", "1"))

REAL = ["a", "b", "x", "y", "h"]  # float64, float64, float32, float32, float16
WHOLE = ["n", "p", "g"]  # int32, int32, uint8
OUTPUTS = {
    "ra": "float64", "rx": "float32", "rh": "float16", "rn": "int32", "rb": "int8", "rm": "bool_",
}  # fmt: skip


class Writer:
    """One random stencil. ``locals``: names and whether they are real, whole or conditions."""

    def __init__(self, draw: random.Random, iterators: list[str]) -> None:
        self.draw = draw
        self.iterators = iterators
        self.locals: dict[str, str] = {}
        self.farthest = 2

    def element(self, name: str) -> str:
        draw = self.draw
        parts = []
        for one in self.iterators:
            if draw.random() < 0.04:
                parts.append(draw.choice(["0", "1", "-1", f"{name}.shape[0] - {name}.shape[0]"]))
                continue
            far = self.farthest
            offset = draw.choice([-far, -1, 0, 0, 0, 0, 1, far])
            parts.append(f"{one}{offset:+d}" if offset else one)
        return f"{name}[{', '.join(parts)}]"

    def named(self, kind: str) -> str | None:
        names = [name for name, one in self.locals.items() if one == kind]
        return self.draw.choice(names) if names and self.draw.random() < 0.4 else None

    def real(self, depth: int) -> str:
        draw = self.draw
        if depth == 0:
            return self.named("real") or draw.choice(
                [self.element(draw.choice(REAL))] * 6
                + ["0.1", "2.5", "3", "alpha", "beta", "HALF", "np.float32(0.3)", "math.pi"]
                + [f"0.25*{draw.choice(self.iterators)}", f"{draw.choice(self.iterators)}/3", "t/7"]
            )
        left, right = self.real(depth - 1), self.real(depth - 1)
        whole = self.whole(depth - 1)
        return draw.choice([
            f"({left} + {right})", f"({left} - {right})", f"{left}*{right}", f"-({left})",
            f"{left}/(2.0 + abs({right}))", f"{left}/(3 + ({whole})*({whole}))",
            f"max({left}, {right})", f"min({left}, {right}, 0.75)", f"abs({left})",
            f"np.sqrt(abs({left}))", f"np.floor({left} + 0.5)", f"({left} + {whole})",
            f"({left})*({whole})", f"({whole})/({draw.choice([2, 3, 7])})",
            f"({left} if {self.condition(depth - 1)} else {right})",
            f"sg.where({self.condition(depth - 1)}, {left}, {draw.choice([right, '0.1', whole])})",
            f"np.float64({left})", f"np.float32({left})", f"float({whole})",
            f"np.fabs({left})", f"np.trunc({left}*2.0)",
        ])  # fmt: skip

    def whole(self, depth: int) -> str:
        draw = self.draw
        if depth == 0:
            return self.named("whole") or draw.choice(
                [self.element(draw.choice(WHOLE))] * 4
                + ["1", "4", "-3", "t", "shift", "T", "len(n)", *self.iterators]
            )
        left, right = self.whole(depth - 1), self.whole(depth - 1)
        return draw.choice([
            f"({left} + {right})", f"({left} - {right})", f"({left})*{draw.choice([2, -1, 3])}",
            f"({left})//{draw.choice([2, 3, -4])}", f"({left}) % {draw.choice([2, 5, -3])}",
            f"(({left}) // {self.element('n')})", f"(({left}) % {self.element('p')})",
            f"max({left}, {right})", f"abs({left})", f"np.int32({self.real(0)}*3)",
            f"(({left}) & 7)", f"(({left}) | {right})", f"(({left}) % 5)**2",
            f"sg.where({self.condition(depth - 1)}, {left}, {right})",
        ])  # fmt: skip

    def condition(self, depth: int) -> str:
        draw = self.draw
        if depth == 0:
            return self.named("condition") or draw.choice(
                [self.element("m"), f"{self.real(0)} < {self.real(0)}",
                 f"{self.whole(0)} == {self.whole(0)}", "flag"]
            )  # fmt: skip
        left, right = self.condition(depth - 1), self.condition(depth - 1)
        return draw.choice([
            f"({left} and {right})", f"({left} or {right})", f"(not {left})",
            f"(({left}) & ({right}))", f"(({left}) | ({right}))",
            f"({self.real(depth - 1)} <= {self.real(depth - 1)})",
            f"(-1 < {self.whole(depth - 1)} <= {self.whole(depth - 1)})",
            f"({self.real(depth - 1)} != {self.real(depth - 1)})",
        ])  # fmt: skip

    def reduction(self, number: int) -> str:
        """A local that is one number. Its points exist in the smallest of the arrays."""
        self.farthest = 1
        here = ", ".join(self.iterators)
        kind = self.draw.choice(["real", "real", "whole", "condition"])
        if kind == "condition":
            text = f"sg.{self.draw.choice(['any', 'all'])}(a[{here}] > 0.9 or {self.condition(1)})"
        elif kind == "whole":
            name = self.draw.choice(["sum", "min", "max"])
            text = f"sg.{name}(n[{here}] + ({self.whole(1)}) % 5)"
        else:
            name = self.draw.choice(["sum", "min", "max", "norm2"])
            array = self.draw.choice(["a", "x", "h", "n"])
            text = f"sg.{name}({array}[{here}] - {self.real(1)})"
            if self.draw.random() < 0.3:
                text = f"0.5*{text}/(1 + abs(sg.max(abs(a[{here}]))))"
        self.farthest = 2
        self.locals[f"m{number}"] = kind
        return f"m{number} = {text}"

    def statements(self) -> list[str]:
        draw = self.draw
        lines: list[str] = []
        kinds = {"real": self.real, "whole": self.whole, "condition": self.condition}
        if draw.random() < 0.4:
            lines = [self.reduction(number) for number in range(draw.randint(1, 2))]
        for number in range(draw.randint(0, 2)):
            kind = draw.choice(list(kinds))
            lines.append(f"v{number} = {kinds[kind](draw.randint(1, 2))}")
            if kind == "real" and draw.random() < 0.5:
                lines.append(f"v{number} {draw.choice(['+', '-', '*'])}= {self.real(1)}")
            self.locals[f"v{number}"] = kind
        if draw.random() < 0.3:
            lines += ["s = 0.0", f"s += {self.element('x')}", f"s += {self.real(1)}"]
            self.locals["s"] = "real"
        if draw.random() < 0.4:
            like = draw.choice(["a", "x"])
            lines.append(f"w = np.empty_like({like})")
            lines.append(f"w[{', '.join(self.iterators)}] = {self.real(1)}")
            lines.append(f"v9 = {self.element('w')}")
            self.locals["v9"] = "real"
        for _ in range(draw.randint(1, 3)):
            lines += self.assignment()
        if draw.random() < 0.4:
            lines += [self.reduction(9), "return m9"]
        return lines

    def assignment(self) -> list[str]:
        draw = self.draw
        target = draw.choice(["ra", "ra", "rx", "rx", "rh", "rn", "rb", "rm"])
        place = f"{target}[{', '.join(self.iterators)}]"
        operator = "="
        if target == "rm":
            value = self.condition(2)
        elif target in ("rn", "rb"):
            value = self.whole(2)
            operator = draw.choice(["=", "=", "+=", "-=", "//=", "%="])
            value = f"({value}) % 1000" if operator in ("=", "+=", "-=") else "7"
        else:
            value = self.real(draw.randint(1, 3))
            operator = draw.choice(["=", "=", "=", "+=", "-=", "*="])
        line = f"{place} {operator} {value}"
        if draw.random() < 0.25:
            ranges = [draw.choice([":", "1:-1", "2:", ":-1", "0:3"]) for _ in self.iterators]
            return [f"with sg.domain[{', '.join(ranges)}]:", f"    {line}"]
        return [line]


def module_text(seed: int) -> str:
    draw = random.Random(seed)
    iterators = draw.choice([["i"], ["j", "i"], ["j", "i"], ["k", "j", "i"]])
    sizes = " ".join(["L", "M", "N"][-len(iterators) :])
    inputs = [*REAL, *WHOLE, "m", "alpha", "beta", "shift", "flag", "t", "T"]
    lines = [
        "import math", "import numpy as np", "import stencilgen as sg", "HALF = 0.5",
        f"{', '.join(iterators)}, = sg.iterators({' '.join(iterators)!r})", "",
    ]  # fmt: skip
    modes = {}
    returns: list[bool] = []
    for name in [*REAL, *WHOLE, "m"]:
        if draw.random() < 0.3:
            lines_go_on = [] if name == "m" else ["extrapolate"]
            mode = draw.choice(["wrap", "clamp", "mirror", "mirror101", *lines_go_on, 0])
            sparse = len(iterators) > 1 and draw.random() < 0.2
            modes[name] = (*[mode] * (len(iterators) - 1), None) if sparse else mode
    for number in range(IN_ONE):
        outputs = [f"{one}{number}" for one in OUTPUTS]
        writer = Writer(draw, iterators)
        lines += [f"@sg.stencil(boundary={modes!r})",
                  f"def s{number}({', '.join(OUTPUTS)}, {', '.join(inputs)}):"]  # fmt: skip
        statements = writer.statements()
        returns.append(statements[-1].startswith("return"))
        lines += [f"    {one}" for one in statements] + ["", ""]
    formals = [f'{one}: sg.array("{sizes}", sg.float64)' for one in ("a", "b")]
    formals += [f'{one}: sg.array("{sizes}", sg.float32)' for one in ("x", "y")]
    formals += [f'{one}: sg.array("{sizes}", sg.int32)' for one in ("n", "p")]
    formals += [f'h: sg.array("{sizes}", sg.float16)', f'g: sg.array("{sizes}", sg.uint8)']
    formals += [f'm: sg.array("{sizes}", sg.bool_)', "alpha: float", "beta: sg.float32"]
    formals += ["shift: sg.int32", "flag: bool"]
    results = []
    for number in range(IN_ONE):
        for one, kind in OUTPUTS.items():
            formals.append(f'{one}{number}: sg.array("{sizes}", sg.{kind})')
            results.append(f"{one}{number}")
    lines += ['@sg.program(target="cpp", fp="strict")', f"def p({', '.join(formals)}, T: int = 2):"]
    lines += ["    for t in sg.iterate(T):"]
    for number in range(IN_ONE):
        outputs = [f"{one}{number}" for one in OUTPUTS]
        taken = f"r{number} = " if returns[number] else ""
        lines.append(f"        {taken}s{number}({', '.join([*outputs, *inputs])})")
    results += [f"r{number}" for number in range(IN_ONE) if returns[number]]
    if draw.random() < 0.5:
        lines.append("        a, b = b, a")
    lines.append(f"    return {', '.join(results)}")
    return "\n".join(lines) + "\n"


def module_of(seed: int, folder: Path) -> ModuleType:
    path = folder / f"random_{seed}.py"
    path.write_text(module_text(seed))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec.loader.exec_module(module)
    return module


def arguments_of(program: sg.Program, seed: int, shape: tuple[int, ...]) -> dict:
    numbers = np.random.default_rng(seed)
    values: dict = {"alpha": 0.3, "beta": np.float32(0.7), "shift": 2, "flag": bool(seed % 2)}
    for one in program.interface.arrays:
        if not one.is_input:
            continue
        if one.dtype.kind == "f":
            values[one.name] = numbers.uniform(-1, 1, shape).astype(one.dtype)
        else:
            low, high = (0, 2) if one.type == "bool" else (-7, 9)
            low, high = (low, high) if one.dtype != np.uint8 else (0, 256)
            values[one.name] = numbers.integers(low, high, shape).astype(one.dtype)
    return values


def same_bits(given: np.ndarray, expected: np.ndarray) -> bool:
    given, expected = np.atleast_1d(given), np.atleast_1d(expected)
    if given.dtype.kind != "f":
        return bool(np.array_equal(given, expected))
    return bool(
        np.array_equal(given, expected, equal_nan=True)
        and np.array_equal(np.signbit(given), np.signbit(expected))
    )


def wrong(seed: int, folder: Path) -> str:
    """What differs; empty where nothing does."""
    text = ""
    try:
        text = module_text(seed)
        program = module_of(seed, folder).p
        rank = len(program.interface.iterators)
        shape = ((5, 5, 6), (7, 9), (23,))[3 - rank]
        values = arguments_of(program, seed, shape)
        given = program.run(**values)
        expected = program.reference(**values)
        for name, value in expected.items():
            if not same_bits(getattr(given, name), value):
                ours, theirs = np.asarray(getattr(given, name)), np.asarray(value)
                where = np.argwhere(ours != theirs)[0]
                pair = ours[tuple(where)], theirs[tuple(where)]
                return f"seed {seed}, {name} differs at {where}: {pair}\n{text}\n{program.idsl}"
        if seed % 10 == 0:
            command_line(program, values, given, folder / str(seed))
    except Exception as error:
        return f"seed {seed}: {type(error).__name__} {error}\n{text}"
    return ""


def command_line(program: sg.FunctionProgram, values: dict, given: tuple, folder: Path) -> None:
    """The printed program, run by the command, gives the same bits."""
    folder.mkdir()
    (folder / "p.idsl").write_text(program.idsl)
    command = [sys.executable, "-m", "stencilgen", "run", "p.idsl", "--target", "cpp"]
    command += ["--fp", "strict", "--repeat", "1"]
    shape: tuple[int, ...] = ()
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            shape = value.shape
            np.save(folder / f"{name}.npy", value)
            command += ["--in", f"{name}={name}.npy"]
        else:
            command += ["--scalar", f"{name}={str(value).lower()}"]
    for size, count in zip(["L", "M", "N"][-len(shape) :], shape):
        command += ["-D", f"{size}={count}"]
    for one in program.interface.outputs:
        command += ["--out", f"{one.name}=out_{one.name}.npy"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    for one in program.interface.outputs:
        result = np.load(folder / f"out_{one.name}.npy")
        assert same_bits(result, getattr(given, one.name)), one.name


@pytest.fixture
def quick_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that is run once need not be optimised. The place is part of what the cache goes by."""
    folder = Path(os.environ.get("STENCILGEN_CACHE_DIR", tmp_path))
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "quick-compiler"
    script.write_text(f'#!/bin/sh\nexec {os.environ.get("CXX", "c++")} "$@" -O0\n')
    script.chmod(0o755)
    monkeypatch.setenv("CXX", str(script))


def test_random_functions(tmp_path: Path, quick_compiler: None) -> None:
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        seeds = range(SEED, SEED + COUNT)
        failures = [one for one in pool.map(wrong, seeds, [tmp_path] * COUNT) if one]
    assert not failures, f"{len(failures)} of {COUNT}\n" + "\n".join(failures[:3])
