"""Asks stencilgen for a program's CUDA code and for the facts of its plan."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from .toolkit import SassError, run

ROOT = Path(__file__).resolve().parent.parent.parent


def find_stencilgen() -> str:
    """The tool: $STENCILGEN, that of the release build, or that in PATH."""
    given = os.environ.get("STENCILGEN")
    built = ROOT / "build" / "release" / "compiler" / "driver" / "stencilgen"
    for candidate in (given, str(built), shutil.which("stencilgen")):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    raise SassError(
        "stencilgen is not there: build it (cmake --preset release, then "
        "cmake --build build/release --target stencilgen), or set STENCILGEN"
    )


def generate(tool: str, name: str, text: str, options: list[str]) -> tuple[str, dict[str, Any]]:
    """CUDA code of a program, and what `explain --json` says of its plan."""
    with tempfile.TemporaryDirectory(prefix="stencilgen-sass-") as folder:
        program = Path(folder) / f"{name.replace('-', '_')}.idsl"
        program.write_text(text, encoding="utf-8")
        options = [*options, "--target", "cuda", "--tuning-db", "none"]
        code = run([tool, str(program), "-o", "-", *options])
        facts = run([tool, "explain", str(program), "--json", *options])
    plan = json.loads(facts)
    if not isinstance(plan, dict) or "kernels" not in plan:
        raise SassError(f"{tool} explain --json says nothing of kernels")
    return code, plan
