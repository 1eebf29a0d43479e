"""Writes typed functions of Python from the schemas of functions, for editors and mypy::

    python3 -m psf.stubs DIR                   # of the servers of PSF_SCHEDULER
    python3 -m psf.stubs DIR a.schema ..       # of schema files, such as the build of a function writes

A module of DIR has the functions whose names have the same first word: ``acme.axpy`` is ``Axpy`` of ``acme.py``.
"""

from __future__ import annotations

import argparse
import keyword
import pathlib
import re
from typing import Dict, Iterable, List, Optional, Sequence, Tuple

from . import codec
from .cluster import connect
from .schema import Component, Schema

_HEAD = '''"""Functions {words}.*, written by psf.stubs from their schemas."""

from __future__ import annotations

import dataclasses as _dataclasses
import typing as _t

import numpy as _np
import numpy.typing as _npt

import psf as _psf
'''

_SCALARS = {"bool": "bool", "f32": "float", "f64": "float"}


class _Stub:
    """The classes of one function."""

    def __init__(self, schema: Schema):
        self.schema = schema
        _, _, rest = schema.name.partition(".")
        self.name = _class(rest or schema.name)
        self.records: Dict[str, Tuple[str, str]] = {}  # the name and the class of each record, by its type's text

    def type(self, type: codec.Type, name: str, given: bool) -> str:
        """Returns the type of a value, which is given in a request or found in a response."""
        if isinstance(type, codec.Maybe):
            return "_t.Optional[%s]" % self.type(type.of, name, given)
        if isinstance(type, codec.ListOf):
            return "%s[%s]" % ("_t.Sequence" if given else "_t.List", self.type(type.of, name, given))
        if isinstance(type, codec.MapOf):
            return "%s[str, %s]" % ("_t.Mapping" if given else "_t.Dict", self.type(type.of, name, given))
        if isinstance(type, codec.Record):
            return self.record(type, name)
        if isinstance(type, codec.Enum):
            return "_t.Literal[%s]" % ", ".join('"%s"' % each for each in type.constants)
        if isinstance(type, codec.Text):
            return "_t.Union[str, _psf.Tensor]" if type.name == "tensor" and given else "str"
        if isinstance(type, codec.Copied) and type.of == "i8":
            return "bytes"
        if isinstance(type, (codec.Copied, codec.Shared)):
            return "_npt.ArrayLike" if given else "_np.ndarray[_t.Any, _t.Any]"
        assert isinstance(type, codec.Scalar)
        return _SCALARS.get(type.name, "int")

    def record(self, type: codec.Record, name: str) -> str:
        """Returns the class of a record, which is made unless the function has one of the same components."""
        found = self.records.get(str(type))
        if found is None:
            own = self.name + _class(name)
            while own in [each for each, _ in self.records.values()]:
                own += "_"
            self.records[str(type)] = own, ""
            fields = [(part.spelled, self.type(part.type, part.name, False)) for part in type.parts]
            found = self.records[str(type)] = own, _record(own, fields)
        return found[0]

    def argument(self, each: Component) -> str:
        type = self.type(each.type, each.name, True)
        if isinstance(each.type, codec.Maybe):
            return "%s: %s = None" % (each.spelled, type)
        return "%s: _t.Optional[%s] = None" % (each.spelled, type) if each.since > 1 else "%s: %s" % (each.spelled, type)

    def text(self) -> str:
        schema = self.schema
        arguments = [self.argument(each) for each in schema.request]
        arguments.sort(key=lambda each: "=" in each)
        fields = [(each.spelled, self.type(each.type, each.name, False)) for each in schema.response]
        one = _record(self.name + "Response", fields)
        response = "_t.List[%sResponse]" % self.name if schema.merged else self.name + "Response"
        signature = ", ".join(["self", *(["*", *arguments] if arguments else [])])
        named = ", ".join("%s=%s" % (each.spelled, each.spelled) for each in schema.request)
        later = [each.spelled for each in schema.request if each.since > 1 and not isinstance(each.type, codec.Maybe)]
        values = "dict(%s)" % named
        if later:
            values = "{name: value for name, value in %s.items() if value is not None or name not in %r}" % (
                values, tuple(later))
        own = '''

class {name}:
    """{schema}"""

    def __init__(self, cluster: _t.Any) -> None:
        self.function: _psf.Caller = cluster.function("{function}")

    def __call__({signature}) -> {response}:
        _values: _t.Dict[str, _t.Any] = {values}
        return _t.cast({quoted}, self.function(**_values))

    def start({signature}) -> _psf.Pending[{response}]:
        _values: _t.Dict[str, _t.Any] = {values}
        return self.function.start(**_values)
'''.format(name=self.name, schema=str(schema).replace("\\", "\\\\"), function=schema.name, signature=signature,
           response=response, quoted='"%s"' % response, values=values)
        return "".join(text for _, text in reversed(list(self.records.values()))) + one + own


def _class(name: str) -> str:
    words = re.sub(r"\W+", " ", name).split()
    spelled = "".join(word[:1].upper() + word[1:] for word in words)
    return spelled + "_" if keyword.iskeyword(spelled) else spelled


def _record(name: str, fields: Sequence[Tuple[str, str]]) -> str:
    lines = ["    %s: %s" % (field, type) for field, type in fields] or ["    pass"]
    return "\n\n@_dataclasses.dataclass(frozen=True)\nclass %s:\n%s\n" % (name, "\n".join(lines))


def write(schemas: Iterable[Schema], folder: pathlib.Path) -> List[pathlib.Path]:
    """Writes the modules of some functions. Returns their files."""
    modules: Dict[str, List[Schema]] = {}
    for schema in sorted(schemas, key=lambda each: each.name):
        modules.setdefault(schema.name.partition(".")[0], []).append(schema)
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for word, some in modules.items():
        spelled = re.sub(r"\W", "_", word)
        file = folder / ((spelled + "_functions" if spelled == "psf" or keyword.iskeyword(spelled) else spelled) + ".py")
        file.write_text(_HEAD.format(words=word) + "".join(_Stub(each).text() for each in some), "utf-8")
        files.append(file)
    return files


def read(files: Iterable[pathlib.Path]) -> List[Schema]:
    """Returns the functions of schema files."""
    found = []
    for file in files:
        lines = file.read_text("utf-8").splitlines()
        found.append(Schema([line for line in lines if line and not line.startswith("#")]))
    return found


def main(arguments: Optional[Sequence[str]] = None) -> None:
    parser = argparse.ArgumentParser(prog="python3 -m psf.stubs", description="Writes typed functions from schemas.")
    parser.add_argument("folder", type=pathlib.Path, help="the folder of the modules")
    parser.add_argument("schemas", type=pathlib.Path, nargs="*", help="schema files; without them, those of the servers")
    parser.add_argument("--scheduler", help="host:port of the scheduler; PSF_SCHEDULER")
    given = parser.parse_args(arguments)
    if given.schemas:
        schemas = read(given.schemas)
    else:
        with connect(given.scheduler, role="client") as cluster:
            schemas = [cluster.find(name).schema for name in cluster.functions() if not name.startswith("psf.connection.")]
    for file in write(schemas, given.folder):
        print(file)


if __name__ == "__main__":
    main()
