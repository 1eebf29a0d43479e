package io.psf.examples.demo;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.Worker;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;

/**
 * One worker's part of the training. The parameters are on the servers, which also step the optimizer. A step pulls the
 * parameters that a batch needs, computes the gradient, and pushes it. Not thread-safe.
 */
final class Training {
    private static final int BATCH = 128;
    private static final int WIDTH = 8;
    private static final int HIDDEN = 32;
    private static final int STEPS_A_REPORT = 20;

    private final Worker worker;
    private final BankData data;
    private final WideAndDeep model;
    private final TensorId wide;
    private final TensorId embedding;
    private final TensorId dense;
    private final TensorId totals;
    private List<Pending<?>> pushes = List.of();
    private DoubleConsumer losses = loss -> {};

    /** Creates the tensors, or finds those that another worker has created. */
    Training(Worker worker, BankData data, TrainingOptions options) {
        Updates updates = options.mode().updates();
        this.worker = worker;
        this.data = data;
        this.model = new WideAndDeep(data.train().fields(), data.train().numerics(), WIDTH, HIDDEN);
        this.wide = Tensors.init(
                worker,
                options.placed(TensorSpec.table("demo.wide", data.keys(), 1)
                        .optimizer(options.optimizer().wide())
                        .updates(updates)));
        this.embedding = Tensors.init(
                worker,
                options.placed(TensorSpec.table("demo.embedding", data.keys(), WIDTH)
                        .initializer(Initializers.normal(0, 0.05, 1))
                        .optimizer(options.optimizer().embedding())
                        .updates(updates)));
        double limit = 1 / Math.sqrt(model.inputs());
        this.dense = Tensors.init(
                worker,
                options.placed(TensorSpec.dense("demo.dense", model.denseSize())
                        .initializer(Initializers.uniform(-limit, limit, 2))
                        .optimizer(options.optimizer().dense())
                        .updates(updates)));
        this.totals = Tensors.init(worker, options.placed(TensorSpec.dense("demo.totals", 3)));
    }

    /** Passes the loss of each step to an observer, before the training. */
    void observe(DoubleConsumer observer) {
        losses = observer;
    }

    /**
     * Trains on this worker's portion. Blocks until all workers have trained on theirs.
     *
     * @return the quality of the model on the worker of rank 0; empty on the others
     */
    Optional<Result> run(int epochs, Consumer<Progress> progress) {
        Examples portion = data.train().portion(worker.rank(), worker.workers());
        int steps = (portion.size() + BATCH - 1) / BATCH;
        long began = System.nanoTime();
        long examples = 0;
        double loss = 0;
        for (int epoch = 1; epoch <= epochs; epoch++) {
            Examples shuffled = portion.shuffled(epoch);
            for (int step = 1; step <= steps; step++) {
                int begin = (step - 1) * BATCH;
                Batch batch = Batch.of(shuffled.slice(begin, Math.min(begin + BATCH, portion.size())));
                loss += step(batch);
                examples += batch.size();
                if (step % STEPS_A_REPORT == 0 || step == steps) {
                    int since = step % STEPS_A_REPORT == 0 ? STEPS_A_REPORT : step % STEPS_A_REPORT;
                    double rate = examples / seconds(began);
                    progress.accept(new Progress(worker.rank(), epoch, step, steps, loss / since, examples, rate));
                    loss = 0;
                }
            }
        }
        pushes.forEach(Pending::await);
        addToTotals(examples / seconds(began), worker.bytesSent(), worker.bytesReceived());
        worker.barrier();
        return worker.rank() == 0 ? Optional.of(evaluate()) : Optional.empty();
    }

    private double step(Batch batch) {
        Parameters parameters = pull(batch);
        Parameters gradient = model.zeros(batch);
        double loss = model.gradient(batch, parameters, gradient);
        losses.accept(loss);
        pushes = List.of(
                Tensors.pushRows(worker, wide, batch.keys(), gradient.wide()),
                Tensors.pushRows(worker, embedding, batch.keys(), gradient.embedding()),
                Tensors.push(worker, dense, gradient.dense()));
        return loss;
    }

    /**
     * Pulls without waiting for the last pushes. The servers handle calls in order, so the pulled values include the
     * pushes.
     */
    private Parameters pull(Batch batch) {
        Parameters parameters = model.zeros(batch);
        List<Pending<?>> pulls = List.of(
                Tensors.pullRows(worker, wide, batch.keys(), parameters.wide()),
                Tensors.pullRows(worker, embedding, batch.keys(), parameters.embedding()),
                Tensors.pull(worker, dense, parameters.dense()));
        pushes.forEach(Pending::await);
        pulls.forEach(Pending::await);
        return parameters;
    }

    /** Adds to the totals over all workers: a tensor to which each worker pushes its own numbers. */
    private void addToTotals(double rate, long pushed, long pulled) {
        Tensors.push(worker, totals, new float[] {(float) rate, (float) pushed, (float) pulled})
                .await();
    }

    private Result evaluate() {
        Batch test = Batch.of(data.test());
        float[] predictions = model.predict(test, pull(test));
        float[] sums = Tensors.pull(worker, totals);
        return new Result(
                Metrics.auc(predictions, test.labels()),
                Metrics.logLoss(predictions, test.labels()),
                sums[0],
                (long) sums[1],
                (long) sums[2]);
    }

    private static double seconds(long began) {
        return (System.nanoTime() - began) / 1e9;
    }
}
