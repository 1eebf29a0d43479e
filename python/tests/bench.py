"""The calls of Python that `psf bench --python` measures beside those of Java.

Reads lines of a case and a time, such as ``pull 4096 0.2``, and answers each with the median latency in microseconds.
"""

import statistics
import sys
import time

import numpy as np

import psf

ROWS, KEYS, BATCHES = 1_000_000, 10_000, 16


def batches(kind):
    random = np.random.default_rng(20)
    for _ in range(BATCHES):
        if kind == "zipf":
            shares = np.cumsum(1 / np.arange(1, ROWS + 1))
            yield np.searchsorted(shares, random.random(KEYS) * shares[-1]) * 7_368_787 % ROWS
        else:
            yield random.choice(ROWS, KEYS, replace=False)


def dense(cluster, verb, bytes):
    tensor = cluster.dense("%s %s" % (verb, bytes))
    if verb == "pull":
        return tensor.pull
    update = np.zeros(int(bytes) // 4, np.float32)
    return lambda: tensor.push(update)


def sparse(cluster, verb, kind):
    table = cluster.table("table 16")
    keys = list(batches(kind))
    update = np.full((KEYS, 16), 1e-3, np.float32)
    calls = [0]

    def call():
        calls[0] += 1
        batch = keys[calls[0] % BATCHES]
        return table.pull(batch) if verb == "pull" else table.push(batch, update)
    return call


def median(call, seconds):
    took, end = [], time.perf_counter() + seconds
    while len(took) < 5 or time.perf_counter() < end:
        before = time.perf_counter()
        call()
        took.append(time.perf_counter() - before)
    return statistics.median(took) * 1e6


if __name__ == "__main__":
    with psf.connect() as plain, psf.connect(checksum=True) as checked:
        calls = {}
        print("ready")
        for line in sys.stdin:
            verb, what, sums, seconds = line.split()
            if line not in calls:
                calls[line] = (dense if what.isdigit() else sparse)(checked if sums == "checked" else plain, verb, what)
            print(median(calls[line], float(seconds)))
