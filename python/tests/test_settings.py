"""Settings of the environment and of a file."""

import os
import tempfile
import unittest

from psf.cluster import connect
from psf.errors import PsError
from psf.settings import Settings, Tls
from psf.texts import java, java_double, java_float


class SettingsTest(unittest.TestCase):
    def test_the_environment_takes_precedence_over_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "psf.yaml")
            with open(file, "w") as lines:
                lines.write("# nodes\n---\nPSF_SCHEDULER: '[::1]:4080'\nPSF_DEADLINE: 500ms  # short\nPSF_RANK: \"3\"\n")
            found = Settings.of(None, {"PSF_CONFIG": file, "PSF_RANK": "2", "PSF_LEAVE_AT_EXIT": "on"})
            self.assertEqual((("::1", 4080), 0.5, 2, True), (
                found.scheduler, found.deadline, found.rank, found.leave_at_exit))
            with open(file, "a") as lines:
                lines.write("PSF_SERVERS: [1, 2]\n")
            with self.assertRaisesRegex(PsError, r"line 6: PSF_SERVERS: \[1, 2\] \(expected: YAML, one KEY: value a line"):
                Settings.of(None, {"PSF_CONFIG": file})

    def test_all_settings_of_tls_or_none(self):
        every = {"PSF_TLS_CERTIFICATE": "a", "PSF_TLS_KEY": "b", "PSF_TLS_AUTHORITY": "c"}
        self.assertEqual(Tls("a", "b", "c"), Settings.of("h:1", every).tls)
        with self.assertRaisesRegex(PsError, r"2 set \(expected: all or none\)"):
            Settings.of("h:1", {name: value for name, value in every.items() if name != "PSF_TLS_KEY"})

    def test_names_of_other_systems_are_accepted(self):
        for names in ({"DMLC_ROLE": "worker", "DMLC_PS_ROOT_URI": "h", "DMLC_PS_ROOT_PORT": "1"},
                      {"MS_ROLE": "MS_WORKER", "MS_SCHED_HOST": "h", "MS_SCHED_PORT": "1"},
                      {"MS_ROLE": "MS_WORKER", "MS_SCHED_HOST": "h", "MS_SCHED_POST": "1"}):
            found = Settings.of(None, names)
            self.assertEqual((("h", 1), "worker"), (found.scheduler, found.role))
            self.assertEqual((("own", 2), "client"), Settings.of("own:2", names, "client")[:2])
            self.assertEqual("client", Settings.of(None, {**names, "PSF_ROLE": "client"}).role)
        self.assertEqual("client", Settings.of("h:1", {}).role)

    def test_wrong_settings_are_named(self):
        wrong = {
            "PSF_SCHEDULER: not set": {},
            "PSF_SCHEDULER: host (expected: host:port": {"PSF_SCHEDULER": "host"},
            "PSF_SECRET: 5 characters": {"PSF_SCHEDULER": "h:1", "PSF_SECRET": "short"},
            "PSF_DEADLINE: soon": {"PSF_SCHEDULER": "h:1", "PSF_DEADLINE": "soon"},
            "PSF_RANK: first": {"PSF_SCHEDULER": "h:1", "PSF_RANK": "first"},
            "PSF_CHECKSUM: always (expected: on or off": {"PSF_SCHEDULER": "h:1", "PSF_CHECKSUM": "always"},
            "MS_ROLE: MS_SCHED (expected: worker, of a program in Python; ./psf node is a server or": {
                "PSF_SCHEDULER": "h:1", "MS_ROLE": "MS_SCHED"},
            "PSF_LEAVE_AT_EXIT: maybe": {"PSF_SCHEDULER": "h:1", "PSF_LEAVE_AT_EXIT": "maybe"},
        }
        for expected, environment in wrong.items():
            with self.assertRaises(PsError) as failed:
                Settings.of(None, environment)
            self.assertEqual("CONFIGURATION", failed.exception.code)
            self.assertIn(expected, str(failed.exception))

    def test_a_wrong_rank_is_named_before_anything_is_sent(self):
        for rank in "first", 1.5, -2:
            with self.assertRaisesRegex(PsError, r"rank: %s \(expected: the rank of this worker, a whole number" % rank):
                connect("h:1", "worker", rank)

    def test_numbers_are_written_as_java_writes_them(self):
        floats = {1: "1.0", 0.001: "0.001", 1e-4: "1.0E-4", 1e7: "1.0E7", 123456: "123456.0", 0.1: "0.1", -0.0: "-0.0", float("inf"): "Infinity", 9999999: "9999999.0", 1.5e10: "1.5E10"}
        for value, text in floats.items():
            self.assertEqual(text, java_float(value))
        self.assertEqual("0.1", java_double(0.1))
        self.assertEqual(["true", "7", "2.5", "x"], [java(True), java(7), java(2.5), java("x")])
