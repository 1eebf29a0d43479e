package io.psf.spark.ml;

import io.psf.api.ClusterCaller;
import io.psf.api.Pending;
import io.psf.spark.PsClient;
import io.psf.spark.PsSpark;
import java.io.Serial;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.jspecify.annotations.Nullable;

/**
 * One pass over the batches of a partition: pulls the rows of a batch's keys, computes their gradients and pushes them.
 * The pull of the next batch is under way meanwhile, and pushes are awaited some batches later. The order of the
 * batches, and so of the pushes, is a function of the seed and the partition.
 *
 * @param kernel the model
 * @param fitsBias false if the bias stays 0
 * @param isRepeatable true if the batches are the same in each attempt
 * @param seed of this epoch
 */
record Epoch(Kernel kernel, Table table, boolean fitsBias, boolean isRepeatable, long seed)
        implements FlatMapFunction<Iterator<Batch>, Measure> {
    @Serial
    private static final long serialVersionUID = 1;

    /** How many batches are shuffled with each other; so many are in memory if they are read from a disk. */
    private static final int WINDOW = 64;

    private static final int PUSHES = 4;

    @Override
    public Iterator<Measure> call(Iterator<Batch> batches) {
        return List.of(new Pass(this).over(batches)).iterator();
    }

    /** A pass of a task. */
    private static final class Pass {
        private final Epoch epoch;
        private final PsClient reads = PsSpark.client();
        private final ClusterCaller writes;
        private final ArrayDeque<Step> pushed = new ArrayDeque<>();
        private final ArrayDeque<Step> idle = new ArrayDeque<>();
        private final Kernel.Sums sums;
        private @Nullable Step pulling;
        private Measure learned = Measure.NONE;

        Pass(Epoch epoch) {
            this.epoch = epoch;
            this.sums = new Kernel.Sums(epoch.kernel.shared());
            TaskContext task = TaskContext.get();
            this.writes = epoch.isRepeatable ? reads.repeatableTask(task) : reads.task(task);
        }

        Measure over(Iterator<Batch> batches) {
            int partition = TaskContext.getPartitionId();
            List<Batch> window = new ArrayList<>(WINDOW);
            for (int number = 0; batches.hasNext(); number++) {
                while (window.size() < WINDOW && batches.hasNext()) {
                    window.add(batches.next());
                }
                long seed = Mix.hash(Mix.hash(epoch.seed, partition), number);
                for (int left = window.size(); left > 0; left--) {
                    int chosen = Mix.below(left, Mix.hash(seed, left));
                    Batch batch = window.get(chosen);
                    window.set(chosen, window.get(left - 1));
                    next(batch);
                }
                window.clear();
            }
            next(null);
            pushed.forEach(Step::awaitPush);
            return learned;
        }

        /** Sends the pull of a batch, and computes the previous batch. */
        private void next(@Nullable Batch batch) {
            Step before = pulling;
            pulling = null;
            if (batch != null) {
                Step step = idle.isEmpty() ? new Step(epoch.kernel.shared()) : idle.pop();
                step.pull(epoch, reads, batch);
                pulling = step;
            }
            if (before != null) {
                learned = learned.plus(before.learn(epoch, writes, sums));
                pushed.add(before);
                if (pushed.size() > PUSHES) {
                    Step first = pushed.remove();
                    first.awaitPush();
                    idle.push(first);
                }
            }
        }
    }

    /** The arrays of a batch, and its calls in flight. */
    private static final class Step {
        private @Nullable Batch batch;
        private float[] weights = {};
        private float[] update = {};
        private final float[] bias;
        private final float[] biasUpdate;
        private final List<Pending<?>> calls = new ArrayList<>();

        Step(int shared) {
            bias = new float[shared];
            biasUpdate = new float[shared];
        }

        void pull(Epoch epoch, PsClient caller, Batch next) {
            int length = next.keys().length * epoch.kernel.width();
            if (weights.length < length) {
                weights = new float[length];
                update = new float[length];
            }
            batch = next;
            calls.clear();
            calls.add(epoch.table.pull(caller, next.keys(), weights));
            if (epoch.fitsBias) {
                calls.add(epoch.table.pullBias(caller, bias));
            }
        }

        /** Returns the losses of the rows before they are learned. */
        Measure learn(Epoch epoch, ClusterCaller caller, Kernel.Sums sums) {
            Batch rows = java.util.Objects.requireNonNull(batch);
            calls.forEach(Pending::await);
            calls.clear();
            epoch.kernel.complete(rows.keys(), rows.keys().length, weights, false);
            Arrays.fill(sums.bias, 0);
            sums.loss = 0;
            epoch.kernel.learn(rows, weights, bias, update, sums);
            calls.add(epoch.table.push(caller, rows.keys(), update));
            if (epoch.fitsBias) {
                for (int i = 0; i < bias.length; i++) {
                    biasUpdate[i] = (float) sums.bias[i];
                }
                calls.add(epoch.table.pushBias(caller, biasUpdate));
            }
            return Measure.of(rows, sums.loss);
        }

        void awaitPush() {
            calls.forEach(Pending::await);
            calls.clear();
        }
    }
}
