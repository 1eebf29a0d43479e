package io.psf.examples.lenet;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Initializer;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.examples.MeanLoss;
import io.psf.examples.data.Images;
import io.psf.examples.nn.Batches;
import io.psf.examples.nn.Network;
import io.psf.examples.nn.Parameter;
import io.psf.runtime.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.function.ObjLongConsumer;

/** One worker's part. All weights are on the servers, which initialize them and step them with momentum. */
final class LeNetTraining {
    static final int BATCH = 32;
    static final double LEARNING_RATE = 0.01;
    static final double MOMENTUM = 0.9;

    private final Worker worker;
    private final Network network = LeNet.create(BATCH);
    private final List<Parameter> parameters = network.parameters();
    private final List<TensorId> tensors = new ArrayList<>();

    /** Creates the tensors, or finds the tensors of another worker, and pulls their values. */
    LeNetTraining(Worker worker) {
        this.worker = worker;
        for (int i = 0; i < parameters.size(); i++) {
            tensors.add(Tensors.init(
                    worker,
                    TensorSpec.dense(parameters.get(i).name(), parameters.get(i).size())
                            .initializer(initializer(parameters.get(i), i))
                            .optimizer(Optimizers.momentum(LEARNING_RATE, MOMENTUM))
                            .updates(Updates.MEAN)));
        }
        onEach(i -> Tensors.pull(worker, tensors.get(i), parameters.get(i).values()));
    }

    /** Returns small random weights, and biases of 0. */
    private static Initializer initializer(Parameter parameter, int seed) {
        if (parameter.name().endsWith("bias")) {
            return Initializers.constant(0);
        }
        return Initializers.normal(0, parameter.name().startsWith("conv") ? 0.01 : 0.02, seed);
    }

    Network network() {
        return network;
    }

    /** Returns the number of steps of {@link #run}. */
    long steps(Images images, int epochs, int most) {
        int batches = new Batches(images.portion(worker.rank(), worker.workers()), LeNet.BORDER, BATCH, 1).count();
        return Math.min(most, (long) epochs * batches);
    }

    /**
     * Trains on this worker's portion of the images.
     *
     * @param most the number of steps after which the training ends at the latest
     * @param lines takes a line after each step, and the number of steps so far
     * @param ends takes the number of each epoch at its end, or at the last step, and the mean loss of its batches
     */
    void run(Images images, int epochs, int most, ObjLongConsumer<String> lines, BiConsumer<Integer, Double> ends) {
        Batches batches = new Batches(images.portion(worker.rank(), worker.workers()), LeNet.BORDER, BATCH, 1);
        int steps = (int) Math.min(most, (long) epochs * batches.count());
        MeanLoss ofEpoch = new MeanLoss();
        for (int step = 0; step < steps; step++) {
            batches.next();
            double loss = network.gradient(batches.size(), batches.inputs(), batches.labels());
            onEach(i -> Tensors.pushPull(
                    worker,
                    tensors.get(i),
                    parameters.get(i).gradient(),
                    parameters.get(i).values()));
            int epoch = step / batches.count() + 1;
            int batch = step % batches.count() + 1;
            lines.accept(String.format(Locale.ROOT, "epoch: %d step: %d, loss is %f", epoch, batch, loss), step + 1);
            ofEpoch.add(loss);
            if (batch == batches.count() || step + 1 == steps) {
                ends.accept(epoch, ofEpoch.take());
            }
        }
    }

    /** Makes a call for each parameter, then awaits all of them. */
    private void onEach(IntFunction<Pending<?>> call) {
        List<Pending<?>> pending = new ArrayList<>();
        for (int i = 0; i < parameters.size(); i++) {
            pending.add(call.apply(i));
        }
        pending.forEach(Pending::await);
    }
}
