"""Connections that break: each change has run once, and each call has its answer."""

import os
import time
from unittest import mock

import numpy as np

import psf
from psf.memory import Spare
from psf.peer import Peer

from .cluster import ClusterTest, Proxy, together


class BreaksTest(ClusterTest):
    def between(self):
        proxy = Proxy()
        context = proxy.between()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return proxy

    def through(self, **settings):
        return self.between(), self.connected(**settings)

    def test_sums_are_exact_while_connections_are_cut(self):
        proxy, cluster = self.through()
        table = cluster.table(self.name(), rows=100, width=8)
        keys = np.arange(100)
        before = proxy.connections
        proxy.cut_after = 12_000 if "PSF_TLS_KEY" in os.environ else 3000  # each connection serves a few calls
        pending = []
        for i in range(300):
            pending.append(table.push.start(keys[i % 50: i % 50 + 50], np.ones((50, 8))))
            if i % 60 == 30:
                proxy.cut()
            if i % 100 == 50:
                self.assertEqual((50, 8), table.pull(keys[:50]).shape)
        psf.wait_all(pending)
        proxy.cut_after = None
        counts = np.zeros(100)
        for i in range(300):
            counts[i % 50: i % 50 + 50] += 1
        self.assertTrue(np.array_equal(np.repeat(counts[:, None], 8, 1), table.pull(keys)))
        self.assertGreater(proxy.connections, before + 5)
        table.clear()

    def test_sums_of_threads_are_exact_while_connections_are_cut(self):
        proxy, cluster = self.through()
        dense = cluster.dense(self.name(), (40, 1000), slices=4)

        def pushes():
            for _ in range(20):
                dense.push(np.ones((40, 1000)))

        def cuts():
            for _ in range(8):
                time.sleep(0.05)
                proxy.cut()

        together(pushes, pushes, pushes, cuts)
        self.assertEqual(60 * 40_000, dense.pull().sum())
        dense.clear()

    def test_an_answer_without_memory_for_it_fails_its_call_alone(self):
        proxy, cluster = self.through()
        connections, take = proxy.connections, Spare.take

        def little(spare, length):
            if length > 3 << 19:
                raise MemoryError
            return take(spare, length)

        for slices in (1, 2):  # each answer has memory of its own, or a place in that of all
            dense = cluster.dense("%s %d" % (self.name(), slices), (2, 1 << 18), slices=slices, initializer=3)
            with mock.patch.object(Spare, "take", little):
                pulls = [dense.pull.start(), dense.pull_rows.start([1]), dense.pull.start(), dense.pull_rows.start([0])]
                for large, small in (pulls[:2], pulls[2:]):
                    with self.assertRaisesRegex(
                            psf.PsError, r"RESOURCE_EXHAUSTED: answer of (2097|1048)\d+ bytes: no memory \(expected: "):
                        large.wait()
                    self.assertEqual(3 << 18, small.wait().sum())
            self.assertEqual(3 << 19, dense.pull().sum())
            dense.clear()
        self.assertEqual(connections, proxy.connections)

    def test_a_first_connection_that_breaks_after_the_hello_is_closed_and_made_again(self):
        adopt, broken = Peer.adopt, {}

        def breaks(peer, line):
            if peer not in broken:
                broken[peer] = line
                line.close(psf.PsError("UNAVAILABLE", "broken by the test"))
            adopt(peer, line)

        with mock.patch.object(Peer, "adopt", breaks):
            cluster = self.connected()
            dense = cluster.dense(self.name(), 3)
            self.assertTrue(np.array_equal(np.zeros(3), dense.pull()))
        self.assertGreater(len(broken), 1)  # of the scheduler and of the servers
        self.assertEqual({-1}, {line.sock.fileno() for line in broken.values()})
        dense.clear()

    def test_a_call_waits_for_a_connection_until_its_deadline(self):
        proxy, cluster = self.through()
        table = cluster.table(self.name(), rows=10, width=2, initializer=1)
        servers = {peer.host.port for peer in cluster._servers.peers}
        proxy.refused = servers
        proxy.cut()
        with self.assertRaises(psf.PsError) as failed:
            cluster.function("psf.sparse.pull").with_deadline(0.3)(tensor=table, keys=[1, 9])
        self.assertIn("TIMED_OUT: 2 of 2 answers missing after 300 ms in psf.sparse.pull on tensor", str(failed.exception))
        self.assertIn("; also slice [5, 10), server 1", str(failed.exception))
        self.assertEqual(2, len(servers))
        proxy.refused = set()
        self.assertEqual(4, table.pull([1, 9]).sum())
        table.clear()

    def test_a_server_that_is_not_reached_is_lost_for_this_client(self):
        proxy, cluster = self.through(reconnect_limit=0.3)
        table = cluster.table(self.name(), rows=10, width=2, initializer=1)
        proxy.refused = {cluster._servers.peers[1].host.port}
        proxy.cut()
        with self.assertRaises(psf.PsError) as failed:
            while True:
                table.pull([1, 9])
        self.assertEqual("UNAVAILABLE", failed.exception.code)
        self.assertRegex(str(failed.exception), r"server 1 \(127.0.0.1:\d+\): not connected again, and no call answered: \d+")
        self.assertEqual(2, table.pull([1]).sum())
        with self.assertRaises(psf.PsError) as failed:
            cluster.close()
        self.assertIn("since it held changes of this client", str(failed.exception))
        proxy.refused = set()
        with psf.connect() as other:
            other.table(table.name).clear()

    def test_a_barrier_waits_through_cut_connections(self):
        proxy = self.between()
        first, second = together(*[lambda: self.connected(role="worker")] * 2)

        def cut():
            time.sleep(0.2)
            proxy.cut()
            time.sleep(0.2)
            second.barrier()

        together(first.barrier, cut)

    def test_a_step_of_a_task_runs_once(self):
        proxy, cluster = self.through()
        table = cluster.table(self.name(), rows=10, width=2)
        number = psf.task_number("job", self.name())
        for attempt in range(3):
            task = cluster.task(number)
            mine = task.tensor(table)
            for step in range(100 if attempt else 50):  # the first attempt ends in the middle
                mine.push.start([step % 10], np.ones(2))
                if step % 40 == 20:
                    proxy.cut()
            task.await_changes()
        self.assertEqual([[10, 10]] * 10, table.pull(np.arange(10)).tolist())
        with self.assertRaises(psf.PsError) as failed:
            cluster.task(number).function("acme.axpy")(y=table, alpha=1.0, x=np.ones(20))
        self.assertIn("whose response has components", str(failed.exception))
        table.clear()

    def test_calls_go_on_while_a_tensor_is_made_anew_and_connections_are_cut(self):
        proxy, cluster = self.through()
        other = self.connected()
        name = self.name()
        cluster.table(name, rows=40, width=2, slices=4, initializer=1)
        table = cluster.table(name)

        def pulls():
            for i in range(150):
                try:
                    self.assertIn(float(table.pull([i % 40, 39]).sum()), (0, 2, 4))
                except psf.PsError as e:  # between the two
                    self.assertEqual("UNKNOWN_TENSOR", e.code)

        def changes():
            for slices in (1, 3, 2):
                time.sleep(0.05)
                other.table(name).clear()
                other.table(name, rows=40, width=2, slices=slices, initializer=1)
                proxy.cut()

        together(pulls, pulls, changes)
        self.assertEqual(4, table.pull([0, 39]).sum())
        table.clear()
