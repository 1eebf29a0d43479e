"""The lines of MXNet's guide to its parameter server: create, init, push and pull of a KVStore.

    ./psf launch --servers 2 --workers 2 -- python3 examples/python/kvstore.py
"""

import numpy as np

import psf

with psf.connect() as cluster:
    s = psf.KVStore(cluster, "dist_sync")
    s.init("w", np.ones((2, 3)))
    s.push("w", np.full((2, 3), 8))  # the sum of all workers takes the place of the value
    a = s.pull("w")
    print("worker %d of %d: %s" % (s.rank, s.num_workers, a.tolist()))
