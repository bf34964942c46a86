"""NetworkX' own tests with the backend, and a count of what really ran in it.

    python run_networkx_suite.py [--without-fallback] [--at-least N] [--engine ENGINE] [package …]

Without packages, those of which the backend has functions. With fallback, which is the default,
functions and arguments that the backend does not have are run by NetworkX, and no test may fail.
Without it, such tests count as expected failures (NetworkX marks them), and no other may fail. In
both cases, the number of calls that ran in the backend must be at least N. With "auto", all of these
small graphs run on a CPU; with "cuda", whatever has kernels runs on the GPU.
"""

from __future__ import annotations

import argparse
import os
import sys

PACKAGES = ["link_analysis", "shortest_paths", "components", "traversal", "centrality", "community"]
MODULES = ["test_distance_measures", "test_dag", "test_cluster", "test_core", "test_isolate"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without-fallback", action="store_true")
    parser.add_argument("--at-least", type=int, default=1)
    parser.add_argument("--whole", action="store_true", help="all tests of NetworkX")
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--engine", default="auto", help="which engine to configure")
    arguments = parser.parse_args()
    os.environ["NETWORKX_TEST_BACKEND"] = "pregel"
    if not arguments.without_fallback:
        os.environ["NETWORKX_FALLBACK_TO_NX"] = "1"

    import networkx as nx
    import pytest

    nx.config.backends.pregel.engine = arguments.engine
    if arguments.whole:
        targets = ["networkx"]
    else:
        packages = [f"networkx.algorithms.{p}" for p in arguments.packages or PACKAGES]
        modules = [] if arguments.packages else [f"networkx.algorithms.tests.{m}" for m in MODULES]
        targets = packages + modules
    status = pytest.main(
        ["-q", "-p", "no:cacheprovider", "--no-header", "--tb=short", "--pyargs", *targets]
    )

    from pregel_networkx import backend

    total = sum(backend.calls.values())
    print(f"\n{total} calls ran in the backend, of {len(backend.calls)} functions")
    for name, calls in backend.calls.most_common():
        print(f"{calls:8} {name}")
    if total < arguments.at_least:
        print(f"expected at least {arguments.at_least} calls", file=sys.stderr)
        return 1
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
