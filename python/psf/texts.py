"""Numbers as the texts that Java writes: declarations of a tensor are equal if their texts are."""

from __future__ import annotations

from typing import Any

import numpy as np


def java_float(value: Any) -> str:
    """Returns the text of a float32, such as ``0.001`` or ``1.0E-8``."""
    return _text(np.float32(value))


def java_double(value: Any) -> str:
    """Returns the text of a float64."""
    return _text(np.float64(value))


def java(value: Any) -> str:
    """Returns the text of an argument: of a truth value, a whole number, a float64, or anything else as it is."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, np.float32):
        return java_float(value)
    if isinstance(value, (float, np.floating)):
        return java_double(float(value))
    return str(value)


def _text(value: Any) -> str:
    if np.isnan(value):
        return "NaN"
    if np.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0.0" if np.signbit(value) else "0.0"
    if 1e-3 <= abs(value) < 1e7:
        return np.format_float_positional(value, unique=True, trim="0")
    digits, _, exponent = np.format_float_scientific(value, unique=True, trim="0").partition("e")
    return "%sE%d" % (digits, int(exponent))
