"""The backend of NetworkX against NetworkX: the same results, in the same order."""

import importlib.metadata
import inspect
import random
import subprocess
import sys
import types

import networkx as nx
import numpy as np
import pytest

from pregel_networkx import backend
from pregel_networkx.info import FUNCTIONS

nx.config.warnings_to_ignore.add("cache")


def graphs():
    return list(_graphs())


def _graphs():
    """Small graphs of all four kinds, with names of all kinds, weights of all kinds and gaps."""
    for seed in range(24):
        chance = random.Random(seed)
        kind = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)[seed % 4]
        graph = kind()
        nodes = [chance.choice((v, f"n{v}", (v, "t"))) for v in range(chance.randrange(1, 25))]
        if seed % 3 == 0:
            nodes = list(range(len(nodes)))
        chance.shuffle(nodes)
        graph.add_nodes_from(nodes)
        for _ in range(chance.randrange(4 * len(nodes))):
            weight = {
                0: lambda: chance.randrange(5),
                1: lambda: chance.random(),
                2: lambda: 2**53 + chance.randrange(9),
            }[seed // 4 % 3]()
            # The default is an integer; with floats, the backend would make it one.
            missing = seed // 4 % 3 != 1 and chance.random() < 0.1
            keywords = {} if missing else {"weight": weight}
            graph.add_edge(chance.choice(nodes), chance.choice(nodes), **keywords)
        yield pytest.param(graph, id=f"{kind.__name__}-{seed}")


def same(ours, theirs):
    """Whether two results are equal, down to the order of dictionaries and to types."""
    if isinstance(theirs, types.GeneratorType) or hasattr(theirs, "__next__"):
        ours, theirs = list(ours), list(theirs)
    if isinstance(theirs, nx.Graph):
        assert type(ours) is type(theirs)
        assert list(ours.nodes(data=True)) == list(theirs.nodes(data=True))
        assert list(ours.edges(data=True)) == list(theirs.edges(data=True))
    elif isinstance(theirs, dict):
        same(list(ours.items()), list(theirs.items()))
    elif isinstance(theirs, (list, tuple)):
        assert type(ours) is type(theirs) and len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            same(one, other)
    else:
        assert ours == theirs and type(ours) is type(theirs)


def both(name, *args, **kwargs):
    """Calls the function of NetworkX and that of the backend; errors must be the same, too."""
    function = getattr(nx, name)
    before = backend.calls[name]

    def outcome(call):
        try:
            result = call()
            if hasattr(result, "__next__"):
                result = list(result)
            return result, None
        except Exception as error:
            return None, error

    theirs, their_error = outcome(lambda: function(*args, **kwargs))
    ours, our_error = outcome(lambda: function(*args, backend="pregel", **kwargs))
    if their_error is not None:
        assert type(our_error) is type(their_error), (our_error, their_error)
        assert str(our_error) == str(their_error)
    else:
        if our_error is not None:
            raise our_error
        assert backend.calls[name] > before, f"{name} did not run in the backend"
    return ours, theirs


NO_ARGUMENTS = """all_pairs_shortest_path all_pairs_shortest_path_length all_pairs_dijkstra
    all_pairs_dijkstra_path all_pairs_dijkstra_path_length number_connected_components is_connected
    connected_components weakly_connected_components number_weakly_connected_components
    is_weakly_connected number_strongly_connected_components is_strongly_connected
    strongly_connected_components isolates number_of_isolates eccentricity
    diameter radius periphery average_shortest_path_length""".split()

ONE_NODE = """single_source_shortest_path single_source_shortest_path_length
    single_target_shortest_path single_target_shortest_path_length single_source_dijkstra
    single_source_dijkstra_path single_source_dijkstra_path_length bfs_edges bfs_tree
    bfs_predecessors bfs_successors bfs_labeled_edges generic_bfs_edges descendants ancestors
    node_connected_component ego_graph
    dijkstra_predecessor_and_distance""".split()

TWO_NODES = """dijkstra_path dijkstra_path_length bidirectional_dijkstra
    bidirectional_shortest_path has_path shortest_path shortest_path_length""".split()


@pytest.mark.parametrize("graph", graphs())
def test_without_arguments(graph):
    for name in NO_ARGUMENTS:
        same(*both(name, graph))
    for weight in (None, "weight"):
        for name in ("shortest_path", "shortest_path_length"):
            same(*both(name, graph, weight=weight))
        for name in ("average_shortest_path_length", "diameter", "radius", "eccentricity"):
            close(*both(name, graph, weight=weight))
        same(*both("periphery", graph, weight=weight))
        # NetworkX lists the centre of a tree in another order.
        ours, theirs = both("center", graph, weight=weight)
        assert (ours and set(ours)) == (theirs and set(theirs))


def close(ours, theirs):
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        ours, theirs = list(ours.values()), list(theirs.values())
    assert ours == (theirs if theirs is None else pytest.approx(theirs, rel=1e-13))


@pytest.mark.parametrize("graph", graphs())
def test_from_a_node(graph):
    for node in [*list(graph)[:4], "nowhere"]:
        for name in ONE_NODE:
            same(*both(name, graph, node))
        for cutoff in (0, 1, 1.5, 2):
            for name in ONE_NODE[:4]:
                same(*both(name, graph, node, cutoff))
            same(*both("single_source_dijkstra", graph, node, cutoff=cutoff))
            same(*both("bfs_edges", graph, node, depth_limit=cutoff, reverse=True))
            same(*both("ego_graph", graph, node, cutoff, center=False))
            same(*both("ego_graph", graph, node, cutoff, distance="weight"))
            same(*both("descendants_at_distance", graph, node, cutoff))
        for weight in (None, "weight"):
            for name in ("shortest_path", "shortest_path_length"):
                same(*both(name, graph, source=node, weight=weight))
                same(*both(name, graph, target=node, weight=weight))
    some = list(graph)[:3]
    for name in ("multi_source_dijkstra", "multi_source_dijkstra_path"):
        same(*both(name, graph, some))
    same(*both("multi_source_dijkstra_path_length", graph, some, cutoff=3))
    same(*both("multi_source_dijkstra", graph, some, target=list(graph)[-1]))
    same(*both("multi_source_dijkstra", graph, []))
    same(*both("bfs_layers", graph, some))
    same(*both("bfs_labeled_edges", graph, some))
    for node in graph:
        same(*both("is_isolate", graph, node))


@pytest.mark.parametrize("graph", graphs())
def test_between_nodes(graph):
    nodes = [*list(graph)[:5], "nowhere"]
    for source in nodes:
        for target in nodes:
            for name in TWO_NODES:
                same(*both(name, graph, source, target))
            for name in ("shortest_path", "shortest_path_length"):
                same(*both(name, graph, source, target, weight="weight"))


@pytest.mark.parametrize("graph", graphs())
def test_bellman_ford(graph):
    bellman_ford(graph)


@pytest.mark.parametrize("graph", graphs())
def test_bellman_ford_with_negative_weights(graph):
    """Where there are cycles, some are negative, which is an error; without cycles none is."""
    chance = random.Random(len(graph))
    negative = graph.copy()
    places = {node: at for at, node in enumerate(graph)}
    without_cycles = graph.copy()
    for changed in (negative, without_cycles):
        for *_, data in changed.edges(data=True):
            if chance.random() < 0.2 and "weight" in data:
                data["weight"] = -data["weight"]
    if graph.is_directed():
        back = [edge for edge in graph.edges if places[edge[0]] >= places[edge[1]]]
        without_cycles.remove_edges_from(back)
        bellman_ford(without_cycles)
    bellman_ford(negative)


def bellman_ford(graph):
    nodes = [*list(graph)[:4], "nowhere"]
    for node in nodes:
        for name in ONE_NODE_BELLMAN_FORD:
            same(*both(name, graph, node))
            same(*both(name, graph, node, weight=None))
        for heuristic in (True, False):
            for target in (None, nodes[-1]):
                keywords = {"heuristic": heuristic, "target": target}
                same(*both("bellman_ford_predecessor_and_distance", graph, node, **keywords))
        for target in [*list(graph)[-3:], "nowhere"]:
            for name in ("bellman_ford_path_length", "bellman_ford_path"):
                same(*both(name, graph, node, target))
            same(*both("single_source_bellman_ford", graph, node, target))
            for name in ("shortest_path", "shortest_path_length"):
                same(*both(name, graph, node, target, weight="weight", method="bellman-ford"))
    for name in ("all_pairs_bellman_ford_path", "all_pairs_bellman_ford_path_length"):
        same(*both(name, graph))


ONE_NODE_BELLMAN_FORD = """single_source_bellman_ford single_source_bellman_ford_path
    single_source_bellman_ford_path_length bellman_ford_predecessor_and_distance""".split()


@pytest.mark.parametrize("graph", graphs())
def test_ranks(graph):
    some = {node: float(at % 3) for at, node in enumerate(graph)}
    for keywords in (
        {},
        {"weight": None},
        {"alpha": 0.5, "tol": 1e-10, "max_iter": 500},
        {"personalization": some},
        {"nstart": some, "dangling": some, "weight": None},
        {"max_iter": 2},
        {"max_iter": 0},
        {"personalization": {}},
        {"tol": 10.0},
    ):
        weights = keywords.get("weight", "weight")
        sums = [graph.out_degree(v, weights) if graph.is_directed() else graph.degree(v, weights)
                for v in graph if any(graph[v])]
        if 0 in sums:
            # All edges of a node have weight 0, which the backend leaves to NetworkX.
            given = (NotImplementedError, ZeroDivisionError, nx.PowerIterationFailedConvergence)
            with pytest.raises(given):
                nx.pagerank(graph, backend="pregel", **keywords)
            continue
        close(*both("pagerank", graph, **keywords))


@pytest.mark.parametrize("graph", graphs())
def test_google_matrix(graph):
    some = {node: float(at % 3) for at, node in enumerate(graph)}
    turned = list(graph)[::-1]
    for keywords in (
        {},
        {"weight": None, "alpha": 0.5},
        {"personalization": some, "nodelist": turned},
        {"dangling": some, "personalization": {next(iter(graph)): 2}},
        {"personalization": {}},
    ):
        ours, theirs = both("google_matrix", graph, **keywords)
        if theirs is not None:
            assert ours.dtype == theirs.dtype
            np.testing.assert_allclose(ours, theirs, rtol=1e-14)
    with pytest.raises(NotImplementedError):
        nx.google_matrix(graph, nodelist=[*graph, "nowhere"], backend="pregel")
    assert nx.google_matrix(type(graph)(), backend="pregel").shape == (0, 0)


def near(ours, theirs):
    """Whether two centralities are equal but for the last digits, in the same order."""
    if theirs is not None:
        assert list(ours) == list(theirs)
        assert all(type(value) is float for value in ours.values())
        assert list(ours.values()) == pytest.approx(list(theirs.values()), rel=1e-10, abs=1e-14)


@pytest.mark.parametrize("graph", graphs())
def test_power_iterations(graph):
    start = {node: 1.0 + at % 3 for at, node in enumerate(reversed(list(graph)))}
    most = max((degree for _, degree in graph.degree()), default=1) + 1
    for keywords in (
        {"alpha": 0.9 / most},
        {"alpha": 0.5 / most, "normalized": False, "tol": 1e-9},
        {"alpha": 0.5 / most, "beta": start, "nstart": start},
        {"alpha": 0.001 / most, "weight": "weight", "max_iter": 60},
        {"alpha": 5.0, "max_iter": 20},
        {"beta": {"nowhere": 1.0}},
        {"beta": 0},
        {"max_iter": 0},
    ):
        near(*both_or_neither("katz_centrality", graph, **keywords))
    for keywords in (
        {},
        {"max_iter": 500, "tol": 1e-10},
        {"max_iter": 500, "nstart": start, "weight": "weight"},
        {"max_iter": 1},
        {"nstart": dict.fromkeys(graph, 0)},
        {"nstart": {"nowhere": 0}},
    ):
        near(*both_or_neither("eigenvector_centrality", graph, **keywords))
    if not graph.is_multigraph():
        for name in ("katz_centrality", "eigenvector_centrality"):
            with pytest.raises(NotImplementedError):
                getattr(nx, name)(graph, nstart={**start, "nowhere": 1.0}, backend="pregel")
            both(name, type(graph)())


# Since NetworkX 3.7, there is another method, which is the default.
SVD = {"method": "svd"} if "method" in inspect.signature(nx.hits).parameters else {}


@pytest.mark.parametrize("graph", graphs())
def test_hubs_and_authorities(graph):
    """Only where the largest singular value is the only one of its size are they defined."""
    both("hits", type(graph)(), **SVD)
    if SVD:
        both("hits", graph, method="no method")
        with pytest.raises(NotImplementedError):
            nx.hits(graph, backend="pregel")
    if len(graph) > 1:
        both("hits", graph, max_iter=0, **SVD)
    matrix = nx.to_numpy_array(graph)
    values = np.linalg.svd(matrix, compute_uv=False)
    if len(values) < 2 or values[0] == 0 or values[1] > 0.99999 * values[0]:
        with pytest.raises(NotImplementedError):
            nx.hits(graph, backend="pregel", **SVD)
        return
    if values[1] < 0.97 * values[0]:
        start = {node: 1.0 + at % 3 for at, node in enumerate(graph)}
        for keywords in ({}, {"nstart": start}):
            found = both("hits", graph, **SVD, **keywords)
            for ours, theirs in zip(*found, strict=True):
                assert list(ours) == list(theirs)
                assert list(ours.values()) == pytest.approx(list(theirs.values()), abs=1e-10)
    for keywords in ({"max_iter": 50}, {"normalized": False}, {"nstart": {"nowhere": 1.0}}):
        with pytest.raises(NotImplementedError):
            nx.hits(graph, backend="pregel", **SVD, **keywords)


@pytest.mark.parametrize("graph", graphs())
def test_greedy_colours(graph):
    same(*both("greedy_color", graph))
    same(*both("greedy_color", graph, strategy="largest_first", interchange=False))
    same(*both("greedy_color", graph, strategy="no strategy"))
    same(*both("greedy_color", type(graph)(), strategy="no strategy"))
    for keywords in (
        {"strategy": "smallest_last"},
        {"strategy": nx.coloring.strategy_largest_first},
        {"interchange": True},
    ):
        with pytest.raises(NotImplementedError):
            nx.greedy_color(graph, backend="pregel", **keywords)


@pytest.mark.parametrize("graph", [p for p in graphs() if p.id.startswith("Graph-")])
def test_triangles(graph):
    for name in ("triangles", "clustering", "transitivity", "average_clustering"):
        close(*both(name, graph))
    node = list(graph)[0]
    close(*both("triangles", graph, node))
    close(*both("clustering", graph, [node, *list(graph)[-2:]]))
    close(*both("average_clustering", graph, count_zeros=False))


@pytest.mark.parametrize("graph", graphs())
def test_centralities(graph):
    node = list(graph)[-1]
    for distance in (None, "weight"):
        for improved in (True, False):
            keywords = {"distance": distance, "wf_improved": improved}
            same(*both("closeness_centrality", graph, **keywords))
            same(*both("closeness_centrality", graph, u=node, **keywords))
        for some in (None, list(graph)[:3], node):
            for sources in (None, list(graph)[1:]):
                keywords = {"nbunch": some, "distance": distance, "sources": sources}
                ours, theirs = both("harmonic_centrality", graph, **keywords)
                assert ours == pytest.approx(theirs, rel=1e-13)
    same(*both("closeness_centrality", graph, u="nowhere"))
    same(*both("is_isolate", graph, "nowhere"))
    if graph.is_multigraph():
        with pytest.raises(NotImplementedError):
            nx.betweenness_centrality(graph, backend="pregel")
        return
    for normalized in (True, False):
        ours, theirs = both("betweenness_centrality", graph, normalized=normalized)
        assert list(ours) == list(theirs)
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("graph", graphs())
def test_cores(graph):
    same(*both_or_neither("core_number", graph))
    simple = graph.copy()
    simple.remove_edges_from(list(nx.selfloop_edges(simple)))
    same(*both_or_neither("core_number", simple))
    for k in (None, 0, 1, 2, 100):
        same(*both_or_neither("k_core", simple, k))
        same(*both_or_neither("k_core", simple, k, dict.fromkeys(simple, 1)))


def both_or_neither(name, graph, *args, **kwargs):
    """As `both`, where NetworkX refuses multigraphs before it asks a backend."""
    if not graph.is_multigraph():
        return both(name, graph, *args, **kwargs)
    with pytest.raises(nx.NetworkXNotImplemented):
        getattr(nx, name)(graph, *args, backend="pregel", **kwargs)
    return None, None


def test_kinds_of_edges_are_the_strings_of_networkx():
    """NetworkX compares them by `is`."""
    search = nx.algorithms.traversal.breadth_first_search
    kinds = [search.TREE_EDGE, search.LEVEL_EDGE, search.FORWARD_EDGE, search.REVERSE_EDGE]
    graph = nx.DiGraph([(0, 1), (0, 2), (1, 2), (2, 3), (1, 3), (3, 0)])
    found = nx.bfs_labeled_edges(graph, 0, backend="pregel")
    assert {id(kind) for *_, kind in found} == {id(kind) for kind in kinds}


def test_strong_components_of_a_long_path():
    """A recursive search would overflow the stack."""
    graph = nx.path_graph(200_000, create_using=nx.DiGraph)
    graph.add_edge(150_000, 100_000)
    same(*both("strongly_connected_components", graph))


def test_every_function_was_called():
    """Runs last: nothing of what is announced may be untested."""
    never = [name for name in FUNCTIONS if not backend.calls[name]]
    assert never == []
    assert {name for name in FUNCTIONS if not hasattr(backend, name)} == set()


def test_what_the_backend_does_not_take_is_refused_with_a_reason():
    graph = nx.path_graph(3)
    with pytest.raises(NotImplementedError):
        nx.dijkstra_path(graph, 0, 2, weight=lambda u, v, d: 1, backend="pregel")
    for weight in ("three", None, float("nan"), 2**70):
        graph[0][1]["weight"] = weight
        with nx.config(cache_converted_graphs=False):
            with pytest.raises(NotImplementedError) as refusal:
                nx.single_source_dijkstra(graph, 0, backend="pregel")
            assert "weight of an edge" in str(refusal.value.__cause__ or refusal.value)
            assert nx.single_source_shortest_path_length(graph, 0, backend="pregel")[2] == 2
    graph = nx.DiGraph([(0, 1), (1, 2), (0, 2)])
    graph[0][1]["weight"] = -1
    with pytest.raises(NotImplementedError) as refusal:
        nx.hits(graph, backend="pregel", **SVD)
    assert "0 or more" in str(refusal.value.__cause__)
    with nx.config(backend_priority=["pregel"], fallback_to_nx=True):
        assert set(nx.hits(graph, **SVD)[0]) == {0, 1, 2}


def test_a_class_with_another_adjacency_is_left_to_networkx():
    class Complement(nx.Graph):
        def __getitem__(self, node):
            return {other: {} for other in set(self._adj) - set(self._adj[node]) - {node}}

        def neighbors(self, node):
            return iter(self[node])

        @property
        def degree(self):
            return lambda: [(node, len(self[node])) for node in self]

    class Named(nx.Graph):
        """Overrides nothing that matters."""

    graph = Complement(nx.star_graph(5).edges)
    expected = {0: 0} | dict.fromkeys(range(1, 6), 4)
    with pytest.raises(NotImplementedError):
        nx.core_number(graph, backend="pregel")
    with nx.config(backend_priority=["pregel"], fallback_to_nx=True):
        assert nx.core_number(graph) == expected
    same(*both("core_number", Named(nx.star_graph(5).edges)))


def test_weights_are_those_that_a_call_asks_for():
    """A graph in the cache may have other attributes than the call needs."""
    graph = nx.gnp_random_graph(30, 0.2, seed=5, directed=True)
    for at, (*_, data) in enumerate(graph.edges(data=True)):
        data.update(weight=at % 7, cost=at % 3)
    for _ in range(2):
        same(*both("ego_graph", graph, 0, radius=2))
        for weight in ("weight", None, "cost", "nothing"):
            same(*both("single_source_dijkstra", graph, 0, weight=weight))
            same(*both("bidirectional_dijkstra", graph, 0, 9, weight=weight))
            same(*both("shortest_path", graph, 0, weight=weight))
            close(*both("pagerank", graph, weight=None if weight == "cost" else weight))


def test_a_conversion_is_cached_until_the_graph_changes():
    graph = nx.path_graph(5)
    nx.pagerank(graph, backend="pregel")
    cache = graph.__networkx_cache__["backends"]["pregel"]
    assert len(cache) == 1
    (first,) = cache.values()
    nx.pagerank(graph, backend="pregel")
    assert list(graph.__networkx_cache__["backends"]["pregel"].values()) == [first]
    graph.add_edge(0, 4)
    assert nx.shortest_path_length(graph, 0, 4, backend="pregel") == 1


def test_dispatch_without_naming_the_backend():
    graph = nx.gnp_random_graph(200, 0.2, seed=1)
    before = backend.calls["pagerank"]
    with nx.config(backend_priority=["pregel"]):
        nx.pagerank(graph)
        assert backend.calls["pagerank"] == before + 1
        nx.pagerank(nx.path_graph(4))
        assert backend.calls["pagerank"] == before + 1


def test_the_engine_can_be_configured():
    graph = nx.path_graph(4)
    with nx.config.backends.pregel(engine="cpu"):
        nx.pagerank(graph, backend="pregel")
    with nx.config.backends.pregel(engine="tpu"), pytest.raises(ValueError, match="no engine"):
        nx.pagerank(graph, backend="pregel")


def test_entry_points():
    found = importlib.metadata.entry_points(group="networkx.backends", name="pregel")
    assert [entry.value for entry in found] == ["pregel_networkx:backend"]
    code = (
        "import sys; from pregel_networkx.info import get_info; info = get_info();"
        "assert info['functions']; assert 'pregel' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
