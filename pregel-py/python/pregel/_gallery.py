"""The bundled algorithms that come from the gallery. They take the keywords that
:mod:`pregel._algorithms` describes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import _native
from ._algorithms import Progress, _options
from ._native import Column, Graph


def katz(
    graph: Graph,
    *,
    attenuation: float | None = None,
    base: float = 1.0,
    tolerance: float = 1e-6,
    engine: str = "auto",
    strategy: str = "auto",
    deterministic: bool = False,
    max_supersteps: int | None = 1000,
    on_device: bool = False,
    progress: Progress = False,
) -> Column:
    """Katz centrality: ``base`` and the walks that end at a vertex, each of which counts
    ``attenuation`` times as much for each of its edges.

    Without ``attenuation``, it is 0.9 divided by the largest in-degree, with which the run always
    converges. The run ends when the values change by less than ``tolerance`` in total. Weights do
    not count, and values are not normalised.
    """
    options = _options(
        engine,
        progress,
        strategy=strategy,
        deterministic=deterministic,
        max_supersteps=max_supersteps,
        on_device=on_device,
    )
    return _native.katz(graph, options, attenuation, base, tolerance)


def eigenvector(
    graph: Graph,
    *,
    tolerance: float = 1e-6,
    engine: str = "auto",
    strategy: str = "auto",
    deterministic: bool = False,
    max_supersteps: int | None = 1000,
    progress: Progress = False,
) -> Column:
    """Eigenvector centrality: a vertex is as central as those from which edges lead to it are
    together. The squares sum to 1, and weights do not count.

    The run ends when the values change by less than ``tolerance`` in total. There is no such vector
    without cycles; the report's ``stop`` is then ``limit``.
    """
    options = _options(
        engine,
        progress,
        strategy=strategy,
        deterministic=deterministic,
        max_supersteps=max_supersteps,
    )
    return _native.eigenvector(graph, options, tolerance)


def hits(
    graph: Graph,
    *,
    iterations: int = 100,
    tolerance: float = 1e-8,
    engine: str = "auto",
    deterministic: bool = False,
    progress: Progress = False,
) -> tuple[Column, Column]:
    """Hubs and authorities: a good hub leads to good authorities, to which good hubs lead. Each of
    the two columns sums to 1; weights do not count.

    The run ends when the hubs change by less than ``tolerance`` in total, or after ``iterations`` of
    two supersteps; the report's ``stop`` says which. It has no kernels for GPUs.
    """
    options = _options(engine, progress, deterministic=deterministic)
    return _native.hits(graph, options, iterations, tolerance)


def closeness(
    graph: Graph,
    *,
    sources: Iterable[Any] | None = None,
    engine: str = "auto",
    progress: Progress = False,
) -> Column:
    """Closeness: the inverse of the mean distance from the vertices that reach a vertex, times the
    share of all others that do.

    With a sample of ``sources``, at random, the result is an estimate.
    """
    return _native.nearness(graph, _options(engine, progress), sources, False)


def harmonic(
    graph: Graph,
    *,
    sources: Iterable[Any] | None = None,
    engine: str = "auto",
    progress: Progress = False,
) -> Column:
    """Harmonic centrality: the sum of the inverse distances from all other vertices.

    With a sample of ``sources``, at random, the result is an estimate.
    """
    return _native.nearness(graph, _options(engine, progress), sources, True)


def colouring(
    graph: Graph,
    *,
    seed: int = 1,
    engine: str = "auto",
    on_device: bool = False,
    progress: Progress = False,
) -> Column:
    """Colours, from 0 on, of which no two neighbours have the same: what a greedy search finds that
    takes the vertices in a random order, which ``seed`` chooses. Directions are ignored."""
    return _native.colouring(graph, _options(engine, progress, on_device=on_device), seed)


def mis(graph: Graph, *, seed: int = 1, engine: str = "auto", progress: Progress = False) -> Column:
    """A maximal independent set: 1 for its vertices, 0 for all others. It is what a greedy search
    finds that takes the vertices in a random order, which ``seed`` chooses. Directions are
    ignored."""
    return _native.mis(graph, _options(engine, progress), seed)


def widest(
    graph: Graph,
    source: Any,
    *,
    engine: str = "auto",
    strategy: str = "auto",
    on_device: bool = False,
    progress: Progress = False,
) -> Column:
    """How wide the widest path from ``source`` is: a path is as wide as its narrowest edge. Weights
    are widths and must be positive; values are float32. The source has infinity, and a vertex that
    no path leads to 0."""
    options = _options(engine, progress, strategy=strategy, on_device=on_device)
    return _native.widest(graph, options, source)


def nearest(
    graph: Graph,
    facilities: Iterable[Any],
    *,
    engine: str = "auto",
    strategy: str = "auto",
    progress: Progress = False,
) -> tuple[Column, Column]:
    """For each vertex, how far it is from the nearest of the ``facilities``, in float32, and which
    one that is; infinity and −1 where there is no path.

    Weights are lengths, which must not be negative. Of facilities at the same distance, the first
    vertex counts. It has no kernels for GPUs.
    """
    options = _options(engine, progress, strategy=strategy)
    return _native.nearest(graph, options, facilities)
