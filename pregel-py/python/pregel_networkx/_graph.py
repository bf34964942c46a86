"""Graphs of NetworkX, converted."""

from __future__ import annotations

from typing import Any

import networkx as nx

from pregel._graphs import plain
from pregel._native import Graph, nx_graph


class BackendGraph:
    """A graph of NetworkX and its rows.

    It belongs to one call or to the cache of the graph, which NetworkX clears when the graph
    changes. NetworkX takes a graph from the cache if it has at least the attributes that a call
    needs, so rows with other attributes, or without any, are made when they are asked for.
    """

    __networkx_backend__ = "pregel"

    def __init__(self, graph: Any) -> None:
        self.nx = graph
        self._rows: dict[tuple[bool, str | None], Graph] = {}

    def rows(self, weight: str | None = None) -> Graph:
        """Rows of successors, in the order of NetworkX, with the values of an edge attribute, 1
        where it is missing."""
        return self._with(weight, False)

    def back(self, weight: str | None = None) -> Graph:
        """Rows of predecessors, likewise."""
        return self._with(weight, self.nx.is_directed())

    def _with(self, weight: str | None, back: bool) -> Graph:
        found = self._rows.get((back, weight))
        if found is None:
            # A copy, because other threads may add to it.
            made = self._rows.copy().items()
            others = (rows for (other, _), rows in made if other == back)
            other = next(others, None)
            if weight is None and other is not None:
                found = other._without_weights()
            else:
                found = self._convert(self.nx._pred if back else self.nx._adj, weight)
            self._rows[back, weight] = found
        return found

    def _convert(self, adjacency: Any, weight: str | None) -> Graph:
        multigraph, nodes = self.nx.is_multigraph(), self.nx._node
        return nx_graph(
            nodes if type(nodes) is dict else dict(nodes),
            plain(adjacency, multigraph),
            multigraph,
            weight,
            None if weight is None else 1,
        )

    def is_directed(self) -> bool:
        return self.nx.is_directed()

    def is_multigraph(self) -> bool:
        return self.nx.is_multigraph()

    def __len__(self) -> int:
        return len(self.nx)

    def __contains__(self, node: Any) -> bool:
        return node in self.nx

    def __iter__(self) -> Any:
        return iter(self.nx)


def convert_from_nx(
    graph: Any,
    *,
    edge_attrs: dict[str, Any] | None = None,
    node_attrs: dict[str, Any] | None = None,
    preserve_edge_attrs: bool = False,
    preserve_node_attrs: bool = False,
    preserve_graph_attrs: bool = False,
    name: str | None = None,
    graph_name: str | None = None,
) -> BackendGraph:
    """Converts a graph, with the edge attribute that is asked for."""
    if isinstance(graph, BackendGraph):
        return graph
    converted = BackendGraph(graph)
    if not edge_attrs:
        converted.rows()
    for attribute, default in (edge_attrs or {}).items():
        if not isinstance(attribute, str) or default != 1:
            raise NotImplementedError("edge attributes must have text as names, and 1 as default")
        converted.rows(attribute)
    return converted


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """What the user gets: graphs of NetworkX are what functions return anyway."""
    return result.nx if isinstance(result, BackendGraph) else result


def not_found(graph: BackendGraph, node: Any, text: str) -> None:
    """Raises as NetworkX does if there is no such node."""
    if node not in graph.nx:
        raise nx.NodeNotFound(text)
