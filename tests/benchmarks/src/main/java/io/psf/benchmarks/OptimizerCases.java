package io.psf.benchmarks;

import io.psf.api.TensorId;
import io.psf.benchmarks.Step.Work;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import java.util.ArrayList;
import java.util.List;

/**
 * Cases of each optimizer. Dense: the bytes per second that it reads and writes on the server, compared with a plain
 * loop there. Sparse: pushes over the wire.
 */
final class OptimizerCases {
    private static final int WIDTH = 64;
    private static final int FLOATS = 16 << 20;

    private OptimizerCases() {}

    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (UsualOptimizers rule : UsualOptimizers.values()) {
            Goal goal = rule == UsualOptimizers.SGD || rule == UsualOptimizers.ADAM ? Goal.ratioAtLeast(0.8) : null;
            cases.add(Case.of(
                    new Line("optimizer " + rule + ", dense 64 MB on the server", "GB/s", goal),
                    bench -> new Dense(bench.worker(), rule)));
        }
        for (UsualOptimizers rule : UsualOptimizers.values()) {
            String name = "optimizer " + rule + ", sparse push 16 wide";
            cases.add(SparseCases.of(name, null, true, SparseCalls.table(16, rule.spec()), Keys.UNIFORM, 1));
        }
        return cases;
    }

    private static final class Dense implements Sides {
        private final Worker worker;
        private final UsualOptimizers rule;
        private final TensorId tensor;

        Dense(Worker worker, UsualOptimizers rule) {
            this.worker = worker;
            this.rule = rule;
            this.tensor = Tensors.init(
                    worker,
                    TensorSpec.dense("optimizer " + rule, FLOATS / WIDTH, WIDTH)
                            .slices(0)
                            .optimizer(rule.spec()));
        }

        @Override
        public double[] floor(int times) {
            return rule == UsualOptimizers.ASSIGN
                    ? gigabytes(Work.COPY, times, rule.touched())
                    : gigabytes(Work.SAXPY, times, UsualOptimizers.SGD.touched());
        }

        @Override
        public double[] ours(int times) {
            return gigabytes(Work.OPTIMIZER, times, rule.touched());
        }

        private double[] gigabytes(Work work, int times, int arrays) {
            long nanos = StepPsf.stub(worker).call(tensor, work, times).await().nanos();
            return new double[] {4.0 * FLOATS * arrays * times / nanos};
        }

        @Override
        public void close() {
            Tensors.clear(worker, tensor);
        }
    }
}
