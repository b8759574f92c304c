"""Executes a notebook, without Jupyter, and writes or checks what its cells print:

python3 notebook.py shot.ipynb            # writes the outputs into the file
python3 notebook.py --check shot.ipynb    # fails where a cell prints something else
"""

from __future__ import annotations

import argparse
import ast
import base64
import contextlib
import io
import json
import linecache
import os
import sys
import tempfile
from pathlib import Path
from typing import Any


def shown(value: Any) -> dict[str, Any]:
    """What Jupyter shows of a value: text, and a picture where it has one."""
    data: dict[str, Any] = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_png_"):
        data["image/png"] = base64.b64encode(value._repr_png_()).decode() + "\n"
    return data


def execute(text: str, number: int, names: dict[str, Any]) -> list[dict[str, Any]]:
    """The outputs of a cell."""
    file = f"<cell {number}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    tree = ast.parse(text, file)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, file, "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), file, "eval"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        lines = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        outputs.append({
            "data": shown(value), "execution_count": number, "metadata": {},
            "output_type": "execute_result",
        })  # fmt: skip
    return outputs


def comparable(outputs: list[dict[str, Any]]) -> list[Any]:
    """Of pictures their sizes alone: they differ in a pixel where a number rounds otherwise."""
    found: list[Any] = []
    for one in outputs:
        if one["output_type"] == "stream":
            found.append("".join(one["text"]))
            continue
        found.append("".join(one["data"]["text/plain"]))
        picture = base64.b64decode(one["data"].get("image/png", ""))
        found.append((picture[:4], picture[16:24]))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Executes a notebook.")
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--check", action="store_true", help="compare, and change nothing")
    given = parser.parse_args()
    path = given.notebook.resolve()
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, Any] = {"__name__": "__main__"}
    wrong = number = 0
    with tempfile.TemporaryDirectory() as folder:
        here = os.getcwd()
        os.chdir(folder)
        for cell in notebook["cells"]:
            if cell["cell_type"] != "code":
                continue
            number += 1
            outputs = execute("".join(cell["source"]), number, names)
            if comparable(outputs) != comparable(cell["outputs"]):
                wrong += 1
                if given.check:
                    print(f"cell {number} prints\n{outputs}\nand not\n{cell['outputs']}")
            cell["outputs"], cell["execution_count"] = outputs, number
        os.chdir(here)
    if given.check:
        return 1 if wrong or number == 0 else 0
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
