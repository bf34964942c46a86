"""Graph algorithms on all cores or on an NVIDIA GPU.

    >>> import pregel as pg
    >>> graph = pg.generate("rmat:scale=10")
    >>> ranks = pg.pagerank(graph)
    >>> ranks.report.stop
    'converged'

A graph comes from arrays (:meth:`Graph.from_csr`, :meth:`Graph.from_edges`), from a table
(:meth:`Graph.from_arrow`), from SciPy or NetworkX (:func:`from_scipy`, :func:`from_networkx`), from
a file (:func:`read`) or from a generator (:func:`generate`). An algorithm returns a
:class:`Column`, which has a value for each vertex and the report of the run; :func:`apsp` returns
:class:`Distances`.
"""

from ._algorithms import (
    apsp,
    betweenness,
    bfs,
    cdlp,
    hcc,
    kcore,
    lcc,
    pagerank,
    scc,
    sssp,
    triangles,
    wcc,
)
from ._gallery import (
    closeness,
    colouring,
    eigenvector,
    harmonic,
    hits,
    katz,
    mis,
    nearest,
    widest,
)
from ._graphs import from_networkx, from_scipy, generate, read
from ._native import Column, Distances, EngineError, Graph, __version__, gpus
from ._report import Report, Step

__all__ = [
    "Column",
    "Distances",
    "EngineError",
    "Graph",
    "Report",
    "Step",
    "__version__",
    "apsp",
    "betweenness",
    "bfs",
    "cdlp",
    "closeness",
    "colouring",
    "eigenvector",
    "from_networkx",
    "from_scipy",
    "generate",
    "gpus",
    "harmonic",
    "hcc",
    "hits",
    "katz",
    "kcore",
    "lcc",
    "mis",
    "nearest",
    "pagerank",
    "read",
    "scc",
    "sssp",
    "triangles",
    "wcc",
    "widest",
]
