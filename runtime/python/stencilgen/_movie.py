"""Movies of programs, made by the compiler's `run --movie`."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from . import _scalars
from ._interface import Array, Interface
from ._operands import host


@dataclass(frozen=True)
class Movie:
    """An animated GIF. Notebooks show it."""

    data: bytes  #: the file's

    def save(self, path: str | Path) -> None:
        """Writes the GIF file."""
        Path(path).write_bytes(self.data)

    def _repr_html_(self) -> str:
        text = base64.b64encode(self.data).decode("ascii")
        return f'<img alt="a movie" src="data:image/gif;base64,{text}">'

    def __repr__(self) -> str:
        return f"<stencilgen.Movie of {len(self.data)} bytes>"


def _interval(what: str, ends: tuple[float, float]) -> str:
    try:
        low, high = (float(end) for end in ends)
    except (TypeError, ValueError):
        raise TypeError(f"movie(): `{what}` is two numbers, given {ends!r}") from None
    return f"{low!r}:{high!r}"


def movie_options(
    array: str | None,
    every: int | Mapping[str, int] | None,
    fps: int,
    title: str | None,
    range: tuple[float, float] | None,
    extent: Mapping[str, tuple[float, float]] | None,
    plain: bool,
) -> list[str]:
    """Arguments of Program.movie as options of the command line; ``--movie`` is left with a file's
    name to be filled in."""
    options = ["--movie", "{}" if array is None else f"{array}={{}}", "--fps", str(fps)]
    if isinstance(every, Mapping):
        if len(every) != 1:
            raise TypeError(f"movie(): `every` has one parameter, given {dict(every)!r}")
        ((name, turns),) = every.items()
        options += ["--every", f"{name}={turns}"]
    elif every is not None:
        options += ["--every", str(every)]
    if title is not None:
        options += ["--title", title]
    if range is not None:
        # One word: a value may begin with a dash.
        options += [f"--range={_interval('range', range)}"]
    if extent:
        ends = [f"{name}={_interval('extent', each)}" for name, each in extent.items()]
        options += ["--extent", ",".join(ends)]
    return [*options, "--plain"] if plain else options


def make_movie(
    interface: Interface,
    values: Mapping[str, Any],
    options: Sequence[str],
    start: Callable[[Mapping[str, Any], Sequence[str]], None],
) -> Movie:
    """`values`: arrays, scalars and parameters by name. `start`: runs the program with values of
    scalars and parameters, and options."""
    arrays: dict[str, tuple[Array, np.ndarray[Any, Any]]] = {}
    others: dict[str, Any] = {}
    known = {one.name: one for one in interface.visible}
    for key, given_value in values.items():
        name = interface.keywords.get(key, key)
        if name not in known:
            others[name] = given_value
            continue
        value = known[name].whole(given_value)
        if not isinstance(value, np.ndarray):
            raise TypeError(
                f"array `{name}`: movie() takes numpy arrays, given a {type(value).__name__}"
            )
        host(replace(known[name], is_output=False), value)  # it is only read
        arrays[name] = (known[name], value)
    free = {one.name: one for one in interface.parameters if one.fixed is None}
    given = {
        one.name: _scalars.parameter(one, others.pop(one.name))
        for one in interface.parameters
        if one.name in others
    }
    sizes = interface.sizes(given, [(one, value.shape) for one, value in arrays.values()])
    others.update({name: sizes[name] for name in free})
    with tempfile.TemporaryDirectory(prefix="stencilgen-") as folder:
        inputs: list[str] = []
        for name, (_, value) in arrays.items():
            path = Path(folder) / f"{name}.npy"
            np.save(path, np.ascontiguousarray(value))
            inputs += ["--in", f"{name}={path}"]
        movie = Path(folder) / "movie.gif"
        filled = [option.replace("{}", str(movie)) for option in options[:2]]
        start(others, [*inputs, *filled, *options[2:]])
        return Movie(movie.read_bytes())
