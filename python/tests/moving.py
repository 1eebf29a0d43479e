"""A client that pushes and pulls while slices move and connections break, which PythonMovesTest runs."""

import sys
import threading
import time

import numpy as np

import psf

from .cluster import Proxy, together

stop = threading.Event()
rounds = {"dense": 0, "table": 0, "pulls": 0}


def goes_on():
    """Waits until each thread has made some more rounds."""
    before = dict(rounds)
    while not stop.is_set() and any(rounds[each] < before[each] + 2 for each in rounds):
        time.sleep(0.001)


def rounds_of(name, make):
    def run():
        try:
            while not stop.is_set():
                make()
                rounds[name] += 1
        finally:
            stop.set()
    return run


def moves():
    print("ready", flush=True)
    for i, _ in enumerate(sys.stdin):
        if i % 3 == 0:
            proxy.cut()
        goes_on()
        print("went on", flush=True)
    stop.set()


with Proxy().between() as proxy, psf.connect() as client:
    dense, table = client.dense("dense"), client.table("table")
    random = np.random.default_rng(7)
    counts = np.zeros(300)
    torn = []

    def push_dense():
        psf.wait_all([dense.push.start(np.ones(3000)) for _ in range(10)])

    def push_rows():
        keys = random.integers(0, 300, (10, 200))
        psf.wait_all([table.push.start(some, np.ones((200, 4))) for some in keys])
        np.add.at(counts, keys, 1)

    def pull():
        for slice in dense.pull().reshape(6, -1):
            if np.ptp(slice):
                torn.append(slice)

    together(moves, rounds_of("dense", push_dense), rounds_of("table", push_rows), rounds_of("pulls", pull))
    exact = np.array_equal(np.full((3000, 1), 10.0 * rounds["dense"]), dense.pull().reshape(-1, 1)) and np.array_equal(
        np.repeat(counts[:, None], 4, 1), table.pull(np.arange(300)))
    print("exact: %s" % exact)
    print("torn: %d" % len(torn))
