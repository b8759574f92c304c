"""benchmarks/sass/report: what the machine code of one program says, kernel by kernel."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .analyse import Analysis, pipe_cycles
from .machine import DEVICES
from .pipeline import Tools, analyse_program
from .steady import WarpKind
from .stencilgen import find_stencilgen
from .suites import find_subjects, in_type
from .table import number
from .toolkit import SassError, find_toolkit


def _kind_lines(analysis: Analysis, kind: WarpKind, tools: Tools) -> list[str]:
    """A kind of warps: where its loop is, what is in a turn, and accesses whose lanes meet."""
    first, last = kind.span
    counts = ", ".join(f"{name} {count}" for name, count in kind.counts.most_common())
    cycles = pipe_cycles(tools.device, kind)
    busiest = sorted(cycles.items(), key=lambda pair: -pair[1])
    lines = [
        f"  {len(kind.warps)} warps, {'loop' if kind.looped else 'code'} {first:#x} to {last:#x}, "
        f"{len(kind.ops)} instructions: {counts}",
        "    cycles of an SM for a turn: "
        + ", ".join(f"{name} {number(value)}" for name, value in busiest),
    ]
    for op in kind.ops:
        if op.waves > op.ideal_waves:
            text = f"{op.instruction.opcode} {', '.join(op.instruction.operands)}"
            lines.append(
                f"    {op.instruction.address:#x} {text}: {op.waves} wavefronts instead of "
                f"{op.ideal_waves}"
            )
    return lines


def describe(analysis: Analysis, tools: Tools) -> list[str]:
    """The report on a kernel."""
    facts = analysis.facts
    lines = [
        f"{facts.name}: {'x'.join(map(str, facts.threads))} threads of {facts.points} points, "
        f"{facts.steps} time steps, {facts.useful:.2f} of the points stored",
        f"  {analysis.registers} registers, {facts.shared} bytes of shared memory, "
        f"{analysis.blocks} blocks an SM",
        *(f"  note: {note}" for note in analysis.steady.notes),
    ]
    for kind in analysis.steady.kinds:
        lines += _kind_lines(analysis, kind, tools)
    if analysis.problem:
        return [*lines, f"  no rates: {analysis.problem}"]
    counts = ", ".join(f"{n} {number(v)}" for n, v in analysis.counts.items() if v)
    bounds = sorted(analysis.bounds.items(), key=lambda pair: pair[1])
    return [
        *lines,
        f"  a stored point and step: {counts}",
        "  bounds, 1e9 a second: " + ", ".join(f"{n} {v:.0f}" for n, v in bounds),
        f"  simulated: {analysis.sim:.0f}",
        *_price_lines(analysis, tools),
    ]


def _price_lines(analysis: Analysis, tools: Tools) -> list[str]:
    """What the plan expected."""
    facts, price = analysis.facts, analysis.facts.price
    if price is None:
        return []
    rounds = facts.grid / (tools.device.sms * max(1, analysis.blocks))
    ratios = ", ".join(f"{name} {value:.2f}" for name, value in analysis.agreement().items())
    return [
        f"  the plan: {analysis.price:.0f}, {price.registers} registers, "
        f"{price.blocks} blocks an SM",
        f"  the plan's cycles over those counted: {ratios}",
        f"  {facts.grid} blocks: {rounds:.2f} rounds",
    ]


def read_program(given: argparse.Namespace) -> tuple[str, str]:
    """Name and text: of a file, or of a benchmark at the sizes of the table."""
    path = Path(given.program)
    if path.suffix:
        try:
            return path.stem, in_type(path.read_text(encoding="utf-8"), given.type)
        except (OSError, UnicodeDecodeError) as error:
            raise SassError(f"cannot read {path}: {error}") from error
    found = find_subjects(["A", "B", "C", "D"], [given.type], [given.program])
    if not found:
        raise SassError(f"{given.program} is neither a file nor the name of a benchmark")
    return found[0].name, found[0].text


def main(arguments: list[str]) -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="benchmarks/sass/report",
        description=__doc__,
        epilog="All other options go to stencilgen: --time-tile 4, --blockdim x=64, ...",
    )
    parser.add_argument("program", help="FILE.idsl, or the name of a benchmark")
    parser.add_argument("--type", choices=("double", "float"), default="double")
    parser.add_argument("--sm", choices=list(DEVICES), default="sm_90", help="compile for it")
    given, options = parser.parse_known_args(arguments)
    try:
        tools = Tools(find_toolkit(), find_stencilgen(), given.sm)
        name, text = read_program(given)
        analyses = analyse_program(tools, name, text, options, least=0)
    except SassError as error:
        print(f"benchmarks/sass/report: error: {error}", file=sys.stderr)
        return 1
    print("\n".join(line for each in analyses for line in describe(each, tools)))
    return 0
