"""Modules of PyTorch whose weights are on the servers::

    import psf, psf.torch

    items = psf.torch.Embedding(cluster.table("items", 1_000_000, 16, optimizer=psf.adam(1e-3)))
    head = psf.torch.Parameters(cluster, "head", model, optimizer=psf.adam(1e-3))
    for ids, target in batches:
        loss = criterion(model(items(ids)), target)
        loss.backward()
        psf.torch.step(items, head)    # pushes the gradients; the optimizers run on the servers

:class:`Outer` is for workers that train by themselves and meet once in a while.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np
import torch

from . import rules, tensors
from .ahead import Ahead, BagsAhead
from .cache import EmbeddingCache
from .errors import PsError, bad_request
from .pending import Pending, wait_all
from .rules import Optimizer
from .tensors import Dense, Table


class _Rows(torch.nn.Module):
    """Rows of a table or of a cache, looked up in ``forward``. Their gradients are pushed by ``step``."""

    def __init__(self, rows: Union[EmbeddingCache, Ahead], device: Union[str, torch.device]):
        super().__init__()
        self.rows = rows
        self.table = rows.table
        self.device = torch.device(device)
        #: What was pulled since the last step: the keys, and the rows.
        self._pulled: List[Tuple[Any, torch.Tensor]] = []

    def _look_up(self, keys: Any) -> torch.Tensor:
        pulled = torch.from_numpy(self.rows.look_up(keys)).to(self.device)
        if self.training and torch.is_grad_enabled():
            pulled.requires_grad_()
            self._pulled.append((keys, pulled))
        return pulled

    def start_step(self) -> List[Pending[Any]]:
        """Sends the gradients of the rows that were pulled since the last step."""
        pulled, self._pulled = self._pulled, []
        sent = [self.rows.update(keys, rows.grad.cpu().numpy()) for keys, rows in pulled if rows.grad is not None]
        return [each for each in sent if each is not None]

    def forget(self) -> None:
        """Drops the gradients since the last step, such as those of a loss that is not finite."""
        self._pulled = []
        if isinstance(self.rows, Ahead):
            self.rows.forget()

    def flush(self) -> None:
        """Sends what is not sent, before a save."""
        if isinstance(self.rows, EmbeddingCache):
            self.rows.flush()

    def loaded(self) -> None:
        """Drops what was pulled before a load."""
        self.forget()
        if isinstance(self.rows, EmbeddingCache):
            self.rows.loaded()

    def extra_repr(self) -> str:
        return repr(self.table)


class Embedding(_Rows):
    """Looks up rows of a table by their ids: [.., width] for ids [..]. In training it keeps the rows until ``step``.

    The rows are those of a table, or of a cache on this worker, with its bounds. ``prefetch`` requests those of the next
    batch: they are on their way while this one is computed.
    """

    def __init__(self, rows: Union[Table, EmbeddingCache], device: Union[str, torch.device] = "cpu"):
        super().__init__(rows if isinstance(rows, EmbeddingCache) else Ahead(rows), device)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self._look_up(_keys(ids))

    def prefetch(self, ids: torch.Tensor) -> None:
        """Requests the rows of the next ``forward``, which has the same ids. Does not wait for them.

        They have the gradients of this module's steps until then. Those of other workers they have as of now.
        """
        self.rows.prefetch(_keys(ids))


class EmbeddingBag(_Rows):
    """Looks up the sums, or the means, of the rows of bags of ids: [bags, width].

    As of PyTorch's, ``ids`` are [bags, n]; or [n] with ``offsets``, [bags], the beginning of each bag. The servers add the
    rows of a table. Those of a cache are added on this worker.
    """

    def __init__(self, rows: Union[Table, EmbeddingCache], mode: str = "mean", device: Union[str, torch.device] = "cpu"):
        if mode not in ("sum", "mean"):
            raise ValueError("mode: %s (expected: sum or mean)" % mode)
        self.mean = mode == "mean"
        super().__init__(rows if isinstance(rows, EmbeddingCache) else BagsAhead(rows, self.mean), device)

    def forward(self, ids: torch.Tensor, offsets: Optional[torch.Tensor] = None) -> torch.Tensor:
        keys, counts = _bags(ids, offsets)
        if isinstance(self.rows, Ahead):
            return self._look_up((keys, counts))
        bags = torch.repeat_interleave(torch.from_numpy(counts)).to(self.device)
        sums = torch.zeros(len(counts), self.table.width, device=self.device).index_add(0, bags, self._look_up(keys))
        return sums / torch.from_numpy(counts).clamp(min=1).to(self.device).unsqueeze(1) if self.mean else sums

    def prefetch(self, ids: torch.Tensor, offsets: Optional[torch.Tensor] = None) -> None:
        """Requests the bags, or the rows of a cache, of the next ``forward``, which has the same ids. Does not wait for them.

        They have the gradients of this module's steps until then. Those of other workers they have as of now.
        """
        keys, counts = _bags(ids, offsets)
        self.rows.prefetch((keys, counts) if isinstance(self.rows, Ahead) else keys)


def _bags(ids: torch.Tensor, offsets: Optional[torch.Tensor]) -> Tuple[np.ndarray, np.ndarray]:
    """Returns the keys of all bags, and the number of each."""
    keys = _keys(ids)
    if (keys.ndim == 2) == (offsets is not None) or keys.ndim not in (1, 2):
        raise ValueError("ids: %d dimensions, %s offsets (expected: 2 without, or 1 with)" % (
            keys.ndim, "no" if offsets is None else "with"))
    if offsets is None:
        return keys.reshape(-1), np.full(len(keys), keys.shape[1])
    return keys, np.diff(np.append(_keys(offsets), len(keys)))


def _keys(ids: torch.Tensor) -> np.ndarray:
    if not isinstance(ids, torch.Tensor):
        raise TypeError("ids: %s (expected: a tensor of PyTorch)" % type(ids).__name__)
    return ids.detach().cpu().numpy()


class _Weights:
    """The parameters of a module, and a tensor on the servers for each.

    The values of the first worker, or of the first client, are the first ones.
    """

    def __init__(self, cluster: Any, name: str, module: torch.nn.Module, optimizer: Optimizer, **options: Any):
        self.parameters = [(name + "." + each, values) for each, values in module.named_parameters()]
        specs = [tensors.dense(each, values.shape, optimizer=optimizer,
                               initializer=rules.given(values.detach().cpu().numpy()), **options)
                 for each, values in self.parameters]
        is_client = cluster.role == "client"
        if not is_client and cluster.rank == 0 or is_client and not self._exist(cluster):
            cluster.init(specs)
        if not is_client:
            cluster.barrier()  # the others find what the first worker has made
        self.tensors = [Dense(cluster, spec.name, spec.shape, spec.width) for spec in specs]
        self.pull()

    def _exist(self, cluster: Any) -> bool:
        try:
            for name, _ in self.parameters:
                cluster.layout(name)
            return True
        except PsError as e:
            if e.code != "UNKNOWN_TENSOR":
                raise
            return False

    def _set(self, parameter: torch.nn.Parameter, values: np.ndarray) -> None:
        with torch.no_grad():
            parameter.copy_(torch.from_numpy(values).reshape(parameter.shape))
            parameter.grad = None

    def pull(self) -> None:
        """Sets the parameters of the module to the values on the servers."""
        for (_, parameter), values in zip(self.parameters, wait_all([each.pull.start() for each in self.tensors])):
            self._set(parameter, values)

    def forget(self) -> None:
        """Drops the gradients since the last step, such as those of a loss that is not finite."""
        for _, parameter in self.parameters:
            parameter.grad = None

    def flush(self) -> None:
        """Has nothing to send."""

    def loaded(self) -> None:
        """Takes the values of a checkpoint that was loaded."""
        self.pull()

    def start_step(self) -> List[Pending[Any]]:
        raise NotImplementedError

    def _start(self, updates: List[np.ndarray]) -> List[Pending[Any]]:
        """Pushes an update of each tensor; once a call has ended, its parameter has the new values."""
        return [
            tensor.push_pull.start(update).then(
                lambda values, parameter=parameter: self._set(parameter, values))  # type: ignore[misc]
            for tensor, update, (_, parameter) in zip(self.tensors, updates, self.parameters)]


class Parameters(_Weights):
    """The parameters of a module on the servers: a tensor for each. ``step`` pushes the gradients and pulls the values.

    Options are those of :func:`psf.dense`, such as ``updates="mean"`` for the mean of the gradients of all workers.
    Buffers, such as the running means of a normalization, stay on each worker.
    """

    def start_step(self) -> List[Pending[Any]]:
        """Sends the gradients; once a call has ended, its parameter has the new values. Without a gradient it is zero."""
        return self._start([
            np.zeros(tensor.shape, np.float32) if parameter.grad is None else parameter.grad.cpu().numpy()
            for tensor, (_, parameter) in zip(self.tensors, self.parameters)])


class Outer(_Weights):
    """The outer step of DiLoCo: workers train by themselves, and meet after every so many steps.

    >>> outer = psf.torch.Outer(cluster, "model", model, every=500)
    >>> for ids, target in batches:
    ...     criterion(model(ids), target).backward()
    ...     optimizer.step()        # the worker's own, such as torch.optim.AdamW, with its state
    ...     psf.torch.step(outer)   # of every 500th one all workers push what they have changed

    In a round, each worker pushes ``global - local`` in bfloat16. Their mean is the gradient of Nesterov's momentum on
    the servers, and the workers go on from the new global weights (Douillard et al., 2023, arXiv 2311.08105).

    :param every: the number of a worker's steps in a round, the same for all workers
    :param optimizer: the one of the servers; the paper's by default
    """

    def __init__(self, cluster: Any, name: str, module: torch.nn.Module, every: int,
                 optimizer: Optimizer = rules.nesterov(0.7, 0.9), updates: str = "mean", wire: str = "bfloat16",
                 **options: Any):
        if every < 1:
            raise ValueError("every: %s (expected: >= 1 step)" % every)
        self.every = every
        #: The steps of this worker in this round.
        self.steps = 0
        self._global: Dict[torch.nn.Parameter, np.ndarray] = {}
        super().__init__(cluster, name, module, optimizer, updates=updates, wire=wire, **options)

    def _set(self, parameter: torch.nn.Parameter, values: np.ndarray) -> None:
        super()._set(parameter, values)
        self._global[parameter] = values

    def pull(self) -> None:
        """Sets the parameters of the module to the global ones. A round begins."""
        super().pull()
        self.steps = 0

    def start_step(self) -> List[Pending[Any]]:
        """Counts a step of this worker. After the last one of a round it sends what the worker has changed."""
        self.steps += 1
        self.forget()
        return self.start_round() if self.steps >= self.every else []

    def start_round(self) -> List[Pending[Any]]:
        """Ends a round before its last step, such as at the end of the training. All workers do."""
        self.steps = 0
        return self._start([
            self._global[parameter] - parameter.detach().cpu().numpy().reshape(tensor.shape)
            for tensor, (_, parameter) in zip(self.tensors, self.parameters)])


def step(*parts: Union[_Rows, _Weights]) -> None:
    """Pushes the gradients of the modules since their last step, all at once, and waits until they are applied.

    If that fails, the gradients are dropped: a training that goes back to a checkpoint does not push them.
    """
    for part in parts:
        if not isinstance(part, (_Rows, _Weights)):
            raise bad_request("psf.torch.step: %s (expected: modules and parameters of psf.torch; an optimizer of PyTorch"
                              " has a step of its own)" % type(part).__name__)
    try:
        wait_all([pending for part in parts for pending in part.start_step()])
    except PsError:
        for part in parts:
            part.forget()
        raise
