"""Warps of a multiprocessor in order, cycle by cycle where something happens.

Each of the four schedulers issues one instruction a cycle: of the warp that issued last if it can
go on and is not far ahead, else of the one that is most behind. An instruction waits for the stall
count of the one before it, for the scoreboards that its control code names, and for its pipe.
Shared memory, first-level cache and shuffles are one pipe of all schedulers, before which some work
may wait. Barriers join warps of a block, of whatever kind.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass, field

from .machine import (
    LATENCY,
    OPERANDS_READ,
    QUEUE,
    SCHEDULERS,
    Device,
    barrier_latency,
)
from .steady import Op, WarpKind, barrier_of
from .toolkit import SassError

NEVER = 1 << 60
SCOREBOARDS = 6
PATIENCE = 50  # times as many instructions as the turns have: something waits for ever
LEAD = 0.5  # turns that the warp that issued last may be ahead of one that waits


@dataclass
class Result:
    cycles: float  # of a window in which all warps run
    turns: dict[int, float]  # of a warp in the window, on average, by kind
    issued: int  # instructions in the window

    def cycles_a_turn(self, kind: int) -> float:
        """Cycles in which a warp of the kind makes a turn."""
        return self.cycles / self.turns[kind]


@dataclass
class _Step:
    """An instruction, prepared."""

    op: Op
    busy: int
    latency: int
    barrier: tuple[str, int, bool] | None
    left: int | None  # DEPBAR: how many may still be under way
    board: int  # DEPBAR: of which scoreboard


@dataclass
class _Warp:
    steps: list[_Step]
    kind: int
    block: int
    at: int
    ready: int = 0  # first cycle at which the next instruction could go, but for its pipe
    blocked: bool = False
    done: int = 0  # instructions
    progress: float = 0  # turns
    boards: list[list[int]] = field(default_factory=lambda: [[] for _ in range(SCOREBOARDS)])
    copies: int = 0  # when the last asynchronous copy is there

    def next_step(self) -> _Step:
        return self.steps[self.at]


def _prepare(device: Device, kind: WarpKind, warps: int) -> list[_Step]:
    steps = []
    for op in kind.ops:
        i = op.instruction
        barrier = barrier_of(i, warps) if op.kind == "barrier" else None
        left, board = None, 0
        if i.base == "DEPBAR" and len(i.operands) > 1 and i.operands[0].startswith("SB"):
            board, left = int(i.operands[0][2:]), int(i.operands[1], 0)
        busy = op.waves if op.pipe == "lsu" else device.busy(op.pipe)
        steps.append(_Step(op, max(1, busy), LATENCY[op.kind], barrier, left, board))
    return steps


class _Simulation:
    def __init__(self, device: Device, kinds: list[WarpKind], blocks: int) -> None:
        self.device = device
        self.of_block = sum(len(kind.warps) for kind in kinds)
        self.warps: list[_Warp] = []
        self.schedulers: list[list[_Warp]] = [[] for _ in range(SCHEDULERS)]
        self.last: list[_Warp | None] = [None] * SCHEDULERS
        self.pipes: list[dict[str, int]] = [defaultdict(int) for _ in range(SCHEDULERS)]
        self.lsu_free = 0
        self.arrived: dict[tuple[int, str], list[_Warp]] = defaultdict(list)
        prepared = [_prepare(device, kind, self.of_block) for kind in kinds]
        self.events: list[tuple[int, int, int]] = []
        self.wakes = [NEVER] * SCHEDULERS  # when a scheduler looks next
        # At one time those look first that have issued least: the lsu serves them by turns.
        self.issues = [0] * SCHEDULERS
        for block in range(blocks):
            numbered = [(w, k) for k, kind in enumerate(kinds) for w in kind.warps]
            for number, k in sorted(numbered):
                steps = prepared[k]
                # Blocks begin at different places of the loop.
                warp = _Warp(steps, k, block, block * len(steps) // blocks)
                self.schedulers[(block * self.of_block + number) % SCHEDULERS].append(warp)
                self.warps.append(warp)

    def run(self, turns: int) -> Result:
        goal = 1
        begin, marks = 0, [0] * len(self.warps)
        for s in range(SCHEDULERS):
            if self.schedulers[s]:
                self._wake(s, 0)
        behind = set(range(len(self.warps)))
        index = {id(w): n for n, w in enumerate(self.warps)}
        most = PATIENCE * turns * sum(len(w.steps) for w in self.warps)
        while True:
            if sum(self.issues) > most:
                raise SassError("some warps hardly get on: their turns differ too much")
            if not self.events:
                raise SassError("warps wait for each other at barriers that never open")
            now, _, s = heapq.heappop(self.events)
            if self.wakes[s] != now:
                continue  # it was woken earlier
            self.wakes[s] = NEVER
            warp = self._issue(now, s)
            if warp is None or warp.done < goal * len(warp.steps):
                continue
            behind.discard(index[id(warp)])
            if behind:
                continue
            if goal > 1:
                return self._result(now - begin, marks)
            goal, begin, marks = 1 + turns, now, [w.done for w in self.warps]
            behind = set(range(len(self.warps)))

    def _result(self, cycles: int, marks: list[int]) -> Result:
        share: dict[int, list[float]] = defaultdict(list)
        issued = 0
        for warp, mark in zip(self.warps, marks):
            share[warp.kind].append((warp.done - mark) / len(warp.steps))
            issued += warp.done - mark
        turns = {kind: sum(each) / len(each) for kind, each in share.items()}
        return Result(cycles, turns, issued)

    def _wake(self, s: int, when: int) -> None:
        if when < self.wakes[s]:
            self.wakes[s] = when
            heapq.heappush(self.events, (when, self.issues[s], s))

    def _earliest(self, warp: _Warp, s: int) -> int:
        """The first cycle at which the warp's next instruction could go."""
        pipe = warp.next_step().op.pipe
        if pipe == "lsu":
            return max(warp.ready, self.lsu_free - QUEUE)
        pipes = self.pipes[s]
        if pipe == "fma":
            return max(warp.ready, min(pipes["imad"], pipes["fma"]))
        return max(warp.ready, pipes[pipe])

    def _issue(self, now: int, s: int) -> _Warp | None:
        """Lets a scheduler issue, and says when it looks again."""
        soonest = NEVER
        chosen: _Warp | None = None
        last = self.last[s]
        for warp in self.schedulers[s]:
            if warp.blocked:
                continue
            earliest = self._earliest(warp, s)
            if earliest > now:
                soonest = min(soonest, earliest)
            elif chosen is None or warp.progress < chosen.progress:
                chosen = warp
        if chosen is None:
            if soonest < NEVER:
                self._wake(s, soonest)
            return None  # all at barriers: whoever opens one wakes the scheduler
        if last is not None and not last.blocked and last is not chosen:
            ahead = last.progress - chosen.progress
            if ahead < LEAD and self._earliest(last, s) <= now:
                chosen = last
        self.last[s] = chosen
        self._go(chosen, now, s)
        self.issues[s] += 1
        self._wake(s, now + 1)
        return chosen

    def _take_pipe(self, step: _Step, now: int, s: int) -> int:
        """Holds the instruction's pipe; the cycle at which it begins to work."""
        pipe, pipes = step.op.pipe, self.pipes[s]
        if pipe == "lsu":
            begin = max(now, self.lsu_free)
            self.lsu_free = begin + step.busy
            return self.lsu_free
        if pipe == "fma":
            # Two pipes of half the width; multiply-adds of integers need the first.
            half = "fma" if pipes["fma"] <= pipes["imad"] else "imad"
            pipes[half] = max(now, pipes[half]) + 2 * step.busy
        else:
            pipes[pipe] = max(now, pipes[pipe]) + step.busy
        return now

    def _go(self, warp: _Warp, now: int, s: int) -> None:
        step = warp.next_step()
        control = step.op.instruction.control
        begin = self._take_pipe(step, now, s)
        finished = begin + step.latency
        if step.op.instruction.base == "LDGSTS":
            warp.copies = max(warp.copies, finished)
        elif step.op.instruction.base == "LDGDEPBAR":
            warp.boards[control.write_scoreboard or 0].append(warp.copies)
        if control.write_scoreboard is not None:
            warp.boards[control.write_scoreboard].append(finished)
        if control.read_scoreboard is not None:
            warp.boards[control.read_scoreboard].append(begin + OPERANDS_READ)
        warp.done += 1
        warp.progress = warp.done / len(warp.steps)
        warp.at = (warp.at + 1) % len(warp.steps)
        warp.ready = now + max(1, control.stall)
        if step.barrier is not None:
            self._arrive(warp, step.barrier, now)
        self._wait_for_boards(warp)

    def _wait_for_boards(self, warp: _Warp) -> None:
        """Moves `ready` to where the scoreboards that the next instruction waits for are free."""
        step = warp.next_step()
        mask = step.op.instruction.control.wait_mask
        for n in range(SCOREBOARDS):
            if mask >> n & 1 and warp.boards[n]:
                warp.ready = max(warp.ready, *warp.boards[n])
                warp.boards[n].clear()
        if step.left is not None:
            under_way = sorted(warp.boards[step.board])
            if len(under_way) > step.left:
                freed = len(under_way) - step.left
                warp.ready = max(warp.ready, under_way[freed - 1])
                warp.boards[step.board] = under_way[freed:]

    def _arrive(self, warp: _Warp, barrier: tuple[str, int, bool], now: int) -> None:
        name, expected, waits = barrier
        waiting = self.arrived[warp.block, name]
        waiting.append(warp)
        warp.blocked = waits
        if len(waiting) < expected:
            return
        opens = now + barrier_latency(expected)
        for each in waiting:
            if each.blocked:
                each.blocked = False
                each.ready = max(each.ready, opens)
        waiting.clear()
        for s in range(SCHEDULERS):
            if self.schedulers[s]:
                self._wake(s, opens)


def simulate(device: Device, kinds: list[WarpKind], blocks: int, turns: int = 4) -> Result:
    """Runs the warps of so many blocks until each has made `turns` turns of its loop after one to
    begin with. Requires: control codes. Raises SassError where a barrier never opens."""
    return _Simulation(device, kinds, blocks).run(turns)
