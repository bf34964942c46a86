"""PageRank and its matrix, and other centralities that are found by power iteration."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx

from pregel._native import nx_eigenvector, nx_hits, nx_katz, nx_matrix, nx_pagerank

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


def google_matrix(
    G: BackendGraph,
    alpha: float = 0.85,
    personalization: dict[Any, float] | None = None,
    nodelist: Any = None,
    weight: str | None = "weight",
    dangling: dict[Any, float] | None = None,
) -> Any:
    import numpy as np

    nodes = list(G)
    count = len(nodes)
    listed = nodes if nodelist is None else list(nodelist)
    if len(listed) != count or set(listed) != set(nodes):
        raise NotImplementedError("nodelist does not have every node once")
    matrix = np.frombuffer(nx_matrix(G.rows(weight))).reshape(count, count)
    if count == 0:
        return matrix
    if listed != nodes:
        places = {node: at for at, node in enumerate(nodes)}
        order = [places[node] for node in listed]
        matrix = matrix[np.ix_(order, order)]

    def shares(weights: dict[Any, float]) -> Any:
        return np.array([weights.get(node, 0) for node in listed], dtype=float)

    teleport = np.full(count, 1.0 / count)
    if personalization is not None:
        teleport = shares(personalization)
        if teleport.sum() == 0:
            raise ZeroDivisionError
        teleport /= teleport.sum()
    onwards = teleport
    if dangling is not None:
        onwards = shares(dangling)
        onwards /= onwards.sum()
    matrix[matrix.sum(axis=1) == 0] = onwards
    matrix /= matrix.sum(axis=1)[:, np.newaxis]
    return alpha * matrix + (1 - alpha) * teleport


def _start(G: BackendGraph, nstart: dict[Any, Any]) -> dict[Any, Any]:
    """A starting vector, which NetworkX looks up by node."""
    if len(nstart) != len(G) or any(node not in nstart for node in G):
        raise NotImplementedError("nstart does not have every node once")
    return nstart


def katz_centrality(
    G: BackendGraph,
    alpha: float = 0.1,
    beta: Any = 1.0,
    max_iter: int = 1000,
    tol: float = 1.0e-6,
    nstart: dict[Any, float] | None = None,
    normalized: bool = True,
    weight: str | None = None,
) -> dict[Any, float]:
    if len(G) == 0:
        return {}
    start = dict.fromkeys(G, 0) if nstart is None else _start(G, nstart)
    try:
        betas = [float(beta)] * len(G)
    except (TypeError, ValueError, AttributeError) as error:
        if set(beta) != set(G):
            text = "beta dictionary must have a value for every node"
            raise nx.NetworkXError(text) from error
        betas = [beta[node] for node in G]
    first = [start[node] for node in G]
    found = nx_katz(G.rows(weight), alpha, betas, first, max_iter, tol)
    if found is None:
        raise nx.PowerIterationFailedConvergence(max_iter)
    values = dict(zip(G, found, strict=True))
    norm = math.hypot(*found) if normalized else 1
    scale = 1 / norm if norm else 1.0
    # In the order of the starting vector.
    return {node: values[node] * scale for node in start}


def eigenvector_centrality(
    G: BackendGraph,
    max_iter: int = 100,
    tol: float = 1.0e-6,
    nstart: dict[Any, float] | None = None,
    weight: str | None = None,
) -> dict[Any, float]:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    start = dict.fromkeys(G, 1) if nstart is None else nstart
    if all(value == 0 for value in start.values()):
        raise nx.NetworkXError("initial vector cannot have all zero values")
    total = sum(_start(G, start).values())
    first = [start[node] / total for node in G]
    found = nx_eigenvector(G.rows(weight or None), first, max_iter, tol)
    if found is None:
        raise nx.PowerIterationFailedConvergence(max_iter)
    values = dict(zip(G, found, strict=True))
    return {node: values[node] for node in start}


def hits(
    G: BackendGraph,
    max_iter: int = 100,
    tol: float = 1.0e-8,
    nstart: dict[Any, float] | None = None,
    normalized: bool = True,
    *,
    method: str = "svd",
) -> tuple[dict[Any, float], dict[Any, float]]:
    # A parameter since NetworkX 3.7; before, this was the only one.
    if method == "power_iteration":
        raise NotImplementedError("the backend finds singular values")
    if method != "svd":
        raise ValueError(f"method not supported: {method}")
    if len(G) == 0:
        return {}, {}
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    if len(G) == 1:
        raise NotImplementedError("there is only one node")
    if nstart is not None:
        _start(G, nstart)
    rows = G.rows("weight")
    if rows._smallest_weight() < 0:
        raise NotImplementedError("the backend takes weights of 0 or more")
    found = nx_hits(rows)
    if found is None:
        raise NotImplementedError(
            "the largest singular value is not the only one of its size, "
            "so that the result depends on where the iteration begins"
        )
    hubs, authorities = (_shares(G, values) for values in found)
    return hubs, authorities


def _shares(G: BackendGraph, values: list[float]) -> dict[Any, float]:
    total = sum(values)
    return {node: value / total for node, value in zip(G, values, strict=True)}
