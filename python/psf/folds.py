"""Folds the answers of slices, in the order of the slices."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

import numpy as np

from . import codec
from .errors import PsError

_ARRAYS: Dict[str, np.ufunc] = {"sum": np.add, "min": np.minimum, "max": np.maximum}


def fold(how: str, name: str, type: codec.Type, parts: Sequence[Any]) -> Any:
    """Folds numbers, truth values, arrays element by element, or maps key by key."""
    if isinstance(type, codec.MapOf):
        found: Dict[str, List[Any]] = {}
        for part in parts:
            for key, value in part.items():
                found.setdefault(key, []).append(value)
        return {key: fold(how, name, type.of, values) for key, values in found.items()}
    if isinstance(type, codec.Shared):
        return _arrays(how, name, type, parts)
    assert isinstance(type, codec.Scalar)
    return _scalars(how, type, parts)


def _scalars(how: str, type: codec.Scalar, parts: Sequence[Any]) -> Any:
    if how == "and":
        return all(parts)
    if how == "or":
        return any(parts)
    if type.dtype.kind == "f":  # of float32 the folds are in float64, and rounded
        folded = float({"sum": 0, "min": np.inf, "max": -np.inf}[how])
        for part in parts:
            folded = float(_ARRAYS[how](folded, part))
        with np.errstate(over="ignore"):
            return type.dtype.type(folded).item()
    limits: Any = np.iinfo(type.dtype)  # type: ignore[type-var]
    if how == "min":
        return min(parts, default=limits.max)
    if how == "max":
        return max(parts, default=limits.min)
    total = sum(parts) - int(limits.min)  # it wraps around
    return total % (1 << limits.bits) + int(limits.min)


def _arrays(how: str, name: str, type: codec.Shared, parts: Sequence[np.ndarray]) -> np.ndarray:
    if not parts:
        return np.empty(0, type.dtype)
    folded = parts[0].copy()
    for part in parts[1:]:
        if len(part) != len(folded):
            raise PsError(
                "HANDLER_FAILED", "lengths of %s in the slices' answers: %d and %d (expected: the same)" % (
                    name, len(folded), len(part)))
        with np.errstate(all="ignore"):
            _ARRAYS[how](folded, part, out=folded)
    return folded


def union(name: str, parts: Sequence[Dict[str, Any]]) -> Dict[str, Any]:
    """Returns the entries of all maps, in the order of the parts."""
    whole: Dict[str, Any] = {}
    for part in parts:
        for key, value in part.items():
            if key in whole:
                raise PsError(
                    "HANDLER_FAILED", 'key "%s" of %s in the answers of several slices (expected: in one of them; use'
                    " @Reduce to fold the values of a key, or write your own merge)" % (key, name))
            whole[key] = value
    return whole
