"""Algorithms against NetworkX and SciPy."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse.csgraph as csgraph

import pregel as pg


def random_graph(seed, directed=True, nodes=60, edges=180):
    rng = np.random.default_rng(seed)
    graph = (nx.DiGraph if directed else nx.Graph)()
    graph.add_nodes_from(range(nodes))
    ends = rng.integers(0, nodes, (edges, 2))
    graph.add_weighted_edges_from((int(u), int(v), int(rng.integers(0, 9))) for u, v in ends)
    return graph


GRAPHS = [random_graph(seed, directed) for seed in range(6) for directed in (True, False)]


@pytest.mark.parametrize("graph", GRAPHS)
def test_levels(graph):
    ours = pg.from_networkx(graph)
    for source in (0, 7):
        levels, parents = pg.bfs(ours, source, parents=True)
        expected = dict(nx.single_source_shortest_path_length(graph, source))
        assert pg.bfs(ours, source).to_dict() == levels.to_dict() == expected
        before = parents.to_dict()
        assert set(before) == set(expected) - {source}
        assert all(graph.has_edge(u, v) and expected[u] + 1 == expected[v] for v, u in before.items())


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_shortest_paths(graph, dtype):
    ours = pg.from_networkx(graph, "weight")
    for sources in ([0], [3, 11, 40]):
        expected = nx.multi_source_dijkstra_path_length(graph, sources)
        found, parents = pg.sssp(ours, sources=sources, dtype=dtype, parents=True)
        assert found.dtype == dtype and found.to_dict() == expected
        before = parents.to_dict()
        assert set(before) == set(expected) - set(sources)
        for v, u in before.items():
            assert expected[u] + graph[u][v]["weight"] == expected[v]
        for start in before:
            node, steps = start, 0
            while node in before:
                node, steps = before[node], steps + 1
                assert steps <= len(graph)
            assert node in sources
    near = nx.multi_source_dijkstra_path_length(graph, [0], cutoff=6)
    assert pg.sssp(ours, 0, cutoff=6, dtype=dtype).to_dict() == near


def test_integers_stay_exact():
    long = 2**53 + 1
    graph = pg.Graph.from_edges([0, 1], [1, 2], [long, long])
    assert pg.sssp(graph, 0).tolist() == [0, long, 2 * long]
    assert pg.sssp(graph, 0, cutoff=2 * long - 1).tolist() == [0, long, 2**63 - 1]


@pytest.mark.parametrize("graph", GRAPHS)
def test_ranks(graph):
    ours = pg.from_networkx(graph, "weight", default=1)
    positive = all(any(d["weight"] for d in row.values()) for row in graph._adj.values() if row)
    some = {0: 2.0, 9: 1.0}
    for given in ({}, {"personalization": some}, {"nstart": some}, {"dangling": some}):
        names = {"personalization": "personalize", "nstart": "start", "dangling": "dangling"}
        keywords = {names[name]: value for name, value in given.items()}
        for weight in (None, "weight") if positive else (None,):
            expected = nx.pagerank(graph, weight=weight, tol=1e-12, max_iter=1000, **given)
            found = pg.pagerank(
                ours, tolerance=1e-12, max_supersteps=1000, weighted=weight is not None, **keywords
            )
            assert found.report.stop == "converged"
            np.testing.assert_allclose(np.asarray(found), list(expected.values()), atol=1e-11)


@pytest.mark.parametrize("graph", GRAPHS)
def test_components(graph):
    ours = pg.from_networkx(graph)
    undirected = graph.to_undirected() if graph.is_directed() else graph
    expected = {frozenset(c) for c in nx.connected_components(undirected)}
    for find in (pg.wcc, pg.hcc):
        assert groups(find(ours)) == expected
    strong = graph if graph.is_directed() else graph.to_directed()
    assert groups(pg.scc(ours)) == {frozenset(c) for c in nx.strongly_connected_components(strong)}


def groups(column):
    found = {}
    for node, label in column.to_dict().items():
        found.setdefault(label, set()).add(node)
    return {frozenset(group) for group in found.values()}


@pytest.mark.parametrize("graph", [g for g in GRAPHS if not g.is_directed()])
def test_structure(graph):
    graph = graph.copy()
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    csr = nx.to_scipy_sparse_array(graph, weight=None, format="csr", dtype=float)
    ours = pg.from_scipy(csr, directed=False)
    assert pg.triangles(ours).to_dict() == nx.triangles(graph)
    assert pg.kcore(ours).to_dict() == nx.core_number(graph)
    np.testing.assert_allclose(np.asarray(pg.lcc(ours)), list(nx.clustering(graph).values()))
    expected = nx.betweenness_centrality(graph, normalized=False)
    np.testing.assert_allclose(np.asarray(pg.betweenness(ours)) / 2, list(expected.values()))
    count, labels = csgraph.connected_components(csr)
    assert len(set(pg.wcc(ours).tolist())) == count


@pytest.mark.parametrize("graph", GRAPHS)
def test_centralities(graph):
    ours = pg.from_networkx(graph)
    for find, theirs in (
        (pg.closeness, nx.closeness_centrality(graph)),
        (pg.harmonic, nx.harmonic_centrality(graph)),
    ):
        np.testing.assert_allclose(np.asarray(find(ours)), list(theirs.values()), rtol=1e-12)
    every = pg.closeness(ours, sources=[*range(60), 3, 3])
    np.testing.assert_array_equal(every, pg.closeness(ours))
    katz = pg.katz(ours, attenuation=0.02, base=2.0, tolerance=1e-12)
    expected = nx.katz_centrality(graph, alpha=0.02, beta=2.0, tol=1e-14, normalized=False)
    np.testing.assert_allclose(np.asarray(katz), list(expected.values()), rtol=1e-10)
    assert pg.katz(ours).report.stop == "converged"
    if not graph.is_directed():
        values = pg.eigenvector(ours, tolerance=1e-12)
        expected = nx.eigenvector_centrality(graph, tol=1e-13, max_iter=1000)
        np.testing.assert_allclose(np.asarray(values), list(expected.values()), atol=1e-9)
    matrix = nx.to_numpy_array(graph, weight=None)
    hubs, authorities = pg.hits(ours, iterations=3000, tolerance=1e-13)
    assert hubs.report.stop == "converged" and hubs.report.algorithm == "hits"
    _, _, right = np.linalg.svd(matrix)
    expected = right[0] / right[0].sum()
    np.testing.assert_allclose(np.asarray(authorities), expected, atol=1e-8)
    np.testing.assert_allclose(
        np.asarray(hubs), matrix @ expected / (matrix @ expected).sum(), atol=1e-8
    )
    assert pg.hits(ours, iterations=1)[0].report.stop == "limit"


@pytest.mark.parametrize("graph", GRAPHS)
def test_colours_and_independent_sets(graph):
    ours = pg.from_networkx(graph)
    edges = [(u, v) for u, v in graph.edges if u != v]
    for seed in (1, 2):
        colours = pg.colouring(ours, seed=seed)
        assert all(colours[u] != colours[v] for u, v in edges)
        most = max(len(set(nx.all_neighbors(graph, v)) - {v}) for v in graph)
        assert min(colours) == 0 and max(colours) <= most
        members = pg.mis(ours, seed=seed)
        assert set(members) == {0, 1}
        assert not any(members[u] and members[v] for u, v in edges)
        for node in graph:
            around = set(nx.all_neighbors(graph, node)) - {node}
            assert members[node] or any(members[other] for other in around)
    assert pg.colouring(ours, seed=1).tolist() != pg.colouring(ours, seed=2).tolist()


@pytest.mark.parametrize("graph", GRAPHS)
def test_widest_and_nearest(graph):
    ours = pg.from_networkx(graph, "weight")
    facilities = [41, 3, 11]
    distances, which = pg.nearest(ours, facilities)
    lengths = {v: nx.single_source_dijkstra_path_length(graph, v) for v in sorted(facilities)}
    expected = {}
    for facility in sorted(facilities):
        for node, length in lengths[facility].items():
            if node not in expected or length < expected[node][0]:
                expected[node] = (length, facility)
    assert distances.to_dict() == {v: length for v, (length, _) in expected.items()}
    assert which.to_dict() == {v: facility for v, (_, facility) in expected.items()}
    for *_, data in graph.edges(data=True):
        data["width"] = data["weight"] + 1
    widths = pg.widest(pg.from_networkx(graph, "width"), 0)
    for bound in range(1, 10):
        wide = nx.DiGraph()
        wide.add_nodes_from(graph)
        wide.add_edges_from(
            (u, v)
            for u in graph
            for v in graph[u]
            if graph[u][v]["width"] >= bound
        )
        reached = {v for v in graph if widths[v] >= bound}
        assert reached == nx.descendants(wide, 0) | {0}
    with pytest.raises(ValueError, match="no weights"):
        pg.nearest(pg.from_networkx(graph), [0])


def test_communities():
    graph = pg.Graph.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3], directed=False)
    labels = pg.cdlp(graph).tolist()
    assert len(set(labels[:3])) == len(set(labels[3:])) == 1 and labels[0] != labels[3]


def test_strategies_agree():
    graph = pg.generate("rmat:scale=9,sym=0")
    expected = np.asarray(pg.bfs(graph, 0, strategy="auto"))
    for strategy in ("push", "pull", "mailbox"):
        np.testing.assert_array_equal(pg.bfs(graph, 0, strategy=strategy), expected)
    same = [np.asarray(pg.pagerank(graph, deterministic=True)).tobytes() for _ in range(3)]
    assert len(set(same)) == 1


def test_single_precision():
    graph = pg.generate("rmat:scale=9")
    ranks = pg.pagerank(graph, dtype="float32")
    assert ranks.dtype == "float32"
    np.testing.assert_allclose(np.asarray(ranks), pg.pagerank(graph), rtol=1e-3)


def test_reports():
    seen = []
    graph = pg.generate("rmat:scale=8")
    ranks = pg.pagerank(graph, engine="cpu", progress=lambda *step: seen.append(step))
    report = ranks.report
    assert (report.engine, report.stop, report.algorithm) == ("cpu", "converged", "pagerank")
    assert len(seen) == len(report.steps) == report.supersteps + 1
    assert [step.number for step in report.steps] == [step[0] for step in seen]
    assert report.messages == sum(step.messages for step in report.steps)
    assert "<table>" in report._repr_html_() and "<svg" in report._repr_html_()
    short = pg.pagerank(graph, max_supersteps=3)
    assert (short.report.stop, short.report.supersteps) == ("limit", 3)
    ended = pg.pagerank(graph, progress=lambda number, *_: number < 2)
    assert (ended.report.stop, ended.report.supersteps) == ("cancelled", 2)


def test_progress_is_printed(capfd):
    pg.wcc(pg.generate("rmat:scale=8"), progress=True)
    assert "superstep 0: " in capfd.readouterr().err


def test_errors_say_what_to_do():
    graph = pg.generate("rmat:scale=5")
    with pytest.raises(ValueError, match='"auto", "cpu", "cuda"'):
        pg.wcc(graph, engine="tpu")
    with pytest.raises(ValueError, match="strategies are"):
        pg.bfs(graph, 0, strategy="pul")
    with pytest.raises(KeyError, match="99 is not a vertex"):
        pg.bfs(graph, 99)
    with pytest.raises(ValueError, match="no weights; bfs"):
        pg.sssp(graph, 0)
    with pytest.raises(TypeError, match="either a source or sources"):
        pg.sssp(graph)
    with pytest.raises(TypeError, match="list of vertices"):
        pg.sssp(graph, sources="ab")
    with pytest.raises(ValueError, match="damping"):
        pg.pagerank(graph, damping=1.5)
    with pytest.raises(ValueError, match="weights of personalize are 0"):
        pg.pagerank(graph, personalize={0: 0.0})
    with pytest.raises(ValueError, match="3 values, but there are 32"):
        pg.pagerank(graph, start=[1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="no weights"):
        pg.pagerank(graph, weighted=True)
    negative = pg.Graph.from_edges([0], [1], [-1.0])
    with pytest.raises(ValueError, match="0 → 1: an edge length is negative"):
        pg.sssp(negative, 0)
    if not pg.gpus():
        with pytest.raises(pg.EngineError, match='engine="cpu" needs no GPU'):
            pg.wcc(graph, engine="cuda")


@pytest.mark.skipif(not pg.gpus(), reason="there is no GPU")
@pytest.mark.parametrize("graph", GRAPHS[:4])
def test_gpus_find_the_same(graph):
    ours = pg.from_networkx(graph, "weight")
    for find in (pg.wcc, pg.scc, pg.kcore, pg.triangles):
        np.testing.assert_array_equal(find(ours, engine="cuda"), find(ours, engine="cpu"))
    levels = pg.bfs(ours, 0, engine="cuda")
    assert levels.report.engine == "cuda"
    np.testing.assert_array_equal(levels, pg.bfs(ours, 0, engine="cpu"))
    ranks = pg.pagerank(ours, engine="cuda", weighted=False)
    np.testing.assert_allclose(ranks, pg.pagerank(ours, engine="cpu", weighted=False), atol=1e-12)


def test_an_empty_graph():
    graph = pg.Graph.from_csr([0], np.zeros(0, np.int32))
    assert len(pg.wcc(graph)) == len(pg.pagerank(graph)) == 0
    with pytest.raises(KeyError):
        pg.bfs(graph, 0)
