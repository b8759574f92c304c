"""Follows one warp through a kernel."""

from __future__ import annotations

from dataclasses import dataclass, field

from .flow import Flow
from .instructions import Instruction
from .interpret import Interpreter, State, address_offsets, predicate_value
from .predicates import FALSE, TRUE


@dataclass
class Trace:
    """Of one warp: the blocks that it may reach, and offsets of its accesses' addresses."""

    reached: set[int]
    offsets: dict[int, tuple[int, ...]]  # by the instruction's address
    idle: set[int] = field(default_factory=set)  # addresses of what no lane does


def follow(flow: Flow, threads: tuple[int, int, int], warp: int) -> Trace:
    """Follows a warp from the kernel's entry on, to all places that it may reach."""
    interpreter = Interpreter(threads, warp, _run_once(flow))
    states = {0: State()}
    waiting, trace = [0], Trace(set(), {})
    rank = {b: n for n, b in enumerate(flow.order)}
    while waiting:
        n = min(waiting, key=lambda b: rank[b])
        waiting.remove(n)
        block, state = flow.blocks[n], states[n].copy()
        trace.reached.add(n)
        for i in block.code:
            if i.guard and predicate_value(state, i.guard) == FALSE:
                trace.idle.add(i.address)
            else:
                trace.idle.discard(i.address)
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
    if known == TRUE:
        return [taken]
    return [s for s in successors if s != taken] if known == FALSE else successors


def _run_once(flow: Flow) -> set[int]:
    """Addresses of instructions in no loop."""
    looped = {b for loop in flow.loops for b in loop.blocks}
    return {i.address for b in flow.order if b not in looped for i in flow.blocks[b].code}
