"""Modules of PyTorch whose weights are on the servers::

    import psf, psf.torch

    items = psf.torch.Embedding(cluster.table("items", 1_000_000, 16, optimizer=psf.adam(1e-3)))
    head = psf.torch.Parameters(cluster, "head", model, optimizer=psf.adam(1e-3))
    for ids, target in batches:
        loss = criterion(model(items(ids)), target)
        loss.backward()
        psf.torch.step(items, head)    # pushes the gradients; the optimizers run on the servers
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np
import torch

from . import rules, tensors
from .pending import Pending, wait_all
from .errors import PsError
from .rules import Optimizer
from .tensors import Dense, Table


class _Rows(torch.nn.Module):
    """Rows of a table, pulled in ``forward``. Their gradients are pushed by ``step``."""

    def __init__(self, table: Table, device: Union[str, torch.device] = "cpu"):
        super().__init__()
        self.table = table
        self.device = torch.device(device)
        #: What was pulled since the last step: the arguments of the pull, and the rows.
        self._pulled: List[Tuple[Any, torch.Tensor]] = []

    def _leaf(self, arguments: Any, rows: np.ndarray) -> torch.Tensor:
        pulled = torch.from_numpy(rows).to(self.device)
        if self.training and torch.is_grad_enabled():
            pulled.requires_grad_()
            self._pulled.append((arguments, pulled))
        return pulled

    def _push(self, arguments: Any, gradient: np.ndarray) -> Pending[None]:
        raise NotImplementedError

    def start_step(self) -> List[Pending[Any]]:
        """Sends the gradients of the rows that were pulled since the last step."""
        pulled, self._pulled = self._pulled, []
        return [self._push(arguments, rows.grad.cpu().numpy()) for arguments, rows in pulled if rows.grad is not None]

    def forget(self) -> None:
        """Drops the gradients since the last step, such as those of a loss that is not finite."""
        self._pulled = []

    def extra_repr(self) -> str:
        return repr(self.table)


class Embedding(_Rows):
    """Looks up rows of a table by their ids: [.., width] for ids [..]. In training it keeps the rows until ``step``."""

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        keys = ids.detach().cpu().numpy()
        return self._leaf(keys, self.table.pull(keys))

    def _push(self, arguments: Any, gradient: np.ndarray) -> Pending[None]:
        return self.table.push.start(arguments, gradient)


class EmbeddingBag(_Rows):
    """Looks up the sums, or the means, of the rows of bags of ids: [bags, width]. The servers add the rows.

    As of PyTorch's, ``ids`` are [bags, n]; or [n] with ``offsets``, [bags], the beginning of each bag.
    """

    def __init__(self, table: Table, mode: str = "mean", device: Union[str, torch.device] = "cpu"):
        super().__init__(table, device)
        if mode not in ("sum", "mean"):
            raise ValueError("mode: %s (expected: sum or mean)" % mode)
        self.mean = mode == "mean"

    def forward(self, ids: torch.Tensor, offsets: Optional[torch.Tensor] = None) -> torch.Tensor:
        keys = ids.detach().cpu().numpy()
        if (keys.ndim == 2) == (offsets is not None) or keys.ndim not in (1, 2):
            raise ValueError("ids: %d dimensions, %s offsets (expected: 2 without, or 1 with)" % (
                keys.ndim, "no" if offsets is None else "with"))
        if offsets is None:
            counts = np.full(len(keys), keys.shape[1])
        else:
            counts = np.diff(np.append(offsets.detach().cpu().numpy(), len(keys)))
        arguments = keys.reshape(-1), counts
        return self._leaf(arguments, self.table.pull_bags(*arguments, mean=self.mean))

    def _push(self, arguments: Any, gradient: np.ndarray) -> Pending[None]:
        keys, counts = arguments
        return self.table.push_bags.start(keys, counts, gradient, mean=self.mean)


class Parameters:
    """The parameters of a module on the servers: a tensor for each. ``step`` pushes the gradients and pulls the values.

    The values of the first worker, or of the first client, are the first ones. Options are those of
    :func:`psf.dense`, such as ``updates="mean"`` for the mean of the gradients of all workers.
    """

    def __init__(self, cluster: Any, name: str, module: torch.nn.Module, optimizer: Optimizer, **options: Any):
        self.parameters = [(name + "." + each, values) for each, values in module.named_parameters()]
        specs = [tensors.dense(each, tuple(values.shape) or 1, optimizer=optimizer,
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

    def start_step(self) -> List[Pending[Any]]:
        """Sends the gradients; once a call has ended, its parameter has the new values. Without a gradient it is zero."""
        return [
            tensor.push_pull.start(np.zeros(tensor.shape, np.float32) if parameter.grad is None
                                   else parameter.grad.cpu().numpy())
            .then(lambda values, parameter=parameter: self._set(parameter, values))  # type: ignore[misc]
            for tensor, (_, parameter) in zip(self.tensors, self.parameters)]


def step(*parts: Union[_Rows, Parameters]) -> None:
    """Pushes the gradients of the modules since their last step, all at once, and waits until they are applied."""
    sent: Sequence[Pending[Any]] = [pending for part in parts for pending in part.start_step()]
    wait_all(sent)
