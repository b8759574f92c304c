"""The programs of the CUDA toolkit: nvcc, which compiles, and cuobjdump, which disassembles."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

NVCC_FLAGS = ["-std=c++17", "-O3"]


class SassError(Exception):
    """What the user is told; nothing was made."""


@dataclass(frozen=True)
class Toolkit:
    """Paths of the programs, and what nvcc calls its version."""

    nvcc: str
    cuobjdump: str
    version: str


def _package_folders() -> list[Path]:
    """Where Python packages of NVIDIA keep programs: nvidia/*/bin beside other packages."""
    roots = {Path(entry) for entry in sys.path if entry.endswith("site-packages")}
    roots.add(Path(sysconfig.get_paths()["purelib"]))
    virtual = os.environ.get("VIRTUAL_ENV")
    if virtual:
        roots.update(Path(virtual).glob("lib/python3*/site-packages"))
    return sorted(folder for root in roots for folder in root.glob("nvidia/*/bin"))


def _find(name: str, near: list[Path]) -> str | None:
    """A program by its environment variable, in PATH, or in one of the folders."""
    given = os.environ.get(name.upper())
    if given:
        if not os.access(given, os.X_OK):
            raise SassError(f"{name.upper()}={given} is no program")
        return given
    found = shutil.which(name)
    if found:
        return found
    for folder in near:
        if os.access(folder / name, os.X_OK):
            return str(folder / name)
    return None


def find_toolkit(compiles: bool = True) -> Toolkit:
    """Finds cuobjdump, and nvcc if it `compiles`. Raises SassError, which says how to get what is
    missing."""
    folders = [Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin", *_package_folders()]
    nvcc = _find("nvcc", folders)
    if nvcc is None and compiles:
        raise SassError(
            "nvcc is not there: install the CUDA toolkit (12.4 or later) and put nvcc in PATH, "
            "or set NVCC"
        )
    beside = [Path(nvcc).resolve().parent] if nvcc else []
    cuobjdump = _find("cuobjdump", beside + folders)
    if cuobjdump is None:
        raise SassError(
            "cuobjdump is not there: it comes with the CUDA toolkit (the package cuda-cuobjdump) "
            "or with `pip install nvidia-cuda-cuobjdump`; put it in PATH, or set CUOBJDUMP"
        )
    match = re.search(r", V([\d.]+)", run([nvcc, "--version"])) if nvcc else None
    return Toolkit(nvcc or "", cuobjdump, match[1] if match else "of an unknown version")


def run(command: list[str], cwd: Path | None = None) -> str:
    """Standard output of a command. Raises SassError with what it said where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    except OSError as error:
        raise SassError(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()
        raise SassError(f"this command fails: {' '.join(command)}\n{said}")
    return done.stdout


def cache_folder() -> Path:
    """Where cubins are kept: beside the libraries that stencilgen keeps."""
    given = os.environ.get("STENCILGEN_CACHE_DIR")
    if not given:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        given = str(Path(base) / "stencilgen")
    folder = Path(given) / "sass"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SassError(
            f"cannot make {folder}: {error.strerror}; set STENCILGEN_CACHE_DIR to a folder that "
            "can be written to"
        ) from error
    return folder


def compile_cubin(toolkit: Toolkit, source: str, arch: str) -> Path:
    """A cubin of CUDA code, kept under a hash of all that it depends on. One compilation runs at a
    time, in all processes, because each may take a gigabyte and a core."""
    flags = [*NVCC_FLAGS, f"-arch={arch}"]
    key = "\n".join([toolkit.version, *flags, source])
    folder = cache_folder()
    kept = folder / f"{hashlib.sha256(key.encode()).hexdigest()}.cubin"
    if kept.exists():
        return kept
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if kept.exists():
            return kept
        code = kept.with_suffix(".cu")
        part = kept.with_suffix(".part")
        code.write_text(source, encoding="utf-8")
        try:
            run([toolkit.nvcc, *flags, "-cubin", "-o", str(part), str(code)])
            part.replace(kept)
        finally:
            code.unlink(missing_ok=True)
            part.unlink(missing_ok=True)
    return kept


def disassemble(toolkit: Toolkit, cubin: Path) -> str:
    """The text of `cuobjdump -sass`, with the bits of each instruction."""
    return run([toolkit.cuobjdump, "-sass", str(cubin)])


def resource_usage(toolkit: Toolkit, cubin: Path) -> str:
    """The text of `cuobjdump -res-usage`."""
    return run([toolkit.cuobjdump, "-res-usage", str(cubin)])
