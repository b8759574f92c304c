"""Writes SASS as cuobjdump prints it, for tests. They run with benchmarks/ in PYTHONPATH."""

from __future__ import annotations

from sass.instructions import Function, parse_sass
from sass.steady import WarpKind, make_op

NAME = "_ZN4test8kernel_2ILb1EEEvPKdPd"


def control(stall: int = 1, write: int = 7, read: int = 7, wait: int = 0) -> int:
    """The upper 64 bits of an instruction with this control code. 7: no scoreboard."""
    assert stall < 16 and wait < 64
    return (stall | 1 << 4 | write << 5 | read << 8 | wait << 11) << 41


def listing(lines: list[str], name: str = NAME) -> str:
    """The text of a function. A line is an instruction, with what its control code should be behind
    a bar: `FADD R0, R1, R2 | stall=4 write=0 wait=0b1`."""
    text = [f"\t\tFunction : {name}"]
    for n, line in enumerate(lines):
        code, _, given = line.partition("|")
        fields = dict(part.split("=") for part in given.split())
        upper = control(**{key: int(value, 0) for key, value in fields.items()})
        text.append(f"        /*{16 * n:04x}*/   {code.strip()} ;   /* 0x{n:016x} */")
        text.append(f"                          /* 0x{upper:016x} */")
    return "\n".join(text)


def function(lines: list[str]) -> Function:
    return parse_sass(listing(lines))[NAME]


def kind(lines: list[str], warps: int | list[int] = 1) -> WarpKind:
    """Warps for which these instructions are a turn."""
    numbers = list(range(warps)) if isinstance(warps, int) else warps
    ops = [make_op(i, None) for i in function(lines).code]
    stored = sum(op.bytes for op in ops if op.kind == "stg")
    return WarpKind(numbers, ops, (0, 16 * len(lines)), stored)
