"""Follows the values of one warp through a kernel: lanes.py has what a value is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .flow import Flow
from .instructions import Instruction
from .lanes import UNIFORM, Lanes, add, combine, constant, join, lookup, multiply, of_values, scale
from .machine import WARP

Predicate = tuple[bool, ...]
_TRUE = (True,) * WARP


@dataclass
class State:
    """What is known at one place; what is missing is not known."""

    registers: dict[str, Lanes] = field(default_factory=dict)
    predicates: dict[str, Predicate] = field(default_factory=dict)

    def copy(self) -> State:
        return State(dict(self.registers), dict(self.predicates))

    def merge(self, other: State) -> bool:
        """Keeps what holds in both; true where that is less than before."""
        changed = False
        for name in list(self.registers):
            old = self.registers[name]
            there = other.registers.get(name)
            merged = None if there is None else join(old, there)
            if merged is None:
                del self.registers[name]
            else:
                self.registers[name] = merged
            changed = changed or merged != old
        for name in list(self.predicates):
            if other.predicates.get(name) != self.predicates[name]:
                del self.predicates[name]
                changed = True
        return changed


@dataclass
class Trace:
    """Of one warp: the blocks that it may reach, and offsets of its accesses' addresses."""

    reached: set[int]
    offsets: dict[int, tuple[int, ...]]  # by the instruction's address


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
    return UNIFORM if text.startswith(("c[", "cx[")) else None


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


def predicate_value(state: State, operand: str) -> Predicate | None:
    name = operand.lstrip("!")
    known = _TRUE if name in ("PT", "UPT") else state.predicates.get(name)
    if known is None or not operand.startswith("!"):
        return known
    return tuple(not p for p in known)


def _special(name: str, threads: tuple[int, int, int], warp: int) -> Lanes:
    numbers = range(warp * WARP, (warp + 1) * WARP)
    x, y, _ = threads
    columns = {
        "SR_TID.X": [n % x for n in numbers],
        "SR_TID.Y": [n // x % y for n in numbers],
        "SR_TID.Z": [n // (x * y) for n in numbers],
        "SR_LANEID": list(range(WARP)),
    }
    return of_values(columns[name]) if name in columns else UNIFORM


class Interpreter:
    """Instructions over what is known. Requires: threads of a block by axis, x first."""

    def __init__(self, threads: tuple[int, int, int], warp: int) -> None:
        self.threads, self.warp = threads, warp

    def run(self, state: State, i: Instruction) -> None:
        """Brings the state behind the instruction."""
        guard = predicate_value(state, i.guard) if i.guard else _TRUE
        if guard is not None and not any(guard):
            return
        before = state.copy() if guard != _TRUE else None
        self._set(state, i)
        if before is not None:
            state.merge(before)

    def _set(self, state: State, i: Instruction) -> None:
        if not i.operands or i.base in ("STG", "STS", "STL", "ST", "BAR", "BRA", "BSSY", "BSYNC"):
            return
        if i.base in ("ISETP", "UISETP"):
            self._compare(state, i)
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
        wide = 4 if "128" in i.modifiers else 2 if {"64", "WIDE"} & set(i.modifiers) else 1
        if i.base.startswith("D"):
            wide = 2
        for n in range(wide):
            name = f"{match[1]}{int(match[2]) + n}"
            known = value if n == 0 else UNIFORM if match[1] == "UR" else None
            if known is None:
                state.registers.pop(name, None)
            else:
                state.registers[name] = known

    def _compare(self, state: State, i: Instruction) -> None:
        name, other = i.operands[0], i.operands[1]
        state.predicates.pop(other, None)
        operands = [operand_value(state, o) for o in i.operands[2:4]]
        kept = predicate_value(state, i.operands[4]) if len(i.operands) > 4 else _TRUE
        how = i.modifiers[0] if i.modifiers else ""
        tests = {"LT": (-1,), "LE": (-1, 0), "GT": (1,), "GE": (0, 1), "EQ": (0,), "NE": (-1, 1)}
        state.predicates.pop(name, None)
        a, b = operands[0], operands[-1]
        if a is None or b is None or how not in tests or "EX" in i.modifiers or kept is None:
            return
        left, right = a.values(), b.values()
        if left is None or right is None:
            return
        if "U32" in i.modifiers:
            left, right = [v % (1 << 32) for v in left], [v % (1 << 32) for v in right]
        truth = [(x > y) - (x < y) in tests[how] for x, y in zip(left, right)]
        either = "OR" in i.modifiers
        state.predicates[name] = tuple(
            (t or k) if either else (t and k) for t, k in zip(truth, kept)
        )

    def _value(self, state: State, i: Instruction, sources: list[str]) -> Lanes | None:
        if i.base in ("S2R", "S2UR", "CS2R"):
            return _special(sources[0], self.threads, self.warp) if sources else None
        if i.base in ("LDC", "ULDC", "LDCU"):
            return UNIFORM
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


def follow(flow: Flow, threads: tuple[int, int, int], warp: int) -> Trace:
    """Follows a warp from the kernel's entry on, to all places that it may reach."""
    interpreter = Interpreter(threads, warp)
    states = {0: State()}
    waiting, trace = [0], Trace(set(), {})
    rank = {b: n for n, b in enumerate(flow.order)}
    while waiting:
        n = min(waiting, key=lambda b: rank[b])
        waiting.remove(n)
        block, state = flow.blocks[n], states[n].copy()
        trace.reached.add(n)
        for i in block.code:
            offsets = address_offsets(state, i) if i.base in ("LDS", "STS", "LDG", "STG") else None
            if offsets is None:
                trace.offsets.pop(i.address, None)
            else:
                trace.offsets[i.address] = offsets
            interpreter.run(state, i)
        for s in _following(block.successors, block.taken, block.code[-1], state):
            if s not in states:
                states[s] = state.copy()
            elif not states[s].merge(state):
                continue
            if s not in waiting:
                waiting.append(s)
    return trace


def _following(
    successors: list[int], taken: int | None, last: Instruction, state: State
) -> list[int]:
    """Where a warp may go after a block: one way where its own predicate says which."""
    if taken is None or not last.guard or len(successors) < 2 or len(last.operands) > 1:
        return successors
    known = predicate_value(state, last.guard)
    if known is None or any(known) != all(known):
        return successors
    return [taken] if known[0] else [s for s in successors if s != taken]
