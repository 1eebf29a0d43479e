"""The quick example of Hetu's guide to its parameter server: InitTensor, Pull and Wait.

    ./psf launch --servers 1 --workers 1 -- python3 examples/python/hetu.py
"""

import psf

with psf.connect() as cluster:
    tensor = cluster.dense("0", 128, initializer=psf.constant(5.0), optimizer=psf.sgd(0.1))
    pending = tensor.pull.start()
    print(pending.wait().tolist())
