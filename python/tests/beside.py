"""A worker beside one in Java, which PythonTest runs: both declare the same tensors, push to them and pull from them."""

import psf

EVERY = [
    psf.add(2), psf.assign(), psf.sgd(0.1), psf.momentum(0.1, 0.9), psf.nesterov(0.1, 0.9), psf.ada_grad(0.01),
    psf.row_ada_grad(0.01), psf.rms_prop(1e-4), psf.ada_delta(), psf.adam(1e-3), psf.lazy_adam(1e-3), psf.all_rows_adam(1e-3),
    psf.adam_w(1e-3), psf.lamb(1e-3), psf.ftrl(0.1, 1e-7, 12345678.0),
]

with psf.connect() as worker:
    table = worker.table("table", 5, 2, initializer=psf.constant(1))
    growing = worker.growing("growing", 2, policy=psf.TablePolicy(admit_after=1, most_rows=1000, expire_after=3600))
    worker.init([psf.dense("optimizer %d" % i, 3, optimizer=each) for i, each in enumerate(EVERY)])
    worker.dense("options", (3, 2), updates="mean", quorum=2, drops_late=False, slices=2, wire="int8", storage="bfloat16",
                 stochastic_rounding=True, initializer=psf.xavier_uniform(3, 7, 5), optimizer=psf.sgd(0.3).clip_value(0.5)
                 .weight_decay(1e-5).skip_non_finite().schedule(psf.Schedule.cosine(1000, 0.01).with_warm_up(10)))
    worker.init(psf.clip_global_norm(1, [
        psf.dense(name, 4, updates="sum", initializer=[0.1, 0.2, 0.3, 0.4]) for name in ("first", "second")]))
    table.push([4, 0, 4], [[100, 200], [1, 1], [1000, 2000]])
    growing.push([-7, 1 << 40, 3], [[1, 2], [3, 4], [5, 6]])
    print("rank %d of %d" % (worker.rank, worker.workers))
    worker.barrier()  # the worker in Java reads these values, and pushes to them
    worker.barrier()
    print("table: %s" % table.pull([0, 4, 2]).tolist())
    print("growing: %s" % growing.pull([3, -7, 8]).tolist())
