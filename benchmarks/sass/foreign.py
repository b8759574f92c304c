"""benchmarks/sass/cubin: what the machine code of any kernel says, of whatever compiler."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .machine import DEVICES
from .pipeline import Tools, analyse_cubin
from .plan import KernelFacts
from .report import describe
from .toolkit import SassError, find_toolkit


def parse_threads(text: str) -> tuple[int, int, int]:
    """`32,8`: threads of a block by axis, x first."""
    parts = text.split(",")
    if not 1 <= len(parts) <= 3 or not all(part.isdigit() and int(part) for part in parts):
        raise argparse.ArgumentTypeError(f"{text}: one to three numbers, as 32,8")
    x, y, z = ([int(part) for part in parts] + [1, 1])[:3]
    return x, y, z


def make_facts(given: argparse.Namespace) -> KernelFacts:
    """Facts of a kernel by what the command line says; as many blocks as SMs hold."""
    x, y, z = given.threads
    grid = 1 << 20
    return KernelFacts(
        name=given.kernel,
        threads=given.threads,
        points=given.points,
        steps=given.steps,
        stored=1,
        element=given.element,
        vectors=True,
        shared=given.shared,
        launches=1,
        seconds=0,
        grid=grid,
        stored_points=given.useful * grid * x * y * z * given.points,
        walked=1,
        dram_bytes=given.dram_bytes,
        l2_bytes=given.l2_bytes,
        price=None,
    )


def parse_arguments(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/sass/cubin", description=__doc__)
    add = parser.add_argument
    add("file", help="a cubin or an object file of nvcc")
    add("kernel", help="its name, or a part of the mangled name that no other kernel has")
    add("--threads", type=parse_threads, required=True, metavar="X,Y,Z", help="of a block")
    add("--points", type=int, default=1, help="that a thread stores of a plane (default 1)")
    add("--steps", type=int, default=1, help="time steps of a launch (default 1)")
    add("--useful", type=float, default=1.0, help="stored points over computed ones (default 1)")
    add("--element", type=int, default=8, help="bytes of an element (default 8)")
    add("--shared", type=int, default=0, help="bytes of dynamic shared memory of a block")
    add("--dram-bytes", type=float, default=0, help="of a stored point (default: do not count)")
    add("--l2-bytes", type=float, default=0, help="of a stored point (default: do not count)")
    add("--sm", choices=list(DEVICES), default="sm_90", help="the device (default sm_90)")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """The command."""
    given = parse_arguments(arguments)
    try:
        tools = Tools(find_toolkit(compiles=False), "", given.sm)
        if not Path(given.file).is_file():
            raise SassError(f"there is no file {given.file}")
        (analysis,) = analyse_cubin(tools, Path(given.file), [make_facts(given)], tools.device)
    except SassError as error:
        print(f"benchmarks/sass/cubin: error: {error}", file=sys.stderr)
        return 1
    print("\n".join(describe(analysis, tools)))
    return 0
