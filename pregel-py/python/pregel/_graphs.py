"""Graphs from other libraries, from files and from generators."""

from __future__ import annotations

import os
from typing import Any

from ._native import Graph, nx_graph


def read(
    path: str | os.PathLike[str], *, directed: bool | None = None, weights: bool = True
) -> Graph:
    """Reads a graph file, perhaps compressed. The content tells the format.

    Edge lists (SNAP, CSV, TSV), Matrix Market, DIMACS, METIS, LDBC Graphalytics, BVGraphs of
    WebGraph and snapshots of this project are known. If ``directed`` is ``None``, the format
    decides. Weights are float32.

    Raises ``OSError`` if the file cannot be read, and ``ValueError`` with file and line if
    something in it is wrong.
    """
    return Graph.read(path, directed=directed, weights=weights)


def generate(spec: str, *, weighted: bool = False) -> Graph:
    """A generated graph, such as ``"rmat:scale=16"``, ``"uniform:n=1000,m=16000"`` or
    ``"grid:rows=30,cols=40"``. Weights are integers from 1 to 255, as float32."""
    return Graph.generate(spec, weighted=weighted)


def from_scipy(matrix: Any, *, directed: bool = True, copy: bool | None = None) -> Graph:
    """A graph of a sparse matrix or array of SciPy: the entry in row u and column v is the weight
    of the edge from u to v.

    A matrix in CSR form is used as it is, and ``copy`` is as in :meth:`Graph.from_csr`. Other forms
    are converted, which sums duplicate entries.
    """
    rows, columns = matrix.shape
    if rows != columns:
        raise ValueError(f"the matrix has {rows} rows, but {columns} columns")
    if matrix.format != "csr":
        matrix = matrix.tocsr()
    data = matrix.data
    if data.dtype.kind == "b":
        data = None
    return Graph.from_csr(matrix.indptr, matrix.indices, data, directed=directed, copy=copy)


def from_networkx(
    graph: Any, weight: str | None = None, *, default: float | int | None = 1
) -> Graph:
    """A graph of NetworkX, whose nodes name the vertices.

    ``weight`` is the name of an edge attribute; ``default`` stands for values that are missing. If
    all weights are integers, they are int64, otherwise float64; if all are 1, the graph has no
    weights. An undirected graph becomes a directed one with both directions of every edge.
    """
    nodes, multigraph = graph._node, graph.is_multigraph()
    return nx_graph(
        nodes if type(nodes) is dict else dict(nodes),
        plain(graph._adj, multigraph),
        multigraph,
        weight,
        None if weight is None else default,
    )


def plain(adjacency: Any, multigraph: bool) -> dict[Any, Any]:
    """Dictionaries of dictionaries, as the adjacency of a view is not."""
    if type(adjacency) is dict:
        return adjacency
    if multigraph:
        return {
            u: {v: dict(keyed) for v, keyed in row.items()} for u, row in adjacency.items()
        }
    return {u: dict(row) for u, row in adjacency.items()}
