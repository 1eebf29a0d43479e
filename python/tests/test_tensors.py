"""Tensors, functions and groups, on a cluster."""

import asyncio
import os
import unittest
from unittest import mock

import numpy as np

import psf

from .cluster import ClusterTest, together


class TensorsTest(ClusterTest):
    def test_rows_of_a_table(self):
        cluster = self.connected()
        table = cluster.table(self.name(), rows=1000, width=4, initializer=psf.uniform(-1, 1, 7), optimizer=psf.sgd(0.5))
        keys = np.array([[1, 2], [999, 1]])
        before = table.pull(keys)
        self.assertEqual((2, 2, 4), before.shape)
        self.assertTrue(np.array_equal(before[0, 0], before[1, 1]))
        table.push(keys, np.ones((2, 2, 4)))
        steps = before - table.pull(keys)
        self.assertTrue(np.allclose(steps[:, :, 0], [[1, 0.5], [0.5, 1]]))  # key 1 was pushed twice
        self.assertTrue(np.allclose(table.push_pull([5], np.zeros(4)), table.pull([5])))
        table.clear()

    def test_a_dense_tensor_of_any_shape(self):
        cluster = self.connected()
        values = np.arange(60, dtype=np.float32).reshape(5, 4, 3)
        dense = cluster.dense(self.name(), (5, 4, 3), initializer=values)
        self.assertTrue(np.array_equal(values, dense.pull()))
        self.assertTrue(np.array_equal(values + 1, dense.push_pull(np.ones((5, 4, 3)))))
        dense.push_rows([4, 4], np.ones((2, 12)))
        self.assertTrue(np.array_equal(values[4].reshape(-1) + 3, dense.pull_rows([4])[0]))
        self.assertEqual((5, 4, 3), dense.push_rows_pull([0], np.zeros(12)).shape)
        same = cluster.dense(dense.name)
        self.assertEqual((5, 12), same.pull().shape)
        dense.clear()

    def test_a_tensor_may_be_one_number(self):
        cluster = self.connected()
        number = cluster.dense(self.name(), (), initializer=np.float32(3))
        self.assertEqual(4, number.push_pull(1))
        self.assertEqual((), number.pull().shape)
        number.clear()

    def test_values_in_another_order_are_refused(self):
        cluster = self.connected()
        dense = cluster.dense(self.name(), (3, 2, 2))
        table = cluster.table(self.name("t"), rows=10, width=4)
        cache = psf.EmbeddingCache(cluster, psf.table(self.name("c"), 10, 4), rows=10)
        self.addCleanup(cache.close)
        for shape in ((12,), (3, 4), (6, 2), (1, 3, 2, 2)):
            dense.push(np.ones(shape))
        for shape in ((4,), (1, 4), (2, 2)):
            table.push([7], np.ones(shape))
        turned = np.ones((4, 3))
        for call in (lambda: dense.push(turned), lambda: dense.push_pull(np.ones((2, 3, 2))),
                     lambda: dense.push_rows([0, 1, 2], turned), lambda: table.push([1, 2, 3], turned),
                     lambda: table.push_pull([1, 2, 3], turned), lambda: table.push_bags([1, 2, 3], [1, 1, 1], turned),
                     lambda: cache.update([1, 2, 3], turned),
                     lambda: cluster.dense(self.name("new"), (3, 4), initializer=turned)):
            with self.assertRaises(psf.PsError) as failed:
                call()
            self.assertRegex(str(failed.exception), r"shape of values: \(.+\) \(expected: \(3, .+\), or flat\)")
        self.assertEqual(48, dense.pull().sum())
        self.assertEqual(12, table.pull([1, 2, 3, 7]).sum())
        for each in (dense, table, cache.table):
            each.clear()

    def test_what_is_no_optimizer_and_no_initializer_is_named(self):
        for wrong in ({"optimizer": "adam"}, {"optimizer": psf.adam}, {"initializer": "zeros"}):
            with self.assertRaisesRegex(ValueError, 'izer of tensor "w": .+ \\(expected: one of psf, such as psf'):
                psf.table("w", 10, 2, **wrong)

    def test_a_priority_is_a_whole_number(self):
        push = self.connected().function("psf.push")
        push.with_priority(np.int64(-3))
        for wrong in "high", 1.5, 128:
            with self.assertRaisesRegex(psf.PsError, r"priority: %s \(expected: a whole number from -128" % wrong):
                push.with_priority(wrong)

    def test_names_have_1_to_200_characters(self):
        for name in "", 201 * "w":
            with self.assertRaisesRegex(ValueError, r"name of tensor: %d characters \(expected: 1 to 200" % len(name)):
                psf.dense(name, 3)

    def test_a_table_that_grows(self):
        cluster = self.connected()
        table = cluster.growing(self.name(), width=2, initializer=psf.constant(3))
        keys = np.array([-5, 7, 1 << 60])
        table.push(keys, np.ones((3, 2)))
        self.assertEqual([[4, 4], [3, 3]], table.pull([7, 8]).tolist())
        self.assertEqual([True, False], table.find([7, 8]).tolist())
        self.assertEqual(sorted(keys.tolist()), sorted(np.concatenate(list(table.keys())).tolist()))
        self.assertEqual(1, table.remove([7, 8]))
        self.assertFalse(cluster.table(table.name).find([7])[0])
        table.clear()

    def test_bags_are_summed_or_averaged(self):
        cluster = self.connected()
        table = cluster.table(self.name(), rows=50, width=3, initializer=psf.normal(0, 1, 3))
        keys, counts = np.array([1, 49, 30, 30, 2, 7]), np.array([2, 0, 4])
        rows = table.pull(keys)
        for mean in (False, True):
            pooled = table.pull_bags(keys, counts, mean)
            wanted = np.stack([rows[:2].sum(0), np.zeros(3), rows[2:].sum(0)]) / ([[2], [1], [4]] if mean else 1)
            self.assertTrue(np.allclose(wanted, pooled, atol=1e-6))
            table.push_bags(keys, counts, np.ones((3, 3)), mean)
            after = table.pull([30]) - rows[2]
            self.assertTrue(np.allclose(2 / 4 if mean else 2, after))
            table.push_bags(keys, counts, -np.ones((3, 3)), mean)
        with self.assertRaises(psf.PsError) as failed:
            table.pull_bags(keys, [1, 2])
        self.assertIn("sum of counts: 3 (expected: 6, the number of keys)", str(failed.exception))
        table.clear()

    def test_formats_on_the_wire_round_as_they_say(self):
        cluster = self.connected()
        values = np.random.default_rng(2).standard_normal((20, 16)).astype(np.float32)
        for wire, most in (("float16", 1e-2), ("bfloat16", 2e-2), ("int8", 3e-2)):
            dense = cluster.dense(self.name(wire), (20, 16), initializer=values, wire=wire)
            error = np.abs(dense.pull() - values).max()
            self.assertTrue(0 < error < most, (wire, error))
            dense.clear()

    def test_a_tensor_that_exists_otherwise_is_refused(self):
        cluster = self.connected()
        table = cluster.table(self.name(), rows=10, width=2)
        cluster.table(table.name, rows=10, width=2)
        with self.assertRaises(psf.PsError) as failed:
            cluster.table(table.name, rows=11, width=2)
        self.assertEqual("ALREADY_EXISTS", failed.exception.code)
        table.clear()
        with self.assertRaises(psf.PsError) as failed:
            table.pull([1])
        self.assertEqual(
            'UNKNOWN_TENSOR: tensor: "%s" (expected: one that has been initialized) in psf.sparse.pull on tensor "%s"' % (
                table.name, table.name), str(failed.exception))

    def test_a_tensor_that_was_made_anew_is_found_again(self):
        first, second = self.connected(), self.connected()
        table = first.table(self.name(), rows=10, width=2)
        same = second.table(table.name)
        self.assertEqual(0, same.pull([1]).sum())
        table.clear()
        first.table(table.name, rows=10, width=2, initializer=1)
        self.assertEqual(2, same.pull([1]).sum())  # refused with the earlier layout, and repeated
        first.table(table.name).clear()

    def test_wrong_arguments_are_named(self):
        cluster = self.connected()
        table = cluster.table(self.name(), rows=10, width=2)
        push = cluster.function("psf.sparse.push")
        wrong = {
            "update length: 3 (expected: 4 = 2 rows x 2 wide)": dict(keys=[1, 2], update=[1, 2, 3]),
            "keys[1]: 10 (expected: a row in [0, 10))": dict(keys=[1, 10], update=[1, 2, 3, 4]),
            "update: missing (expected: f32[] as tensor)": dict(keys=[1]),
            "an argument (expected: one of": dict(keys=[1], update=[1, 2], more=3),
            "keys: an array of float64 (expected: i64[])": dict(keys=[1.5], update=[1, 2]),
            "keys: an array of bool (expected: i64[])": dict(keys=[True, False], update=[1, 2, 3, 4]),
        }
        for expected, arguments in wrong.items():
            with self.assertRaises(psf.PsError) as failed:
                push(tensor=table, **arguments)
            self.assertIn(expected, str(failed.exception))
        with self.assertRaises(psf.PsError) as failed:
            cluster.function("acme.none")()
        self.assertTrue(str(failed.exception).startswith('UNKNOWN_FUNCTION: function: "acme.none" (expected: one that the'))
        table.clear()

    def test_an_answer_is_awaited_in_a_coroutine(self):
        cluster = self.connected()
        table = cluster.table(self.name(), rows=10, width=2, initializer=1)

        async def sums():
            pending = [table.pull.start([i % 10]) for i in range(50)]
            return sum([float((await each).sum()) for each in pending])

        self.assertEqual(100.0, asyncio.run(sums()))
        table.clear()

    def test_threads_share_a_client(self):
        cluster = self.connected()
        table = cluster.table(self.name(), rows=10, width=2)

        def pushes():
            for _ in range(50):
                table.push([3, 7], np.ones((2, 2)))
                table.pull([3])

        together(*[pushes] * 6)
        self.assertEqual([[300, 300], [300, 300]], table.pull([3, 7]).tolist())
        table.clear()

    def test_calls_that_nobody_awaits_end(self):
        cluster = self.connected()
        dense = cluster.dense(self.name(), 100_000)
        pending = [dense.push_pull.start(np.ones(100_000)) for _ in range(40)]
        cluster.wait(dense)
        self.assertTrue(all(each.done() for each in pending))
        self.assertEqual(40, pending[-1].wait()[99_999])
        cancelled = dense.pull.start()
        if cancelled.cancel():
            with self.assertRaises(psf.PsError) as failed:
                cancelled.wait()
            self.assertEqual("CANCELLED", failed.exception.code)
        dense.clear()

    @unittest.skipUnless(hasattr(os, "fork"), "os.fork: not on this system")
    def test_a_forked_child_is_told_to_connect_for_itself(self):
        cluster = self.connected()
        table = cluster.table(self.name(), rows=10, width=2, initializer=1)
        pending = table.pull.start([1])
        ends, begins = os.pipe()
        child = os.fork()
        if child == 0:
            for call in (lambda: table.pull([1]), pending.wait):
                try:
                    call()
                except psf.PsError as e:
                    os.write(begins, str(e).encode())
            with mock.patch.dict(os.environ, PSF_ROLE="worker"), psf.connect(role="client") as own:  # of psf launch
                os.write(begins, b"%d by the child's own" % own.table(table.name).pull([1]).sum())
            os._exit(0)
        os.close(begins)
        with open(ends) as said:
            text = said.read()
        self.assertIn("(expected: psf.connect(role=\"client\") in the child, after the fork)", text)
        self.assertIn("2 by the child's own", text)
        self.assertEqual(2, pending.wait().sum())
        os.waitpid(child, 0)
        self.assertEqual(2, table.pull([1]).sum())
        table.clear()


class WorkersTest(ClusterTest):
    """What workers do together. Each test has the cluster to itself: its job ends with its last worker."""

    def workers(self, n):
        found = together(*[lambda: psf.connect(role="worker")] * n)
        for each in found:
            self.addCleanup(each.close)
        return found

    def test_workers_meet_and_count_rounds(self):
        workers = self.workers(2)
        self.assertEqual([0, 1], sorted(each.rank for each in workers))
        tensors = together(*[lambda each=each: each.dense(self.name(), 10, updates="mean") for each in workers])
        together(*[lambda i=i, each=each: each.push(np.full(10, i * 2.0)) for i, each in enumerate(tensors)])
        self.assertEqual(10, tensors[0].pull().sum())
        self.assertEqual(1, tensors[0].rounds().closed)
        together(*[each.barrier for each in workers])
        self.assertFalse(any(each.is_late for each in workers))
        first, second = together(*[each.end_epoch for each in workers])
        self.assertEqual(first, second)
        tensors[0].clear()

    def test_workers_reduce_values(self):
        workers = self.workers(2)
        reduces = together(*[lambda each=each: psf.AllReduce(each, self.name(), 100) for each in workers])
        sums = together(*[lambda each=each: each.sum(np.full((10, 10), 3.0)) for each in reduces])
        self.assertEqual([[6.0], [6.0]], [np.unique(each).tolist() for each in sums])
        most = together(*[lambda i=i, each=each: each.max(np.full(100, i)) for i, each in enumerate(reduces)])
        self.assertEqual(1, most[0].min())
        reduces[0].clear()

    def test_a_worker_is_not_further_ahead_than_the_staleness(self):
        workers = self.workers(2)
        clocks = together(*[lambda each=each: psf.Ssp(each, 77, 1) for each in workers])
        clocks[0].tick()
        with self.assertRaises(psf.PsError) as failed:
            clocks[0].tick(timeout=0.3)
        self.assertEqual("TIMED_OUT", failed.exception.code)
        together(clocks[1].tick, lambda: clocks[0].tick())

    def test_a_worker_reports_values_by_step(self):
        workers = sorted(self.workers(2), key=lambda each: each.rank)
        for each in workers:
            for step in range(3):
                psf.Reports(each).scalar(self.name(), step, each.rank + step / 4)
        with self.assertRaisesRegex(TypeError, "integer"):
            psf.Reports(workers[0]).scalar(self.name(), 2.5, 0)
        found = [each for each in psf.Reports(workers[0]).series() if each.tag == self.name()]
        self.assertEqual([(each.rank, [0, 1, 2], [each.rank, each.rank + 0.25, each.rank + 0.5]) for each in workers],
                         [(each.worker, each.steps.tolist(), each.values.tolist()) for each in found])

    def test_workers_that_are_ready_average_values(self):
        workers = self.workers(2)
        tensor = workers[0].dense(self.name(), 10)
        groups = [psf.PartialReduce(each, 5, 2, "5s") for each in workers]
        found = together(*[lambda i=i, each=each: each.average(tensor, np.full(10, i * 1.0))
                           for i, each in enumerate(groups)])
        for mean, ranks in found:
            self.assertEqual([0, 1], ranks.tolist())
            self.assertEqual(5, mean.sum())
        tensor.clear()

    def test_a_store_has_the_verbs_of_mxnet(self):
        workers = self.workers(2)

        def train(worker):
            store = psf.KVStore(worker, "dist_sync")
            key = self.name("k")
            store.init(key, np.full((3, 2), float(worker.rank)))
            store.set_optimizer(psf.sgd(0.5))
            store.push(key, np.ones((3, 2)))
            pulled = store.push_pull(key, np.ones((3, 2)))
            rows = store.row_sparse_pull(key, [2])
            store.barrier()
            return pulled.tolist(), rows.tolist()

        for pulled, rows in together(*[lambda each=each: train(each) for each in workers]):
            self.assertEqual([[-2.0, -2.0]] * 3, pulled)  # two rounds of two pushes of ones, from the zeros of rank 0
            self.assertEqual([[-2.0, -2.0]], rows)
        workers[0].dense(self.name("k")).clear()

    def test_a_store_saves_the_states_of_optimizers_and_loads_them_alone(self):
        workers = self.workers(2)
        key, name = self.name("k"), self.name("states")

        def train(worker):
            store = psf.KVStore(worker, "dist_sync")
            with self.assertRaisesRegex(psf.PsError, "expected: at least one"):
                store.save_optimizer_states(name)
            store.set_optimizer(psf.momentum(1.0, 0.5))
            store.init(key, np.zeros(5))
            store.push(key, np.ones(5))  # the momentum is -2, and the values are -2
            store.barrier()
            if worker.rank == 0:
                store.save_optimizer_states(name)
            store.barrier()
            store.push(key, np.ones(5))  # -3, -5
            store.barrier()
            if worker.rank == 0:
                store.load_optimizer_states(name)
                with self.assertRaisesRegex(psf.PsError, "none .expected: saved under this name"):
                    store.load_optimizer_states(name + ".other")
            store.barrier()
            return store.pull(key).tolist(), store.push_pull(key, np.ones(5)).tolist()

        for loaded, pushed in together(*[lambda each=each: train(each) for each in workers]):
            self.assertEqual([-5.0] * 5, loaded)
            self.assertEqual([-8.0] * 5, pushed)  # with the momentum -2, not -3
        workers[0].dense(key).clear()

    def test_a_store_compresses_gradients(self):
        workers = self.workers(2)
        random = np.random.default_rng(4)
        gradients = random.standard_normal((6, 2, 37)).astype(np.float32)

        def train(worker, type):
            store = psf.KVStore(worker, "dist_sync")
            key = self.name(type)
            store.init(key, np.zeros(37))
            store.set_optimizer(psf.add())
            store.set_gradient_compression(type, 0.5)
            for each in gradients[:-1, worker.rank]:
                store.push(key, each)
            return store.push_pull(key, gradients[-1, worker.rank])

        for type in ("2bit", "1bit"):
            values, residuals = np.zeros(37, np.float32), np.zeros((2, 37), np.float32)
            for step in gradients:
                for rank in range(2):
                    whole = residuals[rank] + step[rank]
                    sent = (np.where(whole > 0.5, 1, -1) if type == "1bit" else
                            np.where(whole >= 0.5, 0.5, np.where(whole <= -0.5, -0.5, 0)))
                    residuals[rank] = whole - sent
                    values += sent
            for found in together(*[lambda each=each: train(each, type) for each in workers]):
                self.assertTrue(np.allclose(values, found, atol=1e-5), type)
            workers[0].dense(self.name(type)).clear()


if __name__ == "__main__":
    unittest.main()
