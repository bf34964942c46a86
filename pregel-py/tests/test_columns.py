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


def test_dlpack_before_version_1(levels, before_version_1):
    array = np.from_dlpack(before_version_1(levels))
    assert array.tolist() == [0, 1, 2, -1, -1]
    assert not np.shares_memory(array, np.asarray(levels))
    with pytest.raises(BufferError, match="stream"):
        levels.__dlpack__(stream=1)
    with pytest.raises(BufferError, match="host"):
        levels.__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="1.0"):
        levels.__dlpack__(copy=False)


def test_what_stays_on_a_device_is_in_memory_after_a_run_on_a_cpu():
    graph = pg.Graph.from_edges([0, 1], [1, 2], [1.0, 2.0], vertex_count=5)
    for find in (pg.pagerank, pg.hcc, pg.cdlp, pg.katz, pg.colouring):
        column = find(graph, engine="cpu", on_device=True)
        assert column.device == "cpu" and column.tolist() == find(graph, engine="cpu").tolist()
    for find in (pg.bfs, pg.sssp, pg.widest):
        column = find(graph, 0, engine="cpu", on_device=True)
        assert column.device == "cpu" and column.tolist() == find(graph, 0, engine="cpu").tolist()
    for find in (pg.bfs, pg.sssp):
        with pytest.raises(ValueError, match="parents"):
            find(graph, 0, parents=True, on_device=True)


@pytest.mark.skipif(not pg.gpus(), reason="there is no GPU")
class TestOnAGpu:
    @pytest.fixture(params=["bfs", "sssp", "pagerank", "hcc", "cdlp", "katz", "colouring", "widest"])
    def both(self, request):
        """What stays on the GPU, and the same in memory."""
        graph = pg.generate("rmat:scale=12,maxw=100", weighted=True)
        find = getattr(pg, request.param)
        more = (0,) if request.param in ("bfs", "sssp", "widest") else ()
        exact = {"deterministic": True} if request.param in ("pagerank", "katz") else {}
        here = find(graph, *more, engine="cuda", **exact)
        there = find(graph, *more, engine="cuda", on_device=True, **exact)
        assert (here.device, there.device) == ("cpu", "cuda:0")
        assert (len(there), there.dtype) == (len(here), here.dtype)
        assert there.__dlpack_device__() == (2, 0)
        assert repr(there) == f"<pregel.Column of {request.param}: {len(here)} × {here.dtype} on cuda:0>"
        return there, np.asarray(here)

    def test_it_is_copied_to_memory_once(self, both):
        there, expected = both
        np.testing.assert_array_equal(np.asarray(there), expected)
        assert np.shares_memory(np.asarray(there), np.asarray(there))
        assert there.tolist() == expected.tolist()
        assert there.device == "cuda:0"
        host = np.from_dlpack(there, device="cpu")
        assert np.shares_memory(host, np.asarray(there))
        with pytest.raises(BufferError, match="copy"):
            there.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=False)
        with pytest.raises(BufferError, match="1.0"):
            there.__dlpack__(copy=False)
        with pytest.raises(BufferError, match="elsewhere"):
            there.__dlpack__(max_version=(1, 0), dl_device=(2, 7))

    def test_torch(self, both):
        torch = pytest.importorskip("torch")
        there, expected = both
        tensor, again = torch.from_dlpack(there), torch.from_dlpack(there)
        assert tensor.device == torch.device("cuda", 0)
        assert tensor.data_ptr() == again.data_ptr()
        # The tensor keeps the numbers, also when a later run needs memory.
        del there, again
        gc.collect()
        pg.pagerank(pg.generate("rmat:scale=14"), engine="cuda", on_device=True)
        np.testing.assert_array_equal(tensor.cpu().numpy(), expected)

    def test_cupy(self, both):
        cupy = pytest.importorskip("cupy")
        there, expected = both
        array = cupy.from_dlpack(there)
        del there
        gc.collect()
        np.testing.assert_array_equal(cupy.asnumpy(array), expected)

    def test_jax(self, both):
        jax = pytest.importorskip("jax")
        there, expected = both
        if expected.dtype == np.float64:
            pytest.skip("JAX has no float64 by default")
        array = jax.dlpack.from_dlpack(there)
        del there
        gc.collect()
        np.testing.assert_array_equal(np.asarray(array), expected)

    def test_a_copy_may_be_changed(self, both, before_version_1):
        torch = pytest.importorskip("torch")
        there, expected = both
        tensor = torch.from_dlpack(before_version_1(there))
        assert tensor.data_ptr() != torch.from_dlpack(there).data_ptr()
        np.testing.assert_array_equal(tensor.cpu().numpy(), expected)
        tensor.zero_()
        np.testing.assert_array_equal(torch.from_dlpack(there).cpu().numpy(), expected)

    def test_capsules_that_nobody_takes_are_freed(self):
        levels = pg.bfs(pg.generate("rmat:scale=20"), 0, engine="cuda", on_device=True)
        for _ in range(100_000):
            levels.__dlpack__(max_version=(1, 0))
        for _ in range(1000):
            levels.__dlpack__()


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
