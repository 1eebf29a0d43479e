package io.psf.kvstore;

import io.psf.api.ClusterCaller;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.builtin.Initializers;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** The steps of a {@link KVStore} that every worker takes: rank 0 changes the servers, the others wait and compare. */
record CollectiveInit(ClusterCaller worker, Updates updates) {
    /** Does this worker's part, then waits for the other workers: at the barrier also if this worker's part fails. */
    void together(Runnable part) {
        RuntimeException failure = null;
        try {
            part.run();
        } catch (RuntimeException e) {
            failure = e;
        }
        try {
            worker.barrier();
        } catch (PsException e) {
            if (failure == null) {
                throw e;
            }
            failure.addSuppressed(e);
        }
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * Returns a tensor of a shape: the rows are the first dimension, the width is the product of the others.
     *
     * @param length the number of values
     * @param shape the sizes of the dimensions; none for a vector
     * @throws PsException with {@code BAD_REQUEST} if the shape has another number of values
     */
    static TensorInfo shaped(TensorId tensor, int length, int[] shape) {
        long rows = shape.length == 0 ? length : shape[0];
        long width = 1;
        for (int i = 1; i < shape.length; i++) {
            width = Math.min(Integer.MAX_VALUE, width * Math.max(0, shape[i]));
        }
        if (rows < 1 || width < 1 || rows * width != length) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "values of key \"" + tensor + "\": " + length + " (expected: as many as shape "
                            + Arrays.toString(shape) + " has, at least 1)");
        }
        return new TensorInfo(tensor, rows, (int) width);
    }

    /**
     * Creates tensors with their values, together. Existing tensors of the same shape keep their values.
     *
     * @throws PsException with {@code ALREADY_EXISTS} if a tensor exists with another shape; then none is created
     */
    void create(List<TensorInfo> tensors, List<float[]> values, OptimizerSpec optimizer) {
        Set<TensorId> there =
                worker.layouts(tensors.stream().map(TensorInfo::id).toList()).keySet();
        List<TensorSpec> specs = new ArrayList<>();
        for (int i = 0; i < tensors.size(); i++) {
            TensorInfo tensor = tensors.get(i);
            if (there.contains(tensor.id())) {
                requireShape(tensor);
            } else {
                specs.add(TensorSpec.dense(tensor.id().name(), tensor.rows(), tensor.width())
                        .initializer(Initializers.of(values.get(i)))
                        .optimizer(optimizer)
                        .updates(updates));
            }
        }
        if (!specs.isEmpty()) {
            var unused = Tensors.init(worker, specs);
        }
    }

    /**
     * Checks that a tensor has the same shape as the tensor of its name on the servers.
     *
     * @throws PsException with {@code ALREADY_EXISTS} if its shape differs; with {@code UNKNOWN_TENSOR} if the
     *     servers have no such tensor
     */
    void requireShape(TensorInfo tensor) {
        TensorInfo there = worker.layout(tensor.id()).info();
        if (!there.shape().equals(tensor.shape())) {
            throw new PsException(
                    PsException.Code.ALREADY_EXISTS,
                    "shape of key \"" + tensor.id() + "\": " + tensor.shape() + " (expected: " + there.shape()
                            + ", as it was initialized)");
        }
    }
}
