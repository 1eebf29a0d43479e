"""The other tests of a cluster once more, while a proxy cuts all connections several times a second: a user sees nothing of it.

``python3 -m unittest tests.cuts`` runs them; the others run without them, since they take a minute.
"""

import os
import random
import threading

from . import test_cache, test_checkpoints, test_tensors
from .cluster import Proxy


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
        if "PSF_SCHEDULER" in os.environ and cls.cuts < 3:
            raise AssertionError("cuts: %d (expected: some, while the tests ran)" % cls.cuts)


class TensorsThroughCutsTest(ThroughCuts, test_tensors.TensorsTest):
    pass


class WorkersThroughCutsTest(ThroughCuts, test_tensors.WorkersTest):
    pass


class CacheThroughCutsTest(ThroughCuts, test_cache.CacheTest):
    pass


class CheckpointsThroughCutsTest(ThroughCuts, test_checkpoints.CheckpointsTest):
    pass


del ThroughCuts
