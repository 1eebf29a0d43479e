"""The convolutional network of Ray's parameter server example on MNIST, by synchronous rounds or asynchronously.

    ./psf launch --servers 2 --workers 2 -- python3 examples/python/convnet.py [--mode async] [--iterations 200]
"""

import argparse

import torch
import torch.nn.functional as F

import mnist
import psf
import psf.torch


class ConvNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(1, 3, kernel_size=3)
        self.fc = torch.nn.Linear(192, 10)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(x), 3))
        return F.log_softmax(self.fc(x.view(-1, 192)), dim=1)


options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
options.add_argument("--mode", choices=("sync", "async"), default="sync")
options.add_argument("--iterations", type=int, default=200)
chosen = options.parse_args()
torch.manual_seed(1)

with psf.connect() as cluster:
    model = ConvNet()
    weights = psf.torch.Parameters(
        cluster, "convnet", model, psf.sgd(1e-2), updates="sum" if chosen.mode == "sync" else "each")
    for iteration, (images, labels) in zip(range(1, chosen.iterations + 1), mnist.batches(128, cluster.rank)):
        F.nll_loss(model(images), labels).backward()
        psf.torch.step(weights)  # the gradients go to the servers, and the current weights come back
        if iteration % 10 == 0 and cluster.rank == 0:
            print("Iter %d: \taccuracy is %.1f" % (iteration, 100 * mnist.accuracy(model, 1024)), flush=True)
    cluster.barrier()
    weights.pull()  # those of all workers
    if cluster.rank == 0:
        print("Final accuracy is %.1f." % (100 * mnist.accuracy(model)))
