"""docs/python.md: its code is Python, and names what there is."""

import ast
import re
import unittest

import psf
from psf.cluster import Cluster
from psf.tensors import Dense, Table, TensorSpec

from .test_schemas import ROOT


class PageTest(unittest.TestCase):
    def setUp(self):
        self.page = (ROOT / "docs" / "python.md").read_text()

    def test_its_code_is_python(self):
        blocks = re.findall(r"```python\n(.*?)```", self.page, re.S)
        self.assertGreater(len(blocks), 3)
        for block in blocks:
            ast.parse(block)

    def test_it_names_what_there_is(self):
        for name in set(re.findall(r"\bpsf\.([a-zA-Z_]+)\(", self.page)):
            self.assertTrue(hasattr(psf, name), "psf." + name)
        for name in set(re.findall(r"\bcluster\.([a-z_]+)\(", self.page)):
            self.assertTrue(hasattr(Cluster, name), "cluster." + name)
        for name in set(re.findall(r"`(?:pull|push|find|remove|keys)\w*", self.page)):
            self.assertTrue(hasattr(Table, name[1:]) or hasattr(Dense, name[1:]), name)

    def test_it_has_the_options_of_a_spec(self):
        options = set(TensorSpec._fields) - {"name", "rows", "width", "shape", "by_key", "drops_late", "stochastic_rounding"}
        for option in options:
            self.assertIn(option, self.page)
