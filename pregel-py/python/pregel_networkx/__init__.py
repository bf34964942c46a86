"""The backend of NetworkX: ``nx.pagerank(G, backend="pregel")``.

NetworkX finds it by its entry point. Results are those of NetworkX, in the same order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._backend import backend

__all__ = ["backend"]


def __getattr__(name: str) -> Any:
    # Not before it is needed: NetworkX reads `info` whenever it is imported.
    if name == "backend":
        from ._backend import backend

        return backend
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
