"""A worker whose model goes back to a checkpoint while calls are under way, which PythonTest runs: it is told once."""

import sys

import numpy as np

import psf

with psf.connect() as worker:
    cache = psf.EmbeddingCache(worker, psf.table("items", 30, 2, initializer=psf.constant(1.0)), rows=30)
    items, keys = cache.table, np.arange(30)
    checkpoints = worker.checkpoints("m", parts=[cache])
    checkpoints.save(1)
    for calls in "prefetch", "pushes":
        print("saved", flush=True)
        sys.stdin.readline()  # one server is lost
        if calls == "prefetch":
            cache.prefetch(keys)
        else:
            for _ in range(5):
                items.push.start(keys, np.ones((30, 2)))
        print("sent", flush=True)
        sys.stdin.readline()  # it is another one now
        try:
            cache.look_up(keys)
            worker.wait()
        except psf.PsError as e:
            print("failed: %s" % e.code)
        checkpoints.load_latest()
        worker.wait()
        print("rows: %s" % np.unique(cache.look_up(keys)).tolist(), flush=True)
