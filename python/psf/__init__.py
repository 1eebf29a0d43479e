"""psf: a parameter server for the JVM that you extend by writing an interface; its worker and client in Python.

>>> import psf
>>> with psf.connect() as cluster:
...     w = cluster.table("w", rows=1_000_000, width=16, optimizer=psf.adam(1e-3))
...     rows = w.pull(keys)
...     w.push(keys, gradients)
...     norm = cluster.function("acme.axpy")(y=w, alpha=0.1, x=x).squared_norm
"""

from __future__ import annotations

import sys

if sys.byteorder != "little":
    raise ImportError("psf: a %s-endian machine (expected: little-endian, as the bytes on the wire are)" % sys.byteorder)

from .cache import CacheCounters, EmbeddingCache
from .caller import Caller
from .checkpoints import Checkpoint, Checkpoints
from .pending import Pending, wait_all
from .cluster import Cluster, connect
from .errors import PsError
from .groups import AllReduce, PartialReduce, Ssp
from .kvstore import KVStore
from .reports import Reports, Series
from .rules import (
    Initializer, Optimizer, Schedule, TablePolicy, ada_delta, ada_grad, adam, adam_w, add, all_rows_adam, assign, constant,
    ftrl, given, he_normal, he_uniform, initializer, lamb, lazy_adam, le_cun_normal, le_cun_uniform, momentum, nesterov,
    normal, optimizer, rms_prop, row_ada_grad, sgd, truncated_normal, uniform, xavier_normal, xavier_uniform,
)
from .settings import Tls
from .tasks import Task, task_number
from .tensors import Dense, Table, Tensor, TensorSpec, clip_global_norm, dense, growing, table
from .training import TrainingLoop

__all__ = [
    "AllReduce", "CacheCounters", "Caller", "Checkpoint", "Checkpoints", "Cluster", "Dense", "EmbeddingCache", "Initializer",
    "KVStore", "Optimizer", "PartialReduce", "Pending", "PsError", "Reports", "Schedule", "Series", "Ssp", "Table", "TablePolicy", "Task", "Tensor",
    "TensorSpec", "Tls", "TrainingLoop", "ada_delta", "ada_grad", "adam", "adam_w", "add",
    "all_rows_adam", "assign", "clip_global_norm", "connect", "constant", "dense", "ftrl", "given", "growing", "he_normal",
    "he_uniform", "initializer", "lamb", "lazy_adam", "le_cun_normal", "le_cun_uniform", "momentum", "nesterov", "normal",
    "optimizer", "rms_prop", "row_ada_grad", "sgd", "table", "task_number", "truncated_normal", "uniform", "wait_all",
    "xavier_normal", "xavier_uniform",
]
