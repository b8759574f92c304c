"""What instructions take on a multiprocessor (SM): pipes, their rates, latencies.

An SM has four schedulers; each issues one instruction of one warp a cycle and has pipes of its own.
Shared memory, first-level cache and shuffles are one pipe of the whole SM (`lsu`), which moves 128
bytes, a wavefront, a cycle. Rates are those of the CUDA C++ Programming Guide's table of arithmetic
throughput; latencies are round numbers of published microbenchmarks of sm_80 and sm_90.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .instructions import Instruction

WARP = 32
SCHEDULERS = 4
WAVEFRONT = 128  # bytes that an SM's shared memory or first-level cache moves a cycle


@dataclass(frozen=True)
class Device:
    """A GPU, by what a resident block may use and by rates. Bandwidths are bytes a second."""

    name: str
    planned_as: str  # the architecture whose plan stencilgen makes for it
    sms: int
    clock: float  # cycles a second: see README.md
    dram: float
    l2: float
    warps: int  # that an SM holds
    shared: int  # bytes that an SM's blocks share
    blocks: int = 32
    registers: int = 65536
    lanes: dict[str, int] = field(default_factory=dict)  # of a pipe, a scheduler, a cycle

    def busy(self, pipe: str) -> int:
        """Cycles for which an instruction of a warp holds a pipe of its scheduler."""
        return max(1, WARP // self.lanes.get(pipe, WARP))


# `fma` is two pipes of 16 lanes: multiply-adds of integers go through one of them only.
_LANES = {"fp64": 16, "fma": 32, "imad": 16, "alu": 16, "xu": 4, "uniform": 16, "other": 16}

DEVICES = {
    "sm_90": Device("H200", "sm_90", 132, 1.755e9, 4.3e12, 5.5e12, 64, 228 * 1024, lanes=_LANES),
    "sm_100": Device("B200", "sm_100", 148, 1.965e9, 7.0e12, 9.0e12, 64, 228 * 1024, lanes=_LANES),
    # Nothing is planned for it yet: its code is that for sm_90. 1/64 of double precision.
    "sm_120": Device(
        "RTX 5090", "sm_90", 170, 2.41e9, 1.6e12, 2.3e12, 48, 100 * 1024, blocks=24,
        lanes={**_LANES, "fp64": 1, "imad": 32, "alu": 32},
    ),
}  # fmt: skip

# First match wins: opcode without guard, what it is counted as, the pipe it takes.
CLASSES = [
    (r"D(ADD|MUL|FMA|SETP|MNMX)\b", "fp64", "fp64"),
    (r"(FADD|FMUL|FFMA|FADD2|FMUL2|FFMA2)\b", "fp32", "fma"),
    (r"F(SEL|SETP|MNMX|MNMX3|CHK|SET)\b", "select", "alu"),
    (r"MUFU\b", "mufu", "xu"),
    (r"(F2F|F2I|I2F|FRND|F2FP|I2FP)\b", "convert", "xu"),
    (r"(LDG|LD)\b", "ldg", "lsu"),
    (r"(STG|ST)\b", "stg", "lsu"),
    (r"(LDS|LDSM)\b", "lds", "lsu"),
    (r"(STS|STSM)\b", "sts", "lsu"),
    (r"(LDL|STL)\b", "spill", "lsu"),
    (r"SHFL\b", "shuffle", "lsu"),
    (r"(LDGSTS|UBLKCP|UTMA\w*|SYNCS|STAS|LDGDEPBAR|ARRIVES)\b", "async", "lsu"),
    (r"(RED|ATOM|ATOMG|ATOMS|REDUX)\b", "atomic", "lsu"),
    (r"(BAR|UCGABAR\w*)\b", "barrier", "control"),
    (r"(IMAD\.MOV|HFMA2)", "move", "imad"),
    (r"(MOV|CS2R)\b", "move", "alu"),
    (r"IMAD\b", "integer", "imad"),
    (r"LDC\b", "uniform", "other"),
    (r"(U[A-Z]\w*|R2UR|S2UR|LDCU)\b", "uniform", "uniform"),
    (r"(ISETP|PLOP3|P2R|R2P|VOTE|VOTEU)\b", "predicate", "alu"),
    (r"(I\w+|LOP3|SEL|SHF|LEA|PRMT|VI\w+|SGXT|POPC|FLO|BREV|LOP|S2R|VIADD)\b", "integer", "alu"),
    (
        r"(BRA|BRX|JMP|BSSY|BSYNC|EXIT|CALL|RET|WARPSYNC|NOP|DEPBAR|YIELD|BREAK|BMOV|ERRBAR|"
        r"MEMBAR|FENCE|CCTL|NANOSLEEP|PREEXIT|ACQBULK|ELECT|WARPGROUP)\b",
        "control",
        "control",
    ),
    (r".", "other", "other"),
]
_COMPILED = [(re.compile(pattern), kind, pipe) for pattern, kind, pipe in CLASSES]

# Cycles from issue (of the lsu: from when its data moves) until the result is there, for what has
# no fixed latency. What has is in the control codes.
LATENCY = {
    "fp64": 8, "mufu": 20, "convert": 16, "lds": 29, "shuffle": 24, "ldg": 600, "async": 600,
    "atomic": 600, "uniform": 20, "spill": 40, "integer": 12, "move": 8, "select": 8, "fp32": 6,
    "predicate": 12, "other": 20, "idle": 8, "sts": 8, "stg": 8, "control": 8, "barrier": 8,
}  # fmt: skip
OPERANDS_READ = 8  # cycles until a store or load has read its registers
QUEUE = 32  # cycles of work that may wait for the lsu without stopping a scheduler


def barrier_latency(warps: int) -> int:
    """Cycles from the last arrival until warps go on: 23, 37, 53 and 85 cycles were measured for 1,
    8, 16 and 32 warps."""
    return 21 + 2 * warps


def classify(instruction: Instruction) -> tuple[str, str]:
    """What an instruction is counted as, and its pipe."""
    for pattern, kind, pipe in _COMPILED:
        if pattern.match(instruction.opcode):
            return kind, pipe
    raise AssertionError(instruction.opcode)


def access_bytes(instruction: Instruction) -> int:
    """Bytes that each thread moves: by the opcode's width; 0 of what is no access."""
    kind, _ = classify(instruction)
    if kind not in ("ldg", "stg", "lds", "sts", "spill") and instruction.base != "LDGSTS":
        return 0
    widths = {"256": 32, "128": 16, "64": 8, "U16": 2, "S16": 2, "16": 2, "U8": 1, "S8": 1}
    # `.E` says that addresses have 64 bits: the width is a modifier of its own.
    return next((widths[m] for m in instruction.modifiers if m in widths), 4)


def occupancy(device: Device, registers: int, threads: int, shared: int) -> int:
    """Blocks of so many registers a thread, threads and bytes of shared memory that an SM holds."""
    warps = -(-threads // WARP)
    unit, reserved, granule = 256, 1024, 128
    a_warp = -(-registers * WARP // unit) * unit
    by_registers = device.registers // SCHEDULERS // a_warp * SCHEDULERS // warps
    a_block = -(-shared // granule) * granule + reserved
    return min(by_registers, device.warps // warps, device.blocks, device.shared // a_block)
