package io.psf.benchmarks;

import io.psf.api.TensorId;
import io.psf.benchmarks.Step.Work;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.optimizer.Rule;
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
        for (Rule rule : Rule.values()) {
            Goal goal = rule == Rule.SGD || rule == Rule.ADAM ? Goal.ratioAtLeast(0.8) : null;
            cases.add(Case.of(
                    new Line("optimizer " + rule + ", dense 64 MB on the server", "GB/s", goal),
                    bench -> new Dense(bench.worker(), rule)));
        }
        for (Rule rule : Rule.values()) {
            String name = "optimizer " + rule + ", sparse push 16 wide";
            cases.add(
                    SparseCases.of(name, null, true, SparseCalls.table(16, UsualOptimizers.of(rule)), Keys.UNIFORM, 1));
        }
        return cases;
    }

    /**
     * Returns the number of arrays that a step reads and writes: the update, the values and the state. An array that is
     * both read and written counts twice; values that are only written count once.
     */
    static int touched(Rule rule) {
        return switch (rule) {
            case ASSIGN -> 2;
            case ADD, SGD -> 3;
            case MOMENTUM, NESTEROV, ADA_GRAD -> 5;
            case ADAM -> 7;
        };
    }

    private static final class Dense implements Sides {
        private final Worker worker;
        private final Rule rule;
        private final TensorId tensor;

        Dense(Worker worker, Rule rule) {
            this.worker = worker;
            this.rule = rule;
            this.tensor = Tensors.init(
                    worker,
                    TensorSpec.dense("optimizer " + rule, FLOATS / WIDTH, WIDTH)
                            .slices(0)
                            .optimizer(UsualOptimizers.of(rule)));
        }

        @Override
        public double[] floor(int times) {
            return rule == Rule.ASSIGN
                    ? gigabytes(Work.COPY, times, touched(rule))
                    : gigabytes(Work.SAXPY, times, touched(Rule.SGD));
        }

        @Override
        public double[] ours(int times) {
            return gigabytes(Work.OPTIMIZER, times, touched(rule));
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
