"""Slices as domains of the language, whose bounds both belong to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from .declare import Affine
from .source import Function, counted
from .tree import Domain, Expression, IteratorUse, Range, Read
from .values import Code, Kind, Value, code


def extents_along(elements: Iterable[tuple[Read, tuple[Affine, ...]]]) -> dict[str, Affine]:
    """How many values each iterator has that is an index of these elements, of arrays with these
    extents; those for which they agree."""
    found: dict[str, set[Affine]] = {}
    for read, extents in elements:
        for index, extent in zip(read.indices, extents):
            if isinstance(index, IteratorUse):
                found.setdefault(index.iterator.name, set()).add(extent)
    return {name: next(iter(each)) for name, each in found.items() if len(each) == 1}


def lower_domain(
    source: Function,
    domain: Domain,
    iterators: Sequence[str],
    extents: Mapping[str, Affine],
    read: Callable[[Expression], Value],
) -> Code:
    """``[1:M-2, 0:N-1]`` of ``[1:-1, :]``. ``extents``: of what is written along each iterator,
    which bounds from the end count from. Raises Refused."""
    if len(domain.ranges) != len(iterators):
        source.refuse(
            domain.at,
            "domain-rank",
            f"this domain has {counted(len(domain.ranges), 'range')}, and the stencil has "
            f"{counted(len(iterators), 'iterator')}: {', '.join(iterators)}",
        )
    parts: list[str | Code] = ["["]
    for name, one in zip(iterators, domain.ranges):
        first, last = _bounds(source, one, name, extents.get(name), read)
        parts += [", "] if len(parts) > 1 else []
        parts.append(code(f"{first}:{last}", at=one.at))
    return Code((*parts, "]"), domain.at)


def _bounds(
    source: Function,
    one: Range,
    iterator: str,
    extent: Affine | None,
    read: Callable[[Expression], Value],
) -> tuple[Affine, Affine]:
    """The first and the last value."""

    def from_end(offset: int) -> Affine:
        if extent is None:
            source.refuse(
                one.at,
                "python-slice",
                f"the end along `{iterator}` is not the same for all that is written here",
                "count from the beginning, as `0:u.shape[0]-1`",
            )
        return extent + Affine((), offset)

    def bound(node: Expression) -> Affine:
        value = read(node)
        if value.affine is None or value.kind != Kind.WHOLE:
            source.refuse(
                node.at,
                "python-slice",
                "a bound is a whole number, a size, or a sum of them",
            )
        if not value.affine.terms and value.affine.constant < 0:
            return from_end(value.affine.constant)
        return value.affine

    first = Affine() if one.first is None else bound(one.first)
    if one.single:
        return first, first
    last = from_end(-1) if one.end is None else bound(one.end) + Affine((), -1)
    return first, last
