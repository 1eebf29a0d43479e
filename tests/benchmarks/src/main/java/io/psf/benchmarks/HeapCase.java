package io.psf.benchmarks;

import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import java.util.ArrayList;
import java.util.List;

/** The case of a server's heap with many tensors, whose values are off-heap. */
final class HeapCase {
    /** The available memory that the case needs, in bytes. */
    static final long NEEDED = 10L << 30;

    private static final int TENSORS = 8;

    private HeapCase() {}

    static Case heap() {
        return Case.of(
                new Line("heap of a server that holds 8 GB", "MB", Goal.oursAtMost(256)),
                bench -> new Heap(bench.worker()));
    }

    private static final class Heap implements Sides {
        private final Worker worker;
        private final List<TensorId> tensors = new ArrayList<>();

        Heap(Worker worker) {
            this.worker = worker;
            for (int i = 0; i < TENSORS; i++) {
                tensors.add(Tensors.init(worker, TensorSpec.dense("gigabyte " + i, 1 << 22, 64)));
            }
        }

        @Override
        public double[] floor(int times) {
            return new double[] {Double.NaN};
        }

        @Override
        public double[] ours(int times) {
            return new double[] {MemoryPsf.stub(worker).call(true).await().heap() / (double) (1 << 20)};
        }

        @Override
        public void close() {
            tensors.forEach(tensor -> Tensors.clear(worker, tensor));
        }
    }
}
