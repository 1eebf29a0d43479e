"""The vectors of the protocol, which Java's tests read, too."""

import json
import unittest

import numpy as np

from psf import frames
from psf.layout import mix, mixed
from psf.names import number
from psf.peer import ROLES, Member, Ticket, credential

from . import vectors


class VectorsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.file = json.loads(vectors.FILE.read_text())

    def test_numbers_of_names(self):
        for each in self.file["numbers"]:
            self.assertEqual("0x%08x" % number(each["text"]), each["number"])

    def test_hashes_of_keys(self):
        for each in self.file["keys"]:
            self.assertEqual("0x%016x" % mix(each["key"]), each["mixed"])
            self.assertEqual("0x%016x" % mixed(np.array([each["key"]], np.int64))[0], each["mixed"])
            self.assertEqual(mix(each["key"]) >> 2, each["place"])
            self.assertEqual(mix(each["key"]) >> 54, each["partition"])

    def test_stamps_of_slices(self):
        for each in self.file["stamps"]:
            self.assertEqual(["0x%04x" % stamp for stamp in vectors.layout_of(each).stamps], each["stamps"])

    def test_proofs_of_a_node(self):
        for each in self.file["proofs"]:
            nonce, session = bytes.fromhex(each["nonce"]), each["session"]
            role = ROLES.index(each["role"])
            made = credential(each["secret"], role, each["rank"], session["session"], nonce)
            self.assertEqual(made.hex(), each["credential"])
            ticket = Ticket(role, each["rank"], each["since"], each["cluster"], bytes.fromhex(each["ticket"]), "")
            host = Member(ROLES.index(each["host"]["role"]), each["host"]["rank"], "", 0)
            made = ticket.proof(host, session["session"], session["connection"], nonce)
            self.assertEqual(made.hex(), each["proof"])

    def test_calls(self):
        for vector in self.file["calls"]:
            with self.subTest(vector["name"]):
                vectors.call(self, vector)

    def test_frames_that_are_no_requests(self):
        for each in self.file["frames"]:
            kind = each["header"]["kind"]
            if kind == "DONE":
                made = frames.done(each["header"]["call"], each["body"]["calls"])
            elif kind == "PING":
                made = frames.PING_FRAME
            else:
                made = frames.CHECK_FRAME
            self.assertEqual(made.hex(), "".join(each["hex"]))
            self.assertEqual((bytes.fromhex(each["checksum"]) + made).hex(), vectors.digits(frames.checked([made])))
