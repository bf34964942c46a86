"""Breadth-first search, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import networkx as nx

from pregel._native import nx_bfs, nx_dijkstra, nx_labeled

from ._graph import BackendGraph, not_found
from ._paths import levels


def _edges(
    G: BackendGraph, source: Any, reverse: bool = False, depth_limit: float | None = None
) -> list[tuple[Any, Any]]:
    if source not in G:
        kind = "digraph" if G.is_directed() else "graph"
        raise nx.NetworkXError(f"The node {source} is not in the {kind}.")
    rows = G.back() if reverse else G.rows()
    return nx_bfs(rows, [source], "edges", levels(depth_limit))


def bfs_edges(
    G: BackendGraph,
    source: Any,
    reverse: bool = False,
    depth_limit: float | None = None,
    sort_neighbors: None = None,
) -> Iterator[tuple[Any, Any]]:
    # As a generator does, it raises when it is first asked.
    yield from _edges(G, source, reverse, depth_limit)


def generic_bfs_edges(
    G: BackendGraph, source: Any, neighbors: None = None, depth_limit: float | None = None
) -> Iterator[tuple[Any, Any]]:
    yield from _edges(G, source, False, depth_limit)


def bfs_labeled_edges(G: BackendGraph, sources: Any) -> Iterator[tuple[Any, Any, str]]:
    if sources in G:
        sources = [sources]
    sources = list(sources)
    for source in sources:
        if source not in G:
            raise KeyError(source)
    yield from nx_labeled(G.rows(), sources, G.is_directed())


def bfs_tree(
    G: BackendGraph,
    source: Any,
    reverse: bool = False,
    depth_limit: float | None = None,
    sort_neighbors: None = None,
) -> nx.DiGraph:
    tree = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(_edges(G, source, reverse, depth_limit))
    return tree


def bfs_predecessors(
    G: BackendGraph, source: Any, depth_limit: float | None = None, sort_neighbors: None = None
) -> Iterator[tuple[Any, Any]]:
    for parent, child in _edges(G, source, False, depth_limit):
        yield child, parent


def bfs_successors(
    G: BackendGraph, source: Any, depth_limit: float | None = None, sort_neighbors: None = None
) -> Iterator[tuple[Any, list[Any]]]:
    edges = _edges(G, source, False, depth_limit)
    if not edges:
        yield source, []
    for parent, group in groupby(edges, key=lambda edge: edge[0]):
        yield parent, [child for _, child in group]


def bfs_layers(G: BackendGraph, sources: Any) -> Iterator[list[Any]]:
    if sources in G:
        sources = [sources]
    sources = list(set(sources))
    for source in sources:
        if source not in G:
            raise nx.NetworkXError(f"The node {source} is not in the graph.")
    yield from nx_bfs(G.rows(), sources, "layers")


def descendants_at_distance(G: BackendGraph, source: Any, distance: int) -> set[Any]:
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    for number, layer in enumerate(nx_bfs(G.rows(), [source], "layers")):
        if number == distance:
            return set(layer)
    return set()


def descendants(G: BackendGraph, source: Any) -> set[Any]:
    return {child for _, child in _edges(G, source)}


def ancestors(G: BackendGraph, source: Any) -> set[Any]:
    return {child for _, child in _edges(G, source, reverse=True)}


def ego_graph(
    G: BackendGraph,
    n: Any,
    radius: float = 1,
    center: bool = True,
    undirected: bool = False,
    distance: str | None = None,
) -> Any:
    if distance is not None:
        not_found(G, n, f"Node {n} not found in graph")
        reached = nx_dijkstra(G.rows(distance), [n], "lengths", radius)
    else:
        not_found(G, n, f"Source {n} is not in G")
        reached = nx_bfs(G.rows(), [n], "lengths", levels(radius))
    part = G.nx.subgraph(reached).copy()
    if not center:
        part.remove_node(n)
    return part
