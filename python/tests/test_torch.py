"""Modules of PyTorch on the servers learn what PyTorch's own learn."""

import unittest

import numpy as np

import psf

from .cluster import ClusterTest

try:
    import torch

    import psf.torch
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "torch: not installed (expected: apt-get install python3-torch)")
class TorchTest(ClusterTest):
    def trained(self, look_up, head, ids, steps, after):
        target = torch.linspace(-1, 1, len(ids))
        losses = []
        for _ in range(steps):
            loss = ((head(look_up(ids)).squeeze(-1) - target) ** 2).mean()
            loss.backward()
            after()
            losses.append(float(loss.detach()))
        return losses

    def compared(self, own, theirs, ids):
        """Trains two models, with their embeddings and equal heads, and compares the losses."""
        torch.manual_seed(1)
        head, same = torch.nn.Linear(4, 1), torch.nn.Linear(4, 1)
        same.load_state_dict(head.state_dict())
        cluster = own.table.caller
        parameters = psf.torch.Parameters(cluster, self.name("head"), head, psf.sgd(0.1))
        losses = self.trained(own, head, ids, 20, lambda: psf.torch.step(own, parameters))
        local = torch.optim.SGD([*theirs.parameters(), *same.parameters()], 0.1)

        def after():
            local.step()
            local.zero_grad()

        self.assertTrue(np.allclose(losses, self.trained(theirs, same, ids, 20, after), atol=1e-5))
        self.assertLess(losses[-1], losses[0])
        again = torch.nn.Linear(4, 1)
        psf.torch.Parameters(cluster, self.name("head"), again, psf.sgd(0.1))  # finds those that are there
        self.assertTrue(torch.equal(again.weight, head.weight))
        for tensor in (own.table, *parameters.tensors):
            tensor.clear()

    def table(self):
        weights = torch.randn(50, 4, generator=torch.Generator().manual_seed(3))
        table = self.connected().table(self.name(), 50, 4, initializer=weights.numpy(), optimizer=psf.sgd(0.1))
        return table, weights

    def test_an_embedding(self):
        table, weights = self.table()
        ids = torch.tensor([3, 1, 3, 49, 0])
        self.compared(psf.torch.Embedding(table), torch.nn.Embedding.from_pretrained(weights, freeze=False), ids)

    def test_bags(self):
        for mode in ("sum", "mean"):
            table, weights = self.table()
            theirs = torch.nn.EmbeddingBag.from_pretrained(weights, freeze=False, mode=mode)
            self.compared(psf.torch.EmbeddingBag(table, mode), theirs, torch.tensor([[3, 1], [3, 49], [0, 0]]))

    def test_bags_by_offsets(self):
        table, weights = self.table()
        ids, offsets = torch.tensor([3, 1, 3, 49, 0]), torch.tensor([0, 2, 2])
        theirs = torch.nn.EmbeddingBag.from_pretrained(weights, mode="sum")
        own = psf.torch.EmbeddingBag(table, "sum")
        self.assertTrue(torch.allclose(own(ids, offsets), theirs(ids, offsets), atol=1e-6))
        with self.assertRaises(ValueError):
            own(ids)
        table.clear()

    def test_rows_that_are_only_looked_up_are_not_pushed(self):
        table, weights = self.table()
        own = psf.torch.Embedding(table)
        with torch.no_grad():
            own(torch.tensor([1]))
        own.eval()
        own(torch.tensor([1]))
        self.assertEqual([], own.start_step())
        own.train()
        own(torch.tensor([1])).sum().backward()
        own.forget()
        psf.torch.step(own)
        self.assertTrue(np.array_equal(weights[1].numpy(), table.pull([1])[0]))
        table.clear()
