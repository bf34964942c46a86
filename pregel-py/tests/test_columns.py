"""Columns as arrays of other libraries."""

import gc
import io

import numpy as np
import pytest

import pregel as pg


@pytest.fixture
def levels():
    return pg.bfs(pg.Graph.from_edges([0, 1], [1, 2], vertex_count=5), 0)


def test_buffers(levels):
    view = memoryview(levels)
    assert (view.format, view.itemsize, view.shape, view.strides) == ("i", 4, (5,), (4,))
    assert view.readonly and view.tolist() == [0, 1, 2, -1, -1]
    with pytest.raises(TypeError):
        view[0] = 1
    with pytest.raises((BufferError, TypeError)):
        io.BytesIO(b"12345678").readinto(levels)


def test_numpy_without_a_copy(levels):
    array = np.asarray(levels)
    assert array.dtype == np.int32 and not array.flags.writeable
    assert np.shares_memory(array, np.asarray(levels))
    expected = array.copy()
    del levels
    gc.collect()
    np.testing.assert_array_equal(array, expected)


def test_numpy_with_another_type(levels):
    assert levels.__array__(np.float64).dtype == np.float64
    assert np.array(levels, dtype=np.int64).tolist() == [0, 1, 2, -1, -1]
    with pytest.raises(ValueError, match="copy"):
        levels.__array__(np.float64, copy=False)
    copied = levels.__array__(copy=True)
    copied[0] = 7
    assert levels[0] == 0


def test_dlpack(levels):
    array = np.from_dlpack(levels)
    assert array.tolist() == [0, 1, 2, -1, -1] and not array.flags.writeable
    assert np.shares_memory(array, np.asarray(levels))
    assert levels.__dlpack_device__() == (1, 0)
    del levels
    gc.collect()
    assert array.tolist() == [0, 1, 2, -1, -1]


def test_dlpack_before_version_1(levels):
    class Old:
        def __dlpack__(self, **_):
            return levels.__dlpack__()

        def __dlpack_device__(self):
            return levels.__dlpack_device__()

    array = np.from_dlpack(Old())
    assert array.tolist() == [0, 1, 2, -1, -1]
    assert not np.shares_memory(array, np.asarray(levels))
    with pytest.raises(BufferError, match="stream"):
        levels.__dlpack__(stream=1)
    with pytest.raises(BufferError, match="host"):
        levels.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="1.0"):
        levels.__dlpack__(copy=False)


def test_capsules_that_nobody_takes_are_freed(levels):
    for _ in range(1000):
        levels.__dlpack__()
        levels.__dlpack__(max_version=(1, 0))
        levels.__dlpack__(max_version=(1, 0), copy=True)


def test_arrow(levels):
    pa = pytest.importorskip("pyarrow")
    array = pa.array(levels)
    assert array.type == pa.int32() and array.to_pylist() == [0, 1, 2, -1, -1]
    pl = pytest.importorskip("polars")
    assert pl.Series(levels).to_list() == [0, 1, 2, -1, -1]


def test_sequences(levels):
    assert len(levels) == 5 and list(levels) == levels.tolist() == [0, 1, 2, -1, -1]
    assert levels[2] == 2 and levels[-1] == -1
    with pytest.raises(IndexError):
        levels[5]
    assert levels.to_dict() == {0: 0, 1: 1, 2: 2}
    assert levels.to_dict(all=True) == {0: 0, 1: 1, 2: 2, 3: -1, 4: -1}
    assert repr(levels) == "<pregel.Column of bfs: 5 × int32 [0, 1, 2, -1, -1]>"
    assert levels.graph.vertex_count == 5


def test_vertices_have_the_users_names():
    graph = pg.Graph.from_csr([0, 1, 1, 1], [1], nodes="abc")
    assert pg.wcc(graph).to_dict() == {"a": "a", "b": "a", "c": "c"}
    assert np.asarray(pg.wcc(graph)).tolist() == [0, 0, 2]
    _, parents = pg.bfs(graph, "a", parents=True)
    assert parents.to_dict() == {"b": "a"} and parents["b"] == "a" and parents["c"] == -1
