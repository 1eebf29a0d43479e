"""Compressed gradients of a KVStore: 1 or 2 bits for an element, and a residual of what they leave out."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .pending import Pending
from .errors import bad_request

_BITS = {"2bit": ("TWO_BIT", 2), "1bit": ("ONE_BIT", 1)}


class Compressor:
    """Pushes codes for gradients. The residual of each tensor is added to its next gradient. Used by one thread.

    :param type: ``2bit``: an element is the threshold, minus the threshold, or 0. ``1bit``: an element is 1 if it is above
        the threshold, else -1
    """

    def __init__(self, cluster: Any, type: str, threshold: float):
        if type not in _BITS:
            raise ValueError('type of gradient compression: "%s" (expected: "2bit" or "1bit")' % type)
        self._cluster = cluster
        self.compression, self._bits = _BITS[type]
        self.threshold = np.float32(threshold) + np.float32(0)  # not -0
        if not np.isfinite(self.threshold) or self._bits == 2 and not self.threshold > 0:
            raise ValueError('threshold of %s: %s (expected: finite, above 0 for "2bit")' % (type, threshold))
        self._residuals: Dict[str, np.ndarray] = {}

    def push(self, tensor: str, gradient: Any) -> Pending[Any]:
        """Adds a gradient to the residual, and pushes what the codes of it stand for. The gradient is not borrowed."""
        layout = self._cluster.layout(tensor)
        gradient = np.asarray(gradient, np.float32).reshape(-1)
        if len(gradient) != layout.length(layout.width):
            raise bad_request('update length of tensor "%s": %d (expected: %d elements)' % (
                tensor, len(gradient), layout.length(layout.width)))
        if not np.isfinite(gradient).all():
            wrong = int(np.flatnonzero(~np.isfinite(gradient))[0])
            raise bad_request('element %d of the gradient of "%s": %s (expected: finite)' % (wrong, tensor, gradient[wrong]))
        residual = self._residuals.get(tensor)
        if residual is None or len(residual) != len(gradient):
            residual = np.zeros(len(gradient), np.float32)
        whole = residual + gradient
        codes = self._codes(whole)
        self._residuals[tensor] = whole - self._updates(codes)
        words = []
        for begin, end in zip(layout.bounds, layout.bounds[1:]):
            words.append(self._words(codes[begin * layout.width: end * layout.width]))
        some = [s for s, each in enumerate(words) if len(each)]
        return self._cluster.call("psf.kv.push", {
            "tensor": tensor, "compression": self.compression, "threshold": self.threshold,
            "slices": np.array([layout.bounds[s] for s in some], np.int64),
            "counts": np.array([len(words[s]) for s in some], np.int32), "codes": np.concatenate(words)})

    def _codes(self, values: np.ndarray) -> np.ndarray:
        if self._bits == 1:
            return (values > self.threshold).astype(np.uint32)
        return (values >= self.threshold).astype(np.uint32) + 2 * (values <= -self.threshold).astype(np.uint32)

    def _updates(self, codes: np.ndarray) -> np.ndarray:
        t = float(self.threshold)
        table = np.array([-1.0, 1.0] if self._bits == 1 else [0.0, t, -t], np.float32)
        return table[codes]

    def _words(self, codes: np.ndarray) -> np.ndarray:
        """Packs codes into int32, the first one into the lowest bits."""
        each = 32 // self._bits
        padded = np.zeros((len(codes) + each - 1) // each * each, np.uint32)
        padded[: len(codes)] = codes
        shifts = np.arange(each, dtype=np.uint32) * np.uint32(self._bits)
        return np.bitwise_or.reduce(padded.reshape(-1, each) << shifts, axis=1).view(np.int32)
