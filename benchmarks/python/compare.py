"""Times stencilgen beside other Python packages on the same problems, and writes a page.

    python benchmarks/python/compare.py [-o page.md] [--threads N] [--rounds N] [--scale F]

Each system runs in a process of its own, with empty caches. Its first call is timed with all that
it compiles; then its results are compared with numpy's, and later calls are timed in turns, so that
what else the machine does meets all of them. Systems that are not installed are left out.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.metadata
import importlib.util
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from problems import PROBLEMS, Problem

SYSTEMS = ["stencilgen", "numba_loops", "numba_stencil", "devito", "gt4py", "numpy"]
TOLERANCE = 1e-11


def shape_of(problem: Problem, scale: float) -> tuple[int, ...]:
    """The shape that is timed."""
    return tuple(max(8, round(extent * scale)) for extent in problem.shape)


# A system's own process: it answers each line of standard input with one of JSON.


class Runner:
    """One system on one problem."""

    def __init__(self, system: str, number: int, scale: float) -> None:
        self.module = importlib.import_module(f"use_{system}")
        self.problem = PROBLEMS[number]
        self.shape = shape_of(self.problem, scale)
        self.arrays = self.problem.start(self.shape)
        self.run = None

    def _once(self) -> float:
        timed = getattr(self.run, "timed", None)
        if timed is not None:
            self.run.fill(self.arrays)
        begin = time.perf_counter()
        if timed is None:
            self.run(self.arrays, self.problem.steps)
        else:
            timed(self.problem.steps)
        return time.perf_counter() - begin

    def first(self) -> float | None:
        """Seconds with all that is compiled; None where the system cannot say the problem."""
        begin = time.perf_counter()
        self.run = self.module.prepare(self.problem, self.shape)
        made = time.perf_counter() - begin
        return None if self.run is None else made + self._once()

    def check(self) -> float:
        """The largest difference from numpy, of a small problem with an even and an odd number of
        steps."""
        worst = 0.0
        run = self.module.prepare(self.problem, self.problem.small)
        for more in (0, 1):
            arrays = self.problem.start(self.problem.small)
            expected = tuple(self.problem.start(self.problem.small))
            run(arrays, self.problem.few + more)
            for _ in range(self.problem.few + more):
                expected = self.problem.step(*expected)
            worst = max(worst, float(np.abs(arrays[0] - expected[0]).max()))
        return worst

    def later(self) -> float:
        """Seconds of one call."""
        return self._once()


def serve(system: str, number: int, scale: float) -> None:
    """The process of a system."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what packages print is no answer
    runner = Runner(system, number, scale)
    for line in sys.stdin:
        try:
            answer = {"value": getattr(runner, line.strip())()}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


# The side that asks.


class Process:
    """A system's process."""

    def __init__(
        self, system: str, number: int, arguments: argparse.Namespace, folder: str
    ) -> None:
        threads = str(arguments.threads)
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": threads,
            "NUMBA_NUM_THREADS": threads,
            "STENCILGEN_CACHE_DIR": f"{folder}/stencilgen",
            "STENCILGEN_TUNING_DB": "none",
            "NUMBA_CACHE_DIR": f"{folder}/numba",
            "GT_CACHE_ROOT": folder,
            "TMPDIR": folder,
        }
        self.process = subprocess.Popen(
            [
                sys.executable,
                __file__,
                "--serve",
                system,
                str(number),
                "--scale",
                str(arguments.scale),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if not arguments.verbose else None,
            text=True,
            cwd=folder,
            env=environment,
        )
        self.problem = ""  #: why it can go no further

    def ask(self, what: str) -> float | None:
        """The answer; None where there is none."""
        try:
            self.process.stdin.write(what + "\n")
            self.process.stdin.flush()
            answer = json.loads(self.process.stdout.readline())
        except (OSError, ValueError):
            answer = {"error": "it ended"}
        if "error" in answer:
            self.problem = answer["error"].splitlines()[0][:200]
            return None
        return answer["value"]

    def close(self) -> None:
        """Ends it."""
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=20)
        self.process.kill()


def measure(number: int, systems: list[str], arguments: argparse.Namespace) -> list[dict]:
    """A row for each system."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="compare-") as root, contextlib.ExitStack() as stack:
        running = []
        for system in systems:
            folder = Path(root) / system
            folder.mkdir()
            process = Process(system, number, arguments, str(folder))
            stack.callback(process.close)
            row = {"system": system, "first": process.ask("first"), "later": []}
            rows.append(row)
            if row["first"] is not None:
                worst = process.ask("check")
                if worst is not None and not worst <= TOLERANCE:
                    process.problem = f"differs from numpy by {worst:.2g}"
                if worst is not None and not process.problem:
                    running.append((process, row))
            row["problem"] = process.problem
            print(f"  {system}: first call {row['first']} {process.problem}", file=sys.stderr)
        for _ in range(arguments.rounds):
            for process, row in running:
                row["later"].append(process.ask("later"))
    return rows


def version_of(package: str) -> str:
    """As the package index knows it, or as it says itself."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return str(importlib.import_module(package).__version__)


def processor() -> str:
    """The name that the system gives."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor()


def page(results: list[list[dict]], names: dict[str, str], arguments: argparse.Namespace) -> str:
    """Markdown."""
    lines = [
        "# Beside other Python packages",
        "",
        "Written by [`benchmarks/python/compare.py`](../python/compare.py), which says how it",
        "measures. Double precision, default options of each system; `x` is how many times as long",
        "as stencilgen a later call takes.",
        "",
        f"{processor()}, {arguments.threads} threads; medians of {arguments.rounds} turns; Python "
        f"{platform.python_version()}; "
        + ", ".join(f"{package} {version}" for package, version in sorted(names.items()))
        + ".",
        "",
    ]
    for problem, rows in zip(PROBLEMS, results):
        shape = shape_of(problem, arguments.scale)
        size = " x ".join(str(extent) for extent in shape)
        lines += [
            f"## {problem.name}: {size}, {problem.steps} steps",
            "",
            "| system | first call, s | later calls, ms | Gpoints/s | x |",
            "| --- | ---: | ---: | ---: | ---: |",
        ]
        ours = statistics.median(rows[0]["later"]) if rows[0]["later"] else math.nan
        for row in rows:
            name = importlib.import_module(f"use_{row['system']}").NAME
            if not row["later"]:
                reason = row["problem"] or "cannot say it"
                lines.append(f"| {name} | {reason} | | | |")
                continue
            later = statistics.median(row["later"])
            rate = math.prod(shape) * problem.steps / later / 1e9
            lines.append(
                f"| {name} | {row['first']:.2f} | {1000 * later:.0f} | {rate:.2f} "
                f"| {later / ours:.2f} |"
            )
        lines.append("")
    return "\n".join(lines)


def main() -> int:
    """Returns the exit status: 1 where a system's results are wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", help="the page; else standard output")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=5, help="calls of each system that are timed")
    parser.add_argument("--scale", type=float, default=1.0, help="of all extents")
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--verbose", action="store_true", help="show what the systems print")
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve(arguments.serve[0], int(arguments.serve[1]), arguments.scale)
        return 0
    names = {}
    systems = []
    for system in arguments.systems.split(","):
        package = system.split("_", maxsplit=1)[0]
        if importlib.util.find_spec(package) is None:
            print(f"left out: {package} is not installed", file=sys.stderr)
            continue
        systems.append(system)
        names[package] = version_of(package)
    results = []
    for number, problem in enumerate(PROBLEMS):
        print(problem.name, file=sys.stderr)
        results.append(measure(number, systems, arguments))
    text = page(results, names, arguments)
    if arguments.output:
        Path(arguments.output).write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return int(any(row["problem"] for rows in results for row in rows))


if __name__ == "__main__":
    sys.exit(main())
