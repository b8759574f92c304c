"""Instructions of SASS, the machine code of NVIDIA's GPUs, as cuobjdump prints them.

A line has an address, an optional guard (`@!P0`), an opcode with modifiers and operands; comments
beside it hold its 128 bits. From Volta on the upper bits say how the scheduler may go on
(ControlCode); Jia, Maggioni, Staiger and Scarpazza, *Dissecting the NVIDIA Volta GPU Architecture
via Microbenchmarking* (2018), section 2.1, have the layout.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

NO_SCOREBOARD = 7
CONTROL_SHIFT = 105 - 64  # of the upper half of the bits


@dataclass(frozen=True)
class ControlCode:
    """What the assembler tells the scheduler."""

    stall: int = 1  # cycles until the warp's next instruction
    write_scoreboard: int | None = None  # released when the result is there
    read_scoreboard: int | None = None  # released when the operands have been read
    wait_mask: int = 0  # scoreboards that must be free before this instruction


def decode_control(upper: int) -> ControlCode:
    """The control code in the upper 64 of an instruction's bits."""
    bits = upper >> CONTROL_SHIFT
    write, read = bits >> 5 & 7, bits >> 8 & 7
    return ControlCode(
        stall=bits & 15,
        write_scoreboard=None if write == NO_SCOREBOARD else write,
        read_scoreboard=None if read == NO_SCOREBOARD else read,
        wait_mask=bits >> 11 & 63,
    )


@dataclass
class Instruction:
    address: int
    guard: str  # `P0`, `!UP1`, empty
    opcode: str  # with its modifiers: `LDG.E.64.CONSTANT`
    operands: list[str]
    control: ControlCode = field(default_factory=ControlCode)
    has_control: bool = False  # false: the text has no bits, and the control code means nothing

    @property
    def base(self) -> str:
        """The opcode without modifiers."""
        return self.opcode.split(".", 1)[0]

    @property
    def modifiers(self) -> list[str]:
        return self.opcode.split(".")[1:]

    @property
    def target(self) -> int | None:
        """Where a branch leads."""
        if self.base not in ("BRA", "JMP"):
            return None
        for operand in reversed(self.operands):
            if match := re.search(r"\b0x([0-9a-f]+)\b", operand):
                return int(match[1], 16)
        return None

    @property
    def targets(self) -> list[int]:
        """Where an indirect branch may lead, if the disassembler says so."""
        if self.base not in ("BRX", "BRXU", "JMX"):
            return []
        text = ",".join(self.operands)
        listed = text.split("BRANCH_TARGETS", 1)
        return [int(t, 16) for t in re.findall(r"0x([0-9a-f]+)", listed[1])] if listed[1:] else []

    @property
    def ends_path(self) -> bool:
        """True where nothing follows it: it always leaves."""
        if self.base in ("EXIT", "RET", "BRX", "BRXU", "JMX", "KILL"):
            return not self.guard
        return self.base in ("BRA", "JMP") and not self.is_conditional

    @property
    def is_conditional(self) -> bool:
        """True of a branch that may fall through."""
        operand_predicate = any(re.fullmatch(r"!?U?P\d", o) for o in self.operands[:-1])
        return bool(self.guard) or operand_predicate


LINE = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;\s*(?:/\*\s*0x([0-9a-f]{16})\s*\*/)?\s*$")
UPPER = re.compile(r"^\s*/\*\s*0x([0-9a-f]{16})\s*\*/\s*$")
TEXT = re.compile(r"^(?:@(!?U?P[T\d]+)\s+)?([A-Z][\w.]*)\s*(.*)$")


def _split_operands(text: str) -> list[str]:
    """Operands between commas that are in no brackets."""
    parts, depth, current = [], 0, ""
    for char in text:
        depth += char in "([{"
        depth -= char in ")]}"
        if char == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    if current.strip():
        parts.append(current.strip())
    return parts


def parse_instruction(address: int, text: str, control: ControlCode | None = None) -> Instruction:
    """One instruction of its text without the semicolon. Raises ValueError for anything else."""
    match = TEXT.match(text.strip())
    if not match:
        raise ValueError(f"no instruction: {text!r}")
    operands = _split_operands(match[3].replace(".reuse", ""))
    return Instruction(
        address, match[1] or "", match[2], operands, control or ControlCode(), control is not None
    )


@dataclass
class Function:
    """A kernel, or a function that one calls."""

    name: str  # mangled
    code: list[Instruction] = field(default_factory=list)


def parse_sass(text: str) -> dict[str, Function]:
    """Functions of the output of `cuobjdump -sass`, by mangled name. Raises ValueError where a line
    that looks like an instruction is none."""
    functions: dict[str, Function] = {}
    current: Function | None = None
    for line in text.splitlines():
        if match := re.search(r"Function : (\S+)", line):
            current = functions.setdefault(match[1], Function(match[1]))
        elif current is None:
            continue
        elif match := LINE.match(line):
            current.code.append(parse_instruction(int(match[1], 16), match[2]))
        elif (match := UPPER.match(line)) and current.code:
            last = current.code[-1]
            last.control, last.has_control = decode_control(int(match[1], 16)), True
    return functions


def parse_resources(text: str) -> dict[str, dict[str, int]]:
    """Numbers of `cuobjdump -res-usage` by mangled name: REG, STACK, SHARED, LOCAL, ..."""
    found: dict[str, dict[str, int]] = {}
    name = None
    for line in text.splitlines():
        if match := re.match(r"\s*Function (\S+):\s*$", line):
            name = match[1]
        elif name and "REG:" in line:
            found[name] = {key: int(number) for key, number in re.findall(r"(\w+):(\d+)", line)}
            name = None
    return found
