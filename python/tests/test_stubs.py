"""Typed functions from schemas."""

import contextlib
import dataclasses
import importlib.util
import inspect
import io
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


#: Names that Python has, too; and a record with the name that the class of the response has.
NAMES = (
    "acme.class at SERVER (self:i32, from:string, bytes:copied i8[], int:{float:f32, int:i32}) ->"
    " (response:{str:string, bytes:copied i8[], list:list of i32}, float:i32 sum)")


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
        grown, mixed = map(loaded, stubs.write([Schema([MIXED]), Schema(GROWN)], self.folder))
        self.assertEqual(["x", "next"], [each.name for each in dataclasses.fields(mixed.MixedPoints)])
        self.assertEqual(["names", "count"], [each.name for each in dataclasses.fields(grown.GrownResponse)])

    def test_a_module_has_a_name_that_python_takes(self):
        file, = stubs.write([Schema([NAMES])], self.folder)
        self.assertEqual(self.folder / "acme" / "class_.py", file)
        module = loaded(file)
        self.assertEqual(["response", "float"], [each.name for each in dataclasses.fields(module.ClassResponse)])
        self.assertEqual(["self", "self_", "from_", "bytes", "int"], list(inspect.signature(module.Class.__call__).parameters))
        self.assertEqual("psf_functions", stubs.write([Schema(["psf.f at SERVER () -> ()"])], self.folder)[0].parent.name)


class CalledStubsTest(ClusterTest):
    def test_a_typed_function_is_called(self):
        cluster = self.connected()
        dense = cluster.dense(self.name(), 100, initializer=1)
        with tempfile.TemporaryDirectory() as folder:
            with contextlib.redirect_stdout(io.StringIO()):
                stubs.main([folder])
            axpy = loaded(pathlib.Path(folder) / "acme" / "axpy.py").Axpy(cluster)
            self.assertEqual(400, axpy(y=dense, alpha=0.5, x=np.full(100, 2.0)).squared_norm)
            self.assertEqual(900, axpy.start(y=dense, alpha=0.5, x=np.full(100, 2.0)).wait().squared_norm)
        dense.clear()
