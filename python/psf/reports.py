"""The values that workers report while they train, such as their losses, for whoever watches the job."""

from __future__ import annotations

import operator
from typing import Any, List, NamedTuple

import numpy as np

from .caller import Options
from .pending import Pending
from .verbs import verb


class Series(NamedTuple):
    """The values that one caller has reported of one tag, by step.

    ``worker`` is the rank of a worker, and below 0 for a client. ``millis`` are milliseconds since 1970.
    """

    tag: str
    worker: int
    steps: np.ndarray
    millis: np.ndarray
    values: np.ndarray


class Reports:
    """Reports values: ``reports.scalar.start("loss", step, loss)`` does not wait for the server.

    A checkpoint of a model has the series; a load brings them back as they were.
    """

    def __init__(self, cluster: Any):
        self._cluster = cluster
        self._owner = cluster.rank if cluster.role == "worker" else 0

    @verb
    def scalar(self, tag: str, step: int, value: float) -> Pending[None]:
        """Reports a value, exactly once. A step that is not above the last one drops the points from there on."""
        return self._send(tag, step, value, Options()).then(lambda response: None)

    def in_background(self, tag: str, step: int, value: float) -> None:
        """Reports a value. A report that fails is lost."""
        self._send(tag, step, value, Options(background=True)).unattended()

    def _send(self, tag: str, step: int, value: float, options: Options) -> Pending[Any]:
        request = {"owner": self._owner, "tag": tag, "step": operator.index(step), "value": float(value)}
        return self._cluster.call("psf.report.scalar", request, options)

    def series(self, most: int = 512) -> List[Series]:
        """Returns what all workers have reported, by tag and rank. :param most: the most points of a series"""
        found = self._cluster.call("psf.report.collect", {"most": most}).wait().series
        return sorted((Series(each.tag, each.worker, each.steps, each.millis, each.values) for each in found),
                      key=lambda each: each[:2])
