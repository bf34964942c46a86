"""Shortest paths, with and without weights."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import networkx as nx

from pregel._native import (
    Graph,
    nx_bellman_ford,
    nx_bfs,
    nx_bidirectional,
    nx_bidirectional_dijkstra,
    nx_dijkstra,
    nx_eccentricities,
)

from ._graph import BackendGraph, not_found
from ._options import options


def levels(cutoff: float | None) -> int | None:
    """How many levels are searched: NetworkX goes on while the level is below the cutoff."""
    if cutoff is None or cutoff == math.inf:
        return None
    return min(max(math.ceil(cutoff), 0), 2**32 - 2)


# Without weights


def single_source_shortest_path_length(
    G: BackendGraph, source: Any, cutoff: float | None = None
) -> dict[Any, int]:
    not_found(G, source, f"Source {source} is not in G")
    return nx_bfs(G.rows(), [source], "lengths", levels(cutoff))


def single_target_shortest_path_length(
    G: BackendGraph, target: Any, cutoff: float | None = None
) -> dict[Any, int]:
    not_found(G, target, f"Target {target} is not in G")
    return nx_bfs(G.back(), [target], "lengths", levels(cutoff))


def all_pairs_shortest_path_length(
    G: BackendGraph, cutoff: float | None = None
) -> Iterator[tuple[Any, dict[Any, int]]]:
    for node in G:
        yield node, nx_bfs(G.rows(), [node], "lengths", levels(cutoff))


def single_source_shortest_path(
    G: BackendGraph, source: Any, cutoff: float | None = None
) -> dict[Any, list[Any]]:
    not_found(G, source, f"Source {source} not in G")
    return nx_bfs(G.rows(), [source], "paths", levels(cutoff))


def single_target_shortest_path(
    G: BackendGraph, target: Any, cutoff: float | None = None
) -> dict[Any, list[Any]]:
    not_found(G, target, f"Target {target} not in G")
    return _reversed(nx_bfs(G.back(), [target], "paths", levels(cutoff)))


def _reversed(paths: dict[Any, list[Any]]) -> dict[Any, list[Any]]:
    for path in paths.values():
        path.reverse()
    return paths


def all_pairs_shortest_path(
    G: BackendGraph, cutoff: float | None = None
) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    for node in G:
        yield node, nx_bfs(G.rows(), [node], "paths", levels(cutoff))


def bidirectional_shortest_path(G: BackendGraph, source: Any, target: Any) -> list[Any]:
    not_found(G, source, f"Source {source} is not in G")
    not_found(G, target, f"Target {target} is not in G")
    path = nx_bidirectional(G.rows(), G.back(), source, target)
    if path is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return path


def has_path(G: BackendGraph, source: Any, target: Any) -> bool:
    try:
        bidirectional_shortest_path(G, source, target)
    except nx.NetworkXNoPath:
        return False
    return True


# By Dijkstra's algorithm


def _sources(G: BackendGraph, sources: Any) -> list[Any]:
    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        not_found(G, source, f"Node {source} not found in graph")
    return list(sources)


def dijkstra_path(
    G: BackendGraph, source: Any, target: Any, weight: str | None = "weight"
) -> list[Any]:
    return single_source_dijkstra(G, source, target, None, weight)[1]


def dijkstra_path_length(
    G: BackendGraph, source: Any, target: Any, weight: str | None = "weight"
) -> Any:
    not_found(G, source, f"Node {source} not found in graph")
    if source == target:
        return 0
    if target not in G:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    found = nx_dijkstra(G.rows(weight), [source], "target", None, target)
    if found is None:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return found[0]


def single_source_dijkstra_path(
    G: BackendGraph, source: Any, cutoff: Any = None, weight: str | None = "weight"
) -> dict[Any, list[Any]]:
    return multi_source_dijkstra_path(G, {source}, cutoff, weight)


def single_source_dijkstra_path_length(
    G: BackendGraph, source: Any, cutoff: Any = None, weight: str | None = "weight"
) -> dict[Any, Any]:
    return multi_source_dijkstra_path_length(G, {source}, cutoff, weight)


def single_source_dijkstra(
    G: BackendGraph,
    source: Any,
    target: Any = None,
    cutoff: Any = None,
    weight: str | None = "weight",
) -> tuple[Any, Any]:
    return multi_source_dijkstra(G, {source}, target, cutoff, weight)


def multi_source_dijkstra_path(
    G: BackendGraph, sources: Any, cutoff: Any = None, weight: str | None = "weight"
) -> dict[Any, list[Any]]:
    return multi_source_dijkstra(G, sources, None, cutoff, weight)[1]


def multi_source_dijkstra_path_length(
    G: BackendGraph, sources: Any, cutoff: Any = None, weight: str | None = "weight"
) -> dict[Any, Any]:
    return nx_dijkstra(G.rows(weight), _sources(G, sources), "lengths", cutoff)


def multi_source_dijkstra(
    G: BackendGraph,
    sources: Any,
    target: Any = None,
    cutoff: Any = None,
    weight: str | None = "weight",
) -> tuple[Any, Any]:
    starts = _sources(G, sources)
    if target in sources:
        return 0, [target]
    if target is None:
        return nx_dijkstra(G.rows(weight), starts, "both", cutoff)
    found = nx_dijkstra(G.rows(weight), starts, "target", cutoff, target) if target in G else None
    if found is None:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return found


def all_pairs_dijkstra(
    G: BackendGraph, cutoff: Any = None, weight: str | None = "weight"
) -> Iterator[tuple[Any, tuple[Any, Any]]]:
    for node in G:
        yield node, nx_dijkstra(G.rows(weight), [node], "both", cutoff)


def all_pairs_dijkstra_path(
    G: BackendGraph, cutoff: Any = None, weight: str | None = "weight"
) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    for node in G:
        yield node, nx_dijkstra(G.rows(weight), [node], "paths", cutoff)


def all_pairs_dijkstra_path_length(
    G: BackendGraph, cutoff: Any = None, weight: str | None = "weight"
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    for node in G:
        yield node, nx_dijkstra(G.rows(weight), [node], "lengths", cutoff)


def dijkstra_predecessor_and_distance(
    G: BackendGraph, source: Any, cutoff: Any = None, weight: str | None = "weight"
) -> tuple[dict[Any, list[Any]], dict[Any, Any]]:
    not_found(G, source, f"Node {source} is not found in the graph")
    return nx_dijkstra(G.rows(weight), [source], "before", cutoff)


def bidirectional_dijkstra(
    G: BackendGraph, source: Any, target: Any, weight: str | None = "weight"
) -> tuple[Any, list[Any]]:
    not_found(G, source, f"Source {source} is not in G")
    not_found(G, target, f"Target {target} is not in G")
    if source == target:
        return 0, [source]
    found = nx_bidirectional_dijkstra(G.rows(weight), G.back(weight), source, target)
    if found is None:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return found


# By Bellman and Ford's, with weights that may be negative


def _bellman_ford(
    G: BackendGraph,
    source: Any,
    what: str,
    weight: str | None,
    target: Any = None,
    heuristic: bool = True,
) -> tuple[Any, ...]:
    not_found(G, source, f"Source {source} not in G")
    found = nx_bellman_ford(G.rows(weight), source, what, heuristic, target)
    if found is None:
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    return found


def bellman_ford_path(
    G: BackendGraph, source: Any, target: Any, weight: str | None = "weight"
) -> list[Any]:
    return single_source_bellman_ford(G, source, target, weight)[1]


def bellman_ford_path_length(
    G: BackendGraph, source: Any, target: Any, weight: str | None = "weight"
) -> Any:
    if source == target:
        not_found(G, source, f"Node {source} not found in graph")
        return 0
    lengths, _ = _bellman_ford(G, source, "lengths", weight)
    if target not in lengths:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}")
    return lengths[target]


def single_source_bellman_ford_path(
    G: BackendGraph, source: Any, weight: str | None = "weight"
) -> dict[Any, list[Any]]:
    return single_source_bellman_ford(G, source, None, weight)[1]


def single_source_bellman_ford_path_length(
    G: BackendGraph, source: Any, weight: str | None = "weight"
) -> dict[Any, Any]:
    return _bellman_ford(G, source, "lengths", weight)[0]


def single_source_bellman_ford(
    G: BackendGraph, source: Any, target: Any = None, weight: str | None = "weight"
) -> tuple[Any, Any]:
    if source == target:
        not_found(G, source, f"Node {source} is not found in the graph")
        return 0, [source]
    if target is None:
        lengths, paths = _bellman_ford(G, source, "both", weight)
        return lengths, paths
    found: tuple[Any, ...]
    if target in G:
        found = _bellman_ford(G, source, "target", weight, target)
    else:
        # A negative cycle is an error all the same.
        _bellman_ford(G, source, "lengths", weight)
        found = ()
    if not found:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    length, path = found
    return length, path


def bellman_ford_predecessor_and_distance(
    G: BackendGraph,
    source: Any,
    target: Any = None,
    weight: str | None = "weight",
    heuristic: bool = False,
) -> tuple[dict[Any, list[Any]], dict[Any, Any]]:
    not_found(G, source, f"Node {source} is not found in the graph")
    loops = nx.selfloop_edges(G.nx, data=True)
    if any(data.get(weight, 1) < 0 for *_, data in loops):
        raise nx.NetworkXUnbounded("Negative cycle detected.")
    if len(G) == 1:
        return {source: []}, {source: 0}
    before, lengths = _bellman_ford(G, source, "before", weight, heuristic=heuristic)
    return before, lengths


def all_pairs_bellman_ford_path(
    G: BackendGraph, weight: str | None = "weight"
) -> Iterator[tuple[Any, dict[Any, list[Any]]]]:
    for node in G:
        yield node, single_source_bellman_ford(G, node, None, weight)[1]


def all_pairs_bellman_ford_path_length(
    G: BackendGraph, weight: str | None = "weight"
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    for node in G:
        yield node, single_source_bellman_ford_path_length(G, node, weight)


# By any of these


def _method(weight: str | None, method: str) -> str:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    return "unweighted" if weight is None else method


class _Backwards(BackendGraph):
    """The same graph with all edges turned round."""

    def __init__(self, graph: BackendGraph) -> None:
        super().__init__(graph.nx)
        self._graph = graph

    def rows(self, weight: str | None = None) -> Graph:
        return self._graph.back(weight)

    def back(self, weight: str | None = None) -> Graph:
        return self._graph.rows(weight)


def shortest_path(
    G: BackendGraph,
    source: Any = None,
    target: Any = None,
    weight: str | None = None,
    method: str = "dijkstra",
) -> Any:
    method = _method(weight, method)
    if source is not None and target is not None:
        if method == "unweighted":
            return bidirectional_shortest_path(G, source, target)
        if method == "dijkstra":
            return bidirectional_dijkstra(G, source, target, weight)[1]
        return bellman_ford_path(G, source, target, weight)
    if source is None and target is None:
        if method == "unweighted":
            return all_pairs_shortest_path(G)
        if method == "dijkstra":
            return all_pairs_dijkstra_path(G, weight=weight)
        return all_pairs_bellman_ford_path(G, weight)
    searched, start = (G, source) if target is None else (_Backwards(G), target)
    if method == "unweighted":
        paths = single_source_shortest_path(searched, start)
    elif method == "dijkstra":
        paths = single_source_dijkstra_path(searched, start, weight=weight)
    else:
        paths = single_source_bellman_ford_path(searched, start, weight)
    return paths if target is None else _reversed(paths)


def shortest_path_length(
    G: BackendGraph,
    source: Any = None,
    target: Any = None,
    weight: str | None = None,
    method: str = "dijkstra",
) -> Any:
    method = _method(weight, method)
    if source is not None and target is not None:
        if method == "unweighted":
            return len(bidirectional_shortest_path(G, source, target)) - 1
        if method == "dijkstra":
            return dijkstra_path_length(G, source, target, weight)
        return bellman_ford_path_length(G, source, target, weight)
    if source is None and target is None:
        if method == "unweighted":
            return all_pairs_shortest_path_length(G)
        if method == "dijkstra":
            return all_pairs_dijkstra_path_length(G, weight=weight)
        return all_pairs_bellman_ford_path_length(G, weight)
    searched, start = (G, source) if target is None else (_Backwards(G), target)
    if method == "unweighted":
        return single_source_shortest_path_length(searched, start)
    if method == "dijkstra":
        return single_source_dijkstra_path_length(searched, start, weight=weight)
    return single_source_bellman_ford_path_length(searched, start, weight)


def average_shortest_path_length(
    G: BackendGraph, weight: str | None = None, method: str | None = None
) -> float:
    method = method or ("unweighted" if weight is None else "dijkstra")
    if method not in ("unweighted", "dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    nodes = len(G)
    if nodes == 0:
        raise nx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length"
        )
    if nodes == 1:
        return 0
    if method == "unweighted":
        found = nx_eccentricities(G.rows(), options())
        connected = all(reached == nodes for reached, _, _ in found)
        total: Any = sum(distance for _, _, distance in found)
    else:
        lengths: Iterator[tuple[Any, dict[Any, Any]]]
        if method == "bellman-ford":
            lengths = all_pairs_bellman_ford_path_length(G, weight)
        else:
            lengths = all_pairs_dijkstra_path_length(G, weight=weight)
        connected, total = True, 0
        for _, of_node in lengths:
            connected = connected and len(of_node) == nodes
            total += sum(of_node.values())
            if not connected:
                break
    if not connected:
        strongly = "strongly " if G.is_directed() else ""
        raise nx.NetworkXError(f"Graph is not {strongly}connected.")
    return total / (nodes * (nodes - 1))


# Distances from every node


def eccentricity(
    G: BackendGraph, v: Any = None, sp: None = None, weight: str | None = None
) -> Any:
    nodes = list(G.nx.nbunch_iter(v))
    if weight is None:
        found = nx_eccentricities(G.rows(), options(), nodes)
        reached = [count for count, _, _ in found]
        farthest: list[Any] = [distance for _, distance, _ in found]
    else:
        lengths = [nx_dijkstra(G.rows(weight), [node], "lengths") for node in nodes]
        reached = [len(of_node) for of_node in lengths]
        farthest = [max(of_node.values()) for of_node in lengths]
    if any(count != len(G) for count in reached):
        strongly = (
            "digraph is not strongly connected" if G.is_directed() else "graph is not connected"
        )
        raise nx.NetworkXError(f"Found infinite path length because the {strongly}")
    found_by_node = dict(zip(nodes, farthest, strict=True))
    return found_by_node[v] if v in G else found_by_node


def diameter(
    G: BackendGraph, e: None = None, usebounds: bool = False, weight: str | None = None
) -> Any:
    return max(eccentricity(G, weight=weight).values())


def radius(
    G: BackendGraph, e: None = None, usebounds: bool = False, weight: str | None = None
) -> Any:
    return min(eccentricity(G, weight=weight).values())


def periphery(
    G: BackendGraph, e: None = None, usebounds: bool = False, weight: str | None = None
) -> list[Any]:
    found = eccentricity(G, weight=weight)
    most = max(found.values())
    return [node for node, distance in found.items() if distance == most]


def center(
    G: BackendGraph, e: None = None, usebounds: bool = False, weight: str | None = None
) -> list[Any]:
    found = eccentricity(G, weight=weight)
    least = min(found.values())
    return [node for node, distance in found.items() if distance == least]
