package io.psf.benchmarks;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;

/** Pushes, pulls or push-pulls of a whole tensor. */
final class DenseCalls implements Calls {
    /** The kind of call. */
    enum Kind {
        PUSH("push"),
        PULL("pull"),
        PUSH_PULL("push-pull");

        final String label;

        Kind(String label) {
            this.label = label;
        }

        /**
         * Returns the bytes that the floor sends for a tensor of {@code bytes}; a message without values has the size
         * of a header.
         */
        private int sent(int bytes) {
            return this == PULL ? HEADER : bytes;
        }

        /** Returns the bytes that the floor receives. */
        private int received(int bytes) {
            return this == PUSH ? HEADER : bytes;
        }

        /**
         * Returns the floor's exchange for a tensor of {@code bytes}. With processors apart, the floor's peer adds the
         * floats that it receives.
         */
        RawClient.Exchange floor(int bytes, Placement placement) {
            return new RawClient.Exchange(sent(bytes), received(bytes), this != PULL && placement == Placement.APART);
        }
    }

    private static final int HEADER = 48;

    private final Worker worker;
    private final Kind kind;
    private final TensorId tensor;
    private final float[] update;
    private final float[][] into;

    /**
     * Creates the tensor with the default number of slices.
     *
     * @param outstanding the maximum number of outstanding calls
     */
    DenseCalls(Worker worker, Kind kind, int bytes, int outstanding) {
        this(worker, kind, bytes, outstanding, TensorSpec.PIECES);
    }

    /** Like {@link #DenseCalls(Worker, Kind, int, int)}, with the given number of slices. */
    DenseCalls(Worker worker, Kind kind, int bytes, int outstanding, int slices) {
        this.worker = worker;
        this.kind = kind;
        this.tensor = Tensors.init(
                worker,
                TensorSpec.dense(kind.label + " " + bytes, bytes / 4)
                        .slices(slices)
                        .optimizer(Optimizers.add()));
        this.update = new float[kind == Kind.PULL ? 0 : bytes / 4];
        this.into = kind == Kind.PUSH ? new float[0][] : new float[outstanding][bytes / 4];
    }

    @Override
    public Pending<?> send(int slot) {
        return switch (kind) {
            case PUSH -> Tensors.push(worker, tensor, update);
            case PULL -> Tensors.pull(worker, tensor, into[slot]);
            case PUSH_PULL -> Tensors.pushPull(worker, tensor, update, into[slot]);
        };
    }

    @Override
    public void close() {
        Tensors.clear(worker, tensor);
    }
}
