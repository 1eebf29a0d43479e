"""LeNet-5 on MNIST, with all weights on the parameter servers, as in MindSpore's guide. Worker.sh runs it."""

import argparse
import pathlib
import sys

import torch
from torch import nn

sys.path.append(str(pathlib.Path(__file__).parents[1]))

import mnist
import psf
import psf.torch


def lenet():
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--epochs", type=int, default=1)
options.add_argument("--steps", type=int, default=1875, help="the steps of an epoch")
chosen = options.parse_args()
torch.manual_seed(1)

with psf.connect() as cluster:
    network = lenet()
    weights = psf.torch.Parameters(cluster, "lenet", network, psf.momentum(0.01, 0.9), updates="mean")
    batches = mnist.batches(32, cluster.rank)
    for epoch in range(1, chosen.epochs + 1):
        for step, (images, labels) in zip(range(1, chosen.steps + 1), batches):
            loss = nn.functional.cross_entropy(network(images), labels)
            loss.backward()
            psf.torch.step(weights)
            print("epoch: %d step: %d, loss is %.6f" % (epoch, step, loss), flush=True)
    print("accuracy: %.4f" % mnist.accuracy(network))
