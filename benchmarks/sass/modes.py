"""benchmarks/sass/modes: what boundary modes cost tiles of four time steps, in a table."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .pipeline import Tools, analyse_program
from .stencilgen import find_stencilgen
from .suites import STENCILS, with_sizes
from .table import number
from .toolkit import SassError, find_toolkit, run

MODES = ("none", "clamp", "mirror", "mirror101", "wrap", "extrapolate", "constant(0.5)")
SIZES = {"j2d5pt": {"M": 2048, "N": 2048}, "j3d7pt": {"L": 256, "M": 256, "N": 256}}
STEPS = 4
# At 2048 points to a side tiles without a stream are predicted to be faster: they have no steady
# loop, which is what the table shows.
OPTIONS = {
    "j2d5pt": ["--time-tile", str(STEPS), "--stream", "j"],
    "j3d7pt": ["--time-tile", str(STEPS)],
}
# What a steady loop is for; the rest are addresses, moves of registers and control.
WORK = ("fp64", "ldg", "stg", "lds", "sts", "shuffle", "barrier")
HEAD = f"""# What boundary modes cost

Tiles of {STEPS} time steps (`--time-tile {STEPS}`, in 2D `--stream j`), in double precision,
where the array has a boundary mode and all of it is computed, and where it has none and its edges
stay as they are. The instructions are those of a turn of the steady loop on sm_90, which all blocks
run that lie away from edges, of most of its warps; its source is the same in all rows, and so are
arithmetic, memory and exchanges. Moves and addresses ("others") are what the assembler makes of
registers, which it allots to a whole kernel. Bytes are what the emulator counts, halos included, a
point of the grid and step.
"""
COLUMNS = (
    "program",
    "mode",
    "arithmetic",
    "loads, stores",
    "shared",
    "shuffles",
    "barriers",
    "others",
    "registers",
    "blocks",
    "loaded",
    "stored",
    "to none",
)


@dataclass(frozen=True)
class Row:
    """A program with a mode."""

    mode: str
    counts: Counter[str]  # instructions of a turn, by kind
    registers: int
    blocks: int  # of a multiprocessor
    loaded: float  # bytes a point and step
    stored: float

    def cells(self, program: str, none: Row) -> list[str]:
        """The row of the table."""
        c = self.counts
        others = sum(c.values()) - sum(c[kind] for kind in WORK)
        ratio = (self.loaded + self.stored) / (none.loaded + none.stored)
        return [
            program,
            self.mode,
            str(c["fp64"]),
            f"{c['ldg']}, {c['stg']}",
            str(c["lds"] + c["sts"]),
            str(c["shuffle"]),
            str(c["barrier"]),
            str(others),
            str(self.registers),
            str(self.blocks),
            number(self.loaded),
            number(self.stored),
            f"{ratio:.3f}",
        ]


def _emulate(tool: str, text: str, schedule: list[str], points: int) -> tuple[float, float]:
    """Bytes loaded and stored, a point and step."""
    with tempfile.TemporaryDirectory(prefix="stencilgen-modes-") as folder:
        program = Path(folder) / "program.idsl"
        program.write_text(text, encoding="utf-8")
        options = ["--target", "cuda", "--emulate", "--json", *schedule]
        result: dict[str, Any] = json.loads(run([tool, "run", str(program), *options]))
    counters = result["counters"]
    moved = points * STEPS
    return counters["global_load_bytes"] / moved, counters["global_store_bytes"] / moved


def measure(tools: Tools, program: str, mode: str) -> Row:
    """Compiles, disassembles and emulates the program with the mode."""
    text = (STENCILS / program / f"{program}.idsl").read_text(encoding="utf-8")
    if mode != "none":
        text = text.replace("copyin u;", f"copyin u;\nboundary u = {mode};")
    text = with_sizes(text, {**SIZES[program], "T": STEPS})
    kernels = analyse_program(tools, program, text, OPTIONS[program])
    # Warps at the edge of a block store and exchange less.
    kind = max(kernels[0].steady.kinds, key=lambda kind: len(kind.warps))
    points = 1
    for extent in SIZES[program].values():
        points *= extent
    loaded, stored = _emulate(tools.stencilgen, text, OPTIONS[program], points)
    return Row(mode, kind.counts, kernels[0].registers, kernels[0].blocks, loaded, stored)


def main(arguments: list[str]) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="benchmarks/sass/modes", description=__doc__)
    parser.add_argument("-o", "--output", help="a file in the place of the terminal")
    given = parser.parse_args(arguments)
    try:
        tools = Tools(find_toolkit(), find_stencilgen(), "sm_90")
        lines = [COLUMNS, ("---", "---", *["---:"] * (len(COLUMNS) - 2))]
        for program in SIZES:
            rows = [measure(tools, program, mode) for mode in MODES]
            lines += [tuple(row.cells(program, rows[0])) for row in rows]
    except SassError as error:
        print(f"benchmarks/sass/modes: error: {error}", file=sys.stderr)
        return 1
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    text = f"{HEAD}\n{table}\n\nMade by `benchmarks/sass/modes -o benchmarks/modes.md`.\n"
    if given.output:
        Path(given.output).write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0
