package io.psf.examples.demo;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.EmbeddingCache;
import io.psf.builtin.Initializers;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Reports;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.examples.MeanLoss;
import io.psf.examples.plot.Evaluation;
import io.psf.runtime.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * One worker's part of the training. The parameters are on the servers, which also step the optimizer. A step pulls the
 * parameters that a batch needs, computes the gradient, and pushes it. Not thread-safe.
 */
final class Training {
    private static final int BATCH = 128;
    private static final int WIDTH = 8;
    private static final int HIDDEN = 32;
    private static final int STEPS_A_REPORT = 20;
    /** The number of updates that a cached row may lack, and that may be unsent. */
    private static final int BOUND = 10;

    private final Worker worker;
    private final BankData data;
    private final WideAndDeep model;
    private final TrainingOptions options;
    private final ModelTable wide;
    private final ModelTable embedding;
    private final TensorId dense;
    private final TensorId totals;
    private final List<EmbeddingCache> caches = new ArrayList<>(1);
    private List<Pending<?>> pushes = List.of();
    private long examples;
    private boolean begun;
    private DoubleConsumer losses = loss -> {};
    private Consumer<String> resumed = line -> {};
    private Optional<Consumer<Evaluation>> epochs = Optional.empty();

    /** Creates the tensors, or finds the tensors that another worker has created. */
    Training(Worker worker, BankData data, TrainingOptions options) {
        this.worker = worker;
        this.data = data;
        this.model = new WideAndDeep(data.train().fields(), data.train().numerics(), WIDTH, HIDDEN);
        this.options = options;
        this.wide = table(TensorSpec.table("demo.wide", data.keys(), 1)
                .optimizer(options.optimizer().wide()));
        this.embedding = cachedTable(TensorSpec.table("demo.embedding", data.keys(), WIDTH)
                .initializer(Initializers.normal(0, 0.05, 1))
                .optimizer(options.optimizer().embedding()));
        double limit = 1 / Math.sqrt(model.inputs());
        this.dense = Tensors.init(
                worker,
                options.placed(TensorSpec.dense("demo.dense", model.denseSize())
                        .initializer(Initializers.uniform(-limit, limit, 2))
                        .optimizer(options.optimizer().dense())
                        .updates(options.updates())));
        this.totals = Tensors.init(worker, options.placed(TensorSpec.dense("demo.totals", 3)));
    }

    private ModelTable table(TensorSpec spec) {
        TensorSpec table = options.placed(spec.updates(options.updates()));
        return new ServerTable(worker, Tensors.init(worker, table));
    }

    /**
     * Creates the embedding table, with a cache in this worker if the options say so. Pushes of a cached table are not
     * synchronous, and a cached row may lack some updates.
     */
    private ModelTable cachedTable(TensorSpec spec) {
        if (options.cache() == 0) {
            return table(spec);
        }
        EmbeddingCache cache = EmbeddingCache.of(worker, options.placed(spec))
                .rows(options.cache())
                .pullBound(BOUND)
                .pushBound(BOUND)
                .showOwnUpdates(false)
                .open();
        caches.add(cache);
        return new CachedTable(cache);
    }

    /** Passes the loss of each step to an observer, before the training. */
    void observe(DoubleConsumer observer) {
        losses = observer;
    }

    /** Passes a line to an observer of the worker of rank 0, if the training continues from a checkpoint. */
    void whenResumed(Consumer<String> observer) {
        resumed = observer;
    }

    /** Evaluates the model after each epoch, for an observer of the worker of rank 0. */
    void whenEvaluated(Consumer<Evaluation> observer) {
        epochs = Optional.of(observer);
    }

    /**
     * Trains on this worker's portion, from the epoch after the newest checkpoint on. Blocks until all workers have
     * trained on theirs.
     *
     * @return the quality of the model on the worker of rank 0; empty on the others
     */
    Optional<Result> run(int epochs, Consumer<Progress> progress) {
        Examples portion = data.train().portion(worker.rank(), worker.workers());
        int steps = (portion.size() + BATCH - 1) / BATCH;
        long began = System.nanoTime();
        MeanLoss loss = new MeanLoss();
        MeanLoss ofEpoch = new MeanLoss();
        long end = eachEpoch(epochs, epoch -> {
            pushes = List.of(); // those before a return to a checkpoint have failed
            resume(epoch - 1, "");
            Examples shuffled = portion.shuffled(epoch);
            Batch next = batch(shuffled, 1);
            for (int step = 1; step <= steps; step++) {
                Batch batch = next;
                next = step < steps ? batch(shuffled, step + 1) : batch;
                double ofBatch = step(batch, next);
                loss.add(ofBatch);
                ofEpoch.add(ofBatch);
                examples += batch.size();
                if (step % STEPS_A_REPORT == 0 || step == steps) {
                    double rate = examples / seconds(began);
                    double mean = loss.take();
                    Reports.scalar(worker, "loss", (epoch - 1L) * steps + step, mean);
                    progress.accept(new Progress(worker.rank(), epoch, step, steps, mean, examples, rate));
                }
            }
            awaitPushes();
            evaluate(epoch, ofEpoch.take());
        });
        resume(end, ": nothing is left to train, since the checkpoint has all " + epochs);
        addToTotals(examples / seconds(began), worker.bytesSent(), worker.bytesReceived());
        worker.barrier();
        return worker.rank() == 0 ? Optional.of(evaluate()) : Optional.empty();
    }

    private static Batch batch(Examples examples, int step) {
        return Batch.of(examples.slice((step - 1) * BATCH, Math.min(step * BATCH, examples.size())));
    }

    /** Trains for the epochs after the newest checkpoint, and takes one after each. Returns the last epoch. */
    private long eachEpoch(int epochs, IntConsumer body) {
        if (options.checkpoints().isPresent()) {
            return ModelCheckpoints.at(worker, "demo")
                    .tensors(wide.tensor(), embedding.tensor(), dense)
                    .caches(caches.toArray(EmbeddingCache[]::new))
                    .everySteps(1)
                    .run(epochs, epoch -> body.accept((int) epoch));
        }
        IntStream.rangeClosed(1, epochs).forEach(body);
        return epochs;
    }

    /** Says once after which epoch the training continues, if it is not the beginning. */
    private void resume(long epoch, String more) {
        if (!begun && epoch > 0 && worker.rank() == 0) {
            resumed.accept("resumed after epoch " + epoch + more);
        }
        begun = true;
    }

    /** Blocks until the servers have all updates of this worker. */
    private void awaitPushes() {
        pushes.forEach(Pending::await);
        wide.flush();
        embedding.flush();
    }

    private double step(Batch batch, Batch next) {
        Parameters parameters = pull(batch, wide, embedding);
        embedding.prefetch(next.keys());
        Parameters gradient = model.zeros(batch);
        double loss = model.gradient(batch, parameters, gradient);
        losses.accept(loss);
        List<Pending<?>> calls = new ArrayList<>();
        wide.push(batch.keys(), gradient.wide(), calls);
        embedding.push(batch.keys(), gradient.embedding(), calls);
        calls.add(Tensors.push(worker, dense, gradient.dense()));
        pushes = calls;
        return loss;
    }

    /**
     * Pulls without waiting for the last pushes. The servers handle calls in order, so the pulled values include the
     * pushes.
     */
    private Parameters pull(Batch batch, ModelTable ofWide, ModelTable ofEmbedding) {
        Parameters parameters = model.zeros(batch);
        List<Pending<?>> pulls = new ArrayList<>();
        ofWide.pull(batch.keys(), parameters.wide(), pulls);
        ofEmbedding.pull(batch.keys(), parameters.embedding(), pulls);
        pulls.add(Tensors.pull(worker, dense, parameters.dense()));
        pushes.forEach(Pending::await);
        pulls.forEach(Pending::await);
        return parameters;
    }

    /** Adds to the totals over all workers: a tensor to which each worker pushes its own numbers. */
    private void addToTotals(double rate, long pushed, long pulled) {
        Tensors.push(worker, totals, new float[] {(float) rate, (float) pushed, (float) pulled})
                .await();
    }

    private void evaluate(int epoch, double loss) {
        if (worker.rank() == 0) {
            epochs.ifPresent(observer -> {
                double auc = evaluate().auc();
                Reports.scalar(worker, "AUC by epoch", epoch, auc);
                observer.accept(new Evaluation("epoch", epoch, loss, "AUC", auc));
            });
        }
    }

    private Result evaluate() {
        Batch test = Batch.of(data.test());
        Parameters trained =
                pull(test, new ServerTable(worker, wide.tensor()), new ServerTable(worker, embedding.tensor()));
        float[] predictions = model.predict(test, trained);
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
