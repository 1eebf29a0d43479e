"""Writes typed functions of Python from the schemas of functions, for editors and mypy::

    python3 -m psf.stubs DIR                   # of the servers of PSF_SCHEDULER
    python3 -m psf.stubs DIR a.schema ..       # of schema files, such as the build of a function writes

Each function has a module: ``acme.graph.degrees`` is ``GraphDegrees`` of ``DIR/acme/graph_degrees.py``. The annotation
processor of Java writes the same modules (``PythonEmitter``), and a test compares them.
"""

from __future__ import annotations

import argparse
import keyword
import pathlib
import re
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from . import codec
from .cluster import connect
from .errors import PsError
from .schema import Component, Schema

_PACKAGE = '"""Functions {word}.*, written from their schemas."""\n'

_MODULE = '''"""The function {function}, written from its schema."""

from __future__ import annotations

import builtins as _b
import dataclasses as _dataclasses
import typing as _t

import numpy as _np
import numpy.typing as _npt

import psf as _psf
{records}

class {name}:
    """{schema}"""

    def __init__(self, cluster: _t.Any) -> None:
        self.function: _psf.Caller = cluster.function("{function}")

    def __call__({signature}) -> {response}:
        _values: _t.Dict[str, _t.Any] = {values}
        return _t.cast("{response}", self.function(**_values))

    def start({signature}) -> _psf.Pending[{response}]:
        _values: _t.Dict[str, _t.Any] = {values}
        return self.function.start(**_values)
'''

_RECORD = '''

@_dataclasses.dataclass(frozen=True)
class {name}:
{fields}
'''

_SCALARS = {"bool": "bool", "f32": "float", "f64": "float"}


class _Stub:
    """The module of one function."""

    def __init__(self, schema: Schema):
        self.schema = schema
        first, _, rest = schema.name.partition(".")
        self.name = _class(rest or first)
        self.word = first
        self.path = "%s/%s.py" % (_module(first, "_functions"), _module(rest or first, "_"))
        self.names = {self.name, self.name + "Response"}
        self.records: Dict[Tuple[str, ...], str] = {}  # the name of each record, by its fields
        self.texts: List[str] = []

    def type(self, type: codec.Type, name: str, given: bool) -> str:
        """Returns the type of a value, which is given in a request or found in a response."""
        if isinstance(type, codec.Maybe):
            return "_t.Optional[%s]" % self.type(type.of, name, given)
        if isinstance(type, codec.ListOf):
            return "%s[%s]" % ("_t.Sequence" if given else "_t.List", self.type(type.of, name, given))
        if isinstance(type, codec.MapOf):
            return "%s[_b.str, %s]" % ("_t.Mapping" if given else "_t.Dict", self.type(type.of, name, given))
        if isinstance(type, codec.Record):
            return self.record(name, [(part.spelled, self.type(part.type, part.name, False)) for part in type.parts])
        if isinstance(type, codec.Enum):
            return "_t.Literal[%s]" % ", ".join('"%s"' % each for each in type.constants)
        if isinstance(type, codec.Text):
            return "_t.Union[_b.str, _psf.Tensor]" if type.name == "tensor" and given else "_b.str"
        if isinstance(type, codec.Copied) and type.of == "i8":
            return "_b.bytes"
        if isinstance(type, (codec.Copied, codec.Shared)):
            return "_npt.ArrayLike" if given else "_np.ndarray[_t.Any, _t.Any]"
        assert isinstance(type, codec.Scalar)
        return "_b." + _SCALARS.get(type.name, "int")

    def record(self, name: str, fields: Sequence[Tuple[str, str]]) -> str:
        """Returns the class of a record, which is made unless the function has one of the same fields."""
        lines = tuple("    %s: %s" % field for field in fields) or ("    pass",)
        if lines not in self.records:
            own = self.name + _class(name)
            while own in self.names:
                own += "_"
            self.names.add(own)
            self.records[lines] = own
            self.texts.append(_RECORD.format(name=own, fields="\n".join(lines)))
        return self.records[lines]

    def response(self) -> str:
        """Makes the class of the response. Returns the type that a call returns."""
        own = self.name + "Response"
        fields = ["    %s: %s" % (each.spelled, self.type(each.type, each.name, False)) for each in self.schema.response]
        self.texts.append(_RECORD.format(name=own, fields="\n".join(fields or ["    pass"])))
        return "_t.List[%s]" % own if self.schema.merged else own

    def argument(self, each: Component) -> str:
        type = self.type(each.type, each.name, True)
        if isinstance(each.type, codec.Maybe):
            return "%s: %s = None" % (each.spelled, type)
        return "%s: _t.Optional[%s] = None" % (each.spelled, type) if each.since > 1 else "%s: %s" % (each.spelled, type)

    def values(self) -> str:
        """Returns the expression of the arguments of a call: those that later versions have added may be left out."""
        request = self.schema.request
        named = "dict(%s)" % ", ".join("%s=%s" % (each.spelled, each.spelled) for each in request)
        later = [each.spelled for each in request if each.since > 1 and not isinstance(each.type, codec.Maybe)]
        if not later:
            return named
        return "{name: value for name, value in %s.items() if value is not None or name not in [%s]}" % (
            named, ", ".join('"%s"' % each for each in later))

    def text(self) -> str:
        arguments = sorted((self.argument(each) for each in self.schema.request), key=lambda each: "=" in each)
        response = self.response()
        return _MODULE.format(
            function=self.schema.name, name=self.name, schema=str(self.schema).replace("\\", "\\\\"),
            records="".join(self.texts), signature=", ".join(["self", *(["*", *arguments] if arguments else [])]),
            response=response, values=self.values())


def _class(name: str) -> str:
    words = re.sub(r"\W+", " ", name).split()
    spelled = "".join(word[:1].upper() + word[1:] for word in words)
    return spelled + "_" if keyword.iskeyword(spelled) else spelled


def _module(name: str, ending: str) -> str:
    spelled = re.sub(r"\W", "_", name)
    return spelled + ending if spelled == "psf" or keyword.iskeyword(spelled) else spelled


def write(schemas: Iterable[Schema], folder: pathlib.Path) -> List[pathlib.Path]:
    """Writes the modules of some functions. Returns their files."""
    files = []
    for stub in map(_Stub, sorted(schemas, key=lambda each: each.name)):
        file = folder / stub.path
        file.parent.mkdir(parents=True, exist_ok=True)
        (file.parent / "__init__.py").write_text(_PACKAGE.format(word=stub.word), "utf-8")
        file.write_text(stub.text(), "utf-8")
        files.append(file)
    return files


def read(files: Iterable[pathlib.Path]) -> List[Schema]:
    """Returns the functions of schema files."""
    found = []
    for file in files:
        lines = file.read_text("utf-8").splitlines()
        found.append(Schema([line for line in lines if line and not line.startswith("#")]))
    return found


def served(scheduler: Optional[str]) -> List[Schema]:
    """Returns the functions of a cluster's servers, but not those of psf, which the package calls."""
    with connect(scheduler, role="client") as cluster:
        return [cluster.find(name).schema for name in cluster.functions() if not name.startswith("psf.")]


def main(arguments: Optional[Sequence[str]] = None) -> None:
    parser = argparse.ArgumentParser(prog="python3 -m psf.stubs", description="Writes typed functions from schemas.")
    parser.add_argument("folder", type=pathlib.Path, help="the folder of the modules")
    parser.add_argument("schemas", type=pathlib.Path, nargs="*", default=[], help="schema files; without them, those of the servers")
    parser.add_argument("--scheduler", help="host:port of the scheduler; PSF_SCHEDULER")
    given = parser.parse_args(arguments)
    try:
        for file in write(read(given.schemas) if given.schemas else served(given.scheduler), given.folder):
            print(file)
    except (PsError, OSError) as e:
        parser.exit(1, "psf: %s\n" % e)


if __name__ == "__main__":
    main()
