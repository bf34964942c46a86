"""Ctrl-C, threads and processes."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import pregel as pg

ENDLESS = """
import signal, threading, time, os
import pregel as pg
graph = pg.generate("rmat:scale=18")
dense, sparse = pg.generate("uniform:n=4000,m=2000000"), pg.generate("uniform:n=6000,m=6000")
clocks = [time.perf_counter, time.process_time]
sent = []
def send():
    time.sleep(0.5)
    sent.extend(clock() for clock in clocks)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=send).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted after", *(clock() - since for clock, since in zip(clocks, sent)))
assert pg.wcc(graph).report.stop == "halted"
"""

CALLS = [
    "pg.pagerank(graph, tolerance=0, max_supersteps=None, engine='cpu')",
    "pg.betweenness(graph, engine='cpu')",
    # By Floyd–Warshall, and by a search from every vertex; again and again, since cores may be many.
    "any(pg.apsp(g, engine='cpu') is None for g in iter(lambda: dense, 0))",
    "any(pg.apsp(g, engine='cpu') is None for g in iter(lambda: sparse, 0))",
]


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on Unix")
@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_ends_a_run(call):
    run = subprocess.run(
        [sys.executable, "-c", ENDLESS.format(call=call)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("interrupted after"), run.stdout
    # A tenth of a second, and then some. A busy machine adds to that, and many cores to the processor
    # time; half a second of two cores is one of the processor.
    seconds, processor = map(float, run.stdout.split()[2:])
    assert seconds < 0.5 or processor < 1, run.stdout


def test_other_threads_run_meanwhile():
    graph = pg.generate("rmat:scale=16")
    ticks, over = [], threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.perf_counter()
    pg.pagerank(graph, tolerance=0, max_supersteps=60, engine="cpu")
    end = time.perf_counter()
    over.set()
    thread.join()
    during = [at for at in ticks if start < at < end]
    assert len(during) >= 5


def test_several_threads_at_once():
    graph = pg.generate("rmat:scale=10")
    expected = pg.pagerank(graph, deterministic=True).tolist()
    found = []
    threads = [
        threading.Thread(
            target=lambda: found.append(pg.pagerank(graph, deterministic=True).tolist())
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


def _in_a_fork(connection):
    try:
        pg.wcc(pg.generate("rmat:scale=5"))
        connection.send("ran")
    except pg.EngineError as error:
        connection.send(str(error))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_is_told_what_to_do():
    pg.wcc(pg.generate("rmat:scale=5"))
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=_in_a_fork, args=(there,))
    process.start()
    assert here.poll(20), "the forked process hangs"
    assert "spawn" in here.recv()
    process.join()


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on Unix")
def test_a_handler_that_raises_ends_the_run():
    class Enough(Exception):
        pass

    def raise_it(*_):
        raise Enough

    before = signal.signal(signal.SIGALRM, raise_it)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(Enough):
            pg.pagerank(
                pg.generate("rmat:scale=14"), tolerance=0, max_supersteps=None, engine="cpu"
            )
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
