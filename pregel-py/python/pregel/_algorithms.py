"""The bundled algorithms.

All of them take these keywords:

``engine``
    ``"auto"``: all cores or a GPU, whichever is done sooner; ``"cpu"``; ``"cuda"`` or ``"cuda:1"``
    for a certain GPU.
``progress``
    ``True`` to print each superstep to stderr, or a function that is called with its number,
    active vertices, messages and seconds. If it returns ``False``, the run ends with the result so
    far.

Vertex programs also take

``strategy``
    ``"auto"``, ``"push"``, ``"pull"`` or ``"mailbox"``: how messages travel.
``deterministic``
    Whether the result must be equal in every bit from run to run.
``max_supersteps``
    The last superstep that may run.

Some take

``on_device``
    Whether the result of a run on a GPU stays there: :attr:`Column.device` says where it is, and
    PyTorch, CuPy or JAX take it by DLPack without a copy. It is copied to memory when NumPy or
    Python first asks for it.

The interpreter runs other threads meanwhile. Ctrl-C ends a run with ``KeyboardInterrupt``: on a CPU
within a tenth of a second, on a GPU within a second.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, overload

from . import _native
from ._native import Column, Distances, Graph, Options

Progress = bool | Callable[[int, int, int, float], bool | None]
"""What ``progress`` may be."""


def _print(number: int, active: int, messages: int, seconds: float) -> None:
    print(
        f"superstep {number}: {active:,} vertices, {messages:,} messages, {1e3 * seconds:.3g} ms",
        file=sys.stderr,
    )


def _options(
    engine: str,
    progress: Progress,
    *,
    strategy: str = "auto",
    deterministic: bool = False,
    max_supersteps: int | None = None,
    on_device: bool = False,
) -> Options:
    tell = _print if progress is True else (progress or None)
    return Options(engine, strategy, deterministic, max_supersteps, tell, on_device)


def _only_numbers(on_device: bool, parents: bool) -> None:
    if on_device and parents:
        raise ValueError("on_device=True leaves distances alone on a GPU, not with parents=True")


def pagerank(
    graph: Graph,
    *,
    damping: float = 0.85,
    tolerance: float = 1e-6,
    personalize: Mapping[Any, float] | Any | None = None,
    start: Mapping[Any, float] | Any | None = None,
    dangling: Mapping[Any, float] | Any | None = None,
    weighted: bool | None = None,
    dtype: str = "float64",
    engine: str = "auto",
    strategy: str = "auto",
    deterministic: bool = False,
    max_supersteps: int | None = 100,
    on_device: bool = False,
    progress: Progress = False,
) -> Column:
    """PageRank: where a random surfer spends time. The ranks sum to 1.

    The run ends when the ranks change by less than ``tolerance`` in total, or after
    ``max_supersteps``; the report's ``stop`` says which. NetworkX' rule is a tolerance of
    ``len(graph) * tol``.

    ``personalize`` says where the surfer teleports, ``start`` where it begins and ``dangling`` where
    it goes from vertices without out-edges: each a dictionary of weights of some vertices, or an
    array of weights of all. Weights are used if the graph has any, unless ``weighted=False``.
    ``start`` and ``dangling`` run on a CPU only.
    """
    options = _options(
        engine,
        progress,
        strategy=strategy,
        deterministic=deterministic,
        max_supersteps=max_supersteps,
        on_device=on_device,
    )
    return _native.pagerank(
        graph, options, damping, tolerance, personalize, start, dangling, weighted, dtype
    )


@overload
def bfs(
    graph: Graph,
    source: Any,
    *,
    parents: Literal[False] = False,
    engine: str = "auto",
    strategy: str = "auto",
    max_supersteps: int | None = None,
    on_device: bool = False,
    progress: Progress = False,
) -> Column: ...


@overload
def bfs(
    graph: Graph,
    source: Any,
    *,
    parents: Literal[True],
    engine: str = "auto",
    strategy: str = "auto",
    max_supersteps: int | None = None,
    progress: Progress = False,
) -> tuple[Column, Column]: ...


def bfs(
    graph: Graph,
    source: Any,
    *,
    parents: bool = False,
    engine: str = "auto",
    strategy: str = "auto",
    max_supersteps: int | None = None,
    on_device: bool = False,
    progress: Progress = False,
) -> Column | tuple[Column, Column]:
    """The number of edges from ``source`` to every vertex; −1 where there is no path.

    With ``parents=True`` also, for each vertex, the one before it on a shortest path; −1 for none.
    ``max_supersteps`` is the largest level.
    """
    _only_numbers(on_device, parents)
    options = _options(
        engine,
        progress,
        strategy=strategy,
        max_supersteps=max_supersteps,
        on_device=on_device,
    )
    levels, before = _native.bfs(graph, options, source, parents)
    return levels if before is None else (levels, before)


@overload
def sssp(
    graph: Graph,
    source: Any = None,
    *,
    sources: Iterable[Any] | None = None,
    parents: Literal[False] = False,
    cutoff: float | None = None,
    dtype: str | None = None,
    delta: float | None = None,
    engine: str = "auto",
    strategy: str = "auto",
    on_device: bool = False,
    progress: Progress = False,
) -> Column: ...


@overload
def sssp(
    graph: Graph,
    source: Any = None,
    *,
    sources: Iterable[Any] | None = None,
    parents: Literal[True],
    cutoff: float | None = None,
    dtype: str | None = None,
    delta: float | None = None,
    engine: str = "auto",
    strategy: str = "auto",
    progress: Progress = False,
) -> tuple[Column, Column]: ...


def sssp(
    graph: Graph,
    source: Any = None,
    *,
    sources: Iterable[Any] | None = None,
    parents: bool = False,
    cutoff: float | None = None,
    dtype: str | None = None,
    delta: float | None = None,
    engine: str = "auto",
    strategy: str = "auto",
    on_device: bool = False,
    progress: Progress = False,
) -> Column | tuple[Column, Column]:
    """The length of the shortest path to every vertex, from ``source`` or from the nearest of
    ``sources``; infinity, or the largest int64, where there is no path.

    Lengths must not be negative. Distances are of the type of the weights, or of ``dtype``:
    ``"float32"``, ``"float64"`` or, if the weights are integers, ``"int64"``, which is exact.
    Vertices further away than ``cutoff`` count as unreached. ``delta`` is the width of a bucket of
    distances that are treated alike, which only time depends on. GPUs take float32 with one
    source.

    With ``parents=True`` also, for each vertex, the one before it on a shortest path; −1 for none.
    """
    if (source is None) == (sources is None):
        raise TypeError("pass either a source or sources")
    _only_numbers(on_device, parents)
    options = _options(engine, progress, strategy=strategy, on_device=on_device)
    from_where = [source] if sources is None else sources
    distances, before = _native.sssp(
        graph, options, from_where, parents, cutoff, dtype, delta
    )
    return distances if before is None else (distances, before)


def wcc(graph: Graph, *, engine: str = "auto", progress: Progress = False) -> Column:
    """Weakly connected components, by union-find. The value of a vertex is the first vertex of its
    component."""
    return _native.wcc(graph, _options(engine, progress))


def hcc(
    graph: Graph,
    *,
    engine: str = "auto",
    strategy: str = "auto",
    max_supersteps: int | None = None,
    on_device: bool = False,
    progress: Progress = False,
) -> Column:
    """Weakly connected components, by a vertex program; :func:`wcc` finds the same sooner."""
    options = _options(
        engine,
        progress,
        strategy=strategy,
        max_supersteps=max_supersteps,
        on_device=on_device,
    )
    return _native.hcc(graph, options)


def scc(graph: Graph, *, engine: str = "auto", progress: Progress = False) -> Column:
    """Strongly connected components. The value of a vertex is the first vertex of its component."""
    return _native.scc(graph, _options(engine, progress))


def cdlp(
    graph: Graph,
    *,
    max_supersteps: int = 10,
    engine: str = "auto",
    on_device: bool = False,
    progress: Progress = False,
) -> Column:
    """Communities by synchronous label propagation, as LDBC Graphalytics defines it. The value of a
    vertex is a vertex after which its community is named."""
    options = _options(
        engine, progress, max_supersteps=max_supersteps, on_device=on_device
    )
    return _native.cdlp(graph, options)


def kcore(graph: Graph, *, engine: str = "auto", progress: Progress = False) -> Column:
    """Core numbers: the largest k for which a vertex is in a subgraph of degree k or more.
    Directions are ignored, and every edge counts."""
    return _native.kcore(graph, _options(engine, progress))


def triangles(graph: Graph, *, engine: str = "auto", progress: Progress = False) -> Column:
    """The number of triangles at every vertex. Directions are ignored, parallel edges count once
    and self-loops not at all."""
    return _native.triangles(graph, _options(engine, progress))


def lcc(graph: Graph, *, engine: str = "auto", progress: Progress = False) -> Column:
    """Local clustering coefficients, as LDBC Graphalytics defines them: how closely the neighbours
    of a vertex are joined."""
    return _native.lcc(graph, _options(engine, progress))


def betweenness(
    graph: Graph,
    *,
    sources: Iterable[Any] | None = None,
    engine: str = "auto",
    progress: Progress = False,
) -> Column:
    """Betweenness: how many shortest paths from ``sources``, or from all vertices, pass through a
    vertex, by Brandes' algorithm. In an undirected graph, every pair counts both ways."""
    return _native.betweenness(graph, _options(engine, progress), sources)


def apsp(
    graph: Graph,
    *,
    paths: bool = False,
    dtype: str | None = None,
    engine: str = "auto",
) -> Distances:
    """The distances between all pairs of vertices: a square array, with the paths if wanted.

    Lengths may be negative, but no cycle may be. Without weights, edges are counted. Distances are
    ``"int32"`` if the weights are integers or there are none, with 2³¹ − 1 where there is no path,
    and otherwise ``"float32"``, with infinity there. The array takes 4 V² bytes, and the same again
    with ``paths=True``.

    Floyd–Warshall, or on a CPU a search from every vertex where that is expected to be faster.
    """
    return _native.apsp(graph, _options(engine, False), paths, dtype)
