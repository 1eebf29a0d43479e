"""Checkpoints and training loops, on a cluster."""

import threading
import unittest

import numpy as np

import psf
from psf import checkpoints

from .cluster import ClusterTest, together


class ManifestTest(unittest.TestCase):
    def test_a_manifest_is_read(self):
        found = checkpoints.parse(
            "psf-model 2\nstep 12\nindex 7 0000abcd step-000000000012/f.index\ntensor 00000000000000ff 5 2 a+%2Fb\n"
            "record 0 position 7%0A8\nrecord 0 psf%3Astep 9\nrecord 1 psf%3Astored%3Aw \ncrc32c 00000000\n")
        self.assertEqual(psf.Checkpoint(12, [("a /b", 5, 2)], {0: {"position": "7\n8"}}, {0: 9}), found)
        self.assertEqual({}, found.record(1))


class CheckpointsTest(ClusterTest):
    def dense(self, cluster):
        return cluster.dense(self.name(), (6, 2), optimizer=psf.add())

    def model(self, cluster, **options):
        return cluster.checkpoints(self.name("m").replace(":", "."), tensors=[self.name()], **options)

    def test_a_client_saves_and_loads_alone(self):
        client = self.connected()
        dense = self.dense(client)
        self.addCleanup(dense.clear)
        model = self.model(client, keep=2)
        self.addCleanup(model.delete)
        self.assertIsNone(model.load_latest())
        reports = psf.Reports(client)
        for step in (1, 2, 3):
            dense.push(np.ones((6, 2)))
            reports.scalar(dense.name, step, 1 / step)
            model.save(step, {"position": "at %d" % step})
        dense.push(np.ones((6, 2)))
        reports.scalar(dense.name, 4, 1 / 4)
        self.assertEqual([3, 2], [each.step for each in model.list()])
        latest = model.load_latest()
        self.assertEqual(({"position": "at 3"}, [(dense.name, 6, 2)]), (latest.record(0), latest.tensors))
        self.assertEqual([3.0], np.unique(dense.pull()).tolist())
        curve = next(each for each in reports.series() if each.tag == dense.name)
        self.assertEqual(([1, 2, 3], [1, 1 / 2, 1 / 3]), (curve.steps.tolist(), curve.values.tolist()))
        self.assertEqual(2, model.load(2).step)
        self.assertEqual([2.0], np.unique(dense.pull()).tolist())
        with self.assertRaisesRegex(psf.PsError, "STORAGE: .*damaged or missing"):
            model.load(1)
        with self.assertRaisesRegex(psf.PsError, "BAD_REQUEST: rank"):
            model.every_steps(1).run(5, print)
        model.delete()
        self.assertEqual([], model.list())

    def test_bad_arguments_are_refused(self):
        client = self.connected()
        for wrong in ({"keep": 0}, {"incremental": -1}, {"restore": "some"}):
            with self.assertRaises(psf.PsError):
                client.checkpoints("m", **wrong)
        for wrong in (lambda: client.checkpoints("m").save(-1), lambda: client.checkpoints("m").every_steps(0),
                      lambda: client.checkpoints("m").every(0), lambda: client.checkpoints("m").save(1, {"psf:x": "y"})):
            with self.assertRaises(psf.PsError):
                wrong()

    def pair(self):
        """Returns two workers, and their tensor."""
        workers = together(*[lambda: psf.connect(role="worker")] * 2)
        workers.sort(key=lambda each: each.rank)
        self.addCleanup(lambda: together(*[each.close for each in workers]))
        return workers, together(*[lambda each=each: self.dense(each) for each in workers])

    def test_workers_save_and_load_together(self):
        workers, tensors = self.pair()
        models = [self.model(each) for each in workers]
        tensors[0].push(np.ones((6, 2)))
        together(*[lambda w=w, m=m: m.save(5, {"rank": str(w.rank)}) for w, m in zip(workers, models)])
        tensors[1].push(np.ones((6, 2)))
        for found in together(*[each.load_latest for each in models]):
            self.assertEqual((5, {0: {"rank": "0"}, 1: {"rank": "1"}}, {0: 5, 1: 5}),
                             (found.step, found.records, found.record_steps))
        self.assertEqual([1.0], np.unique(tensors[0].pull()).tolist())
        with self.assertRaisesRegex(psf.PsError, "BAD_REQUEST: save of step"):
            together(*[lambda w=w, m=m: m.save(6 + w.rank) for w, m in zip(workers, models)])
        models[0].delete()

    def train(self, workers, tensors, steps, fail=None):
        """Trains, and returns the steps that each worker has done."""
        done = [[], []]

        def run(i):
            loop = self.model(workers[i]).every_steps(5).record(
                lambda: {"done": str(len(done[i]))}, lambda saved: done[i].__delitem__(slice(int(saved["done"]), None)))

            def step(number):
                tensors[i].push(np.ones((6, 2)))
                done[i].append(number)
                if fail is not None:
                    fail(i, number)
            return loop.run(steps, step)

        self.assertEqual([steps, steps], together(lambda: run(0), lambda: run(1)))
        return done

    def test_a_training_loop_saves_and_goes_on(self):
        workers, tensors = self.pair()
        self.assertEqual([list(range(1, 13))] * 2, self.train(workers, tensors, 12))
        self.assertEqual([24.0], np.unique(tensors[0].pull()).tolist())
        steps = [each.step for each in self.model(workers[0]).list()]
        self.assertEqual(12, steps[0])
        self.assertLessEqual(set(steps), {0, 5, 10, 12})  # a cut is not taken while the last one is still written
        self.assertEqual([[13, 14]] * 2, self.train(workers, tensors, 14))
        self.assertEqual([28.0], np.unique(tensors[0].pull()).tolist())
        self.model(workers[0]).delete()

    def test_all_workers_go_back_together(self):
        workers, tensors = self.pair()
        failed = []

        def fail(rank, step):
            if rank == 1 and step == 8 and not failed:
                failed.append(step)
                try:
                    raise psf.PsError("ROLLED_BACK", "a step that is done again")
                except psf.PsError as e:
                    raise RuntimeError("of a library") from e

        self.assertEqual([list(range(1, 13))] * 2, self.train(workers, tensors, 12, fail))
        self.assertEqual([24.0], np.unique(tensors[0].pull()).tolist())
        self.model(workers[0]).delete()

    def test_a_loop_is_stopped_or_left(self):
        workers, tensors = self.pair()
        steps = []

        def run(i):
            loop = self.model(workers[i]).every_steps(100)

            def step(number):
                if i == 0 and number == 3:
                    loop.stop()
            steps.append(loop.run(1_000_000, step))

        together(lambda: run(0), lambda: run(1))
        self.assertEqual(steps[0], steps[1])
        self.assertLess(steps[0], 1_000_000)
        self.assertEqual(steps[0], self.model(workers[0]).latest().step)
        self.model(workers[0]).delete()

    def test_a_worker_that_joins_takes_what_the_servers_have_at_its_cut(self):
        workers, tensors = self.pair()
        begun, seen = threading.Event(), []

        class Part:
            def flush(self):
                pass

            def loaded(self):
                seen.append("loaded")

        def train(worker):
            loop = self.model(worker).every_steps(1 << 30)
            return loop.run(1 << 30, lambda step: begun.set())

        def join():
            begun.wait()
            worker = self.connected(role="worker")
            self.assertTrue(worker.is_late)
            loop = self.model(worker, parts=[Part()]).every_steps(1 << 30)

            def step(number):
                seen.append("step")
                loop.stop()

            return loop.run(1 << 30, step)

        self.assertEqual(1, len(set(together(*[lambda each=each: train(each) for each in workers], join))))
        self.assertEqual(["loaded", "step"], seen[:2])
        self.model(workers[0]).delete()
        tensors[0].clear()


if __name__ == "__main__":
    unittest.main()
