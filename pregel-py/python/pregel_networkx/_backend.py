"""The object that NetworkX calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from threading import Lock
from typing import Any

import networkx as nx
from networkx.algorithms.coloring.greedy_coloring import STRATEGIES

from . import _centrality, _components, _paths, _ranks, _traversal
from ._graph import convert_from_nx, convert_to_nx
from .info import FUNCTIONS

SMALL = 2_000
"""With fewer edges, conversion takes longer than what is saved."""


class Backend:
    """Functions by the names that NetworkX has for them."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        """How often each function ran here, and not in NetworkX."""
        self._counting = Lock()
        for name in FUNCTIONS:
            for module in (_centrality, _components, _paths, _ranks, _traversal):
                function = getattr(module, name, None)
                if function is not None:
                    setattr(self, name, self._counted(name, function))

    def _counted(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            with self._counting:
                self.calls[name] += 1
            return result

        call.__doc__ = function.__doc__
        return call

    convert_from_nx = staticmethod(convert_from_nx)
    convert_to_nx = staticmethod(convert_to_nx)

    def can_run(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
        """Whether the function runs here with these arguments; otherwise, why not."""
        if not hasattr(self, name) or name not in FUNCTIONS:
            return "the backend does not have this function"
        graph: Any = args[0] if args else kwargs.get("G")
        if _answers_otherwise(graph):
            return "the class of the graph has another adjacency than its dictionaries"
        for key in ("weight", "distance"):
            weight = kwargs.get(key)
            if weight is not None and not isinstance(weight, str):
                return f"{key} is a function or no text, which only NetworkX reads"
        if any(callable(arg) and not hasattr(arg, "_adj") for arg in args):
            return "an argument is a function, which only NetworkX calls"
        reason = _REFUSED.get(name)
        return reason(args, kwargs) if reason is not None else True

    def should_run(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
        """Whether the function is worth the conversion of its graph."""
        graph: Any = args[0] if args else kwargs.get("G")
        if graph is not None and graph.number_of_edges() < SMALL:
            return f"the graph has fewer than {SMALL} edges"
        if name in _CHEAP:
            return "NetworkX takes less time than the conversion"
        return True


_QUESTIONS = ("__getitem__", "__iter__", "__len__", "neighbors", "adjacency", "edges", "degree")
"""What classes of users may override. The conversion reads the dictionaries behind it."""


def _answers_otherwise(graph: Any) -> bool:
    """Whether the class of a graph overrides what NetworkX asks graphs."""
    if not isinstance(graph, nx.Graph):
        return False
    directed, multigraph = graph.is_directed(), graph.is_multigraph()
    if multigraph:
        base: Any = nx.MultiDiGraph if directed else nx.MultiGraph
    else:
        base = nx.DiGraph if directed else nx.Graph
    return any(
        getattr(type(graph), name, None) is not getattr(base, name) for name in _QUESTIONS
    )


_CHEAP = {
    "has_path",
    "bidirectional_shortest_path",
    "node_connected_component",
    "isolates",
    "is_isolate",
    "number_of_isolates",
}


def _position(args: tuple[Any, ...], kwargs: dict[str, Any], at: int, name: str) -> Any:
    return args[at] if len(args) > at else kwargs.get(name)


def _sorts(at: int) -> Callable[[tuple[Any, ...], dict[str, Any]], bool | str]:
    def reason(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
        if _position(args, kwargs, at, "sort_neighbors") is not None:
            return "sort_neighbors is a function, which only NetworkX calls"
        return True

    return reason


def _bounds(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    if _position(args, kwargs, 1, "e") is not None or _position(args, kwargs, 2, "usebounds"):
        return "e and usebounds need no search of the whole graph"
    return True


def _eccentricity(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    if _position(args, kwargs, 2, "sp") is not None:
        return "sp has the distances already"
    return True


def _undirected(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    graph = args[0] if args else kwargs.get("G")
    if graph is not None and graph.is_directed():
        return "directed graphs have another definition, which the backend does not have"
    if graph is not None and graph.is_multigraph():
        return "multigraphs are left to NetworkX"
    return True


def _clustering(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    if _position(args, kwargs, 2, "weight") is not None:
        return "weights are left to NetworkX"
    return _undirected(args, kwargs)


def _generic(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    if _position(args, kwargs, 2, "neighbors") is not None:
        return "neighbors is a function, which only NetworkX calls"
    return True


def _betweenness(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    graph = args[0] if args else kwargs.get("G")
    if _position(args, kwargs, 1, "k") is not None:
        return "a sample of the nodes is left to NetworkX"
    if _position(args, kwargs, 3, "weight") is not None:
        return "weights are left to NetworkX"
    if _position(args, kwargs, 4, "endpoints"):
        return "endpoints=True is left to NetworkX"
    if graph is not None and graph.is_multigraph():
        return "multigraphs are left to NetworkX"
    return True


def _hits(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    iterations = _position(args, kwargs, 1, "max_iter")
    if iterations is not None and 0 < iterations < 100:
        return "max_iter counts restarts of the method that NetworkX uses, which need not converge"
    normalized = kwargs.get("normalized", True) if len(args) < 5 else args[4]
    if not normalized:
        return "without normalization, the sign depends on a random start"
    return True


def _colours(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    strategy = _position(args, kwargs, 1, "strategy")
    # What is no strategy at all is refused by the function, with the error of NetworkX.
    if callable(strategy) or strategy in STRATEGIES and strategy != "largest_first":
        return "strategies other than largest_first are left to NetworkX"
    if _position(args, kwargs, 2, "interchange"):
        return "interchange=True is left to NetworkX"
    return True


def _ego(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    if _position(args, kwargs, 4, "undirected"):
        return "undirected=True is left to NetworkX"
    return True


def _average(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    if _position(args, kwargs, 2, "method") in ("floyd-warshall", "floyd-warshall-numpy"):
        return "Floyd-Warshall is left to NetworkX"
    return True


_REFUSED: dict[str, Callable[[tuple[Any, ...], dict[str, Any]], bool | str]] = {
    "bfs_edges": _sorts(4),
    "bfs_tree": _sorts(4),
    "bfs_predecessors": _sorts(3),
    "bfs_successors": _sorts(3),
    "eccentricity": _eccentricity,
    "diameter": _bounds,
    "radius": _bounds,
    "center": _bounds,
    "periphery": _bounds,
    "ego_graph": _ego,
    "hits": _hits,
    "greedy_color": _colours,
    "generic_bfs_edges": _generic,
    "betweenness_centrality": _betweenness,
    "average_shortest_path_length": _average,
    "triangles": _undirected,
    "transitivity": _undirected,
    "clustering": _clustering,
    "average_clustering": _clustering,
}

backend = Backend()
