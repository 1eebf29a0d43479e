"""The functions of psf itself between nodes, whose schemas no server lists: joining, hellos, heartbeats, barriers."""

from __future__ import annotations

from importlib import resources
from typing import Any, Dict, List

from .codec import Reader
from .errors import PsError
from .routing import Function
from .schema import Schema


def _read() -> Dict[str, Schema]:
    versions: Dict[str, List[str]] = {}
    for line in resources.files(__package__).joinpath("control.schemas").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            versions.setdefault(line.partition(" at ")[0], []).append(line)
    return {name: Schema(texts) for name, texts in versions.items()}


#: The functions by name.
SCHEMAS = _read()

CHALLENGE = SCHEMAS["psf.connection.challenge"]
HELLO = SCHEMAS["psf.connection.hello"]

_READ_ONLY = ("psf.connection.challenge", "psf.connection.present", "psf.cluster.changes")

FUNCTIONS: Dict[str, Function] = {
    name: Function.of(schema, name in _READ_ONLY) for name, schema in SCHEMAS.items()}


def response(function: Schema, body: Reader) -> Any:
    """Returns the response of a function of one node."""
    try:
        return FUNCTIONS[function.name].response(*(
            each.type.get(body) if each.since <= body.version else each.type.zero() for each in function.response))
    except (ValueError, UnicodeDecodeError) as e:
        raise PsError("PROTOCOL", "answer of %s: %s" % (function.name, e)) from e
