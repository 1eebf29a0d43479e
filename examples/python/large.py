"""An embedding that is larger than the memory of its worker, in a training that goes on when a server is killed and comes back.

    PSF_CHECKPOINTS=/tmp/large ./psf launch --servers 2 --workers 1 -- python3 examples/python/large.py --rows 8000000 --memory 512
"""

import argparse
import logging
import resource

import numpy as np
import torch

import psf
import psf.torch

WIDTH = 32

options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
options.add_argument("--rows", type=int, default=8_000_000)
options.add_argument("--memory", type=int, default=512, help="the MB that the worker may take for the training")
options.add_argument("--steps", type=int, default=600)
chosen = options.parse_args()


def batch(step):
    """Returns 256 bags of 8 ids, of which some occur often, and the share of the odd ones of each bag."""
    ids = (chosen.rows * np.random.default_rng(step).random((256, 8)) ** 8).astype(np.int64)
    return torch.from_numpy(ids), torch.from_numpy((ids % 2).mean(1, dtype=np.float32))


def limit_memory():
    """Limits the address space to what this process has, and so many MB."""
    with open("/proc/self/statm") as file:
        has = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (has + (chosen.memory << 20),) * 2)


logging.basicConfig(format="%(message)s", level=logging.INFO)
torch.set_num_threads(1)
torch.manual_seed(0)
with psf.connect() as cluster:
    items = psf.torch.EmbeddingBag(cluster.table(
        "large.items", chosen.rows, WIDTH, initializer=psf.uniform(-0.1, 0.1, seed=1), optimizer=psf.row_ada_grad(0.5)))
    head = torch.nn.Linear(WIDTH, 1)
    dense = psf.torch.Parameters(cluster, "large.head", head, psf.adam(1e-2), updates="mean")
    losses = []

    def train(step):
        ids, target = batch(step)
        loss = torch.nn.functional.mse_loss(head(items(ids)).squeeze(1), target)
        loss.backward()
        psf.torch.step(items, dense)
        losses.append(loss.item())
        if len(losses) == 1:
            limit_memory()  # behind what PyTorch allocates once
        if step % 20 == 0:
            print("step %d: loss %.4f" % (step, loss), flush=True)

    loop = cluster.checkpoints("large", incremental=10, parts=[items, dense]).every_steps(200)
    loop.run(chosen.steps, train)
    print("loss: %.4f at first, %.4f at last; %d steps, %d of them again" % (
        losses[0], np.mean(losses[-20:]), chosen.steps, len(losses) - chosen.steps))
    try:
        items.table.pull(np.arange(chosen.rows))
    except (MemoryError, psf.PsError) as e:
        print("the whole table, %d MB: %s" % (chosen.rows * WIDTH * 4 >> 20, e))
