package io.psf.examples.recommender;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Initializers;
import io.psf.builtin.ModelCheckpoint;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Reports;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.examples.MeanLoss;
import io.psf.examples.demo.BankParts;
import io.psf.examples.demo.Batch;
import io.psf.examples.demo.Examples;
import io.psf.examples.demo.Metrics;
import io.psf.examples.plot.Evaluation;
import io.psf.runtime.Worker;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** What one worker does. All workers train in rounds, and save the model together. */
final class RecommenderTraining {
    /** The word that the line with the result begins with. */
    static final String AUC = "AUC ";

    private static final int BATCH = 128;
    private static final int WIDTH = 8;

    private final Worker worker;
    private final RecommenderOptions options;
    private final Consumer<String> lines;
    private final DeepFm model = new DeepFm(HashedFeatures.FIELDS, HashedFeatures.NUMERICS, WIDTH, 32, 16);
    private final TensorId wide;
    private final TensorId embedding;
    private final TensorId dense;

    /**
     * Creates the tensors, or finds the tensors that another worker has created.
     *
     * @param lines takes the lines of the worker of rank 0
     */
    RecommenderTraining(Worker worker, RecommenderOptions options, Consumer<String> lines) {
        this.worker = worker;
        this.options = options;
        this.lines = worker.rank() == 0 ? lines : line -> {};
        this.wide = Tensors.init(
                worker,
                TensorSpec.growing("wide", 1)
                        .optimizer(Optimizers.ftrl(0.3, 1, 0.0001, 0.001))
                        .updates(Updates.MEAN));
        this.embedding = Tensors.init(
                worker,
                TensorSpec.growing("embedding", WIDTH)
                        .initializer(Initializers.normal(0, 0.05, 1))
                        .optimizer(Optimizers.rowAdaGrad(0.05))
                        .updates(Updates.MEAN));
        double limit = 1 / Math.sqrt(HashedFeatures.FIELDS * WIDTH + HashedFeatures.NUMERICS);
        this.dense = Tensors.init(
                worker,
                TensorSpec.dense("dense", model.denseSize())
                        .initializer(Initializers.uniform(-limit, limit, 2))
                        .optimizer(Optimizers.adamW(0.002))
                        .updates(Updates.MEAN));
    }

    /** Trains from the newest checkpoint on, or from the beginning. Blocks until all workers have trained. */
    void run(BankParts data) {
        Examples own = HashedFeatures.examples(data.train()).portion(worker.rank(), worker.workers());
        Examples portion = own;
        int batches = own.size() / BATCH;
        ModelCheckpoints checkpoints =
                ModelCheckpoints.at(worker, "recommender").incremental(4);
        Optional<ModelCheckpoint> last = checkpoints.loadLatest();
        long first = last.map(ModelCheckpoint::step).orElse(0L);
        long steps = (long) options.epochs * batches;
        last.ifPresent(found -> lines.accept("resumed at " + position(found)
                + (first < steps ? "" : ": nothing is left to train of " + options.epochs + " epochs")));
        Batch held = Batch.of(HashedFeatures.examples(data.test()));
        MeanLoss losses = new MeanLoss();
        for (long step = first; step < steps; step++) {
            int batch = (int) (step % batches);
            if (batch == 0 || step == first) {
                portion = own.shuffled(step / batches);
            }
            double loss = train(Batch.of(portion.slice(batch * BATCH, (batch + 1) * BATCH)));
            if ((step + 1) % options.saveEvery == 0 || step + 1 == steps) {
                Map<String, String> position = Map.of("epoch", "" + (step / batches + 1), "batch", "" + (batch + 1));
                checkpoints.save(step + 1, position);
                lines.accept(String.format(
                        Locale.ROOT,
                        "saved at epoch %s, batch %s: loss %.4f",
                        position.get("epoch"),
                        position.get("batch"),
                        loss));
            }
            losses.add(loss);
            Reports.scalar(worker, "loss", step, loss);
            if (batch + 1 == batches && worker.rank() == 0) {
                int epoch = (int) (step / batches) + 1;
                lines.accept(new Evaluation("epoch", epoch, losses.take(), "AUC", auc(held)).toString());
            }
        }
        worker.barrier();
        if (worker.rank() == 0) {
            lines.accept(String.format(Locale.ROOT, AUC + "%.4f", auc(held)));
        }
    }

    private double auc(Batch held) {
        return Metrics.auc(model.predict(held, pull(held)), held.labels());
    }

    private String position(ModelCheckpoint found) {
        Map<String, String> record = found.record(worker.rank());
        return "epoch " + record.get("epoch") + ", batch " + record.get("batch");
    }

    private double train(Batch batch) {
        Parameters parameters = pull(batch);
        Parameters gradient = model.zeros(batch);
        double loss = model.gradient(batch, parameters, gradient);
        List<Pending<?>> pushes = List.of(
                Tensors.pushRows(worker, wide, batch.keys(), gradient.wide()),
                Tensors.pushRows(worker, embedding, batch.keys(), gradient.embedding()),
                Tensors.push(worker, dense, gradient.dense()));
        pushes.forEach(Pending::await);
        return loss;
    }

    /** Pulls what a batch needs. A key without a row has the initial values. */
    private Parameters pull(Batch batch) {
        Parameters parameters = model.zeros(batch);
        List<Pending<?>> pulls = List.of(
                Tensors.pullRows(worker, wide, batch.keys(), parameters.wide()),
                Tensors.pullRows(worker, embedding, batch.keys(), parameters.embedding()),
                Tensors.pull(worker, dense, parameters.dense()));
        pulls.forEach(Pending::await);
        return parameters;
    }
}
