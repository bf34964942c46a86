"""Graphs of NetworkX, converted."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import networkx as nx

from pregel._graphs import plain
from pregel._native import Graph, nx_graph


class BackendGraph:
    """A graph of NetworkX and its rows.

    It belongs to one call or to the cache of the graph, which NetworkX clears when the graph
    changes.
    """

    __networkx_backend__ = "pregel"

    def __init__(self, graph: Any, attribute: str | None, default: Any) -> None:
        self.nx = graph
        self.attribute = attribute
        self.default = default
        self.rows: Graph = self._convert(graph._adj)

    def _convert(self, adjacency: Any) -> Graph:
        multigraph, nodes = self.nx.is_multigraph(), self.nx._node
        return nx_graph(
            nodes if type(nodes) is dict else dict(nodes),
            plain(adjacency, multigraph),
            multigraph,
            self.attribute,
            self.default,
        )

    @cached_property
    def reverse_rows(self) -> Graph:
        """Rows of predecessors, in the order in which NetworkX has them."""
        return self._convert(self.nx._pred) if self.nx.is_directed() else self.rows

    @cached_property
    def smallest_weight(self) -> float | int:
        """The smallest weight; 1 if all are 1."""
        return self.rows._smallest_weight()

    def is_directed(self) -> bool:
        return self.nx.is_directed()

    def is_multigraph(self) -> bool:
        return self.nx.is_multigraph()

    def __len__(self) -> int:
        return len(self.rows)

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
    wanted = list((edge_attrs or {}).items())
    if len(wanted) > 1:
        raise NotImplementedError("the backend reads one edge attribute")
    if not wanted:
        return BackendGraph(graph, None, None)
    attribute, default = wanted[0]
    if not isinstance(attribute, str):
        raise NotImplementedError("edge attributes must be named by text")
    return BackendGraph(graph, attribute, default)


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """What the user gets: graphs of NetworkX are what functions return anyway."""
    return result.nx if isinstance(result, BackendGraph) else result


def not_found(graph: BackendGraph, node: Any, text: str) -> None:
    """Raises as NetworkX does if there is no such node."""
    if node not in graph.nx:
        raise nx.NodeNotFound(text)
