"""What the reference systems' tests show (docs/acceptance.md), by workers in Python. ``tests.cuts`` cuts their connections."""

import numpy as np

import psf

from .cluster import ClusterTest, together

N = 2


class AcceptanceTest(ClusterTest):
    def each(self, train):
        """Runs a function of each worker, side by side. Returns what it returns, by rank."""
        workers = together(*[lambda: psf.connect(role="worker")] * N)
        try:
            workers.sort(key=lambda each: each.rank)
            return together(*[lambda each=each: train(each) for each in workers])
        finally:
            together(*[each.close for each in workers])

    def all(self, expected, values):
        self.assertEqual([expected], np.unique(values).tolist())

    def clear(self, *names):
        with psf.connect() as cluster:
            for each in names:
                cluster.dense(each).clear()

    def test_mx1_a_round_applies_the_rule_to_the_sum(self):
        def train(worker):
            kv = psf.KVStore(worker, "dist_sync")
            kv.set_optimizer(psf.add(2))
            for name, shape in ((self.name("small"), (2, 3)), (self.name("big"), (1200, 1200))):
                kv.init(name, np.ones(shape))
                for i in range(7):
                    pushed = kv.push.start(name, np.full(shape, kv.rank + 1.0))
                    self.all(N * (N + 1) * (i + 1) + 1, kv.pull(name))
                    pushed.wait()
                    kv.barrier()

        self.each(train)
        self.clear(self.name("small"), self.name("big"))

    def test_mx2_a_push_of_rows_changes_these_rows_and_mx3_a_push_of_none_nothing(self):
        rows, width, rounds = 50, 20, 3

        def train(worker):
            kv = psf.KVStore(worker, "dist_sync")
            kv.set_optimizer(psf.add(2))
            kv.init(self.name(), np.ones((rows, width)))
            for i in range(rounds):
                kv.push_rows(self.name(), [kv.rank % 2], np.full((1, width), kv.rank + 1.0))
                ids = np.random.default_rng(i).integers(0, rows, 30)
                expected = np.ones((rows, width))
                expected[:N] += 2 * np.arange(1, N + 1)[:, None] * (i + 1)
                self.assertTrue(np.array_equal(expected[ids], kv.row_sparse_pull(self.name(), ids)))
                kv.push_rows(self.name(), [], np.empty((0, width)))
                self.assertTrue(np.array_equal(expected, kv.pull(self.name())))
                kv.barrier()

        self.each(train)
        self.clear(self.name())

    def test_mx5_every_worker_pulls_the_first_values_of_rank_zero(self):
        names = [self.name(str(i)) for i in range(60)]
        shapes = [(1000, 10) if i % 2 else (3,) for i in range(60)]

        def train(worker):
            kv = psf.KVStore(worker, "dist_sync")
            kv.init(names, [np.full(shape, i + 1000.0 * kv.rank) for i, shape in enumerate(shapes)])
            for i, pull in enumerate([kv.pull.start(name) for name in names]):
                self.all(i, pull.wait())

        self.each(train)
        self.clear(*names)

    def test_mx12_mistakes_are_errors_that_name_tensor_expected_and_actual(self):
        def train(worker):
            kv = psf.KVStore(worker, "dist_sync")
            name = self.name()
            kv.init(name, np.ones((4, 3)))
            wrong = [
                ("UNKNOWN_TENSOR", "missing", lambda: kv.pull(self.name("missing"))),
                ("BAD_REQUEST", "5 .expected: 12", lambda: kv.push(name, np.ones(5))),
                ("ALREADY_EXISTS", r"\[5, 3\] .*expected: \[4, 3\]", lambda: worker.dense(name, (5, 3))),
                ("OUT_OF_RANGE", r"4 .expected: a row in \[0, 4\)", lambda: kv.row_sparse_pull(name, [4])),
                ("BAD_REQUEST", "7", lambda: kv.init(7, np.ones(3))),  # the store has texts as keys
            ]
            for code, text, call in wrong:
                with self.assertRaisesRegex(psf.PsError, text) as failed:
                    call()
                self.assertEqual(code, failed.exception.code)
            kv.barrier()
            self.all(1, kv.pull(name))

        self.each(train)
        self.clear(self.name())

    def test_mx20_a_round_waits_for_one_push_of_each_worker(self):
        def train(worker):
            kv = psf.KVStore(worker, "dist_sync")
            name = self.name()
            kv.init(name, np.ones(10))
            if kv.rank == 0:
                first = kv.push.start(name, np.full(10, 5.0))
                second = kv.push.start(name, np.full(10, 7.0))
                push = worker.function("psf.dense.push").with_deadline(0.3)
                with self.assertRaisesRegex(psf.PsError, "TIMED_OUT"):
                    push(tensor=name, update=np.full(10, 9.0))
                self.assertFalse(first.done() or second.done())
            kv.barrier()
            if kv.rank == 1:
                self.all(1, kv.pull(name))  # at once, since it has not pushed
                kv.push(name, np.full(10, 20.0))
                self.all(25, kv.pull(name))  # the sum replaces the value
                kv.push(name, np.full(10, 30.0))
                self.all(37, kv.pull(name))
            else:
                psf.wait_all([first, second])
            kv.barrier()

        self.each(train)
        self.clear(self.name())

    def test_mx21_an_asynchronous_push_is_applied_on_arrival(self):
        m = 40

        def train(worker):
            kv = psf.KVStore(worker, "dist_async")
            kv.set_optimizer(psf.add())
            kv.init(self.name(), np.ones((30, 40)))
            last = 1.0
            for _ in range(m):
                kv.push(self.name(), np.ones((30, 40)))
                now = float(kv.pull(self.name())[7, 7])
                self.assertGreater(now, last)
                last = now
            kv.barrier()
            self.all(1 + N * m, kv.pull(self.name()))

        self.each(train)
        self.clear(self.name())

    def test_pl2_fifty_pushes_with_ten_under_way_then_fifty_push_pulls(self):
        keys = np.arange(10_000)
        values = (keys % 1000).astype(np.float32).reshape(-1, 1)

        def train(worker):
            table = worker.table(self.name(), rows=10_000, width=1)
            under_way = []
            for _ in range(50):
                under_way.append(table.push.start(keys, values))
                if len(under_way) == 10:
                    under_way.pop(0).wait()
            psf.wait_all(under_way)
            worker.barrier()
            self.assertTrue(np.array_equal(50 * N * values, table.pull(keys)))
            worker.barrier()
            for _ in range(50):
                table.push_pull(keys, values)
            worker.barrier()
            self.assertTrue(np.array_equal(100 * N * values, table.pull(keys)))
            worker.barrier()

        self.each(train)
        self.clear(self.name())

    def test_ht1_all_workers_see_a_push_of_the_first_and_ht2_rows_with_duplicates_are_counted(self):
        random = np.random.default_rng(5)
        whole = random.standard_normal((2000, 1000)).astype(np.float32)
        ids = random.integers(0, 100, (30, 40))
        counts = N * np.bincount(ids.reshape(-1), minlength=100)[:, None] * np.ones(16)

        def train(worker):
            dense, rows = worker.init([psf.dense(self.name("a"), (2000, 1000)), psf.dense(self.name("b"), (100, 16))])
            if worker.rank == 0:
                dense.push(whole)
            worker.barrier()
            self.assertTrue(np.array_equal(whole, dense.pull()))
            worker.barrier()
            if worker.rank == 0:
                dense.push_pull(np.ones((2000, 1000)))
            worker.barrier()
            self.assertTrue(np.array_equal(whole + 1, dense.pull()))
            ones = np.ones((30, 40, 16))
            pushes = (lambda: rows.push_rows(ids, ones), lambda: rows.push_rows_pull(ids, ones),
                      lambda: rows.push_pull_rows(ids, ones, ids[0]))
            for i, push in enumerate(pushes):
                push()
                worker.barrier()
                self.assertTrue(np.array_equal((i + 1) * counts, rows.pull()))
                worker.barrier()

        self.each(train)
        self.clear(self.name("a"), self.name("b"))

    def test_ht3_initial_values_are_those_of_the_distribution_for_any_number_of_slices(self):
        n = 200 * 100
        rules = {
            "constant": (psf.constant(1234.567), 1234.567, 0, 1234.567, 1234.568),
            "uniform": (psf.uniform(-.5, .4, seed=1), -.05, .9 / 12 ** .5, -.5, .4),
            "normal": (psf.normal(5.6, 2, seed=2), 5.6, 2, -np.inf, np.inf),
            "truncated": (psf.truncated_normal(-2.3, 1.4, seed=3), -2.3, 1.4, -2.3 - 2.8, -2.3 + 2.8),
        }
        names = {(rule, slices): self.name("%s%d" % (rule, slices)) for rule in rules for slices in (1, 2, 3)}

        def train(worker):
            worker.init([psf.dense(name, (200, 100), slices=slices, initializer=rules[rule][0])
                         for (rule, slices), name in names.items()])
            return {each: worker.dense(name).pull() for each, name in names.items()}

        first, second = self.each(train)
        for (rule, slices), values in first.items():
            self.assertTrue(np.array_equal(values, second[rule, slices]) and np.array_equal(values, first[rule, 1]), rule)
            _, mean, deviation, least, most = rules[rule]
            self.assertLessEqual(abs(values.mean(dtype=np.float64) - mean), 5 * deviation / n ** .5 + 1e-4, rule)
            self.assertTrue(least - 1e-4 <= values.min() and values.max() <= most + 1e-4, rule)
        self.clear(*names.values())

    def test_ht7_a_small_cache_over_a_large_table_loses_nothing(self):
        bound = 3

        def train(worker):
            spec = psf.table(self.name(), 10_000, 16)
            random = np.random.default_rng(worker.rank)
            own = np.zeros(10_000)
            with psf.EmbeddingCache(worker, spec, rows=1000, pull_bound=bound, push_bound=bound) as cache:
                for _ in range(40):
                    keys = random.integers(0, 10_000, 200) // random.integers(1, 50, 200)
                    self.assertTrue((cache.look_up(keys)[:, 0] >= own[keys]).all())
                    cache.update(keys, np.ones((200, 16)))
                    np.add.at(own, keys, 1)
            worker.barrier()
            return own, cache.table.pull(np.arange(10_000))

        found = self.each(train)
        total = sum(own for own, _ in found)
        for _, rows in found:
            self.assertTrue(np.array_equal(np.repeat(total[:, None], 16, 1), rows))
        self.clear(self.name())

    def test_ms4_the_mean_of_two_workers_is_one_worker_on_the_joined_batch(self):
        random = np.random.default_rng(6)
        inputs, target = random.standard_normal((20, 64, 5)), random.standard_normal((20, 64))

        def train(cluster, rank, n, updates):
            weights = cluster.dense(self.name("%d" % n), 5, updates=updates, optimizer=psf.sgd(0.05))
            values = weights.pull()
            for x, y in zip(inputs, target):
                share = slice(rank * 64 // n, (rank + 1) * 64 // n)
                error = x[share] @ values - y[share]
                values = weights.push_pull(error @ x[share] / len(error))
            return values

        alone = train(self.connected(), 0, 1, "each")
        for values in self.each(lambda worker: train(worker, worker.rank, N, "mean")):
            self.assertTrue(np.allclose(alone, values, atol=1e-5))
        self.clear(self.name("1"), self.name("2"))

    def test_ry1_a_round_steps_once_with_the_sum_and_ry5_a_quorum_does_not_wait_for_a_slow_worker(self):
        first, second = np.random.default_rng(7).standard_normal((2, 1000)).astype(np.float32)

        def train(worker):
            weights, quorum = worker.init([
                psf.dense(self.name("w"), 1000, updates="sum", optimizer=psf.sgd(0.01)),
                psf.dense(self.name("q"), 10, updates="sum", quorum=1)])
            stepped = weights.push_pull((first, second)[worker.rank])
            if worker.rank == 0:
                for i in range(5):  # the other one does not push meanwhile
                    self.all(i + 1, quorum.push_pull(np.ones(10)))
            worker.barrier()
            return stepped

        for values in self.each(train):
            self.assertTrue(np.array_equal(-np.float32(0.01) * (first + second), values))
        self.clear(self.name("w"), self.name("q"))

    def test_mr1_words_are_counted_by_each_worker_on_its_own_portion(self):
        words = ("the cat sat on the mat and the dog sat on the cat " * 50).split()
        known = sorted(set(words))

        def train(worker):
            counts = worker.dense(self.name(), len(known))
            for begin in range(0, len(words), 100):
                if begin // 100 % N == worker.rank:
                    part = [known.index(word) for word in words[begin: begin + 100]]
                    counts.push(np.bincount(part, minlength=len(known)))
            worker.barrier()
            return counts.pull()

        for counts in self.each(train):
            self.assertEqual([words.count(each) for each in known], counts.tolist())
        self.clear(self.name())
