"""benchmarks/sass/table: the table of what the machine code of suites A and B says."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from .analyse import Analysis
from .machine import DEVICES
from .pipeline import Tools, analyse_program, find_device
from .stencilgen import find_stencilgen
from .suites import Subject, find_subjects
from .toolkit import SassError, find_toolkit

SKIPPED = 77  # exit status of a test that cannot run here
APART = 0.15  # the plan's counts should be this close to those of the machine code
DIFFERENT = 0.1  # of a number, until a row counts as another one

COLUMNS = [
    "program", "kernel", "registers", "blocks", "T", "points", "useful", "instr", "FP", "int",
    "mov", "uni", "LSU", "meet", "bar", "spills", "bound", "sim", "plan", "FP ratio",
    "instr ratio", "LSU ratio",
]  # fmt: skip

HEADER = """\
# Machine code of suites A and B

What nvcc makes of the default plans for {arch}, and its pace on the {device} by a model:
[sass/README.md](sass/README.md) says what the columns mean. **No rate was measured.**
Compiler: nvcc {version}.
"""

LEGEND = """\
Counts are for a stored point and time step, halos included; rates are 1e9 of those a second. In
brackets: what the plan expected. Ratios are the plan's cycles of a pipe over those of the machine
code, bold where they are more than 15% apart.
"""


def number(value: float) -> str:
    """Three digits, and none behind the point from 100 on."""
    if value == 0:
        return "0"
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f}"


def _ratio(value: float | None) -> str:
    if value is None:
        return ""
    text = f"{value:.2f}"
    return text if abs(value - 1) <= APART else f"**{text}**"


def _expected(found: int, expected: int | None) -> str:
    return str(found) if expected is None else f"{found} ({expected})"


def row_of(subject: Subject, analysis: Analysis) -> list[str]:
    """A row of the table, by COLUMNS."""
    facts, counts, ratios = analysis.facts, analysis.counts, analysis.agreement()
    price = facts.price
    start = [
        subject.label, facts.name,
        _expected(analysis.registers, price.registers if price else None),
        _expected(analysis.blocks, price.blocks if price else None),
        str(facts.steps), f"{'x'.join(map(str, facts.threads))}, {facts.points}",
    ]  # fmt: skip
    if analysis.problem:
        rest = [""] * (len(COLUMNS) - len(start))
        rest[10] = analysis.problem
        return start + rest
    meet = counts["conflicts"] + counts["uncoalesced"]
    return [
        *start,
        f"{facts.useful:.2f}",
        *(number(counts[name]) for name in ("instr", "fp", "int", "mov", "uni", "lsu")),
        number(meet), number(counts["barriers"]), str(analysis.spills),
        f"{analysis.bounds[analysis.bound]:.0f} {analysis.bound}",
        f"{analysis.sim:.0f}", f"{analysis.price:.0f}",
        *(_ratio(ratios.get(name)) for name in ("arithmetic", "issue", "lsu")),
    ]  # fmt: skip


def line_of(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def make_rows(tools: Tools, subjects: list[Subject], options: list[str]) -> list[list[str]]:
    """Rows of all programs. What goes wrong with one is said, and told in its row."""
    rows = []
    for subject in subjects:
        try:
            analyses = analyse_program(tools, subject.name, subject.text, options)
            rows += [row_of(subject, each) for each in analyses]
        except SassError as error:
            print(f"{subject.label}: {error}", file=sys.stderr)
            said = str(error).splitlines()[0]
            rows.append([subject.label, *[""] * (len(COLUMNS) - 2), said])
    return rows


def render(tools: Tools, rows: list[list[str]]) -> str:
    """The page."""
    head = HEADER.format(arch=tools.arch, device=tools.device.name, version=tools.toolkit.version)
    lines = [line_of(COLUMNS), line_of(["---"] * len(COLUMNS)), *map(line_of, rows)]
    return head + "\n" + LEGEND + "\n" + "\n".join(lines) + "\n"


def same_row(old: list[str], new: list[str]) -> bool:
    """True where texts are equal and numbers close."""
    if len(old) != len(new):
        return False
    split = r"(\d+(?:\.\d+)?)"
    for a, b in zip(old, new):
        left = re.split(split, a.replace("**", ""))
        right = re.split(split, b.replace("**", ""))
        if left[::2] != right[::2]:
            return False
        for x, y in zip(left[1::2], right[1::2]):
            if abs(float(x) - float(y)) > DIFFERENT * max(float(x), float(y)) + 0.05:
                return False
    return True


def check(path: Path, tools: Tools, subjects: list[Subject]) -> int:
    """Compares rows of the page with those of today. Exit status: 77 for another compiler."""
    text = path.read_text(encoding="utf-8")
    if f"Compiler: nvcc {tools.toolkit.version}.\n" not in text:
        print(f"skipped: {path} was not made with nvcc {tools.toolkit.version}")
        return SKIPPED
    there = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("| ")
    ]
    wrong = 0
    for row in make_rows(tools, subjects, []):
        old = next((r for r in there if r[:2] == row[:2]), None)
        if old is None or not same_row(old, row):
            said = line_of(old) if old else "nothing"
            print(f"{path} has\n  {said}\nand not\n  {line_of(row)}", file=sys.stderr)
            wrong = 1
    if wrong:
        print(f"make it again: benchmarks/sass/table -o {path}", file=sys.stderr)
    return wrong


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/sass/table", description=__doc__)
    parser.add_argument("programs", nargs="*", default=["*"], help="names or globs (default: all)")
    parser.add_argument("--suite", default="A,B", help="suites (default: A,B)")
    parser.add_argument("--type", default="double,float", help="precisions (default: both)")
    parser.add_argument("--arch", default="sm_90", help=f"one of {', '.join(DEVICES)}")
    parser.add_argument("-o", "--out", metavar="FILE", help="where the page goes")
    parser.add_argument("--check", metavar="FILE", help="compare rows of a page with those of now")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """The command. Exit status 77: a check that cannot be made here."""
    given = parse_arguments(arguments)
    try:
        find_device(given.arch)
        types = given.type.split(",")
        subjects = find_subjects(given.suite.split(","), types, given.programs)
        if not subjects or not set(types) <= {"double", "float"}:
            raise SassError("no program of these suites and types has such a name")
        try:
            tools = Tools(find_toolkit(), find_stencilgen(), given.arch)
        except SassError as error:
            if not given.check:
                raise
            print(f"skipped: {error}")
            return SKIPPED
        if given.check:
            return check(Path(given.check), tools, subjects)
        page = render(tools, make_rows(tools, subjects, []))
        if given.out:
            Path(given.out).write_text(page, encoding="utf-8")
        else:
            sys.stdout.write(page)
    except (SassError, OSError) as error:
        print(f"benchmarks/sass/table: error: {error}", file=sys.stderr)
        return 1
    return 0
