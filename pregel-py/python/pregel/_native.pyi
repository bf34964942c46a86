"""The native part. Use what the package `pregel` has of it."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from typing_extensions import CapsuleType

from ._report import Report

__version__: str

class EngineError(RuntimeError):
    """An engine cannot run this: there is no such GPU, it failed, or it has no kernels."""

class Graph:
    """A graph in rows: for each vertex the vertices that its edges lead to, perhaps with weights.

    Its vertices are numbered from 0 on. The user may call them otherwise: by numbers, by names or
    by any objects, as the source of the graph does.
    """

    @staticmethod
    def from_csr(
        indptr: Any,
        indices: Any,
        weights: Any = None,
        *,
        directed: bool = True,
        copy: bool | None = None,
        nodes: Iterable[Any] | None = None,
    ) -> Graph:
        """A graph over arrays: row ``v`` is ``indices[indptr[v]:indptr[v + 1]]``.

        Arrays are those of NumPy or any others with the buffer protocol. They are used where they
        are if ``indptr`` is int64 or uint64, ``indices`` int32 or uint32 and ``weights`` float32,
        float64 or int64; other integers are converted. They are checked once, which takes about a
        nanosecond per edge.

        **An array that is not copied must not be changed as long as the graph lives**: it is not
        checked again, and a wrong index would be followed. So writable arrays are copied unless
        ``copy=False`` says that you will not change them, and ``copy=True`` copies all.

        If the graph is not ``directed``, every edge must be in the rows of both of its ends, with
        the same weight. ``nodes`` are your own objects for the vertices.
        """

    @staticmethod
    def from_edges(
        sources: Any,
        targets: Any,
        weights: Any = None,
        *,
        directed: bool = True,
        vertex_count: int | None = None,
        duplicates: str = "keep",
        self_loops: bool = True,
    ) -> Graph:
        """A graph of arrays of edges between the vertices 0, 1, 2 and so on.

        ``duplicates`` says what becomes of parallel edges: ``"keep"``, ``"first"``, ``"smallest"``
        or ``"sum"``. Rows are sorted.
        """

    @staticmethod
    def from_arrow(
        table: Any,
        source: str,
        target: str,
        weight: str | None = None,
        *,
        directed: bool = True,
        duplicates: str = "keep",
    ) -> Graph:
        """A graph of the columns of a table with ``__arrow_c_stream__``: a data frame of polars or
        pandas, a table of pyarrow, a relation of DuckDB.

        ``source`` and ``target`` are columns of integers, which are not negative, or of text.
        Vertices are what these columns hold: integers in ascending order, text in the order of its
        first occurrence.
        """

    @staticmethod
    def read(
        path: str | os.PathLike[str], *, directed: bool | None = None, weights: bool = True
    ) -> Graph: ...
    @staticmethod
    def generate(spec: str, *, weighted: bool = False) -> Graph: ...
    @property
    def vertex_count(self) -> int: ...
    @property
    def edge_count(self) -> int:
        """The number of edges in the rows: an undirected edge counts twice."""

    @property
    def directed(self) -> bool: ...
    @property
    def weight_type(self) -> str | None:
        """``float32``, ``float64``, ``int64`` or ``None``."""

    @property
    def nodes(self) -> list[Any]:
        """What the user calls the vertices, in their order."""

    def index(self, node: Any) -> int:
        """The number of the vertex that the user calls so."""

    def neighbors(self, node: Any) -> list[Any]:
        """Where the edges of a vertex lead, in the order of its row."""

    def _without_weights(self) -> Graph: ...
    def _smallest_weight(self) -> float: ...
    def __len__(self) -> int: ...

class Column:
    """A value for each vertex of a graph.

    NumPy and others that know the buffer protocol, DLPack or Arrow's PyCapsule interface take it as
    an array; it is read-only. One that an algorithm left on a GPU (``on_device=True``) is there for
    DLPack; whatever needs it in memory copies it once.
    """

    @property
    def graph(self) -> Graph: ...
    @property
    def report(self) -> Report:
        """How the run went."""

    @property
    def dtype(self) -> str: ...
    @property
    def device(self) -> str:
        """``"cpu"``, or ``"cuda:0"`` and so on."""

    def __len__(self) -> int: ...
    def __getitem__(self, node: Any) -> Any:
        """The value of a vertex, which is named as the user does."""

    def __iter__(self) -> Iterator[float | int]: ...
    def tolist(self) -> list[Any]: ...
    def to_dict(self, *, all: bool = False) -> dict[Any, Any]:
        """A dictionary of values by the user's names. Vertices that were not reached are left out,
        unless ``all=True``."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> CapsuleType: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[CapsuleType, CapsuleType]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

class Distances:
    """The distances between all pairs of vertices: a square, in the order of the vertices.

    NumPy and others that know the buffer protocol or DLPack take it as an array without a copy; it
    is read-only. Between its rows there may be padding.
    """

    @property
    def graph(self) -> Graph: ...
    @property
    def report(self) -> Report: ...
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, ends: tuple[Any, Any]) -> float | int:
        """The distance from one vertex to another, which are named as the user does."""

    def path(self, source: Any, target: Any) -> list[Any] | None:
        """The vertices of a shortest path, both ends included; ``None`` if there is no path.

        :func:`apsp` must have been called with ``paths=True``."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> CapsuleType: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

class Options:
    def __init__(
        self,
        engine: str,
        strategy: str,
        deterministic: bool,
        max_supersteps: int | None,
        progress: Callable[[int, int, int, float], bool | None] | None,
        on_device: bool,
    ) -> None: ...

def gpus() -> list[str]:
    """The names of the NVIDIA GPUs of this machine, in the order of ``cuda:0``, ``cuda:1``…"""

def pagerank(
    graph: Graph,
    options: Options,
    damping: float,
    tolerance: float,
    personalize: Any,
    start: Any,
    dangling: Any,
    weighted: bool | None,
    dtype: str,
) -> Column: ...
def bfs(
    graph: Graph, options: Options, source: Any, parents: bool
) -> tuple[Column, Column | None]: ...
def sssp(
    graph: Graph,
    options: Options,
    sources: Iterable[Any],
    parents: bool,
    cutoff: float | None,
    dtype: str | None,
    delta: float | None,
) -> tuple[Column, Column | None]: ...
def wcc(graph: Graph, options: Options) -> Column: ...
def hcc(graph: Graph, options: Options) -> Column: ...
def scc(graph: Graph, options: Options) -> Column: ...
def cdlp(graph: Graph, options: Options) -> Column: ...
def kcore(graph: Graph, options: Options) -> Column: ...
def triangles(graph: Graph, options: Options) -> Column: ...
def lcc(graph: Graph, options: Options) -> Column: ...
def betweenness(
    graph: Graph, options: Options, sources: Iterable[Any] | None
) -> Column: ...
def katz(
    graph: Graph, options: Options, attenuation: float | None, base: float, tolerance: float
) -> Column: ...
def eigenvector(graph: Graph, options: Options, tolerance: float) -> Column: ...
def hits(
    graph: Graph, options: Options, iterations: int, tolerance: float
) -> tuple[Column, Column]: ...
def nearness(
    graph: Graph, options: Options, sources: Iterable[Any] | None, harmonic: bool
) -> Column: ...
def colouring(graph: Graph, options: Options, seed: int) -> Column: ...
def mis(graph: Graph, options: Options, seed: int) -> Column: ...
def widest(graph: Graph, options: Options, source: Any) -> Column: ...
def nearest(
    graph: Graph, options: Options, facilities: Iterable[Any]
) -> tuple[Column, Column]: ...
def nx_graph(
    nodes: dict[Any, Any],
    adjacency: dict[Any, Any],
    multigraph: bool,
    attribute: str | None = None,
    default: float | int | None = None,
) -> Graph: ...
def nx_bfs(
    graph: Graph,
    sources: Sequence[Any],
    what: str,
    cutoff: int | None = None,
    target: Any = None,
) -> Any: ...
def nx_dijkstra(
    graph: Graph,
    sources: Sequence[Any],
    what: str,
    cutoff: float | None = None,
    target: Any = None,
) -> Any: ...
def nx_pagerank(
    graph: Graph,
    options: Options,
    alpha: float,
    tol: float,
    distributions: Sequence[dict[Any, float] | None],
) -> dict[Any, float] | None: ...
def nx_components(graph: Graph, options: Options, count: bool) -> Any: ...
def nx_strong(graph: Graph, options: Options, count: bool) -> Any: ...
def nx_strong_in_order(graph: Graph) -> list[set[Any]]: ...
def nx_labeled(
    graph: Graph, sources: Sequence[Any], directed: bool
) -> list[tuple[Any, Any, str]]: ...
def nx_eccentricities(
    graph: Graph, options: Options, sources: Iterable[Any] | None = None
) -> list[tuple[int, int, int]]: ...
def nx_bidirectional(
    graph: Graph, back: Graph, source: Any, target: Any
) -> list[Any] | None: ...
def nx_bidirectional_dijkstra(
    graph: Graph, back: Graph, source: Any, target: Any
) -> tuple[Any, list[Any]] | None: ...
def nx_triangles(graph: Graph, options: Options) -> tuple[list[int], list[int]]: ...
def nx_bellman_ford(
    graph: Graph,
    source: Any,
    what: str,
    heuristic: bool = True,
    target: Any = None,
) -> tuple[Any, ...] | None: ...
def nx_matrix(graph: Graph) -> bytearray: ...
def nx_katz(
    graph: Graph,
    alpha: float,
    beta: Sequence[float],
    start: Sequence[float],
    max_iter: int,
    tol: float,
) -> list[float] | None: ...
def nx_eigenvector(
    graph: Graph, start: Sequence[float], max_iter: int, tol: float
) -> list[float] | None: ...
def nx_hits(graph: Graph) -> tuple[list[float], list[float]] | None: ...
def nx_greedy_colours(graph: Graph, directed: bool) -> dict[Any, int]: ...
def apsp(graph: Graph, options: Options, paths: bool, dtype: str | None) -> Distances: ...
