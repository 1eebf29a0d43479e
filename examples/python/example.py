"""A worker in Python beside one in Java: makes two tensors on the servers, pushes to them and pulls from them.

    ./psf launch --servers 2 --workers 1 -- python3 examples/python/example.py

PSF_SCHEDULER is the scheduler's host and port, as for a worker in Java."""

import os, pathlib

import psf, tuples

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = [ROOT / module / "src" / "main" / "schemas" for module in ("psf-runtime", "psf-builtin")]
FLOAT32 = {"storage": "FLOAT32", "isStochastic": False, "wire": "FLOAT32"}


def declaration(tensor, rows, width):
    """Returns what Java's TensorSpec declares for a tensor of ones to which pushes are added."""
    rule = {"arguments": {}, "options": {}}
    return {
        "info": {"id": tensor, "rows": rows, "width": width, "types": FLOAT32},
        "slices": 0,
        "beside": "",
        "placement": "host",
        "initializer": {**rule, "name": "psf.constant", "arguments": {"value": "1.0"}},
        "optimizer": {**rule, "name": "psf.add", "arguments": {"scale": "1.0"}},
        "rounds": {"synchronous": False, "mean": False, "quorum": 0, "dropsLate": False},
        "policy": {},
        "memoryOf": "",
    }


def main(scheduler):
    host, port = scheduler.rsplit(":", 1)
    worker = psf.Worker(host, int(port), tuples.Schema.read(*SCHEMAS), os.environ.get("PSF_SECRET"))
    print("worker %d, %d servers" % (worker.rank, len(worker.servers)))
    tensors = [declaration("w", 5, 2), declaration("table", psf.GROWING, 2)]
    worker.apply(worker.call("psf.tensor.declare", tensors=tensors, epoch=worker.epoch)["changes"])
    created = worker.call("psf.init", tensors=["w", "table"], epoch=worker.epoch)["created"]
    print("shards: %d" % created)

    worker.call("psf.dense.push", tensor="w", update=[0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    print("w: %s" % worker.call("psf.dense.pull", tensor="w")["values"])
    worker.call("psf.sparse.push", tensor="w", keys=[4, 0, 4], update=[100, 200, 1, 1, 1000, 2000])
    print("rows 4, 0, 4 of w: %s" % worker.call("psf.sparse.pull", tensor="w", keys=[4, 0, 4])["values"])
    worker.call("psf.sparse.push", tensor="table", keys=[-7, 1 << 40, 3], update=[1, 2, 3, 4, 5, 6])
    print("rows 3, -7 of table: %s" % worker.call("psf.sparse.pull", tensor="table", keys=[3, -7])["values"])
    try:
        worker.call("psf.init", tensors=["v"], epoch=worker.epoch)
    except psf.PsError as e:
        print("refused: %s" % e)

    worker.barrier()  # a worker in Java reads these values, and pushes to them
    worker.barrier()
    print("after the barrier: %s" % worker.call("psf.dense.pull", tensor="w")["values"])
    worker.close()


main(os.environ["PSF_SCHEDULER"])
