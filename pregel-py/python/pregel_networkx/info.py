"""What NetworkX is told of the backend when it is imported: no native code is loaded for it."""

from __future__ import annotations

from typing import Any

FUNCTIONS: dict[str, str] = {
    "pagerank": "on all cores or on a GPU",
    "single_source_shortest_path": "",
    "single_source_shortest_path_length": "",
    "single_target_shortest_path": "",
    "single_target_shortest_path_length": "",
    "all_pairs_shortest_path": "",
    "all_pairs_shortest_path_length": "",
    "bidirectional_shortest_path": "",
    "shortest_path": "",
    "shortest_path_length": "",
    "average_shortest_path_length": "without weights from 64 nodes at once",
    "has_path": "",
    "dijkstra_path": "",
    "dijkstra_path_length": "",
    "bidirectional_dijkstra": "",
    "single_source_dijkstra": "",
    "single_source_dijkstra_path": "",
    "single_source_dijkstra_path_length": "",
    "multi_source_dijkstra": "",
    "multi_source_dijkstra_path": "",
    "multi_source_dijkstra_path_length": "",
    "all_pairs_dijkstra": "",
    "all_pairs_dijkstra_path": "",
    "all_pairs_dijkstra_path_length": "",
    "dijkstra_predecessor_and_distance": "",
    "bellman_ford_path": "weights of 0 or more",
    "bellman_ford_path_length": "weights of 0 or more",
    "single_source_bellman_ford": "weights of 0 or more",
    "single_source_bellman_ford_path": "weights of 0 or more",
    "single_source_bellman_ford_path_length": "weights of 0 or more",
    "all_pairs_bellman_ford_path": "weights of 0 or more",
    "all_pairs_bellman_ford_path_length": "weights of 0 or more",
    "connected_components": "on all cores or on a GPU",
    "number_connected_components": "on all cores or on a GPU",
    "is_connected": "on all cores or on a GPU",
    "node_connected_component": "",
    "weakly_connected_components": "on all cores or on a GPU",
    "number_weakly_connected_components": "on all cores or on a GPU",
    "is_weakly_connected": "on all cores or on a GPU",
    "number_strongly_connected_components": "on all cores or on a GPU",
    "strongly_connected_components": "",
    "is_strongly_connected": "",
    "bfs_edges": "without sort_neighbors",
    "generic_bfs_edges": "without neighbors",
    "bfs_labeled_edges": "",
    "bfs_tree": "without sort_neighbors",
    "bfs_predecessors": "without sort_neighbors",
    "bfs_successors": "without sort_neighbors",
    "bfs_layers": "",
    "descendants_at_distance": "",
    "descendants": "",
    "ancestors": "",
    "eccentricity": "without sp; without weights from 64 nodes at once",
    "diameter": "without usebounds",
    "radius": "without usebounds",
    "center": "without usebounds",
    "periphery": "without usebounds",
    "ego_graph": "directions as they are",
    "core_number": "on all cores or on a GPU",
    "k_core": "on all cores or on a GPU",
    "betweenness_centrality": "without weights, samples and endpoints; on all cores or on a GPU",
    "closeness_centrality": "without distances from 64 nodes at once",
    "harmonic_centrality": "",
    "isolates": "",
    "is_isolate": "",
    "number_of_isolates": "",
    "triangles": "on all cores or on a GPU",
    "transitivity": "on all cores or on a GPU; undirected graphs",
    "clustering": "undirected graphs without weights",
    "average_clustering": "undirected graphs without weights",
}
"""The functions of NetworkX that the backend has, and what of them."""


def get_info() -> dict[str, Any]:
    """The entry point ``networkx.backend_info``."""
    functions = {
        name: {"additional_docs": f"Runs natively: {note}."} if note else {}
        for name, note in FUNCTIONS.items()
    }
    return {
        "backend_name": "pregel",
        "project": "pregel",
        "package": "pregel",
        "url": "https://github.com/pregel-gpu/pregel-gpu",
        "short_summary": "On all cores and NVIDIA GPUs, natively, with the same results.",
        "functions": functions,
        "default_config": {"engine": "auto"},
    }
