"""What pyright checks of the types; nothing runs it."""

from typing import Any, assert_type

import pregel as pg

graph = pg.generate("rmat:scale=4", weighted=True)
assert_type(graph, pg.Graph)
assert_type(pg.bfs(graph, 0), pg.Column)
assert_type(pg.bfs(graph, 0, parents=True), tuple[pg.Column, pg.Column])
assert_type(pg.sssp(graph, sources=[0, 1], parents=False), pg.Column)
assert_type(pg.pagerank(graph).report, pg.Report)
assert_type(pg.pagerank(graph).report.steps[0].seconds, float)
assert_type(pg.apsp(graph), pg.Distances)
assert_type(pg.apsp(graph, paths=True).path(0, 1), list[Any] | None)
pg.wcc(graph, engine=3)  # pyright: ignore[reportArgumentType]
pg.pagerank(graph, progress=lambda number, active, messages, seconds: number < 9)
