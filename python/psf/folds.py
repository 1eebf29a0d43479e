"""Folds the answers of slices, in the order of the slices."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

import numpy as np

from . import codec
from .errors import PsError


class Extreme:
    """The least or the greatest of numbers, element by element. As in Java -0.0 is less than 0.0."""

    def __init__(self, ufunc: Any, bits: Any):
        """``bits``: makes the bits of the result from those of equal numbers, which differ in zeros alone."""
        self._ufunc = ufunc
        self._bits = bits

    def __call__(self, a: Any, b: Any, out: Any = None) -> Any:
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype.kind != "f":
            return self._ufunc(a, b, out=out)
        whole = np.dtype("i%d" % a.dtype.itemsize)
        equal, bits = a == b, np.asarray(self._bits(a.view(whole), b.view(whole))).view(a.dtype)
        found = np.asarray(self._ufunc(a, b, out=out))
        np.copyto(found, bits, where=equal)
        return found

    def segments(self, firsts: np.ndarray, rows: np.ndarray, begins: np.ndarray) -> np.ndarray:
        rows[begins] = firsts
        folded = self._ufunc.reduceat(rows, begins, axis=0)
        if rows.dtype.kind == "f":
            whole = np.dtype("i%d" % rows.dtype.itemsize)
            signs = self._bits.reduceat(rows.view(whole), begins, axis=0).view(rows.dtype)
            np.copysign(folded, signs, out=folded, where=folded == 0)
        return folded


class _Sum:
    """Sums of numbers, element by element."""

    def __call__(self, a: Any, b: Any, out: Any = None) -> Any:
        return np.add(a, b, out=out)

    def segments(self, firsts: np.ndarray, rows: np.ndarray, begins: np.ndarray) -> np.ndarray:
        # numpy adds some of many numbers together first. It subtracts one after another, as Java adds.
        np.negative(rows, out=rows)
        rows[begins] = firsts
        folded = np.subtract.reduceat(rows, begins, axis=0)
        wrong = np.flatnonzero(np.isnan(folded).any(axis=1))  # in the sign of a NaN
        for i in wrong.tolist():
            rest = np.negative(rows[begins[i] + 1: begins[i + 1] if i + 1 < len(begins) else None])
            folded[i] = np.add.accumulate(np.concatenate([firsts[i: i + 1], rest]), axis=0)[-1]
        return folded


#: The folds of arrays, each in the order of its arguments. ``segments`` folds rows, [n, width], one after another, from
#: each place where a segment begins to the next one. ``firsts`` take the place of the first row of each. It overwrites the rows.
ARRAYS: Dict[str, Any] = {
    "sum": _Sum(), "min": Extreme(np.minimum, np.bitwise_or), "max": Extreme(np.maximum, np.bitwise_and)}


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
            folded = float(ARRAYS[how](folded, float(part)))
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
            ARRAYS[how](folded, part, out=folded)
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
