"""A worker of a training loop, with rounds, a table that grows and an all-reduce, which KilledPythonJobTest kills.

Prints its steps, and the model at the end.
"""

import hashlib
import sys

import numpy as np

import psf

N = 500

with psf.connect() as worker:
    rounds = worker.dense("rounds", N, initializer=psf.normal(0, 1, seed=3), optimizer=psf.adam(0.1), updates="mean")
    table = worker.growing("table", 4, optimizer=psf.add())
    reduce = psf.AllReduce(worker, "norms", 1)
    position = [0]

    def train(step):
        position[0] += 1
        if position[0] != step:
            raise RuntimeError("position %d in step %d" % (position[0], step))
        rounds.push(np.random.default_rng((step, worker.rank)).random(N, np.float32) - np.float32(0.5))
        table.push([step % 17, 1000 + step % 5], np.arange(1, 9).reshape(2, 4))
        total, n = reduce.sum([step + worker.rank])[0], worker.workers
        if total != n * step + n * (n - 1) / 2 and not worker.lost():
            raise RuntimeError("sum %s in step %d" % (total, step))
        print("STEP %d" % step)

    loop = worker.checkpoints("run", incremental=3).every_steps(4).record(
        lambda: {"position": str(position[0])}, lambda saved: position.__setitem__(0, int(saved["position"])))
    loop.run(int(sys.argv[1]), train)
    model = hashlib.sha256(rounds.pull().tobytes() + table.pull([*range(17), *range(1000, 1005)]).tobytes())
    print("MODEL " + model.hexdigest())
    worker.barrier()
