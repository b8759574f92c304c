"""What the compiler says about a program's plan."""

from __future__ import annotations

import html
import os
import tempfile
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from . import _tool

#: Runs the compiler with the program and more options, and returns what it prints.
Ask = Callable[[Sequence[str]], str]


class Explanation(str):
    """A report on a program's plan: text that prints as ``stencilgen explain`` does.

    A notebook shows it as a page with pictures: the graph of the program, every kernel's tile in
    space and time, the roofline, and what was not chosen. `save` writes that page to a file, and
    `report` has all that is in it.
    """

    _ask: Ask

    @classmethod
    def of(cls, ask: Ask) -> Explanation:
        """Asks the compiler."""
        explanation = cls(ask([]))
        explanation._ask = ask
        return explanation

    @cached_property
    def report(self) -> dict[str, Any]:
        """Everything that the page shows, as ``stencilgen explain --json`` prints it."""
        report: dict[str, Any] = _tool.parsed(self._ask(["--json"]))
        return report

    @cached_property
    def html(self) -> str:
        """The page: one text of HTML that needs nothing else."""
        return self._ask(["--page", "-"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file, whole or not at all."""
        target = Path(path)
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=target.name + ".")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(self.html)
            # Temporary files are private; others have the usual permissions.
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, 0o666 & ~mask)
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """For notebooks: a frame, so that the styles of neither reach the other."""
        page = html.escape(self.html, quote=True)
        style = "width: 100%; height: 56rem; border: 1px solid #cfd6e0"
        return (
            f'<iframe title="The plan of a stencil program" style="{style}" '
            f'sandbox="allow-scripts" srcdoc="{page}"></iframe>'
        )
