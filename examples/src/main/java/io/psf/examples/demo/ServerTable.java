package io.psf.examples.demo;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import java.util.List;

/** A table whose rows are pulled for each step. */
record ServerTable(Worker worker, TensorId tensor) implements ModelTable {
    @Override
    public void pull(long[] keys, float[] into, List<Pending<?>> calls) {
        calls.add(Tensors.pullRows(worker, tensor, keys, into));
    }

    @Override
    public void prefetch(long[] keys) {}

    @Override
    public void push(long[] keys, float[] gradients, List<Pending<?>> calls) {
        calls.add(Tensors.pushRows(worker, tensor, keys, gradients));
    }

    @Override
    public void flush() {}
}
