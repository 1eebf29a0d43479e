"""Typed functions from schemas."""

import dataclasses
import importlib.util
import pathlib
import sys
import tempfile
import unittest

import numpy as np

from psf import stubs
from psf.schema import Schema

from .cluster import ClusterTest
from .test_schemas import GROWN

MIXED = (
    "acme.mixed at SERVER (key:i64 by key, of:tensor, mode:enum(A|B)?, points:list of {x:f32, next:{y:f64}},"
    " sizes:map of string to i32, raw:copied i8[], more:copied f64[]?, from:bool) -> (found:list of {x:f32, next:{y:f64}},"
    " last:{name:string}?)")


def loaded(file):
    found = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(found)
    sys.modules[file.stem] = module  # where dataclasses look for the types of their fields
    found.loader.exec_module(module)
    return module


class StubsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_names_are_those_of_python(self):
        file, = stubs.write([Schema([MIXED]), Schema(GROWN)], self.folder)
        acme = loaded(file)
        self.assertEqual(["x", "next"], [each.name for each in dataclasses.fields(acme.MixedPoints)])
        self.assertEqual(["names", "count"], [each.name for each in dataclasses.fields(acme.GrownResponse)])


class CalledStubsTest(ClusterTest):
    def test_a_typed_function_is_called(self):
        cluster = self.connected()
        dense = cluster.dense(self.name(), 100, initializer=1)
        with tempfile.TemporaryDirectory() as folder:
            stubs.main([folder])
            acme = loaded(pathlib.Path(folder) / "acme.py")
            axpy = acme.Axpy(cluster)
            self.assertEqual(400, axpy(y=dense, alpha=0.5, x=np.full(100, 2.0)).squared_norm)
            self.assertEqual(900, axpy.start(y=dense, alpha=0.5, x=np.full(100, 2.0)).wait().squared_norm)
        dense.clear()
