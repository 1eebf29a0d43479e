"""A worker whose server is started again while it trains, which PythonTest runs: it goes back, and no step counts twice."""

import sys

import numpy as np

import psf

STEPS = 60
seen = []


with psf.connect() as worker:
    dense = worker.dense("dense", (10, 4), slices=2, initializer=psf.constant(1), optimizer=psf.add())
    position = [0]

    def step(number):
        seen.append(number)
        position[0] += 1
        dense.push(np.ones((10, 4)))
        if seen == list(range(1, 26)):
            print("trained", flush=True)
            sys.stdin.readline()  # one server is another one now

    def restore(saved):
        position[0] = int(saved["position"])

    loop = worker.checkpoints("m").every_steps(10).record(lambda: {"position": str(position[0])}, restore)
    print("steps: %d, position: %d" % (loop.run(STEPS, step), position[0]))
    print("sums: %s" % np.unique(dense.pull()).tolist())
    print("repeated: %s" % (len(seen) > STEPS))
