"""The package as a whole."""

import ast
import unittest

from .test_schemas import ROOT


class PackageTest(unittest.TestCase):
    def test_its_syntax_is_that_of_python_3_9(self):
        files = list((ROOT / "python").rglob("*.py"))
        self.assertGreater(len(files), 50)
        for file in files:
            ast.parse(file.read_text("utf-8"), str(file), feature_version=(3, 9))
