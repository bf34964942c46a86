"""PageRank and the matrix behind it."""

from __future__ import annotations

from typing import Any

import networkx as nx

from pregel._native import nx_pagerank

from ._graph import BackendGraph
from ._options import options


def pagerank(
    G: BackendGraph,
    alpha: float = 0.85,
    personalization: dict[Any, float] | None = None,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: dict[Any, float] | None = None,
    weight: str | None = "weight",
    dangling: dict[Any, float] | None = None,
) -> dict[Any, float]:
    if len(G) == 0:
        return {}
    given = [None if d is None else dict(d) for d in (personalization, nstart, dangling)]
    ranks = None
    if max_iter > 0:
        ranks = nx_pagerank(G.rows(weight), options(max_iter), alpha, tol, given)
    if ranks is None:
        raise nx.PowerIterationFailedConvergence(max_iter)
    return ranks

