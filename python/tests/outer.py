"""A worker that trains by itself and meets the other one, which PythonTest kills: its rounds go on."""

import torch

import psf
import psf.torch

torch.set_num_threads(1)
with psf.connect() as worker:
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    outer = psf.torch.Outer(worker, "model", model, every=5)
    for step in range(1, 501):
        inputs = torch.randn(8, 4)
        loss = ((model(inputs) - inputs.sum(1, keepdim=True)) ** 2).mean()
        loss.backward()
        optimizer.step()
        psf.torch.step(outer)
        if step == 25:
            print("trained", flush=True)
            input()  # the other one is killed
    print("loss: %.3f, lost: %d, rounds: %d" % (loss, len(worker.lost()), outer.tensors[0].rounds().closed))
