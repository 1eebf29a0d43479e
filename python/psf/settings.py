"""The settings of a worker or client: environment variables, or a file of ``KEY: value`` lines, as of Java."""

from __future__ import annotations

import os
import re
import ssl
from operator import index
from typing import Dict, Mapping, NamedTuple, Optional, SupportsIndex, Tuple, Union

from .errors import PsError

#: The least length of a secret.
_SECRET = 16

#: The names of a setting in psf, in ps-lite, MXNet and Hetu, and in MindSpore.
_ROLES = ("PSF_ROLE", "DMLC_ROLE", "MS_ROLE")
_ADDRESSES = (("DMLC_PS_ROOT_URI", "DMLC_PS_ROOT_PORT"), ("MS_SCHED_HOST", "MS_SCHED_PORT"), ("MS_SCHED_HOST", "MS_SCHED_POST"))

Seconds = float


class Tls(NamedTuple):
    """The PEM files of a node with TLS: its certificate, the key of it, and the certificates of all authorities."""

    certificate: str
    key: str
    authority: str

    def context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        try:
            context.load_cert_chain(self.certificate, self.key)
            context.load_verify_locations(self.authority)
        except (OSError, ssl.SSLError) as e:
            raise _invalid("TLS: %s (expected: PEM files in PSF_TLS_CERTIFICATE, PSF_TLS_KEY and PSF_TLS_AUTHORITY)" % e) from e
        return context


class Settings(NamedTuple):
    """The settings. Times are in seconds."""

    scheduler: Tuple[str, int]
    #: ``worker`` or ``client``.
    role: str = "client"
    rank: int = -1
    cluster: str = ""
    node: str = ""
    secret: Optional[str] = None
    tls: Optional[Tls] = None
    deadline: Seconds = 60.0
    join_timeout: Seconds = 120.0
    reconnect_limit: Seconds = 30.0
    leave_at_exit: bool = False
    checksum: bool = False

    @staticmethod
    def of(scheduler: Optional[str] = None, environment: Optional[Mapping[str, str]] = None,
           role: Optional[str] = None) -> Settings:
        """Reads the settings of the environment; the arguments take precedence."""
        values = _values(os.environ if environment is None else environment)
        if scheduler is None:
            pairs = ["%s:%s" % (values[host], values[port]) for host, port in _ADDRESSES if host in values and port in values]
            scheduler = values.get("PSF_SCHEDULER", pairs[0] if pairs else None)
        if scheduler is None:
            raise _invalid("PSF_SCHEDULER: not set (expected: host:port of the scheduler)")
        tls = [values.get("PSF_TLS_" + each) for each in ("CERTIFICATE", "KEY", "AUTHORITY")]
        if any(tls) and not all(tls):
            raise _invalid("PSF_TLS_CERTIFICATE, PSF_TLS_KEY and PSF_TLS_AUTHORITY: %d set (expected: all or none)" % sum(
                map(bool, tls)))
        secret = values.get("PSF_SECRET")
        if secret is not None and len(secret) < _SECRET:
            raise _invalid("PSF_SECRET: %d characters (expected: the secret of the cluster, the same for all nodes, at least"
                           " %d characters)" % (len(secret), _SECRET))
        return Settings(
            address(scheduler),
            role or _role(values),
            rank("PSF_RANK", values.get("PSF_RANK", "-1")),
            values.get("PSF_CLUSTER", ""),
            values.get("PSF_NODE", ""),
            secret,
            Tls(*tls) if all(tls) else None,  # type: ignore[arg-type]
            seconds("PSF_DEADLINE", values.get("PSF_DEADLINE", 60.0)),
            seconds("PSF_JOIN_TIMEOUT", values.get("PSF_JOIN_TIMEOUT", 120.0)),
            seconds("PSF_RECONNECT_LIMIT", values.get("PSF_RECONNECT_LIMIT", 30.0)),
            _switch("PSF_LEAVE_AT_EXIT", values.get("PSF_LEAVE_AT_EXIT", "off")),
            _switch("PSF_CHECKSUM", values.get("PSF_CHECKSUM", "off")))


def _values(environment: Mapping[str, str]) -> Dict[str, str]:
    values: Dict[str, str] = {}
    file = environment.get("PSF_CONFIG")
    if file:
        try:
            with open(file, encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    values.update(_line(file, number, line))
        except OSError as e:
            raise _invalid("%s: %s (expected: a YAML file that can be read)" % (file, e.strerror or e)) from e
    values.update((name, value) for name, value in environment.items() if name.startswith(("PSF_", "DMLC_", "MS_")))
    return {name: value.strip() for name, value in values.items() if value.strip()}


def _line(file: str, number: int, line: str) -> Dict[str, str]:
    """Reads a line of the file. Of YAML it may have what the settings need: one KEY: value a line."""
    line = line.strip()
    if not line or line.startswith("#") or line in ("---", "..."):
        return {}
    found = re.fullmatch(r"""(\w+)\s*:(?:\s+(?:"([^"\\]*)"|'([^']*)'|([^"'\[{&*!|>%@`#][^#]*?)))?\s*(?:\s#.*)?""", line)
    if found is None:
        raise _invalid("%s, line %d: %s (expected: YAML, one KEY: value a line)" % (file, number, line))
    return {found[1]: next((value for value in found.groups()[1:] if value is not None), "")}


def _role(values: Mapping[str, str]) -> str:
    name = next((name for name in _ROLES if name in values), None)
    if name is None:
        return "client"
    role = values[name].lower().replace("ms_", "")
    if role not in ("worker", "client"):
        raise _invalid("%s: %s (expected: worker, of a program in Python; ./psf node is a server or the scheduler)" % (
            name, values[name]))
    return role


def address(text: str) -> Tuple[str, int]:
    """Parses host:port. An IPv6 address is in brackets."""
    found = re.fullmatch(r"(?:\[([^\]]+)\]|([^:\[\]]+)):(\d{1,5})", text.strip())
    if found is None or not 0 < int(found[3]) < 65536:
        raise _invalid("PSF_SCHEDULER: %s (expected: host:port of the scheduler)" % text)
    return found[1] or found[2], int(found[3])


def seconds(name: str, given: Union[str, float, int]) -> Seconds:
    """Parses a time: a number of seconds, or a text such as 30s, 500ms or 2m."""
    if isinstance(given, str):
        found = re.fullmatch(r"(\d+)(ms|s|m|h)", given)
        value = int(found[1]) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[found[2]] if found else 0
    else:
        value = float(given)
    if not value > 0:
        raise _invalid("%s: %s (expected: a time above 0, such as 30s, 500ms or 2m)" % (name, given))
    return value


def _switch(name: str, text: str) -> bool:
    if text.lower() not in ("on", "off", "true", "false"):
        raise _invalid("%s: %s (expected: on or off)" % (name, text))
    return text.lower() in ("on", "true")


def rank(name: str, given: Union[str, SupportsIndex]) -> int:
    """Parses a rank: a whole number, or its text."""
    try:
        value = int(given) if isinstance(given, str) else index(given)
    except (TypeError, ValueError):
        value = -2
    if value < -1:
        raise _invalid("%s: %s (expected: the rank of this worker, a whole number from 0, or -1 for any)" % (name, given))
    return value


def _invalid(detail: str) -> PsError:
    return PsError("CONFIGURATION", detail)
