"""Instructions over what is known of a warp's registers: lanes.py and predicates.py have what that
may be."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .instructions import Instruction
from .lanes import (
    UNIFORM,
    Lanes,
    add,
    combine,
    constant,
    join,
    lookup,
    multiply,
    named,
    of_values,
    scale,
)
from .machine import WARP
from .predicates import (
    FALSE,
    TESTS,
    TRUE,
    UNKNOWN,
    Packed,
    Predicate,
    both,
    compare,
    either,
    lookup_predicates,
    negate,
)

NOTHING = Packed({}, rest=False)  # no bit is known
ZERO = Packed({}, rest=True)


@dataclass
class State:
    """What is known at one place; what is missing is not known."""

    registers: dict[str, Lanes] = field(default_factory=dict)
    predicates: dict[str, Predicate] = field(default_factory=dict)
    packed: dict[str, Packed] = field(default_factory=dict)

    def copy(self) -> State:
        return State(dict(self.registers), dict(self.predicates), dict(self.packed))

    def merge(self, other: State) -> bool:
        """Keeps what holds in both; true where that is less than before."""
        changed = False
        for name, old in list(self.registers.items()):
            there = other.registers.get(name)
            merged = None if there is None else join(old, there)
            if merged is None:
                del self.registers[name]
            else:
                self.registers[name] = merged
            changed = changed or merged != old
        for name, predicate in list(self.predicates.items()):
            found = other.predicates.get(name, UNKNOWN)
            kept = tuple(x if x == y else None for x, y in zip(predicate, found))
            self.predicates[name] = kept
            changed = changed or kept != predicate
        for name, bits in list(self.packed.items()):
            left = bits.merged(other.packed.get(name, NOTHING))
            self.packed[name] = left
            changed = changed or left != bits
        return changed


def operand_value(state: State, operand: str) -> Lanes | None:
    """An operand's value: a register, a number, a constant of the launch."""
    text = operand.strip()
    if text.startswith("|"):
        return (
            UNIFORM if (inner := operand_value(state, text.strip("|"))) and inner.uniform else None
        )
    if text.startswith(("-", "~")) and not re.match(r"-0x|-\d", text):
        inner = operand_value(state, text[1:])
        if inner is None:
            return None
        negated = scale(inner, -1)
        return negated if text[0] == "-" else add(negated, constant(-1))
    name = text.split(".")[0]
    if name in ("RZ", "URZ", "SRZ"):
        return constant(0)
    if re.fullmatch(r"U?R\d+", name):
        return state.registers.get(name, UNIFORM if name[0] == "U" else None)
    if re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", text):
        return constant(int(text, 0))
    return named(text) if text.startswith(("c[", "cx[")) else None


def address_offsets(state: State, instruction: Instruction) -> tuple[int, ...] | None:
    """Offsets of the lanes' addresses in `[R4.64+UR6+0x10]`; None where they are not known."""
    place = next((o for o in instruction.operands if re.search(r"\[[^\]]*U?R[Z\d]", o)), None)
    if place is None:
        return None
    inner = re.findall(r"\[([^\]]*)\]", place)[-1]
    total = constant(0)
    for term in inner.replace("-", "+-").split("+"):
        if not term:
            continue
        value = operand_value(state, term)
        if value is None:
            return None
        total = add(total, value)
    return total.offsets


def predicate_value(state: State, operand: str) -> Predicate:
    name = operand.lstrip("!")
    known = TRUE if name in ("PT", "UPT") else state.predicates.get(name, UNKNOWN)
    return negate(known) if operand.startswith("!") else known


def _special(name: str, threads: tuple[int, int, int], warp: int) -> Lanes:
    numbers = range(warp * WARP, (warp + 1) * WARP)
    x, y, _ = threads
    columns = {
        "SR_TID.X": [n % x for n in numbers],
        "SR_TID.Y": [n // x % y for n in numbers],
        "SR_TID.Z": [n // (x * y) for n in numbers],
        "SR_LANEID": list(range(WARP)),
    }
    if name.startswith("SR_CTAID"):
        return named(name)
    return of_values(columns[name]) if name in columns else UNIFORM


def _constant_mask(i: Instruction) -> tuple[str, str, int, int] | None:
    """Of `LOP3.LUT R0, R0, 0x8, RZ, 0xfc, !PT`, and with a predicate for result: result, register,
    constant, table."""
    operands = i.operands[:-1]
    if len(operands) == 6 and operands[1] == "RZ":
        del operands[1]
    if len(operands) != 5 or operands[3] != "RZ" or not operands[2].startswith("0x"):
        return None
    return operands[0], operands[1], int(operands[2], 0), int(operands[4], 0)


class Interpreter:
    """Instructions over what is known. Requires: threads of a block by axis, x first. `once`:
    addresses that a thread runs at most once, whose results may have a name."""

    def __init__(self, threads: tuple[int, int, int], warp: int, once: set[int]) -> None:
        self.threads, self.warp, self.once = threads, warp, once

    def run(self, state: State, i: Instruction) -> None:
        """Brings the state behind the instruction."""
        guard = predicate_value(state, i.guard) if i.guard else TRUE
        if guard == FALSE:
            return
        if self._pack(state, i, guard):
            return
        before = state.copy() if guard != TRUE else None
        self._set(state, i)
        if before is not None:
            state.merge(before)

    def _pack(self, state: State, i: Instruction, guard: Predicate) -> bool:
        """Instructions on registers that hold predicates as bits; false of all others."""
        if i.base == "P2R" and guard == TRUE and len(i.operands) == 4:
            name, _, old, mask = i.operands
            bits = state.packed.get(old, NOTHING) if old != "RZ" else ZERO
            chosen = int(mask, 0)
            new = {n: predicate_value(state, f"P{n}") for n in range(7) if chosen >> n & 1}
            state.registers.pop(name, None)
            state.packed[name] = Packed({**bits.bits, **new}, bits.rest)
            return True
        if i.base != "LOP3" or len(i.operands) not in (6, 7):
            return False
        found = _constant_mask(i)
        if found is None:
            return False
        target, source, mask_bits, table = found
        if target in state.registers or source in state.registers:
            return False  # whole values are known: better than bits
        bits = state.packed.get(source, NOTHING)
        if target.startswith("P"):
            if table == 0xC0 and guard == TRUE:
                state.predicates[target] = bits.masked(mask_bits).any_bit()
                return True
            return False
        if table == 0xC0 and guard == TRUE:
            state.packed[target] = bits.masked(mask_bits)
        elif table == 0xFC and target == source:
            state.packed[target] = bits.with_bits(mask_bits, guard)
        else:
            return False
        return True

    def _set(self, state: State, i: Instruction) -> None:
        if not i.operands or i.base in ("STG", "STS", "STL", "ST", "BAR", "BRA", "BSSY", "BSYNC"):
            return
        if i.base in ("ISETP", "UISETP"):
            self._compare(state, i)
            return
        if i.base == "PLOP3" and len(i.operands) == 7:
            parts = [predicate_value(state, o) for o in i.operands[2:5]]
            for name, table in zip(i.operands[:2], i.operands[5:]):
                state.predicates[name] = lookup_predicates(int(table, 0), parts)
            return
        # Predicates among the first operands may be results, which are not followed.
        for operand in i.operands[:3]:
            if operand in state.predicates and i.base != "SEL":
                del state.predicates[operand]
        others = [o for o in i.operands if not re.fullmatch(r"!?U?P[T\d]", o)]
        match = re.fullmatch(r"(U?R)(\d+)", others[0].split(".")[0]) if others else None
        if not match:
            return
        sources = others[1:]
        value = self._value(state, i, sources)
        if value is not None and value.base is None and value.uniform and i.address in self.once:
            value = named(f"@{i.address:x}")
        wide = 4 if "128" in i.modifiers else 2 if {"64", "WIDE"} & set(i.modifiers) else 1
        if i.base.startswith("D"):
            wide = 2
        for n in range(wide):
            name = f"{match[1]}{int(match[2]) + n}"
            state.packed.pop(name, None)
            known = value if n == 0 else UNIFORM if match[1] == "UR" else None
            if known is None:
                state.registers.pop(name, None)
            else:
                state.registers[name] = known

    def _compare(self, state: State, i: Instruction) -> None:
        name, other = i.operands[0], i.operands[1]
        state.predicates.pop(other, None)
        a, b = (operand_value(state, o) for o in i.operands[2:4])
        kept = predicate_value(state, i.operands[4]) if len(i.operands) > 4 else TRUE
        how = i.modifiers[0] if i.modifiers else ""
        truth = UNKNOWN
        if how in TESTS and "EX" not in i.modifiers:
            if a is not None and b is not None:
                truth = compare(a, b, how, "U32" in i.modifiers)
            elif how == "NE" and i.operands[3] == "RZ":
                truth = state.packed.get(i.operands[2], NOTHING).any_bit()
        if "OR" in i.modifiers:
            state.predicates[name] = either(truth, kept)
        elif "AND" in i.modifiers:
            state.predicates[name] = both(truth, kept)
        else:
            state.predicates.pop(name, None)

    def _value(self, state: State, i: Instruction, sources: list[str]) -> Lanes | None:
        if i.base in ("S2R", "S2UR", "CS2R"):
            return _special(sources[0], self.threads, self.warp) if sources else None
        if i.base in ("LDC", "ULDC", "LDCU"):
            return operand_value(state, sources[0]) if sources else UNIFORM
        values = [operand_value(state, o) for o in sources]
        known = [v for v in values if v is not None]
        if len(known) < len(values):
            return None
        if not known:
            return None
        return self._arithmetic(i, known)

    def _arithmetic(self, i: Instruction, v: list[Lanes]) -> Lanes | None:
        base = i.base[1:] if i.base.startswith("U") else i.base
        if base == "MOV":
            return v[0]
        if base in ("IADD3", "IADD", "VIADD") and "X" not in i.modifiers:
            total = v[0]
            for part in v[1:]:
                total = add(total, part)
            return total
        if base == "IMAD" and len(v) >= 3 and not {"HI", "X"} & set(i.modifiers):
            product = multiply(v[0], v[1])
            return None if product is None else add(product, v[2])
        if base == "LEA" and len(v) >= 3 and "HI" not in i.modifiers:
            shift = v[2].constant
            return None if shift is None else add(scale(v[0], 1 << (shift & 31)), v[1])
        if base == "SHF" and len(v) >= 2 and "U64" not in i.modifiers:
            return self._shift(i, v)
        if base == "LOP3" and len(v) >= 4:
            table = v[3].constant
            return None if table is None else combine(v[:3], lambda x: lookup(table, x))
        if base in ("R2UR", "SHL"):
            return v[0] if v[0].uniform else None
        return UNIFORM if all(x.uniform for x in v) and not self._mixes_lanes(base) else None

    @staticmethod
    def _shift(i: Instruction, v: list[Lanes]) -> Lanes | None:
        amount = v[1].constant
        if amount is not None and "L" in i.modifiers and "HI" not in i.modifiers:
            return scale(v[0], 1 << (amount & 31))
        if amount is not None and "R" in i.modifiers and "HI" in i.modifiers and len(v) == 3:
            unsigned = "U32" in i.modifiers
            return combine([v[2]], lambda x: (x[0] % (1 << 32) if unsigned else x[0]) >> amount)
        return UNIFORM if all(x.uniform for x in v) else None

    @staticmethod
    def _mixes_lanes(base: str) -> bool:
        return base in ("SHFL", "LDS", "LDG", "LDL", "LD", "ATOMS", "ATOMG", "P2R", "LDSM")
