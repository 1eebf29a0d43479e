"""A line for tests."""

import socket
import unittest

from psf import line


class LineCase(unittest.TestCase):
    """A line whose other end is this test."""

    def setUp(self):
        near, self.far = socket.socketpair()
        self.line = line.Line(near, "server")
        self.addCleanup(near.close)
        self.addCleanup(self.far.close)
        self.answers = []
        self.line.receive = lambda line, answer: self.answers.append(answer)
