"""The embedding cache. PythonCacheTest compares its rows with those of Java's cache."""

import unittest
from unittest import mock

import numpy as np

import psf
from psf.lines import Index, Order

from .cluster import ClusterTest, together


class LinesTest(unittest.TestCase):
    def test_an_index_finds_what_a_dictionary_finds(self):
        random = np.random.default_rng(0)
        for lines in (1, 2, 3, 50):
            keys = np.zeros(lines, np.int64)
            index, known = Index(keys), {}
            for _ in range(300):
                free = np.setdiff1d(np.arange(lines), list(known.values()))
                some = free[: random.integers(len(free) + 1)]
                new = random.choice(np.setdiff1d(np.arange(-100, 100) << 40, list(known)), len(some), replace=False)
                keys[some] = new
                index.insert(some)
                known.update(zip(new.tolist(), some.tolist()))
                asked = np.concatenate([np.array(list(known), np.int64), random.integers(-100, 100, 9) << 40])
                self.assertEqual([known.get(key, -1) for key in asked.tolist()], index.find(asked).tolist())
                gone = [key for key in known if random.integers(2)]
                index.remove(np.array([known.pop(key) for key in gone], np.intp))

    def test_lines_leave_in_the_order_of_their_levels(self):
        random = np.random.default_rng(0)
        for levels in (1, 4):
            order, model, uses, stamp = Order(40, levels), {}, np.zeros(40, np.int64), 0
            pinned = np.arange(40)
            for _ in range(500):
                uses[pinned] = np.where(random.integers(3), uses[pinned] + 1, 0)
                order.unpin(pinned, uses[pinned])
                for line in pinned.tolist():
                    model[line] = min(uses[line], levels - 1), stamp
                    stamp += 1
                first = order.first(int(random.integers(1, 20)))
                self.assertEqual(sorted(model, key=model.get)[: len(first)], first.tolist())
                used = np.setdiff1d(random.integers(0, 40, 10), first)
                order.pin(used)
                pinned = np.concatenate([first, used])


class CacheTest(ClusterTest):
    def cache(self, cluster=None, **options):
        spec = psf.table(self.name(), 60, 3, initializer=psf.constant(0.5), optimizer=options.pop("optimizer", psf.add()))
        return psf.EmbeddingCache(cluster or self.connected(), spec, **options)

    def test_a_bypass_caches_nothing(self):
        with self.cache(rows=0, bypass=True, optimizer=psf.all_rows_adam(0.1)) as cache:
            self.addCleanup(cache.table.clear)
            cache.prefetch([1, 2])
            for _ in range(2):
                self.assertEqual((2, 2, 3), cache.look_up([[59, 1], [59, 1]]).shape)
            cache.update([59, 1, 59], np.ones((3, 3)))
            self.assertFalse((cache.table.pull([59, 1]) == 0.5).any())
            done = cache.counters
            self.assertEqual((4, 0, 4, 2), (done.rows, done.hits, done.misses, done.pushed))

    def test_a_hit_receives_nothing(self):
        with self.cache(rows=4, pull_bound=psf.EmbeddingCache.UNLIMITED, push_bound=10) as cache:
            self.addCleanup(cache.table.clear)
            cache.look_up([59, 1, 59])
            cache.update([59, 1], np.ones((2, 3)))
            self.assertTrue((cache.look_up([[1], [59]]) == np.full((2, 1, 3), 1.5)).all())
            self.assertEqual((4, 2, 2), (cache.counters.rows, cache.counters.hits, cache.counters.misses))
            self.assertEqual([0.5], np.unique(cache.table.pull([1])).tolist())
            cache.flush()
            self.assertEqual([1.5], np.unique(cache.table.pull([1])).tolist())

    def test_a_row_lacks_as_many_updates_of_others_as_the_bound_allows(self):
        bounded, other = self.cache(rows=4, pull_bound=2), self.cache(rows=4)
        self.addCleanup(other.table.clear)
        seen = []
        for _ in range(6):
            seen.append(float(bounded.look_up([7])[0, 0]))
            other.update([7], np.ones((1, 3)))
            other.flush()
        self.assertEqual([0.5, 0.5, 0.5, 3.5, 3.5, 3.5], seen)
        self.assertEqual((1, 1), (bounded.counters.misses, bounded.counters.stale))

    def test_a_prefetch_is_not_requested_again(self):
        with self.cache(rows=4, push_bound=9) as cache:
            self.addCleanup(cache.table.clear)
            cache.prefetch([1, 40, 1])
            cache.update([40], np.ones((1, 3)))
            self.assertEqual([1.5, 0.5], cache.look_up([40, 1])[:, 0].tolist())
            self.assertEqual((2, 2), (cache.counters.prefetched, cache.counters.hits))

    def test_a_checkpoint_has_the_updates_of_caches_and_a_load_empties_them(self):
        client = self.connected()
        cache = self.cache(client, rows=10, push_bound=100)
        self.addCleanup(cache.table.clear)
        model = client.checkpoints(self.name("m").replace(":", "."), tensors=[cache.table], parts=[cache])
        self.addCleanup(model.delete)
        cache.update([3, 58], np.ones((2, 3)))
        model.save(1)
        cache.update([3, 58], np.ones((2, 3)))
        cache.flush()
        cache.update([3], np.ones((1, 3)))
        self.assertEqual([3.5, 2.5], cache.look_up([3, 58])[:, 0].tolist())
        model.load_latest()
        self.assertEqual([1.5, 1.5], cache.look_up([3, 58])[:, 0].tolist())

    def test_the_loop_of_a_worker_flushes_its_caches(self):
        workers = together(*[lambda: psf.connect(role="worker")] * 2)
        self.addCleanup(lambda: together(*[each.close for each in workers]))

        def train(worker):
            cache = self.cache(worker, rows=10, push_bound=100)
            loop = worker.checkpoints(self.name("m"), tensors=[cache.table], parts=[cache]).every_steps(5)
            loop.run(5, lambda step: cache.update([3], np.ones((1, 3))))
            worker.barrier()
            return cache.table

        table, _ = together(*[lambda each=each: train(each) for each in workers])
        self.addCleanup(table.clear)
        self.assertEqual([10.5], np.unique(table.pull([3])).tolist())

    def test_the_share_of_hits_is_reported(self):
        cluster = self.connected()
        cache = self.cache(cluster, rows=8, pull_bound=100)
        self.addCleanup(cache.table.clear)
        cache.look_up([1, 2])
        with mock.patch("psf.cache._REPORTS", 0):
            cache.look_up([1, 2])
            cache.look_up([1, 2, 3, 4])
        cluster.wait()
        found = [each for each in psf.Reports(cluster).series() if each.tag == "cache hits of " + cache.table.name]
        self.assertEqual([2, 3], found[0].steps.tolist())
        self.assertEqual([0.5, 0.5], found[0].values.tolist())

    def test_wrong_arguments_are_named_and_change_nothing(self):
        cluster = self.connected()
        for wrong, text in (({"rows": 0}, "rows: 0 "), ({"rows": 1, "pull_bound": -1}, "pull_bound: -1 "),
                            ({"rows": 1, "push_bound": -1}, "push_bound: -1 "), ({"rows": 1, "policy": "no"}, "policy: no "),
                            ({"rows": 1, "optimizer": psf.all_rows_adam(1)}, "optimizer of tensor .*: psf.all-rows-adam ")):
            with self.assertRaisesRegex(ValueError, text + r"\(expected: "):
                self.cache(cluster, **wrong)
        with self.assertRaisesRegex(ValueError, r"updates of tensor .*: mean \(expected: each"):
            psf.EmbeddingCache(cluster, psf.table("no", 5, updates="mean"), rows=1)
        cache = self.cache(cluster, rows=2, push_bound=5)
        self.addCleanup(cache.table.clear)
        with self.assertRaisesRegex(psf.PsError, r"gradients length: 2 \(expected: 3, 1 keys x 3\)"):
            cache.update([1], [1, 2])
        with self.assertRaisesRegex(psf.PsError, r"keys\[1\]: 60 \(expected: a row in \[0, 60\)\) on tensor"):
            cache.update([1, 60], np.ones((2, 3)))
        with self.assertRaisesRegex(psf.PsError, r"keys: an array of float64 \(expected: i64\[\]\)"):
            cache.look_up([1.5])
        cache.close()
        cache.close()
        with self.assertRaisesRegex(ValueError, r"closed \(expected: open\)"):
            cache.look_up([1])
        self.assertEqual([0.5], np.unique(cache.table.pull([1])).tolist())

    def test_a_failed_push_is_reported_by_each_later_call(self):
        cache = self.cache(rows=8)
        cache.look_up([1, 59])
        cache.table.clear()
        with self.assertRaisesRegex(psf.PsError, "UNKNOWN_TENSOR"):
            cache.update([1], np.ones((1, 3)))
            cache.flush()
        for call in (lambda: cache.look_up([59]), lambda: cache.prefetch([1]), cache.close):
            with self.assertRaisesRegex(psf.PsError, "UNKNOWN_TENSOR: a push of the cache on tensor .* has failed"):
                call()
