"""The engine that ``nx.config`` names."""

from __future__ import annotations

import networkx as nx

from pregel._native import Options


def options(max_supersteps: int | None = None) -> Options:
    """The options of a run on the engine of ``nx.config.backends.pregel.engine``."""
    config = getattr(nx.config.backends, "pregel", None)
    engine = getattr(config, "engine", "auto")
    return Options(engine, "auto", False, max_supersteps, None, False)
