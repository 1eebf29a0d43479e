package io.psf.examples.djl;

import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.examples.demo.BankTable;
import io.psf.examples.demo.Shuffle;
import io.psf.runtime.Worker;
import java.util.Arrays;
import java.util.List;

/** What one worker does: pulls the parameters, computes the gradient of a batch with its trainer, and pushes it. */
final class DjlTraining {
    /** The sizes of the network: the columns of numbers, then the hidden layers. */
    static final int[] SIZES = {7, 32, 16};

    private static final List<String> NUMBERS =
            List.of("age", "balance", "day", "campaign", "pdays", "previous", "duration");
    private static final long SEED = 17;
    private static final int BATCH = 128;
    /** The number of batches at the end whose mean loss is the result. */
    private static final int LAST = 50;

    private final float[] inputs;
    private final float[] labels;

    /** Converts the numbers of the table to inputs, on a logarithmic scale. The rows are shuffled: they are by date. */
    DjlTraining(BankTable byDate) {
        int n = byDate.rows().size();
        BankTable table = byDate.select(Shuffle.order(n, SEED));
        int width = NUMBERS.size();
        this.inputs = new float[n * width];
        this.labels = new float[n];
        for (int f = 0; f < width; f++) {
            float[] column = table.numbers(NUMBERS.get(f));
            for (int i = 0; i < n; i++) {
                inputs[i * width + f] = (float) (Math.signum(column[i]) * Math.log1p(Math.abs(column[i]))) / 4;
            }
        }
        String[] answers = table.column("y");
        for (int i = 0; i < n; i++) {
            labels[i] = answers[i].equals("yes") ? 1 : 0;
        }
    }

    /**
     * Trains in rounds of all workers, each on batches of its own.
     *
     * @return the mean loss of the last 50 batches, or of all if there are fewer
     */
    double run(Worker worker, Trainer trainer, int rounds) {
        double limit = 1 / Math.sqrt(SIZES[0]);
        TensorId dense = Tensors.init(
                worker,
                TensorSpec.dense("dense", trainer.size())
                        .initializer(Initializers.uniform(-limit, limit, 1))
                        .optimizer(Optimizers.adamW(0.002))
                        .updates(Updates.MEAN));
        float[] parameters = Tensors.pull(worker, dense);
        float[] gradient = new float[parameters.length];
        int batches = labels.length / BATCH;
        double sum = 0;
        for (int round = 0; round < rounds; round++) {
            int batch = (round * worker.workers() + worker.rank()) % batches;
            double loss = trainer.gradient(
                    Arrays.copyOfRange(inputs, batch * BATCH * SIZES[0], (batch + 1) * BATCH * SIZES[0]),
                    Arrays.copyOfRange(labels, batch * BATCH, (batch + 1) * BATCH),
                    parameters,
                    gradient);
            Tensors.pushPull(worker, dense, gradient, parameters).await();
            sum += round >= rounds - LAST ? loss : 0;
        }
        return sum / Math.min(LAST, rounds);
    }
}
