"""The other tests of a cluster once more, while a proxy cuts all connections several times a second: a user sees nothing of it.
And a test while a proxy flips bits.

``python3 -m unittest tests.cuts`` runs them; the others run without them, since they take minutes: a damaged length of a frame is
found when the limit of heartbeats is over.
"""

import os
import random
import threading

import numpy as np

import psf

from . import test_acceptance, test_cache, test_checkpoints, test_tensors
from .cluster import ClusterTest, Proxy


class ThroughCuts:
    """A test whose clients and workers connect through the proxy."""

    cuts = 0

    def setUp(self):
        super().setUp()
        proxy = Proxy()
        context = proxy.between()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        over, times = threading.Event(), random.Random(self.id())

        def cut():
            while not over.wait(times.uniform(0.01, 0.3)):
                proxy.cut()
                type(self).cuts += 1

        thread = threading.Thread(target=cut)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(over.set)

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        if "PSF_SCHEDULER" in os.environ and not cls.cuts:
            raise AssertionError("cuts: none (expected: some, while the tests ran)")


class TensorsThroughCutsTest(ThroughCuts, test_tensors.TensorsTest):
    pass


class WorkersThroughCutsTest(ThroughCuts, test_tensors.WorkersTest):
    pass


class CacheThroughCutsTest(ThroughCuts, test_cache.CacheTest):
    pass


class CheckpointsThroughCutsTest(ThroughCuts, test_checkpoints.CheckpointsTest):
    pass


class AcceptanceThroughCutsTest(ThroughCuts, test_acceptance.AcceptanceTest):
    pass


class ChecksumsTest(ClusterTest):
    def test_sums_are_exact_while_bits_are_flipped(self):
        with Proxy().between() as proxy:
            cluster = psf.connect(checksum=True)
            table = cluster.table(self.name(), rows=100, width=8)
            dense = cluster.dense(self.name("d"), 100_000)
            keys = np.arange(50)
            before = proxy.connections
            proxy.flip_one_in = 50_000
            for i in range(1, 101):
                table.push(keys, np.ones((50, 8)))
                self.assertTrue((table.pull(keys) == i).all())
                if i % 10 == 0:
                    dense.push(np.ones(100_000))
                    self.assertTrue((dense.pull() == i // 10).all())
            proxy.flip_one_in = None
            self.assertGreater(proxy.flips, 25)
            self.assertGreater(proxy.connections, before + 10)
            table.clear()
            dense.clear()
            cluster.close()


del ThroughCuts
