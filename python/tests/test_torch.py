"""Modules of PyTorch on the servers learn what PyTorch's own learn."""

import threading
import unittest
from unittest import mock

import numpy as np

import psf

from .cluster import ClusterTest, Proxy, together

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
        with self.assertRaisesRegex(TypeError, "ids: list .expected: a tensor of PyTorch"):
            psf.torch.Embedding(table)([3, 1])

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
        with self.assertRaises(ValueError):
            own.prefetch(ids)
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
        with self.assertRaisesRegex(psf.PsError, "psf.torch.step: SGD .expected: modules and parameters of psf.torch"):
            psf.torch.step(own, torch.optim.SGD([torch.zeros(1, requires_grad=True)], 0.1))
        table.clear()

    def test_a_cache_of_rows(self):
        weights = torch.randn(50, 4, generator=torch.Generator().manual_seed(3))
        spec = psf.table(self.name(), 50, 4, initializer=weights.numpy(), optimizer=psf.sgd(0.1))
        with psf.EmbeddingCache(self.connected(), spec, rows=4, push_bound=5) as cache:
            theirs = torch.nn.Embedding.from_pretrained(weights, freeze=False)
            self.compared(psf.torch.Embedding(cache), theirs, torch.tensor([3, 1, 3, 49, 0, 7]))
            self.assertGreater(cache.counters.hits, 0)
            cache.loaded()

    def test_bags_of_a_cache(self):
        ids, offsets = torch.tensor([3, 1, 3, 49, 0]), torch.tensor([0, 2, 2])
        for mode in ("sum", "mean"):
            weights = torch.randn(50, 4, generator=torch.Generator().manual_seed(3))
            spec = psf.table(self.name(mode), 50, 4, initializer=weights.numpy(), optimizer=psf.sgd(0.1))
            with psf.EmbeddingCache(self.connected(), spec, rows=8, push_bound=5) as cache:
                theirs = torch.nn.EmbeddingBag.from_pretrained(weights.clone(), freeze=False, mode=mode)
                own = psf.torch.EmbeddingBag(cache, mode)
                self.assertTrue(torch.allclose(own(ids, offsets), theirs(ids, offsets), atol=1e-6))
                own.prefetch(torch.tensor([[7, 8]]))
                self.compared(own, theirs, torch.tensor([[3, 1], [3, 49], [0, 0]]))
                self.assertEqual((2, 0), (cache.counters.prefetched, cache.counters.evictions))
                cache.loaded()

    def test_a_prefetch_of_bags_has_the_steps_of_its_module(self):
        for mode in ("sum", "mean"):
            table, weights = self.table()
            own = psf.torch.EmbeddingBag(table, mode)
            theirs = torch.nn.EmbeddingBag.from_pretrained(weights, freeze=False, mode=mode)
            local = torch.optim.SGD(theirs.parameters(), 0.1)
            for i in range(9):
                batch, following = (
                    (torch.tensor([j % 7, 3, 3, j % 2, 40 + j, 1]), torch.tensor([0, 2, 3, 3])) for j in (i, i + 1))
                with mock.patch.object(psf.Table, "pull_bags", None if i else psf.Table.pull_bags):
                    rows, expected = own(*batch), theirs(*batch)
                self.assertTrue(torch.allclose(rows, expected, atol=1e-5), i)
                own.prefetch(*following)
                for each in (rows, expected):
                    (each ** 2).sum().backward()
                psf.torch.step(own)
                local.step()
                local.zero_grad()
            own.prefetch(torch.tensor([[5]]))
            table.push([5], np.ones((1, 4)))
            own.forget()
            self.assertTrue(np.array_equal(table.pull([5]), own(torch.tensor([[5]])).detach().numpy()))
            table.clear()

    def test_a_prefetch_has_the_steps_of_its_module(self):
        table, weights = self.table()
        own, theirs = psf.torch.Embedding(table), torch.nn.Embedding.from_pretrained(weights, freeze=False)
        local = torch.optim.SGD(theirs.parameters(), 0.1)
        pulls = []
        with mock.patch.object(psf.Table, "_pull", lambda on, keys, pull=psf.Table._pull: (pulls.append(1), pull(on, keys))[1]):
            for i in range(9):
                ids, following = (torch.tensor([[j % 7, 3], [j % 2, 40 + j]]) for j in (i, i + 1))
                rows, expected = own(ids), theirs(ids)
                self.assertTrue(torch.allclose(rows, expected, atol=1e-6), i)
                own.prefetch(following)
                for each in (rows, expected):
                    (each ** 2).sum().backward()
                psf.torch.step(own)
                local.step()
                local.zero_grad()
        self.assertEqual(10, len(pulls))  # the first one, and the prefetches
        own(torch.tensor([5]))  # of other ids than those of the prefetch
        own.prefetch(torch.tensor([5]))
        table.push([5], np.ones((1, 4)))
        own.forget()
        self.assertTrue(np.array_equal(table.pull([5]), own(torch.tensor([5])).detach().numpy()))
        table.clear()

    def test_gradients_of_a_step_that_fails_are_dropped(self):
        table, _ = self.table()
        own, head = psf.torch.Embedding(table), torch.nn.Linear(4, 1)
        parameters = psf.torch.Parameters(table.caller, self.name("head"), head, psf.sgd(0.1))
        lost = parameters.tensors[0]
        head(own(torch.tensor([1]))).sum().backward()
        lost.clear()
        with self.assertRaisesRegex(psf.PsError, "UNKNOWN_TENSOR"):
            psf.torch.step(parameters, own)
        self.assertEqual(([], None, None), (own.start_step(), head.weight.grad, head.bias.grad))
        for tensor in (table, *parameters.tensors[1:]):
            tensor.clear()

    def test_modules_have_the_weights_of_a_checkpoint_that_was_loaded(self):
        table, weights = self.table()
        items, head = psf.torch.Embedding(table), torch.nn.Linear(4, 1)
        dense = psf.torch.Parameters(table.caller, self.name("head"), head, psf.sgd(0.1))
        tensors = [table, *dense.tensors]
        model = table.caller.checkpoints(self.name("m").replace(":", "."), tensors=tensors, parts=[items, dense])
        self.addCleanup(model.delete)
        first = head.weight.detach().clone()
        model.save(1)
        ids = torch.tensor([1, 2])
        head(items(ids)).sum().backward()
        psf.torch.step(items, dense)
        self.assertFalse(torch.equal(first, head.weight))
        items.prefetch(ids)
        head(items(torch.tensor([3]))).sum().backward()
        model.load_latest()
        self.assertTrue(torch.equal(first, head.weight))
        self.assertEqual([], items.start_step())
        self.assertTrue(torch.equal(weights[ids], items(ids).detach()))
        for tensor in tensors:
            tensor.clear()


def batch(seed, rows=64):
    """Returns inputs, and what a network with fixed weights makes of them."""
    generator = torch.Generator().manual_seed(0)
    weights = torch.randn(16, 8, generator=generator), torch.randn(8, 1, generator=generator)
    inputs = torch.randn(rows, 16, generator=torch.Generator().manual_seed(1 + seed))
    return inputs, torch.tanh(inputs @ weights[0] / 4) @ weights[1]


def model():
    torch.manual_seed(2)
    return torch.nn.Sequential(torch.nn.Linear(16, 128), torch.nn.Tanh(), torch.nn.Linear(128, 1))


@unittest.skipIf(torch is None, "torch: not installed (expected: apt-get install python3-torch)")
class OuterTest(ClusterTest):
    STEPS = 100

    def loss(self, of, seed, rows=64):
        inputs, target = batch(seed, rows)
        return ((of(inputs) - target) ** 2).mean()

    def local(self, of):
        return torch.optim.AdamW(of.parameters(), 3e-3)

    def test_a_round_of_each_step_whose_gradient_is_applied_as_it_is_changes_nothing(self):
        cluster, ours, theirs = self.connected(), model(), model()
        outer = psf.torch.Outer(cluster, self.name(), ours, 1, psf.sgd(1), updates="each", wire="float32")
        own, local = self.local(ours), self.local(theirs)
        for step in range(20):
            for each, optimizer in ((ours, own), (theirs, local)):
                optimizer.zero_grad()
                self.loss(each, step).backward()
                optimizer.step()
            psf.torch.step(outer)
            self.assertTrue(torch.allclose(ours[0].weight, theirs[0].weight, atol=1e-5), step)
        for tensor in outer.tensors:
            tensor.clear()

    def trained(self, workers, make, every=1):
        """Trains a model by two workers, each with its own data. Returns the loss, and the bytes that they have sent."""
        models = [model() for _ in workers]

        def train(worker, of):
            part = make(worker, of)
            worker.barrier()
            before = self.proxy.bytes
            worker.barrier()
            optimizer = self.local(of)
            for step in range(self.STEPS):
                self.loss(of, self.STEPS * worker.rank + step).backward()
                if isinstance(part, psf.torch.Outer):
                    optimizer.step()
                psf.torch.step(part)
            worker.barrier()
            return part, self.proxy.bytes - before

        (part, sent), _ = together(*[lambda each=each: train(*each) for each in zip(workers, models)])
        with torch.no_grad():
            losses = [float(self.loss(each, -1, 2000)) for each in models]
        self.assertEqual(*losses)  # they have the same global weights
        for tensor in part.tensors:
            tensor.clear()
        return losses[0], sent

    def test_workers_that_meet_once_in_ten_steps_learn_what_those_learn_that_meet_in_each(self):
        self.proxy = Proxy()
        with self.proxy.between():
            workers = together(*[lambda: psf.connect(role="worker")] * 2)
            try:
                each, sent = self.trained(workers, lambda worker, of: psf.torch.Parameters(
                    worker, self.name("each"), of, psf.adam_w(3e-3), updates="mean", wire="bfloat16"))
                some, less = self.trained(workers, lambda worker, of: psf.torch.Outer(
                    worker, self.name("some"), of, 10))
            finally:
                together(*[each.close for each in workers])
        with torch.no_grad():
            first = float(self.loss(model(), -1, 2000))
        self.assertLess(each, 0.1 * first)
        self.assertLess(some, 1.5 * each)
        self.assertLess(less, 0.13 * sent)

    def ticks(self, clock, timeout):
        """Ends an iteration. Returns false if this worker is still too far ahead after the time."""
        try:
            clock.tick(timeout)
            return True
        except psf.PsError as e:
            self.assertEqual("TIMED_OUT", e.code)
            return False

    def test_a_worker_is_at_most_the_staleness_ahead_while_workers_train_parameters(self):
        staleness, steps, ahead = 2, 60, []
        workers = together(*[lambda: psf.connect(role="worker")] * 2)
        try:
            models = [model() for _ in workers]
            done = [0, 0]
            waits, free = threading.Event(), threading.Event()

            def train(worker, of):
                part = psf.torch.Parameters(worker, self.name("ssp"), of, psf.sgd(0.02), updates="each")
                clock = psf.Ssp(worker, 78, staleness)
                for step in range(steps):
                    if worker.rank and step == 5:
                        waits.set()  # the other one goes on, as far as it may
                        free.wait()
                    self.loss(of, steps * worker.rank + step).backward()
                    psf.torch.step(part)
                    while not self.ticks(clock, None if worker.rank or free.is_set() else 0.3):
                        if waits.is_set():
                            ahead.append(done[0] + 1 - done[1])
                            free.set()
                    done[worker.rank] += 1
                return part

            part, _ = together(*[lambda each=each: train(*each) for each in zip(workers, models)])
            self.assertEqual([staleness + 1], ahead)
            with torch.no_grad():
                part.pull()
                self.assertLess(float(self.loss(models[0], -1, 2000)), 0.5 * float(self.loss(model(), -1, 2000)))
            for tensor in part.tensors:
                tensor.clear()
        finally:
            together(*[each.close for each in workers])

    def test_the_steps_of_a_round_are_counted(self):
        cluster = self.connected()
        with self.assertRaisesRegex(ValueError, r"every: 0 \(expected: >= 1 step\)"):
            psf.torch.Outer(cluster, "no", model(), 0)
        of = model()
        outer = psf.torch.Outer(cluster, self.name(), of, 3, psf.sgd(1), updates="each", wire="float32")
        start = outer.tensors[1].pull()

        def go_on(steps):
            for _ in range(steps):
                with torch.no_grad():
                    of[0].bias += 1
                psf.torch.step(outer)
            return np.unique(np.round(outer.tensors[1].pull() - start)).tolist()

        self.assertEqual([[0], [3], [3]], [go_on(2), go_on(1), go_on(2)])
        psf.wait_all(outer.start_round())
        self.assertEqual([[5], [8]], [go_on(2), go_on(1)])
        go_on(1)
        outer.pull()
        self.assertTrue(np.array_equal(outer.tensors[1].pull(), of[0].bias.detach().numpy()))
        self.assertEqual([8], go_on(2))
        for tensor in outer.tensors:
            tensor.clear()
