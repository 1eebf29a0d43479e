"""What the tests of a cluster have in common: the cluster of PSF_SCHEDULER, and a proxy between it and a client."""

from __future__ import annotations

import os
import random
import socket
import threading
import unittest
from contextlib import contextmanager
from unittest import mock

import psf
from psf import line, peer, scheduler


class ClusterTest(unittest.TestCase):
    """A test of a running cluster: a service with two servers, which admits workers."""

    def setUp(self):
        if "PSF_SCHEDULER" not in os.environ:
            self.skipTest("PSF_SCHEDULER: not set (expected: the scheduler of a cluster, as PythonTest sets it)")

    def name(self, of="w"):
        """Returns a name that no other test has."""
        return "%s.%s.%d" % (self.id().rpartition("psf_")[2], of, os.getpid())

    def connected(self, **settings):
        """Connects, and leaves at the end of the test."""
        cluster = psf.connect(**settings)
        self.addCleanup(cluster.close)
        return cluster


def together(*parts):
    """Runs functions side by side, each on a thread. Returns what they return; raises what one has raised."""
    found, failed = [None] * len(parts), []

    def run(i):
        try:
            found[i] = parts[i]()
        except BaseException as e:
            failed.append(e)

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(len(parts))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    if failed:
        raise failed[0]
    return found


class Proxy:
    """Stands between a client and the ports of a cluster, and cuts connections when it is told to.

    ``cut_after``: each connection is cut, in both directions, once so many bytes of answers have passed; None for never.
    ``flip_one_in``: a bit is flipped in about so many bytes, in both directions; None for none.
    """

    def __init__(self):
        self.listening = {}
        self.sockets = []
        self.threads = []
        self.connections = 0
        #: The bytes that have passed, in both directions.
        self.bytes = 0
        self.cut_after = None
        self.flip_one_in = None
        self.flips = 0
        self.random = random.Random(7)
        #: The ports of the cluster to which nobody connects.
        self.refused = set()
        self.lock = threading.Lock()

    def port(self, target):
        with self.lock:
            if target not in self.listening:
                found = socket.create_server(("127.0.0.1", 0))
                self.listening[target] = found
                self._start(self._accept, found, target)
            return self.listening[target].getsockname()[1]

    def _start(self, work, *arguments):
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self.threads.append(thread)
        thread.start()

    def _accept(self, listening, target):
        while True:
            try:
                near, _ = listening.accept()
                if target in self.refused:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", target))
            except OSError:
                return
            with self.lock:
                self.connections += 1
                self.sockets += [near, far]
            for each in (near, far):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._start(self._pump, near, far, False)
            self._start(self._pump, far, near, True)

    def _pump(self, source, sink, answers):
        passed = 0
        try:
            while True:
                data = self._damaged(source.recv(1 << 16))
                most = self.cut_after
                if answers and most is not None and passed + len(data) > most:
                    sink.sendall(data[: max(0, most - passed)])
                    break
                if not data:
                    break
                sink.sendall(data)
                passed += len(data)
                with self.lock:
                    self.bytes += len(data)
        except OSError:
            pass
        for each in (source, sink):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _damaged(self, data):
        if self.flip_one_in is None or not data:
            return data
        with self.lock:
            damaged = bytearray(data)
            at = self.random.randrange(2 * self.flip_one_in)
            while at < len(damaged):
                damaged[at] ^= 1 << self.random.randrange(8)
                self.flips += 1
                at += 1 + self.random.randrange(2 * self.flip_one_in)
            return damaged

    def cut(self):
        """Cuts all connections, with what is on its way."""
        with self.lock:
            sockets = list(self.sockets)
        for each in sockets:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:  # it has ended
                pass

    def close(self):
        for each in self.listening.values():
            each.shutdown(socket.SHUT_RDWR)  # ends accept, which close does not
        self.cut()
        for each in self.threads:
            each.join()
        for each in (*self.listening.values(), *self.sockets):
            each.close()

    @contextmanager
    def between(self, ports=None):
        """Lets the clients of this process connect through the proxy, to those ports only, or else to all."""
        direct = line.connect

        def connect(host, port, name, wire, limit):
            return direct(host, port if ports is not None and port not in ports else self.port(port), name, wire, limit)

        with mock.patch.object(peer, "connect", connect), mock.patch.object(scheduler, "connect", connect):
            try:
                yield self
            finally:
                self.close()
