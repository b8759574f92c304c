"""The steps of examples/tutorial, as a reader types them: each block of Python is a file that is
run, each block of the shell is run in the same folder."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PLACES = [Path(__file__).parent / "tutorial", Path(__file__).parents[2] / "examples" / "tutorial"]
FOLDER = next((one for one in PLACES if one.exists()), PLACES[0])

# What the steps print, among other things.
PRINTED = {
    "plate.py": "20.",
    "heat.py": "in all",
    "edges.py": "on the average",
    "look.py": "as Python says",
    "mistake.py": "`if` statements have no meaning in a stencil",
    "wave.py": "+",
    "ground.py": "points deep",
    "source.py": "heard first",
    "sponge.py": "of it is left",
    "shot.py": "million points a second",
}


def blocks() -> list[tuple[str, str]]:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^```(python|sh)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each block prints, by its file or its first line."""
    folder = tmp_path_factory.mktemp("tutorial")
    (folder / "bin").mkdir()
    tool = folder / "bin" / "stencilgen"
    tool.write_text(f'#!/bin/sh\nexec {sys.executable} -m stencilgen "$@"\n')
    tool.chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    found: dict[str, str] = {}
    for kind, text in blocks():
        name = text.splitlines()[0]
        command = ["bash", "-euo", "pipefail", "-c", text]
        if kind == "python":
            name = name.removeprefix("# ")
            (folder / name).write_text(text)
            command = [sys.executable, "-W", "error", name]
        ended = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, f"{text}\n{ended.stdout}\n{ended.stderr}"
        found[name] = ended.stdout + ended.stderr
    return found


def test_the_tutorial_has_ten_steps() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\d+)\. ", text, re.MULTILINE) == [str(k) for k in range(1, 11)]
    kinds = [kind for kind, _ in blocks()]
    assert kinds == ["python", "sh"] * 10


def test_each_step_runs_and_prints(outputs: dict[str, str]) -> None:
    for name, text in PRINTED.items():
        assert text in outputs[name], f"{name} prints:\n{outputs[name]}"


def test_mistakes_are_said_at_their_places(outputs: dict[str, str]) -> None:
    assert "mistake.py:8:44: error: `k` is not defined" in outputs["mistake.py"]
    assert "and the status is 1" in outputs["sed 's/j-1/k-1/' plate.idsl > mistake.idsl"]


def number(text: str, pattern: str) -> float:
    match = re.search(pattern, text)
    assert match is not None, text
    return float(match[1])


def test_the_steps_say_what_is_true(outputs: dict[str, str]) -> None:
    assert "not as Python says" not in outputs["look.py"]
    assert number(outputs["sponge.py"], r"([\d.]+) of it") < 0.5
    near = number(outputs["source.py"], r"source: step (\d+)")
    assert near < number(outputs["source.py"], r"beside it: step (\d+)")
    assert number(outputs["edges.py"], r"([\d.]+) on the average") > 5


def test_the_notebook_prints_what_it_shows(tmp_path: Path) -> None:
    for name in ("notebook.py", "shot.ipynb"):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    command = [sys.executable, "notebook.py", "--check", "shot.ipynb"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_a_notebook_that_prints_something_else(tmp_path: Path) -> None:
    (tmp_path / "notebook.py").write_bytes((FOLDER / "notebook.py").read_bytes())
    cell = {"cell_type": "code", "id": "a", "execution_count": None, "metadata": {}, "outputs": []}
    text = json.dumps({"cells": [{**cell, "source": ["1 + 1"]}]})
    (tmp_path / "sum.ipynb").write_text(text)

    def ended(*options: str) -> int:
        command = [sys.executable, "notebook.py", *options, "sum.ipynb"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode

    assert ended("--check") == 1 and ended() == 0 and ended("--check") == 0
    assert json.loads((tmp_path / "sum.ipynb").read_text())["cells"][0]["outputs"]
