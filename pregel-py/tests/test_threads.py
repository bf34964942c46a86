"""Threads that share graphs, columns and the backend, with the interpreter's lock and without."""

import subprocess
import sys
import sysconfig
import threading

import networkx as nx
import numpy as np
import pytest

import pregel as pg
from pregel_networkx import backend

THREADS = 8

nx.config.warnings_to_ignore.add("cache")


def together(work):
    """Calls `work` in several threads, which begin at the same moment, and returns all results."""
    barrier = threading.Barrier(THREADS)
    results, errors = [None] * THREADS, []

    def run(at):
        try:
            barrier.wait()
            results[at] = work(at)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(at,)) for at in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python always has the lock"
)
def test_the_lock_stays_off():
    # In a process of its own, because other packages switch it on.
    code = "import sys, pregel, pregel_networkx.info; assert not sys._is_gil_enabled()"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_runs_on_one_graph():
    """Its rows by target are made by the run that needs them first."""
    for round in range(5):
        graph = pg.generate(f"rmat:scale=9,sym=0,seed={round}", weighted=True)
        expected = [
            np.asarray(pg.pagerank(graph, deterministic=True)).tobytes(),
            np.asarray(pg.sssp(graph, 1)).tobytes(),
            pg.scc(graph).to_dict(),
            np.asarray(pg.katz(graph, deterministic=True)).tobytes(),
        ]
        shared = pg.generate(f"rmat:scale=9,sym=0,seed={round}", weighted=True)

        def work(at, graph=shared):
            kinds = [
                lambda: np.asarray(pg.pagerank(graph, deterministic=True)).tobytes(),
                lambda: np.asarray(pg.sssp(graph, 1)).tobytes(),
                lambda: pg.scc(graph).to_dict(),
                lambda: np.asarray(pg.katz(graph, deterministic=True)).tobytes(),
            ]
            return [(at + i) % 4 for i in range(4)], [kinds[(at + i) % 4]() for i in range(4)]

        for order, found in together(work):
            assert found == [expected[kind] for kind in order]


def test_one_column():
    graph = pg.Graph.from_csr([0, 1, 2, 2], [1, 2], nodes=["a", "b", "c"])
    levels = pg.bfs(graph, "a")

    def work(_):
        for _ in range(200):
            assert levels.to_dict() == {"a": 0, "b": 1, "c": 2}
            assert levels["c"] == 2 and graph.nodes == ["a", "b", "c"]
            assert np.asarray(levels).sum() == np.from_dlpack(levels).sum() == 3
            assert memoryview(levels).tolist() == [0, 1, 2]
            assert levels.report.stop == "halted"
        return True

    assert all(together(work))


def test_one_table():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"u": ["x", "y"], "v": ["y", "z"], "w": [1.0, 2.0]})

    def work(_):
        for _ in range(50):
            graph = pg.Graph.from_arrow(table, "u", "v", "w")
            assert pg.sssp(graph, "x").to_dict() == {"x": 0.0, "y": 1.0, "z": 3.0}
        return True

    assert all(together(work))


def test_a_capsule_is_taken_once():
    pa = pytest.importorskip("pyarrow")

    class Once:
        def __init__(self):
            self.capsule = pa.table({"u": [0], "v": [1]}).__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema=None):
            return self.capsule

    for _ in range(50):
        once = Once()

        def work(_, once=once):
            try:
                return pg.Graph.from_arrow(once, "u", "v").edge_count
            except ValueError:
                return None

        found = together(work)
        assert sorted(found, key=str) == [1] + [None] * (THREADS - 1)


def test_the_backend():
    """All threads convert the same graph, and ask for other weights of it."""
    for seed in range(5):
        graph = nx.gnp_random_graph(120, 0.1, seed=seed, directed=True)
        for at, (*_, data) in enumerate(graph.edges(data=True)):
            data.update(weight=at % 7, cost=at % 3)
        weights = ["weight", None, "cost", "nothing"]
        expected = [nx.single_source_dijkstra(graph, 0, weight=weight) for weight in weights]
        ranks = nx.pagerank(graph, weight=None)
        before = backend.calls["single_source_dijkstra"]

        def work(at, graph=graph):
            found = [
                nx.single_source_dijkstra(
                    graph, 0, weight=weights[(at + i) % 4], backend="pregel"
                )
                for i in range(4)
            ]
            return found, nx.pagerank(graph, weight=None, backend="pregel")

        for at, (found, of_thread) in enumerate(together(work)):
            assert found == [expected[(at + i) % 4] for i in range(4)]
            assert of_thread == pytest.approx(ranks)
        assert backend.calls["single_source_dijkstra"] == before + 4 * THREADS


def test_progress_from_several_runs():
    graph = pg.generate("rmat:scale=8")

    def work(_):
        seen = []
        report = pg.pagerank(graph, progress=lambda *step: seen.append(step)).report
        return len(seen) == report.supersteps + 1

    assert all(together(work))
