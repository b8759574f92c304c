"""The steady loops of a kernel: what its warps run again and again inside the domain."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from .arms import conditional, without_first_turn, without_slow_paths
from .flow import Flow, Loop, find_flow, reachable
from .instructions import Function, Instruction
from .lanes import global_wavefronts, shared_wavefronts
from .machine import WARP, WAVEFRONT, access_bytes, classify
from .trace import Trace, follow

SHORT = 8  # instructions: loops that only wait or copy


@dataclass(frozen=True)
class Op:
    """An instruction of a turn, as counts and simulation see it."""

    instruction: Instruction
    kind: str
    pipe: str
    bytes: int  # that each thread moves
    waves: int  # wavefronts of the lsu
    ideal_waves: int  # without lanes that meet in a bank, or in many cache lines


@dataclass
class WarpKind:
    """Warps of a block that run the same instructions of the same steady loop."""

    warps: list[int]  # numbers in the block
    ops: list[Op]
    span: tuple[int, int]  # addresses of the first and the last instruction
    stored_bytes: int  # that a thread stores to global memory in a turn, if it stores all it may
    looped: bool = True  # false: the kernel has no loop, a turn is all of it

    def count(self, *kinds: str) -> int:
        return sum(op.kind in kinds for op in self.ops)

    @property
    def counts(self) -> Counter[str]:
        return Counter(op.kind for op in self.ops)

    @property
    def waves(self) -> int:
        return sum(op.waves for op in self.ops)

    @property
    def conflicts(self) -> int:
        """Wavefronts more than without conflicts of shared memory."""
        return sum(op.waves - op.ideal_waves for op in self.ops if op.kind in ("lds", "sts"))

    @property
    def uncoalesced(self) -> int:
        """Wavefronts more than if lanes' elements of global memory lay side by side."""
        return sum(op.waves - op.ideal_waves for op in self.ops if op.kind in ("ldg", "stg"))

    @property
    def barriers(self) -> int:
        return sum(op.kind == "barrier" for op in self.ops)


@dataclass
class Steady:
    """A kernel's steady code: its kinds of warps, and what is odd about them."""

    kinds: list[WarpKind]
    notes: list[str] = field(default_factory=list)


def _arithmetic(code: list[Instruction]) -> int:
    return sum(classify(i)[0] in ("fp64", "fp32") for i in code)


def _own_arithmetic(flow: Flow, loop: Loop) -> int:
    """Floating-point instructions of a loop, without those of loops inside it."""
    inner: set[int] = set()
    for other in flow.loops:
        if other.inside(loop):
            inner |= other.blocks
    return _arithmetic(flow.code_of(loop.blocks - inner))


def steady_loop(flow: Flow, reached: set[int]) -> Loop | None:
    """The loop that a warp spends its time in, of those that it reaches: one of the deepest among
    those that do at least half as much arithmetic as the one with most. General code around a
    steady loop does as much as one turn of it, and what is left after unrolling a part."""
    loops = [
        loop
        for loop in flow.loops
        if loop.header in reached and len(flow.code_of(loop.blocks)) >= SHORT
    ]
    if not loops:
        return None
    weight = {id(loop): _own_arithmetic(flow, loop) for loop in loops}
    most = max(weight.values())
    large = [loop for loop in loops if 2 * weight[id(loop)] >= most]
    return max(large, key=lambda loop: (loop.depth, weight[id(loop)], -loop.header))


def make_op(instruction: Instruction, trace: Trace | None) -> Op:
    """Where the trace knows how lanes' addresses lie, wavefronts are counted, else the fewest that
    so many bytes take."""
    kind, pipe = classify(instruction)
    if trace and pipe == "lsu" and instruction.address in trace.idle:
        return Op(instruction, "idle", "control", 0, 0, 0)
    width = access_bytes(instruction)
    ideal = max(1, width * WARP // WAVEFRONT) if pipe == "lsu" else 0
    waves = ideal
    offsets = trace.offsets.get(instruction.address) if trace else None
    if offsets is not None and kind in ("lds", "sts"):
        waves = shared_wavefronts(offsets, width)
        # Lanes that want the same words take fewer: a broadcast.
        ideal = min(ideal, waves)
    elif offsets is not None and kind in ("ldg", "stg"):
        waves = max(1, global_wavefronts(offsets, width))
        ideal = min(ideal, waves)
    return Op(instruction, kind, pipe, width, waves, ideal)


def _narrow_stores(code: list[Instruction], guarded: set[int]) -> set[int]:
    """Addresses of stores narrower than the widest that not all threads run: what threads at a
    tile's edge do instead. They take their slot in other warps too, and move nothing."""
    stores = [i for i in code if classify(i)[0] == "stg"]
    widest = max((access_bytes(i) for i in stores), default=0)
    return {i.address for i in stores if access_bytes(i) < widest and i.address in guarded}


def _code(flow: Flow, blocks: set[int], loop: Loop | None) -> list[Instruction]:
    """What an ordinary turn runs."""
    header = loop.header if loop else 0
    if loop:
        blocks = without_first_turn(flow, blocks, header)
    blocks = without_slow_paths(flow, blocks, header)
    return [i for i in flow.code_of(blocks) if i.base != "NOP"]


def _make_kind(flow: Flow, loop: Loop | None, trace: Trace, warps: list[int]) -> WarpKind:
    blocks = loop.blocks if loop else trace.reached
    narrow = _narrow_stores(
        flow.code_of(blocks), conditional(flow, blocks, loop.header if loop else 0)
    )
    # What some warps leave out belongs to the planes of a turn all the same.
    stored = sum(
        access_bytes(i)
        for i in _code(flow, blocks, loop)
        if classify(i)[0] == "stg" and i.address not in narrow
    )
    code = _code(flow, blocks & trace.reached, loop)
    ops = [make_op(i, trace) for i in code]
    ops = [
        Op(op.instruction, op.kind, op.pipe, 0, 0, 0) if op.instruction.address in narrow else op
        for op in ops
    ]
    span = (code[0].address, code[-1].address)
    return WarpKind(warps, ops, span, stored, loop is not None)


def _branches_on_warps(flow: Flow, loops: list[Loop]) -> list[Loop]:
    """Loops of which a warp runs only one, and that must all run at once, because barriers join
    them: none of them is reached from another."""
    joined = [
        loop
        for loop in loops
        if any(i.base == "BAR" for i in flow.code_of(loop.blocks))
        and not any(other.inside(loop) for other in loops)
    ]
    apart = []
    for loop in joined:
        after = reachable(flow, {loop.header})
        if not any(o is not loop and o.header in after for o in joined):
            apart.append(loop)
    reached_by = [o for o in apart if not any(
        p is not o and o.header in reachable(flow, {p.header}) for p in apart
    )]  # fmt: skip
    return reached_by


def _what_it_runs(flow: Flow, loop: Loop | None, trace: Trace) -> frozenset[int]:
    """Addresses of what a warp does in its turns."""
    blocks = loop.blocks & trace.reached if loop else trace.reached
    return frozenset(i.address for i in flow.code_of(blocks)) - trace.idle


def find_steady(function: Function, threads: tuple[int, int, int]) -> Steady:
    """The steady loops of a kernel whose blocks have so many threads by axis, x first. Warps that
    branches on their own number send different ways are kinds of their own; where such a branch
    cannot be followed and there are several loops with barriers, warps are dealt out evenly.

    Requires: at least one instruction."""
    flow = find_flow(function.code)
    warps = max(1, threads[0] * threads[1] * threads[2] // WARP)
    groups: dict[frozenset[int], tuple[Loop | None, Trace, list[int]]] = {}
    for warp in range(warps):
        trace = follow(flow, threads, warp)
        loop = steady_loop(flow, trace.reached)
        key = _what_it_runs(flow, loop, trace)
        groups.setdefault(key, (loop, trace, []))[2].append(warp)
    notes = []
    if len({loop.header if loop else 0 for loop, _, _ in groups.values()}) == 1:
        reached = set.union(*(trace.reached for _, trace, _ in groups.values()))
        apart = _branches_on_warps(flow, [o for o in flow.loops if o.header in reached])
        if 1 < len(apart) <= warps:
            notes.append(f"{len(apart)} loops that barriers join: warps are dealt out evenly")
            trace = next(iter(groups.values()))[1]
            dealt = [list(range(n, warps, len(apart))) for n in range(len(apart))]
            made = [_make_kind(flow, each, trace, w) for each, w in zip(apart, dealt)]
            return Steady(made, notes)
    kinds = [_make_kind(flow, loop, trace, numbers) for loop, trace, numbers in groups.values()]
    if not all(kind.looped for kind in kinds):
        notes.append("no loop: a turn is the whole kernel")
    return Steady(kinds, notes)


def barrier_of(instruction: Instruction, warps: int) -> tuple[str, int, bool]:
    """Of a BAR: its name, how many warps arrive before it opens, and whether they wait."""
    numbers = [o for o in instruction.operands if re.fullmatch(r"0x[0-9a-f]+|\d+|U?R\w+", o)]
    name = numbers[0] if numbers else "0x0"
    expected = warps
    if len(numbers) > 1 and not numbers[1].startswith(("R", "U")):
        expected = max(1, int(numbers[1], 0) // WARP)
    return name, expected, "ARV" not in instruction.modifiers
