"""The backend of NetworkX: ``nx.pagerank(G, backend="pregel")``.

NetworkX finds it by its entry point. Results are those of NetworkX, in the same order, and of the
same types.
"""

from ._backend import backend

__all__ = ["backend"]
