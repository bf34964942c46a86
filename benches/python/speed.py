"""How fast the Python package is beside other libraries: conversion, and each algorithm.

    python speed.py [--edges 1000000] [--repeat 3] [--only NAME …] [--skip-networkx]

The wheel must be one that was built with `--release`: the one that `.ci/run` tests is optimised so
little that it takes two to four times as long.

A directed R-MAT graph with weights from 1 to 255 is given to each library as arrays, and to those
that take one as a graph of NetworkX. Times are the smallest of the repetitions: of a call on a graph
that has been converted and used before, and of conversion and call together. Every result is compared with SciPy's, or
with the others' where SciPy has none; a wrong one is marked. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import csgraph

import pregel as pg


def measure(function: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    best, result = float("inf"), None
    for _ in range(repeat):
        gc.collect()
        gc.disable()
        start = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - start)
        gc.enable()
    return best, result


def draw(edges: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """R-MAT as Graph500 has it, without duplicates and self-loops, as rows."""
    scale = max(int(np.log2(edges / 16)), 4)
    rng = np.random.default_rng(1)
    u = np.zeros(edges, np.int64)
    v = np.zeros(edges, np.int64)
    for _ in range(scale):
        at = rng.random(edges)
        u = 2 * u + (at >= 0.76)
        v = 2 * v + (((at >= 0.57) & (at < 0.76)) | (at >= 0.95))
    names = rng.permutation(1 << scale)
    u, v = names[u], names[v]
    keep = u != v
    matrix = sp.csr_array(
        (np.ones(keep.sum(), np.float64), (u[keep], v[keep])), shape=(1 << scale, 1 << scale)
    )
    matrix.sum_duplicates()
    weights = rng.integers(1, 256, matrix.nnz).astype(np.float64)
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), weights


class Pregel:
    name, package = "pregel", "pregel"

    def convert(self, indptr, indices, weights):
        return pg.Graph.from_csr(indptr, indices, weights, copy=False)

    def pagerank(self, graph):
        n = len(graph)
        return np.asarray(pg.pagerank(graph, tolerance=n * 1e-6, weighted=False))

    def bfs(self, graph, source):
        return np.asarray(pg.bfs(graph, source))

    def sssp(self, graph, source):
        return np.asarray(pg.sssp(graph, source))

    def components(self, graph):
        # A component is named by its smallest vertex.
        labels = np.asarray(pg.wcc(graph))
        return int(np.count_nonzero(labels == np.arange(len(labels), dtype=labels.dtype)))


class SciPy:
    name, package = "scipy.sparse.csgraph", "scipy"

    def convert(self, indptr, indices, weights):
        n = len(indptr) - 1
        return sp.csr_array((weights, indices, indptr.astype(np.int32)), shape=(n, n))

    def pagerank(self, matrix):
        # There is none; this is the power iteration of NetworkX on its matrices.
        n = matrix.shape[0]
        ones = sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=(n, n))
        sums = ones.sum(axis=1)
        dangling = np.flatnonzero(sums == 0)
        scaled = sp.dia_array((1 / np.maximum(sums, 1), [0]), shape=(n, n)).tocsr() @ ones
        ranks = np.full(n, 1 / n)
        for _ in range(100):
            before = ranks
            ranks = 0.85 * (ranks @ scaled + ranks[dangling].sum() / n) + 0.15 / n
            if np.abs(ranks - before).sum() < n * 1e-6:
                break
        return ranks

    def bfs(self, matrix, source):
        order, before = csgraph.breadth_first_order(matrix, source)
        levels = np.full(matrix.shape[0], -1, np.int32)
        levels[source] = 0
        # A level is known only behind that of the predecessor, so one after the other.
        parents = before[order]
        found = levels.tolist()
        for v, parent in zip(order[1:].tolist(), parents[1:].tolist()):
            found[v] = found[parent] + 1
        return np.array(found, np.int32)

    def sssp(self, matrix, source):
        return csgraph.dijkstra(matrix, indices=source)

    def components(self, matrix):
        return csgraph.connected_components(matrix, directed=True, connection="weak")[0]


class RustworkX:
    name, package = "rustworkx", "rustworkx"

    def convert(self, indptr, indices, weights):
        import rustworkx as rx

        graph = rx.PyDiGraph(multigraph=False)
        graph.add_nodes_from(range(len(indptr) - 1))
        u = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        graph.extend_from_weighted_edge_list(
            list(zip(u.tolist(), indices.tolist(), weights.tolist(), strict=True))
        )
        return graph

    def pagerank(self, graph):
        import rustworkx as rx

        ranks = rx.pagerank(graph, tol=1e-6)
        return np.array([ranks[v] for v in range(len(graph))])

    bfs = None  # There is no search that returns levels.

    def sssp(self, graph, source):
        import rustworkx as rx

        found = rx.dijkstra_shortest_path_lengths(graph, source, float)
        distances = np.full(len(graph), np.inf)
        distances[source] = 0
        distances[list(found.keys())] = list(found.values())
        return distances

    def components(self, graph):
        import rustworkx as rx

        return rx.number_weakly_connected_components(graph)


class IGraph:
    name, package = "igraph", "igraph"

    def convert(self, indptr, indices, weights):
        import igraph as ig

        n = len(indptr) - 1
        u = np.repeat(np.arange(n), np.diff(indptr))
        graph = ig.Graph(n, np.column_stack([u, indices]), directed=True)
        graph.es["weight"] = weights
        return graph

    def pagerank(self, graph):
        return np.array(graph.pagerank())

    def bfs(self, graph, source):
        found = np.array(graph.distances(source, mode="out")[0])
        return np.where(np.isinf(found), -1, found).astype(np.int32)

    def sssp(self, graph, source):
        return np.array(graph.distances(source, weights="weight", mode="out")[0])

    def components(self, graph):
        return len(graph.connected_components(mode="weak"))


class NetworKit:
    name, package = "networkit", "networkit"

    def convert(self, indptr, indices, weights):
        import networkit as nk

        n = len(indptr) - 1
        u = np.repeat(np.arange(n, dtype=np.uint64), np.diff(indptr))
        edges = (weights, (u, indices.astype(np.uint64)))
        return nk.GraphFromCoo(edges, n, weighted=True, directed=True)

    def pagerank(self, graph):
        import networkit as nk

        # It uses weights, and has no rule that counts the number of vertices.
        plain = nk.graphtools.toUnweighted(graph)
        sinks = nk.centrality.SinkHandling.DistributeSinks
        run = nk.centrality.PageRank(plain, 0.85, 1e-6, distributeSinks=sinks)
        run.norm = nk.centrality.Norm.L1_NORM
        return np.array(run.run().scores())

    def bfs(self, graph, source):
        import networkit as nk

        found = np.array(nk.distance.BFS(graph, source, storePaths=False).run().getDistances())
        return np.where(found > 1e100, -1, found).astype(np.int32)

    def sssp(self, graph, source):
        import networkit as nk

        found = np.array(
            nk.distance.Dijkstra(graph, source, storePaths=False).run().getDistances()
        )
        return np.where(found > 1e100, np.inf, found)

    def components(self, graph):
        import networkit as nk

        return nk.components.WeaklyConnectedComponents(graph).run().numberOfComponents()


LIBRARIES = [Pregel, SciPy, RustworkX, IGraph, NetworKit]


def right(name: str, found: Any, expected: Any) -> bool:
    if name == "components":
        return found == expected
    if name == "pagerank":
        # Others stop by other rules: what counts is that the same ranks are meant.
        return bool(np.abs(found - expected).sum() < 0.1)
    return bool(np.allclose(found, expected))


def arrays(arguments: argparse.Namespace) -> None:
    rows = draw(arguments.edges)
    indptr, indices, _ = rows
    source = int(np.argmax(np.diff(indptr)))
    print(f"\nFrom arrays: {len(indptr) - 1:,} vertices, {len(indices):,} edges; milliseconds\n")
    print("| Library | conversion | PageRank | BFS | SSSP | components |")
    print("|---|---|---|---|---|---|")
    expected: dict[str, Any] = {}
    peer = SciPy()
    matrix = peer.convert(*rows)
    for name in ("pagerank", "bfs", "sssp", "components"):
        call = getattr(peer, name)
        expected[name] = call(matrix, source) if name in ("bfs", "sssp") else call(matrix)
    for make in LIBRARIES:
        library = make()
        if arguments.only and library.name not in arguments.only:
            continue
        try:
            version = importlib.metadata.version(library.package)
        except importlib.metadata.PackageNotFoundError:
            continue
        converted, graph = measure(lambda: library.convert(*rows), 1)
        if converted < 0.5:
            converted, graph = measure(lambda: library.convert(*rows), arguments.repeat)
        cells = [f"{library.name} {version}", f"{1e3 * converted:,.1f}"]
        for name in ("pagerank", "bfs", "sssp", "components"):
            call = getattr(library, name)
            if call is None:
                cells.append("–")
                continue
            more = (source,) if name in ("bfs", "sssp") else ()
            seconds, found = measure(lambda: call(graph, *more), arguments.repeat)
            mark = "" if right(name, found, expected[name]) else " (differs)"
            repeat = arguments.repeat if converted < 0.5 else 1
            first, _ = measure(lambda: call(library.convert(*rows), *more), repeat)
            cells.append(f"{1e3 * seconds:,.1f} / {1e3 * first:,.1f}{mark}")
        print("| " + " | ".join(cells) + " |", flush=True)
        del graph


def networkx(arguments: argparse.Namespace) -> None:
    import networkx as nx

    nx.config.warnings_to_ignore.add("cache")
    indptr, indices, weights = draw(arguments.edges)
    source = int(np.argmax(np.diff(indptr)))
    u = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(indptr) - 1))
    graph.add_weighted_edges_from(
        zip(u.tolist(), indices.tolist(), weights.tolist(), strict=True)
    )
    calls = {
        "PageRank": lambda **k: nx.pagerank(graph, weight=None, **k),
        "BFS": lambda **k: nx.single_source_shortest_path_length(graph, source, **k),
        "SSSP": lambda **k: nx.single_source_dijkstra_path_length(graph, source, **k),
        "components": lambda **k: nx.number_weakly_connected_components(graph, **k),
    }
    print(f"\nFrom a graph of NetworkX: {len(graph):,} nodes, {len(indices):,} edges; milliseconds\n")
    print("| | " + " | ".join(calls) + " |")
    print("|---|---|---|---|---|")

    def first(call: Callable[..., Any]) -> Callable[[], Any]:
        def run() -> Any:
            graph.__networkx_cache__.clear()
            return call(backend="pregel")

        return run

    expected = {}
    cells = []
    for name, call in calls.items():
        seconds, expected[name] = measure(call, 1)
        cells.append(f"{1e3 * seconds:,.1f}")
    print("| NetworkX | " + " | ".join(cells) + " |", flush=True)
    for title, wrap in (
        ("the backend, first call", first),
        ("the backend, later calls", lambda call: lambda: call(backend="pregel")),
    ):
        cells = []
        for name, call in calls.items():
            seconds, found = measure(wrap(call), arguments.repeat)
            agree = (
                found == expected[name]
                if name != "PageRank"
                else max(abs(found[v] - expected[name][v]) for v in found) < 1e-12
            )
            cells.append(f"{1e3 * seconds:,.1f}{'' if agree else ' (differs)'}")
        print(f"| {title} | " + " | ".join(cells) + " |", flush=True)
    try:
        import rustworkx as rx

        seconds, _ = measure(lambda: rx.networkx_converter(graph), 1)
        print(f"\n`rustworkx.networkx_converter` takes {1e3 * seconds:,.0f} ms.")
    except ImportError:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--skip-networkx", action="store_true")
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} cores; the smallest of {arguments.repeat}")
    arrays(arguments)
    if not arguments.skip_networkx:
        networkx(arguments)


if __name__ == "__main__":
    main()
