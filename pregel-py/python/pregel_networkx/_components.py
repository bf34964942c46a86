"""Components, triangles and clustering."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx

from pregel._native import nx_bfs, nx_components, nx_strong, nx_strong_in_order, nx_triangles

from ._graph import BackendGraph
from ._options import options

NULL = "Connectivity is undefined for the null graph."


def connected_components(G: BackendGraph) -> Iterator[set[Any]]:
    return iter(nx_components(G.rows(), options(), False))


def number_connected_components(G: BackendGraph) -> int:
    return nx_components(G.rows(), options(), True)


def is_connected(G: BackendGraph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept(NULL)
    return nx_components(G.rows(), options(), True) == 1


def node_connected_component(G: BackendGraph, n: Any) -> set[Any]:
    # As NetworkX' search of its adjacency does.
    if n not in G:
        raise KeyError(n)
    return nx_bfs(G.rows(), [n], "nodes")


weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components
is_weakly_connected = is_connected


def number_strongly_connected_components(G: BackendGraph) -> int:
    return nx_strong(G.rows(), options(), True)


def strongly_connected_components(G: BackendGraph) -> Iterator[set[Any]]:
    # As a generator does, it begins when it is first asked.
    yield from nx_strong_in_order(G.rows())


def is_strongly_connected(G: BackendGraph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept(NULL)
    first = next(iter(G))
    reached = (nx_bfs(rows, [first], "count") for rows in (G.rows(), G.back()))
    return all(count == len(G) for count in reached)


def _of_nodes(G: BackendGraph, values: list[Any], nodes: Any) -> Any:
    """The values of all nodes, of some, or of one, as NetworkX returns them."""
    every = dict(zip(G, values, strict=True))
    if nodes is None:
        return every
    if nodes in G:
        return every[nodes]
    return {node: every[node] for node in G.nx.nbunch_iter(nodes)}


def triangles(G: BackendGraph, nodes: Any = None) -> Any:
    counts, _ = nx_triangles(G.rows(), options())
    return _of_nodes(G, counts, nodes)


def transitivity(G: BackendGraph) -> float:
    counts, degrees = nx_triangles(G.rows(), options())
    pairs = sum(degree * (degree - 1) for degree in degrees)
    closed = 2 * sum(counts)
    return 0 if closed == 0 else closed / pairs


def _coefficients(G: BackendGraph) -> list[float]:
    counts, degrees = nx_triangles(G.rows(), options())
    return [
        0 if count == 0 else 2 * count / (degree * (degree - 1))
        for count, degree in zip(counts, degrees, strict=True)
    ]


def clustering(G: BackendGraph, nodes: Any = None, weight: str | None = None) -> Any:
    return _of_nodes(G, _coefficients(G), nodes)


def average_clustering(
    G: BackendGraph, nodes: Any = None, weight: str | None = None, count_zeros: bool = True
) -> float:
    values = clustering(G, nodes).values()
    if not count_zeros:
        values = [value for value in values if abs(value) > 0]
    return sum(values) / len(values)
