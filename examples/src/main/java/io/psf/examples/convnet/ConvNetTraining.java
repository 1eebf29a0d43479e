package io.psf.examples.convnet;

import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Reports;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.examples.MeanLoss;
import io.psf.examples.data.Mnist;
import io.psf.examples.nn.Batches;
import io.psf.examples.nn.Network;
import io.psf.examples.nn.Parameter;
import io.psf.examples.plot.Evaluation;
import io.psf.kvstore.KVStore;
import io.psf.runtime.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** One worker's part: it computes the gradient of a batch, pushes it, and pulls the weights for the next batch. */
final class ConvNetTraining {
    /** The number of updates of the weights between two evaluations. */
    private static final int UPDATES = 10;

    private final Worker worker;
    private final Mnist data;
    private final ConvNetOptions options;
    private final Network network = ConvNet.create();
    private final List<String> names = new ArrayList<>();
    private final List<float[]> weights = new ArrayList<>();
    private final List<float[]> gradients = new ArrayList<>();
    private final MeanLoss loss = new MeanLoss();

    ConvNetTraining(Worker worker, Mnist data, ConvNetOptions options) {
        this.worker = worker;
        this.data = data;
        this.options = options;
    }

    /**
     * Trains on this worker's batches. With a quorum, the last rounds close once the other workers have left.
     *
     * @param lines takes a line after every 10 updates of the weights
     */
    void run(Consumer<String> lines) {
        TensorId updates = Tensors.init(worker, TensorSpec.dense("updates", 1));
        try (KVStore store = KVStore.create(worker, options.isSynchronous() ? "dist_sync" : "dist_async")) {
            declare(store);
            store.pull(names, weights).await();
            Batches batches = new Batches(data.train(), 0, ConvNet.BATCH, worker.rank());
            for (int round = 1; round <= options.rounds; round++) {
                batches.next();
                loss.add(network.gradient(batches.size(), batches.inputs(), batches.labels()));
                store.pushPull(names, gradients, weights).await(); // in a round, answered after it
                if (options.isSynchronous()) {
                    report(worker.rank() == 0 ? round : 1, "round", lines);
                } else {
                    report(count(updates), "update", lines);
                }
            }
        }
    }

    /** Creates the tensors, with initial values from the servers, and the store that pushes to them. */
    private void declare(KVStore store) {
        OptimizerSpec rule = options.optimizer.of(options.learningRate);
        long seed = 1;
        for (Parameter parameter : network.parameters()) {
            double limit = 1 / Math.sqrt(parameter.fanIn());
            Tensors.init(
                    worker,
                    options.combined(TensorSpec.dense(parameter.name(), parameter.size())
                            .initializer(Initializers.uniform(-limit, limit, seed++))
                            .optimizer(rule)));
            names.add(parameter.name());
            weights.add(parameter.values());
            gradients.add(parameter.gradient());
        }
        store.init(names, weights, names.stream().map(name -> new int[0]).toList()); // exist: they keep their values
        store.setOptimizer(rule);
        if (options.compression != ConvNetOptions.Compression.NONE) {
            store.setGradientCompression(options.compression.toString(), options.threshold);
        }
    }

    /** Returns the number of pushes of all workers so far, this one included. No two workers obtain the same number. */
    private int count(TensorId updates) {
        float[] number = new float[1];
        Tensors.pushPull(worker, updates, new float[] {1}, number).await();
        return (int) number[0];
    }

    private void report(int update, String what, Consumer<String> lines) {
        if (update % UPDATES == 0) {
            double accuracy = Batches.accuracy(network, data.test(), 0, ConvNet.BATCH);
            double mean = loss.take();
            Reports.scalar(worker, "loss", update, mean);
            Reports.scalar(worker, "accuracy", update, accuracy);
            lines.accept(new Evaluation(what, update, mean, "accuracy", accuracy).toString());
        }
    }
}
