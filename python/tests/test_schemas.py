"""Schemas are parsed, and those of psf itself are the committed ones."""

import pathlib
import re
import unittest

from psf import control
from psf.errors import PsError
from psf.names import snake
from psf.schema import Schema

ROOT = pathlib.Path(__file__).parents[2]

GROWN = [
    "acme.grown at SHARD (t:tensor, point:{x:f32, mode:enum(A|B)}) -> (names:list of {first:string})",
    "acme.grown at SHARD (t:tensor, point:{x:f32, mode:enum(A|B), y:f32 since 2}) -> (names:list of {first:string})",
    "acme.grown at SHARD (t:tensor, point:{x:f32, mode:enum(A|B|C), y:f32 since 2, name:{first:string} since 3},"
    " later:{x:f32, y:f32}) -> (names:list of {first:string, last:string? since 3}, count:i64 sum)",
]


def committed():
    found = {}
    for file in ROOT.glob("**/src/main/schemas/*.schema"):
        found[file.stem] = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    return found


class SchemasTest(unittest.TestCase):
    def test_the_version_is_the_one_of_the_artifacts(self):
        version = re.search("<version>(.*)</version>", (ROOT / "pom.xml").read_text())[1]
        project = (ROOT / "python" / "pyproject.toml").read_text()
        self.assertIn('version = "%s"' % version.replace("-SNAPSHOT", ".dev0"), project)

    def test_the_functions_of_psf_have_the_committed_schemas(self):
        files = committed()
        for name, schema in control.SCHEMAS.items():
            self.assertEqual(list(schema.versions), files[name])

    def test_every_committed_schema_is_parsed(self):
        for name, texts in committed().items():
            schema = Schema(texts)
            self.assertEqual(name, schema.name)
            self.assertEqual(schema.target is None, schema.place != "SHARD")

    def test_the_version_of_a_component_follows_from_the_earlier_versions(self):
        schema = Schema(GROWN)
        self.assertEqual([1, 1, 3], [each.since for each in schema.request])
        self.assertEqual([1, 3], [each.since for each in schema.response])
        self.assertEqual((2, 3), (schema.request_sections, schema.response_sections))
        self.assertEqual((2, 0), (schema.at_version(2).request_sections, schema.at_version(2).response_sections))

    def test_another_text_is_refused_with_itself(self):
        for text in ("acme.f", "acme.f at SHARD (x:f32", "acme.f at SHARD (x:f33) -> ()", "acme.f at SHARD () -> () x"):
            with self.assertRaises(PsError) as failed:
                Schema([text])
            self.assertIn(text, str(failed.exception))

    def test_names_in_pythons_spelling(self):
        spelled = {"squaredNorm": "squared_norm", "isForming": "is_forming", "b1": "b1", "from": "from_", "URLOf": "url_of"}
        for name, expected in spelled.items():
            self.assertEqual(expected, snake(name))
