"""The benchmark programs at the sizes of the table."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

STENCILS = Path(__file__).resolve().parent.parent / "stencils"
STEPS = 1000
# The literature has two sizes for squares of one array: the larger one fills a GPU for longer.
SMALL_SQUARE, LARGE_SQUARE = 8192, 16384


@dataclass(frozen=True)
class Subject:
    """A program in one precision, with its sizes written into its text."""

    name: str
    suite: str
    type: str
    text: str

    @property
    def label(self) -> str:
        return f"{self.name} {self.type}"


def _sizes(bench: dict[str, object]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for key in ("sizes", "steps"):
        part = bench[key]
        assert isinstance(part, dict)
        sizes.update(part)
    for name, value in sizes.items():
        if value == SMALL_SQUARE:
            sizes[name] = LARGE_SQUARE
    if "T" in sizes:
        sizes["T"] = STEPS
    return sizes


def in_type(text: str, scalar: str) -> str:
    """The program, which is in double precision, in another one."""
    return text if scalar == "double" else re.sub(r"\bdouble\b", scalar, text)


def with_sizes(text: str, sizes: dict[str, int]) -> str:
    """The program with other values of its parameters."""
    for name, value in sizes.items():
        text = re.sub(rf"(?<![\w.])({re.escape(name)}\s*=\s*)\d+", rf"\g<1>{value}", text)
    return text


def find_subjects(suites: list[str], types: list[str], globs: list[str]) -> list[Subject]:
    """Programs of the suites whose names match one of the globs, by suite and name."""
    subjects = []
    for file in sorted(STENCILS.glob("*/bench.json")):
        bench = json.loads(file.read_text(encoding="utf-8"))
        name = bench["name"]
        if bench["suite"] not in suites or not any(fnmatch(name, glob) for glob in globs):
            continue
        program = (file.parent / f"{name}.idsl").read_text(encoding="utf-8")
        sized = with_sizes(program, _sizes(bench))
        subjects += [Subject(name, bench["suite"], kind, in_type(sized, kind)) for kind in types]
    return sorted(subjects, key=lambda s: (s.suite, s.name, types.index(s.type)))
