"""Random programs, and the same in numpy by slices: with `--fp strict` they agree to the bit.

STENCILGEN_RANDOM_PROGRAMS says how many (default 24), STENCILGEN_RANDOM_SEED where they begin.
"""

from __future__ import annotations

import concurrent.futures
import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import stencilgen as sg

COUNT = int(os.environ.get("STENCILGEN_RANDOM_PROGRAMS", "24"))
SEED = int(os.environ.get("STENCILGEN_RANDOM_SEED", "1"))

PAD = {
    "clamp": "edge", "mirror": "symmetric", "mirror101": "reflect", "wrap": "wrap",
    "constant(0.5)": "constant", "extrapolate": "odd",
}  # fmt: skip
TYPES = {"double": np.float64, "float": np.float32}


def continued(array: np.ndarray, margin: int) -> np.ndarray:
    """As numpy's "reflect" of type "odd", with the language's rounding."""
    for axis in reversed(range(array.ndim)):
        width = [(margin, margin) if each == axis else (0, 0) for each in range(array.ndim)]
        end = np.pad(array, width, "edge")
        array = end - (np.pad(array, width, "reflect") - end)
    return array


# The value of an expression at the points of a box: (first, end) a dimension.
Box = list[tuple[int, int]]
Evaluate = Callable[[dict[str, np.ndarray], Box], np.ndarray]


@dataclass
class Expression:
    text: str
    reads: list[tuple[str, tuple[int, ...]]]
    evaluate: Evaluate


@dataclass
class Statement:
    target: str
    operator: str
    value: Expression
    domain: Box | None = None


@dataclass
class RandomProgram:
    draw: random.Random
    rank: int = 2
    kind: str = "double"
    arrays: list[str] = field(default_factory=list)
    modes: dict[str, str] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    steps: int = 1
    swap: bool = False

    @staticmethod
    def of(seed: int) -> RandomProgram:
        draw = random.Random(seed)
        program = RandomProgram(draw, draw.choice([1, 2, 2, 3]), draw.choice(["double", "float"]))
        program.arrays = ["a", "b", "c"][: draw.randint(2, 3)]
        for name in program.arrays:
            if draw.random() < 0.3:
                program.modes[name] = draw.choice(list(PAD))
        program.steps = draw.choice([1, 1, 2, 5])
        program.swap = draw.random() < 0.5
        for _ in range(draw.randint(1, 3)):
            operator = draw.choice(["=", "=", "+=", "-="])
            value = program.expression(draw.randint(1, 3))
            domain: Box | None = None
            if draw.random() < 0.2:
                domain = [(draw.randint(0, 2), -draw.randint(1, 3)) for _ in range(program.rank)]
            statement = Statement(draw.choice(program.arrays), operator, value, domain)
            program.statements.append(statement)
        return program

    # Expressions.

    def expression(self, depth: int) -> Expression:
        draw = self.draw
        if depth == 0 or draw.random() < 0.15:
            return self.read() if draw.random() < 0.8 else self.number()
        a, b = self.expression(depth - 1), self.expression(depth - 1)
        form = draw.choice(["+", "+", "-", "*", "/", "max", "min", "sqrt", "?"])
        if form in "+-*":
            return self.binary(f"({a.text} {form} {b.text})", a, b, FUNCTIONS[form])
        if form == "/":
            text = f"({a.text} / (2.0 + fabs({b.text})))"
            return self.binary(text, a, b, lambda x, y: x / (self.real(2.0) + np.abs(y)))
        if form in ("max", "min"):
            return self.binary(f"{form}({a.text}, {b.text})", a, b, FUNCTIONS[form])
        if form == "sqrt":
            return self.binary(f"(sqrt(fabs({a.text})) - {b.text})", a, b, FUNCTIONS[form])
        text = f"({a.text} < {b.text} ? {a.text} - {b.text} : 0.25*{b.text})"
        return self.binary(text, a, b, lambda x, y: np.where(x < y, x - y, self.real(0.25) * y))

    def real(self, value: float) -> np.floating:
        return TYPES[self.kind](value)

    def binary(
        self, text: str, a: Expression, b: Expression, function: Callable[..., np.ndarray]
    ) -> Expression:
        return Expression(
            text,
            a.reads + b.reads,
            lambda arrays, box: function(a.evaluate(arrays, box), b.evaluate(arrays, box)),
        )

    def number(self) -> Expression:
        value = self.draw.choice([0.5, 0.1, 1.0, 3.0])
        # Exact in both types, or rounded once, as the language does for its literals.
        return Expression(
            str(value),
            [],
            lambda _, box: np.full([end - first for first, end in box], self.real(value)),
        )

    def read(self) -> Expression:
        name = self.draw.choice(self.arrays)
        offsets = tuple(self.draw.choice([-2, -1, 0, 0, 0, 1, 2]) for _ in range(self.rank))
        indices = "".join(
            f"[{i}{offset:+d}]" if offset else f"[{i}]"
            for i, offset in zip(self.iterators(), offsets)
        )

        def evaluate(arrays: dict[str, np.ndarray], box: Box) -> np.ndarray:
            array, margin = arrays[name], 0
            if name in self.modes:
                margin = 2
                mode = PAD[self.modes[name]]
                more = {"constant_values": 0.5} if mode == "constant" else {}
                if mode == "odd":
                    array = continued(array, margin)
                else:
                    array = np.pad(array, margin, mode, **more)
            return array[
                tuple(
                    slice(first + offset + margin, end + offset + margin)
                    for (first, end), offset in zip(box, offsets)
                )
            ].copy()

        return Expression(name.upper() + indices, [(name, offsets)], evaluate)

    def iterators(self) -> list[str]:
        return ["k", "j", "i"][-self.rank :]

    # The program as text, and as numpy.

    def text(self) -> str:
        sizes = ["L", "M", "N"][-self.rank :]
        shape = "[" + ",".join(sizes) + "]"
        lines = [f"parameter {', '.join(sizes)};", f"iterator {', '.join(self.iterators())};"]
        lines.append(f"{self.kind} " + ", ".join(name + shape for name in self.arrays) + ";")
        lines.append(f"copyin {', '.join(self.arrays)};")
        if self.modes:
            modes = ", ".join(f"{name} = {mode}" for name, mode in self.modes.items())
            lines.append(f"boundary {modes};")
        formals = ", ".join(name.upper() for name in self.arrays)
        own = "".join(f"[{i}]" for i in self.iterators())
        for k, one in enumerate(self.statements):
            domain = ""
            if one.domain is not None:
                bounds = zip(one.domain, sizes)
                domain = "".join(f"[{low}:{size}{high}]" for (low, high), size in bounds) + " : "
            value = f"{one.target.upper()}{own} {one.operator} {one.value.text};"
            lines.append(f"stencil s{k} ({formals}) {{ {domain}{value} }}")
        calls = [f"s{k} ({', '.join(self.arrays)});" for k in range(len(self.statements))]
        if self.swap:
            calls.append("swap a, b;")
        lines.append(f"iterate {self.steps} {{ {' '.join(calls)} }}")
        lines.append(f"copyout {', '.join(self.arrays)};")
        return "\n".join(lines) + "\n"

    def box(self, one: Statement, shape: tuple[int, ...]) -> Box:
        box: Box = []
        for dimension, n in enumerate(shape):
            first, end = 0, n
            if one.domain is not None:
                first, end = one.domain[dimension][0], n + one.domain[dimension][1] + 1
            for name, offsets in one.value.reads:
                if name not in self.modes:
                    first = max(first, -offsets[dimension])
                    end = min(end, n - offsets[dimension])
            box.append((first, end))
        return box

    def run(self, arrays: dict[str, np.ndarray]) -> None:
        for _ in range(self.steps):
            for one in self.statements:
                box = self.box(one, arrays["a"].shape)
                if any(first >= end for first, end in box):
                    continue
                value = one.value.evaluate(arrays, box)
                place = tuple(slice(first, end) for first, end in box)
                if one.operator == "=":
                    arrays[one.target][place] = value
                elif one.operator == "+=":
                    arrays[one.target][place] += value
                else:
                    arrays[one.target][place] -= value
            if self.swap:
                arrays["a"], arrays["b"] = arrays["b"], arrays["a"]


FUNCTIONS: dict[str, Callable[..., np.ndarray]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "max": np.maximum,
    "min": np.minimum,
    "sqrt": lambda x, y: np.sqrt(np.abs(x)) - y,
}


def wrong(seed: int) -> str:
    """What differs; empty where nothing does."""
    random_program = RandomProgram.of(seed)
    text = random_program.text()
    strict = seed % 2 == 0
    try:
        program = sg.compile(text, target="cpp", fp="strict" if strict else "fast")
        for size in ([7, 6, 9], [3, 4, 5], [5, 17, 40]):
            shape = size[-random_program.rank :]
            numbers = np.random.default_rng(seed)
            kind = TYPES[random_program.kind]
            arrays = {name: numbers.uniform(-1, 1, shape).astype(kind)
                      for name in random_program.arrays}  # fmt: skip
            # Every third array is a view with gaps.
            given = {name: value.copy() for name, value in arrays.items()}
            if seed % 3 == 0:
                wide = np.zeros([2 * n for n in shape], kind)
                view = wide[tuple(slice(0, None, 2) for _ in shape)]
                view[...] = given["a"]
                given["a"] = view
            program(**given)
            with np.errstate(all="ignore"):
                random_program.run(arrays)
            for name, value in arrays.items():
                if not agree(given[name], value, strict):
                    difference = np.abs(given[name] - value).max()
                    return f"seed {seed}, {name} of {shape} differs by {difference}:\n{text}"
    except Exception as error:
        return f"seed {seed}: {error}\n{text}"
    return ""


def agree(given: np.ndarray, expected: np.ndarray, strict: bool) -> bool:
    if strict:
        return bool(np.array_equal(given, expected, equal_nan=True))
    scale = max(float(np.abs(expected).max()), 1e-30)
    bound = 1e-4 if given.dtype == np.float32 else 1e-11
    return bool(np.allclose(given, expected, rtol=0, atol=bound * scale, equal_nan=True))


def test_random_programs() -> None:
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [one for one in pool.map(wrong, range(SEED, SEED + COUNT)) if one]
    assert not failures, f"{len(failures)} of {COUNT}\n" + "\n".join(failures[:3])
