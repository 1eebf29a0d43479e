"""Runs mypy over the package, over functions that psf.stubs writes, and over a use of one, which PythonTest does."""

import pathlib
import sys
import tempfile

from mypy import api

from psf import stubs
from psf.schema import Schema

from .test_schemas import GROWN, ROOT, committed
from .test_stubs import MIXED, NAMES

USE = """
import psf
from acme.mixed import Mixed

def use(cluster: psf.Cluster) -> float:
    found = Mixed(cluster)(key=1, of="w", points=[], sizes={}, raw=b"", from_=True)
    rows = cluster.table("w", 3).pull([1, 2])
    rows.sum()
    return found.found[0].next.y
"""

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    schemas = [*committed().values(), GROWN, [MIXED], [NAMES]]
    files = stubs.write(map(Schema, schemas), folder)
    (folder / "use.py").write_text(USE)
    out, errors, code = api.run([
        "--config-file", str(ROOT / "python" / "pyproject.toml"), "--cache-dir", str(folder / "cache"),
        *map(str, (ROOT / "python" / "psf").glob("*.py")), *map(str, files),
        str(folder / "use.py")])
    print(out + errors)
    sys.exit(code)
