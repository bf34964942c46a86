"""Distances between all pairs of vertices, against SciPy and NetworkX."""

import gc
import io

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph

import pregel as pg

NO_PATH = 2**31 - 1


def rows(seed, n, density, whole):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 100, (n, n)).astype(np.int64 if whole else np.float64)
    weights[rng.random((n, n)) > density] = 0
    np.fill_diagonal(weights, 0)
    matrix = sp.csr_array(weights)
    graph = pg.Graph.from_csr(matrix.indptr, matrix.indices, matrix.data)
    expected = csgraph.floyd_warshall(matrix)
    return matrix, graph, expected


# The first is done by searches, the others by Floyd–Warshall; 128 has no padding between rows.
@pytest.mark.parametrize(("n", "density"), [(300, 0.004), (70, 0.2), (128, 0.3), (2, 1)])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("paths", [True, False])
def test_distances(n, density, whole, paths):
    matrix, graph, expected = rows(n, n, density, whole)
    found = pg.apsp(graph, paths=paths)
    array = np.asarray(found)
    assert found.dtype == ("int32" if whole else "float32") == str(array.dtype)
    assert found.shape == array.shape == (n, n) and len(found) == n
    np.testing.assert_array_equal(array, np.where(np.isinf(expected), NO_PATH if whole else np.inf, expected))
    narrow = np.asarray(pg.apsp(graph, dtype="float32"))
    np.testing.assert_array_equal(narrow, expected)
    assert found[0, n - 1] == array[0, n - 1]
    assert found.report.stop == "halted" and found.report.engine in ("cpu", "cuda")
    if not paths:
        with pytest.raises(ValueError, match="paths=True"):
            found.path(0, 0)
        return
    lengths = matrix.toarray()
    for u in range(0, n, 7):
        for v in range(n):
            path = found.path(u, v)
            if np.isinf(expected[u, v]):
                assert path is None
                continue
            assert path[0] == u and path[-1] == v
            steps = [lengths[a, b] for a, b in zip(path, path[1:], strict=False)]
            assert all(steps) and sum(steps) == expected[u, v]


def test_names_and_negative_lengths():
    drawn = nx.DiGraph()
    drawn.add_weighted_edges_from([("a", "b", 4), ("b", "c", -2), ("a", "c", 3), ("c", "d", 1)])
    found = pg.apsp(pg.from_networkx(drawn, "weight"), paths=True)
    assert found["a", "d"] == 3 and found["d", "a"] == NO_PATH
    assert found.path("a", "d") == ["a", "b", "c", "d"]
    assert found.path("d", "a") is None and found.path("a", "a") == ["a"]
    assert found.graph.nodes == list(drawn)
    assert repr(found) == "<pregel.Distances of apsp: 4 × 4 × int32>"
    with pytest.raises(KeyError):
        found["a", "e"]
    drawn.add_edge("d", "b", weight=0.5)
    with pytest.raises(ValueError, match="negative cycle goes through"):
        pg.apsp(pg.from_networkx(drawn, "weight"))


def test_without_weights_edges_are_counted():
    drawn = nx.path_graph(5)
    expected = dict(nx.all_pairs_shortest_path_length(drawn))
    found = pg.apsp(pg.from_networkx(drawn))
    assert all(found[u, v] == expected[u][v] for u in drawn for v in drawn)
    assert pg.apsp(pg.from_networkx(drawn), dtype="float32").dtype == "float32"
    assert np.asarray(pg.apsp(pg.Graph.from_csr([0], np.zeros(0, np.int32)))).shape == (0, 0)


def test_what_cannot_be():
    floats = pg.Graph.from_edges([0], [1], [0.5])
    with pytest.raises(ValueError, match="are floats"):
        pg.apsp(floats, dtype="int32")
    with pytest.raises(ValueError, match="expected"):
        pg.apsp(floats, dtype="float64")
    with pytest.raises(ValueError, match="too large for int32"):
        pg.apsp(pg.Graph.from_edges([0], [1], [2**40]))
    for large in (2**30, 2**29, -(2**31)):
        with pytest.raises(ValueError, match="too large for int32"):
            pg.apsp(pg.Graph.from_edges([0, 1], [1, 2], [large, 1]))
    with pytest.raises(ValueError, match="scale the weights down"):
        pg.apsp(pg.Graph.from_edges([0, 1], [1, 2], [2**28, 2**28]))
    with pytest.raises(ValueError, match="not a number"):
        pg.apsp(pg.Graph.from_edges([0], [1], [np.nan]))
    # A terabyte and more.
    with pytest.raises(MemoryError, match="TiB"):
        pg.apsp(pg.generate("uniform:n=1000000,m=10"))


@pytest.mark.parametrize("n", [70, 128])
def test_arrays(n, before_version_1):
    _, graph, _ = rows(5, n, 0.2, True)
    found = pg.apsp(graph)
    array = np.asarray(found)
    assert np.shares_memory(array, np.asarray(found)) and not array.flags.writeable
    assert array.strides == (512, 4)
    same = np.from_dlpack(found)
    assert np.shares_memory(same, array) and not same.flags.writeable
    np.testing.assert_array_equal(same, array)
    copied = np.from_dlpack(found, copy=True)
    copied[0, 0] = 7
    assert found[0, 0] == 0 and copied.strides == (4 * n, 4)
    np.testing.assert_array_equal(np.from_dlpack(before_version_1(found)), array)
    assert np.array(found, dtype=np.float64).dtype == np.float64
    assert found.__array__(np.int64).dtype == np.int64
    written = io.BytesIO()
    if n == 128:
        written.write(found)
        assert written.getvalue() == array.tobytes()
    else:
        with pytest.raises(BufferError, match="padding"):
            written.write(found)
    with pytest.raises(BufferError, match="host"):
        found.__dlpack__(dl_device=(2, 0))
    for _ in range(1000):
        found.__dlpack__()
        found.__dlpack__(max_version=(1, 0))
    expected = array.copy()
    del found, array
    gc.collect()
    np.testing.assert_array_equal(same, expected)


@pytest.mark.skipif(not pg.gpus(), reason="there is no GPU")
@pytest.mark.parametrize("paths", [True, False])
@pytest.mark.parametrize("whole", [True, False])
def test_gpus_find_the_same(whole, paths):
    _, graph, expected = rows(3, 700, 0.02, whole)
    found = pg.apsp(graph, engine="cuda", paths=paths)
    assert found.report.engine == "cuda"
    array = np.asarray(found)
    np.testing.assert_array_equal(array, np.where(np.isinf(expected), NO_PATH if whole else np.inf, expected))
    assert pg.apsp(graph).report.engine == "cuda"
    if paths:
        assert found.path(0, 5)[0] == 0 and found.path(0, 5)[-1] == 5
