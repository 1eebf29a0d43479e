"""Optimizers, initializers and policies of tables: what a tensor is declared with. The servers run them."""

from __future__ import annotations

import math
from typing import Any, Dict, Mapping, NamedTuple, Optional

import numpy as np

from .crc import crc32c
from .texts import java, java_double, java_float


def _require(holds: bool, name: str, value: Any, expected: str) -> None:
    if not holds:
        raise ValueError("%s: %s (expected: %s)" % (name, value, expected))


class Schedule(NamedTuple):
    """How the learning rate of an optimizer changes with the steps: the factor that it is multiplied by."""

    kind: str
    steps: int = 0
    factor: float = 1.0
    warm_up: int = 0

    @staticmethod
    def constant() -> Schedule:
        return Schedule("constant")

    @staticmethod
    def step(steps: int, factor: float) -> Schedule:
        """Multiplies the rate by ``factor`` after every ``steps`` steps."""
        return Schedule("step", steps, factor)._checked()

    @staticmethod
    def linear(steps: int, factor: float) -> Schedule:
        """Lowers the rate within ``steps`` steps to ``factor`` of it, on a straight line; then it stays there."""
        return Schedule("linear", steps, factor)._checked()

    @staticmethod
    def cosine(steps: int, factor: float) -> Schedule:
        """Lowers the rate within ``steps`` steps to ``factor`` of it, on half a cosine; then it stays there."""
        return Schedule("cosine", steps, factor)._checked()

    def with_warm_up(self, steps: int) -> Schedule:
        """Returns the schedule behind ``steps`` steps in which the rate rises linearly."""
        _require(steps >= 0, "warm_up", steps, ">= 0 steps")
        return self._replace(warm_up=steps)

    def _checked(self) -> Schedule:
        _require(self.steps > 0, "steps", self.steps, ">= 1")
        _require(self.factor >= 0 and math.isfinite(self.factor), "factor", self.factor, ">= 0")
        return self


class Optimizer(NamedTuple):
    """What a push does to the values: the name of an optimizer of the servers, and its arguments and options as texts."""

    name: str
    arguments: Mapping[str, str] = {}
    options: Mapping[str, str] = {}

    def _with(self, **options: str) -> Optimizer:
        return self._replace(options=dict(sorted({**self.options, **options}.items())))

    def clip_value(self, limit: float) -> Optimizer:
        """Limits each element of a gradient to [-limit, limit]."""
        return self._with(clipValue=_limit("clip_value", limit))

    def clip_norm(self, limit: float) -> Optimizer:
        """Scales the gradient of the whole tensor so that its norm is at most ``limit``."""
        return self._with(clipNorm=_limit("clip_norm", limit))

    def weight_decay(self, decay: float) -> Optimizer:
        """Adds ``decay`` times the values to a gradient."""
        return self._with(weightDecay=_limit("weight_decay", decay))

    def skip_non_finite(self) -> Optimizer:
        """Leaves out a push with an element that is not finite."""
        return self._with(skipNonFinite="true")

    def schedule(self, schedule: Schedule) -> Optimizer:
        """Changes the learning rate with the steps."""
        return self._with(**{
            "schedule": schedule.kind, "schedule.steps": str(schedule.steps),
            "schedule.factor": java_double(schedule.factor), "schedule.warmUp": str(schedule.warm_up)})


def _limit(name: str, limit: float) -> str:
    _require(limit > 0 and math.isfinite(limit), name, limit, "> 0")
    return java_float(limit)


def optimizer(name: str, **arguments: Any) -> Optimizer:
    """Returns an optimizer of the servers' class path by its name."""
    return Optimizer(name, {key: java(value) for key, value in sorted(arguments.items())})


def _psf(name: str, **arguments: float) -> Optimizer:
    return Optimizer("psf." + name, {key: java_float(value) for key, value in sorted(arguments.items())})


def add(scale: float = 1) -> Optimizer:
    """w += scale g."""
    return _psf("add", scale=scale)


def assign() -> Optimizer:
    """w = g."""
    return _psf("assign")


def sgd(lr: float) -> Optimizer:
    """w -= lr g."""
    return _psf("sgd", lr=lr)


def momentum(lr: float, m: float) -> Optimizer:
    """v = m v - lr g; w += v."""
    return _psf("momentum", lr=lr, m=m)


def nesterov(lr: float, m: float) -> Optimizer:
    """t = -lr g; v = m (v + t); w += v + t."""
    return _psf("nesterov", lr=lr, m=m)


def ada_grad(lr: float, a0: float = 0, eps: float = 1e-7) -> Optimizer:
    """a += g^2; w -= lr g / (sqrt a + eps)."""
    return _psf("adagrad", lr=lr, a0=a0, eps=eps)


def row_ada_grad(lr: float, a0: float = 0, eps: float = 1e-7) -> Optimizer:
    """AdaGrad with one accumulator for each row."""
    return _psf("row-adagrad", lr=lr, a0=a0, eps=eps)


def rms_prop(lr: float, rho: float = 0.9, eps: float = 1e-7) -> Optimizer:
    """a = rho a + (1 - rho) g^2; w -= lr g / (sqrt a + eps)."""
    return _psf("rmsprop", lr=lr, rho=rho, eps=eps)


def ada_delta(lr: float = 1, rho: float = 0.95, eps: float = 1e-6) -> Optimizer:
    return _psf("adadelta", lr=lr, rho=rho, eps=eps)


def adam(lr: float, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8) -> Optimizer:
    """Adam, whose bias correction uses the number of steps of each row."""
    return _psf("adam", lr=lr, b1=b1, b2=b2, eps=eps)


def lazy_adam(lr: float, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8) -> Optimizer:
    """Adam, whose bias correction uses the number of steps of the tensor."""
    return _psf("lazy-adam", lr=lr, b1=b1, b2=b2, eps=eps)


def all_rows_adam(lr: float, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8) -> Optimizer:
    """Adam, of which each push steps all rows."""
    return _psf("all-rows-adam", lr=lr, b1=b1, b2=b2, eps=eps)


def adam_w(lr: float, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8, decay: float = 0.01) -> Optimizer:
    """w -= lr decay w, then Adam."""
    return _psf("adamw", lr=lr, b1=b1, b2=b2, eps=eps, decay=decay)


def lamb(lr: float, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-6, decay: float = 0.01) -> Optimizer:
    return _psf("lamb", lr=lr, b1=b1, b2=b2, eps=eps, decay=decay)


def ftrl(lr: float, l1: float, l2: float, beta: float = 1, n0: float = 0) -> Optimizer:
    """FTRL-proximal."""
    return _psf("ftrl", lr=lr, beta=beta, l1=l1, l2=l2, n0=n0)


class Initializer(NamedTuple):
    """The first values: the name of an initializer of the servers and its arguments as texts; or given values."""

    name: str
    arguments: Mapping[str, str] = {}
    values: Optional[np.ndarray] = None


def initializer(name: str, **arguments: Any) -> Initializer:
    """Returns an initializer of the servers' class path by its name."""
    return Initializer(name, {key: java(value) for key, value in sorted(arguments.items())})


def given(values: Any) -> Initializer:
    """Sets the values of an array, in row-major order."""
    array = np.ascontiguousarray(values, np.dtype("<f4")).reshape(-1)
    checksum = crc32c(array.astype(">f4").view(np.uint8))  # as Java takes it: of the bytes from the highest one
    return initializer("psf.values", length=len(array), crc32c=checksum)._replace(values=array)


def constant(value: float) -> Initializer:
    """Sets every element to ``value``."""
    return initializer("psf.constant", value=float(value))


def uniform(a: float, b: float, seed: int) -> Initializer:
    """Draws each element from [a, b)."""
    return initializer("psf.uniform", a=float(a), b=float(b), seed=int(seed))


def normal(mean: float, stddev: float, seed: int) -> Initializer:
    return initializer("psf.normal", mean=float(mean), stddev=float(stddev), seed=int(seed))


def truncated_normal(mean: float, stddev: float, seed: int) -> Initializer:
    """Normal values, of which those further than two deviations from the mean are drawn again."""
    return initializer("psf.truncated-normal", mean=float(mean), stddev=float(stddev), seed=int(seed))


def _fan(name: str, n: int) -> float:
    _require(n >= 1, name, n, ">= 1")
    return float(n)


def _within(limit: float, seed: int) -> Initializer:
    return uniform(-limit, limit, seed)


def xavier_uniform(fan_in: int, fan_out: int, seed: int) -> Initializer:
    """Limit sqrt(6 / (fan_in + fan_out))."""
    return _within(math.sqrt(6.0 / (_fan("fan_in", fan_in) + _fan("fan_out", fan_out))), seed)


def xavier_normal(fan_in: int, fan_out: int, seed: int) -> Initializer:
    """Deviation sqrt(2 / (fan_in + fan_out))."""
    return normal(0, math.sqrt(2.0 / (_fan("fan_in", fan_in) + _fan("fan_out", fan_out))), seed)


def he_uniform(fan_in: int, seed: int) -> Initializer:
    """Limit sqrt(6 / fan_in), for ReLU."""
    return _within(math.sqrt(6.0 / _fan("fan_in", fan_in)), seed)


def he_normal(fan_in: int, seed: int) -> Initializer:
    """Deviation sqrt(2 / fan_in), for ReLU."""
    return normal(0, math.sqrt(2.0 / _fan("fan_in", fan_in)), seed)


def le_cun_uniform(fan_in: int, seed: int) -> Initializer:
    """Limit sqrt(3 / fan_in)."""
    return _within(math.sqrt(3.0 / _fan("fan_in", fan_in)), seed)


def le_cun_normal(fan_in: int, seed: int) -> Initializer:
    """Deviation sqrt(1 / fan_in)."""
    return normal(0, math.sqrt(1.0 / _fan("fan_in", fan_in)), seed)


class TablePolicy(NamedTuple):
    """Which keys of a growing table get a row, and which rows are removed. A 0 is no limit.

    :param admit_after: the number of the push that makes the row of its key
    :param sketch_bytes: the memory of each slice in which keys without a row are counted
    :param expected_keys: the number of keys for which that memory is chosen, in place of ``sketch_bytes``
    :param expire_after_pushes: the pushes after which a row that none of them touched is removed
    :param expire_after: the seconds after which a row is removed that no push has touched
    :param most_rows: the most rows of the table
    :param most_bytes: the most bytes of the table
    :param least_frequent_first: of a full table, remove the rows that were touched least often, not least recently
    """

    admit_after: int = 1
    sketch_bytes: int = 4 << 20
    expected_keys: int = 0
    expire_after_pushes: int = 0
    expire_after: int = 0
    most_rows: int = 0
    most_bytes: int = 0
    least_frequent_first: bool = False

    def texts(self) -> Dict[str, str]:
        texts: Dict[str, int] = {}
        if self.admit_after > 1:
            texts["admitAfter"] = self.admit_after
            texts["sketchBytes"] = 0 if self.expected_keys else self.sketch_bytes
            texts["expectedKeys"] = self.expected_keys
        texts.update(idleSteps=self.expire_after_pushes, idleSeconds=int(self.expire_after), rows=self.most_rows,
                     bytes=self.most_bytes)
        chosen = {name: str(value) for name, value in texts.items() if value > 0}
        if self.most_rows or self.most_bytes:
            chosen["eviction"] = "lfu" if self.least_frequent_first else "lru"
        return dict(sorted(chosen.items()))
