"""A worker that is slow for a known reason, until it is ended: ExplainPythonTest says which."""

import sys
import time

import numpy as np

import psf


def main(kind):
    with psf.connect(role="worker") as worker:
        dense = worker.dense("w", 8)
        while True:
            if kind == "work":
                until = time.monotonic() + 0.1
                while time.monotonic() < until:
                    np.ones(1000).sum()
            elif kind == "input":
                time.sleep(0.05)
            elif kind == "barrier":
                time.sleep(0.001 if worker.rank == 0 else 0.04)
                worker.barrier()
            dense.pull()


main(sys.argv[1])
