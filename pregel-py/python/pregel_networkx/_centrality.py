"""Centralities, cores, colours and isolated nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx

from pregel._native import (
    betweenness,
    kcore,
    nx_bfs,
    nx_dijkstra,
    nx_eccentricities,
    nx_greedy_colours,
)

from ._graph import BackendGraph, not_found
from ._options import options


def betweenness_centrality(
    G: BackendGraph,
    k: None = None,
    normalized: bool = True,
    weight: None = None,
    endpoints: bool = False,
    seed: Any = None,
) -> dict[Any, float]:
    nodes = len(G)
    if nodes <= 2:
        return dict.fromkeys(G, 0.0)
    # Every ordered pair has been counted, in undirected graphs as well.
    scale = 1.0 if G.is_directed() else 0.5
    if normalized:
        scale = 1 / ((nodes - 1) * (nodes - 2))
    found = betweenness(G.rows(), options(), None).tolist()
    return {node: value * scale for node, value in zip(G, found, strict=True)}


def _lengths(G: BackendGraph, node: Any, distance: str | None) -> dict[Any, Any]:
    """How far it is from the other nodes to this one."""
    if distance is None:
        not_found(G, node, f"Source {node} is not in G")
        return nx_bfs(G.back(), [node], "lengths")
    not_found(G, node, f"Node {node} not found in graph")
    return nx_dijkstra(G.back(distance), [node], "lengths")


def closeness_centrality(
    G: BackendGraph,
    u: Any = None,
    distance: str | None = None,
    wf_improved: bool = True,
    *,
    sp: Any = None,
) -> Any:
    # A parameter since NetworkX 3.7.
    if sp is not None:
        raise NotImplementedError("sp has the distances already")
    nodes = list(G) if u is None else [u]
    sums: list[tuple[int, Any]]
    if distance is None and u is None:
        found = nx_eccentricities(G.back(), options(), nodes)
        sums = [(reached, total) for reached, _, total in found]
    else:
        lengths = (_lengths(G, node, distance) for node in nodes)
        sums = [(len(of_node), sum(of_node.values())) for of_node in lengths]
    closeness: dict[Any, float] = {}
    for node, (reached, total) in zip(nodes, sums, strict=True):
        value = 0.0
        if total > 0.0 and len(G) > 1:
            value = (reached - 1.0) / total
            if wf_improved:
                value *= (reached - 1.0) / (len(G) - 1)
        closeness[node] = value
    return closeness if u is None else closeness[u]


def harmonic_centrality(
    G: BackendGraph, nbunch: Any = None, distance: str | None = None, sources: Any = None
) -> dict[Any, float]:
    wanted = set(G.nx.nbunch_iter(nbunch))
    begins = set(G.nx.nbunch_iter(sources))
    centrality: dict[Any, float] = dict.fromkeys(wanted, 0)
    # Searches begin on the smaller side, if necessary against the direction of edges.
    turned = len(wanted) < len(begins)
    for node in wanted if turned else begins:
        if distance is None:
            lengths = nx_bfs(G.back() if turned else G.rows(), [node], "lengths")
        else:
            rows = G.back(distance) if turned else G.rows(distance)
            lengths = nx_dijkstra(rows, [node], "lengths")
        for other, length in lengths.items():
            if length != 0 and other in (begins if turned else wanted):
                centrality[node if turned else other] += 1 / length
    return centrality


def core_number(G: BackendGraph) -> dict[Any, int]:
    if nx.number_of_selfloops(G.nx) > 0:
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )
    # The rows of an undirected graph have every edge twice, and both count.
    times = 1 if G.is_directed() else 2
    numbers = kcore(G.rows(), options()).tolist()
    return {node: number // times for node, number in zip(G, numbers, strict=True)}


def k_core(
    G: BackendGraph, k: int | None = None, core_number: dict[Any, int] | None = None
) -> Any:
    cores = _core_number(G) if core_number is None else core_number
    least = max(cores.values()) if k is None else k
    return G.nx.subgraph(node for node, core in cores.items() if core >= least).copy()


# The parameter of `k_core` has the name that NetworkX gave it.
_core_number = core_number


def greedy_color(
    G: BackendGraph, strategy: Any = "largest_first", interchange: bool = False
) -> dict[Any, int]:
    if len(G) == 0:
        return {}
    if strategy != "largest_first":
        raise nx.NetworkXError(
            f"strategy must be callable or a valid string. {strategy} not valid."
        )
    return nx_greedy_colours(G.rows(), G.is_directed())


def isolates(G: BackendGraph) -> Iterator[Any]:
    return (node for node, degree in G.nx.degree() if degree == 0)


def is_isolate(G: BackendGraph, n: Any) -> bool:
    return G.nx.degree(n) == 0


def number_of_isolates(G: BackendGraph) -> int:
    return sum(1 for _ in isolates(G))
