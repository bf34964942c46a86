"""Graphs from arrays, tables, files and other libraries."""

import array
import gc
import weakref

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pregel as pg

INDPTR = np.array([0, 2, 3, 3], dtype=np.int64)
INDICES = np.array([1, 2, 2], dtype=np.int32)


def test_rows_keep_the_order_given():
    graph = pg.Graph.from_csr([0, 3, 3, 3, 3], [3, 1, 2])
    assert graph.neighbors(0) == [3, 1, 2]
    assert (graph.vertex_count, graph.edge_count, len(graph)) == (4, 3, 4)
    assert graph.directed and graph.weight_type is None


@pytest.mark.parametrize("indptr", [np.int32, np.int64, np.uint32, np.uint64])
@pytest.mark.parametrize("indices", [np.int32, np.int64, np.uint32, np.uint64])
def test_all_integers_are_taken(indptr, indices):
    graph = pg.Graph.from_csr(INDPTR.astype(indptr), INDICES.astype(indices))
    assert [graph.neighbors(v) for v in range(3)] == [[1, 2], [2], []]


@pytest.mark.parametrize(
    ("given", "kept"),
    [("float32", "float32"), ("float64", "float64"), ("int64", "int64"), ("int32", "int64")],
)
def test_weights_keep_their_type(given, kept):
    weights = np.array([5, 7, 9], dtype=given)
    graph = pg.Graph.from_csr(INDPTR, INDICES, weights)
    assert graph.weight_type == kept
    distances = pg.sssp(graph, 0)
    assert distances.dtype == kept
    assert distances.to_dict() == {0: 0, 1: 5, 2: 7}


def test_a_writable_array_is_copied():
    indices = INDICES.copy()
    graph = pg.Graph.from_csr(INDPTR, indices)
    indices[:] = 0
    assert graph.neighbors(0) == [1, 2]


def test_a_read_only_array_is_borrowed_and_kept_alive():
    indices = INDICES.copy()
    indices.flags.writeable = False
    graph = pg.Graph.from_csr(INDPTR, indices)
    kept = weakref.ref(indices)
    del indices
    gc.collect()
    assert kept() is not None
    assert graph.neighbors(0) == [1, 2]
    del graph
    gc.collect()
    assert kept() is None


def test_copying_can_be_forced_or_forbidden():
    indices = INDICES.copy()
    kept = weakref.ref(indices)
    graph = pg.Graph.from_csr(INDPTR, indices, copy=False)
    del indices
    assert kept() is not None and graph.neighbors(1) == [2]
    indices = INDICES.copy()
    indices.flags.writeable = False
    kept = weakref.ref(indices)
    graph = pg.Graph.from_csr(INDPTR, indices, copy=True)
    del indices
    assert kept() is None and graph.neighbors(1) == [2]


def test_strided_arrays_and_sequences():
    twice = np.repeat(INDICES, 2)[::2]
    assert pg.Graph.from_csr(INDPTR, twice).neighbors(0) == [1, 2]
    assert pg.Graph.from_csr(array.array("q", [0, 1, 1]), [1]).neighbors(0) == [1]


@pytest.mark.parametrize(
    ("indptr", "indices", "weights", "says"),
    [
        ([0, 2, 1, 3], [1, 2, 2], None, "ascend"),
        ([0, 2, 3, 4], [1, 2, 2], None, "end at 4"),
        ([0, 2, 3, 3], [1, 2, 3], None, "vertex 3"),
        ([0, 2, 3, 3], [1, -1, 2], None, "-1"),
        ([-1, 2, 3, 3], [1, 2, 2], None, "ascend"),
        ([0, 2, 3, 3], [1, 2, 2], [1.0], "1 edge values"),
        ([0, 2, 3, 3], [[1, 2, 2]], None, "TypeError|dimensions|numbers"),
        (np.zeros(0, np.int64), [], None, "ascend"),
    ],
)
def test_wrong_rows_are_refused(indptr, indices, weights, says):
    with pytest.raises((ValueError, TypeError), match=says if "|" not in says else None):
        pg.Graph.from_csr(indptr, indices, weights)


def test_negative_indices_of_an_array_are_refused():
    with pytest.raises(ValueError, match="negative"):
        pg.Graph.from_csr(INDPTR, np.array([1, -5, 2], dtype=np.int32))
    with pytest.raises(TypeError, match="floats"):
        pg.Graph.from_csr(INDPTR, np.array([1.0, 2.0, 2.0]))
    with pytest.raises(TypeError, match="complex|type"):
        pg.Graph.from_csr(INDPTR, np.array([1j, 2, 2]))


def test_undirected_rows_must_be_symmetric():
    with pytest.raises(ValueError, match="directed=True"):
        pg.Graph.from_csr(INDPTR, INDICES, directed=False)
    graph = pg.Graph.from_csr([0, 1, 2], [1, 0], directed=False)
    assert not graph.directed and graph.edge_count == 2


def test_edges():
    graph = pg.Graph.from_edges([2, 0, 0], [1, 2, 1], directed=False)
    assert [graph.neighbors(v) for v in range(3)] == [[1, 2], [0, 2], [0, 1]]
    graph = pg.Graph.from_edges([0, 0], [1, 1], [3, 2], duplicates="smallest", vertex_count=5)
    assert pg.sssp(graph, 0).to_dict() == {0: 0, 1: 2} and len(graph) == 5
    with pytest.raises(ValueError, match="2 sources, but 1 targets"):
        pg.Graph.from_edges([0, 1], [1])
    with pytest.raises(ValueError, match="names vertex 7"):
        pg.Graph.from_edges([0], [7], vertex_count=3)
    with pytest.raises(ValueError, match="duplicates"):
        pg.Graph.from_edges([0], [1], duplicates="biggest")


def test_nodes_of_ones_own():
    nodes = ["a", ("b", 2), frozenset({3})]
    graph = pg.Graph.from_csr(INDPTR, INDICES, nodes=nodes)
    assert graph.nodes == nodes and graph.index(("b", 2)) == 1
    assert pg.bfs(graph, "a").to_dict() == {"a": 0, ("b", 2): 1, frozenset({3}): 1}
    assert pg.bfs(graph, "a")[("b", 2)] == 1
    with pytest.raises(KeyError, match="'c' is not a vertex"):
        graph.index("c")
    with pytest.raises(ValueError, match="distinct"):
        pg.Graph.from_csr(INDPTR, INDICES, nodes=[1, 1.0, 2])
    with pytest.raises(ValueError, match="3 rows, but 2 nodes"):
        pg.Graph.from_csr(INDPTR, INDICES, nodes=[1, 2])
    graph.nodes.append("more")
    assert graph.nodes == nodes


def test_scipy():
    matrix = sp.random_array((200, 200), density=0.05, rng=np.random.default_rng(7), format="csr")
    graph = pg.from_scipy(matrix)
    expected = sp.csgraph.dijkstra(matrix, indices=3)
    np.testing.assert_allclose(np.asarray(pg.sssp(graph, 3)), expected, rtol=1e-15)
    np.testing.assert_allclose(np.asarray(pg.sssp(pg.from_scipy(matrix.tocoo()), 3)), expected)
    with pytest.raises(ValueError, match="2 rows, but 3 columns"):
        pg.from_scipy(sp.csr_array((2, 3)))


def test_a_relation_of_duckdb_is_a_table():
    duckdb = pytest.importorskip("duckdb")
    rows = "('a', 'b', 1.5), ('b', 'c', 2.0), ('a', 'c', 9.0)"
    relation = duckdb.sql(f"SELECT * FROM (VALUES {rows}) AS edges(u, v, w)")
    graph = pg.Graph.from_arrow(relation, "u", "v", "w")
    assert pg.sssp(graph, "a").to_dict() == {"a": 0.0, "b": 1.5, "c": 3.5}


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_tables(library):
    table = pytest.importorskip(library)
    columns = {"u": ["a", "b", "a"], "v": ["b", "c", "c"], "w": [1.5, 2.0, 9.0]}
    make = {"polars": "DataFrame", "pandas": "DataFrame", "pyarrow": "table"}[library]
    graph = pg.Graph.from_arrow(getattr(table, make)(columns), "u", "v", "w")
    assert graph.nodes == ["a", "b", "c"] and graph.weight_type == "float64"
    assert pg.sssp(graph, "a").to_dict() == {"a": 0.0, "b": 1.5, "c": 3.5}
    numbers = {"u": [70, 5, 2**40], "v": [5, 2**40, 70]}
    graph = pg.Graph.from_arrow(getattr(table, make)(numbers), "u", "v", directed=False)
    assert graph.nodes == [5, 70, 2**40] and graph.neighbors(70) == [5, 2**40]


def test_wrong_tables():
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"u": [1, None], "v": [2, 3], "name": ["x", "y"], "f": [0.5, 1.5]})
    with pytest.raises(ValueError, match="«u» has nulls"):
        pg.Graph.from_arrow(table, "u", "v")
    with pytest.raises(ValueError, match="no column «q»; there are u, v, name, f"):
        pg.Graph.from_arrow(table, "v", "q")
    with pytest.raises(ValueError, match="both"):
        pg.Graph.from_arrow(table, "v", "name")
    with pytest.raises(ValueError, match="«f» holds Float64"):
        pg.Graph.from_arrow(table, "f", "f")
    negative = pa.table({"u": [-1], "v": [2]})
    with pytest.raises(ValueError, match="negative"):
        pg.Graph.from_arrow(negative, "u", "v")
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        pg.Graph.from_arrow({"u": [1]}, "u", "v")


def test_tables_in_pieces_and_with_dictionaries():
    pa = pytest.importorskip("pyarrow")
    names = pa.chunked_array([["b", "a"], ["c"]]).dictionary_encode()
    table = pa.table({"u": names, "v": pa.chunked_array([["a"], ["c", "b"]])})
    graph = pg.Graph.from_arrow(table, "u", "v")
    assert graph.nodes == ["b", "a", "c"]
    assert [graph.neighbors(node) for node in "bac"] == [["a"], ["c"], ["b"]]


def test_networkx():
    graph = nx.Graph()
    graph.add_edge("x", (1, 2), weight=2**53 + 1)
    graph.add_edge((1, 2), 3)
    ours = pg.from_networkx(graph, "weight")
    assert ours.weight_type == "int64" and ours.nodes == ["x", (1, 2), 3]
    assert pg.sssp(ours, "x").to_dict() == {"x": 0, (1, 2): 2**53 + 1, 3: 2**53 + 2}
    assert pg.from_networkx(graph).weight_type is None
    view = nx.subgraph_view(graph, filter_node=lambda node: node != 3)
    assert pg.from_networkx(view).nodes == ["x", (1, 2)]
    multi = nx.MultiDiGraph([(0, 1), (0, 1), (1, 0)])
    assert pg.from_networkx(multi).neighbors(0) == [1, 1]


def test_files(tmp_path):
    path = tmp_path / "graph.csv"
    path.write_text("ann bob 2.5\nbob cid 1\n")
    graph = pg.read(path)
    assert graph.nodes == ["ann", "bob", "cid"] and graph.weight_type == "float32"
    assert pg.sssp(graph, "ann")["cid"] == 3.5
    assert pg.read(str(path), weights=False).weight_type is None
    with pytest.raises(FileNotFoundError, match="missing"):
        pg.read(tmp_path / "missing.txt")
    path.write_text("1 2\n3\n")
    with pytest.raises(ValueError, match=r"graph.csv:?.*2"):
        pg.read(path)


def test_generators():
    graph = pg.generate("grid:rows=3,cols=4,drop=0")
    assert len(graph) == 12 and not graph.directed
    assert pg.generate("rmat:scale=6", weighted=True).weight_type == "float32"
    with pytest.raises(ValueError, match="rmat:scale=x"):
        pg.generate("rmat:scale=x")


def test_a_graph_is_collected_with_nodes_that_refer_to_it():
    class Node:
        pass

    node = Node()
    graph = pg.Graph.from_csr([0, 0], np.zeros(0, np.int32), nodes=[node])
    node.graph = graph
    gone = weakref.ref(graph)
    del node, graph
    gc.collect()
    assert gone() is None
