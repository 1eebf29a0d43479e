package io.psf.examples.movielens;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.EmbeddingCache;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Ssp;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.examples.data.Rating;
import io.psf.runtime.Worker;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/** What one worker does: looks up the rows of a batch in its caches, and adds the gradients to them. */
final class MovieLensTraining {
    private static final int BATCH = 64;
    /** The number of batches between two ticks of the clock. */
    private static final int BATCHES = 2;
    /** The number of measurements in an epoch. */
    private static final int MEASUREMENTS = 4;

    private static final double RATE = 0.02;
    private static final double DECAY = 0.1;

    private final Worker worker;
    private final Split data;
    private final MovieLensOptions options;
    private final Factors model;
    private final Random pauses;
    private long began;

    MovieLensTraining(Worker worker, Split data, MovieLensOptions options) {
        this.worker = worker;
        this.data = data;
        this.options = options;
        this.model = new Factors(data.mean(), DECAY);
        this.pauses = new Random(worker.rank());
    }

    /**
     * Trains on this worker's portion. Blocks until all workers have trained on theirs.
     *
     * @param measurements takes the measurements, on the worker of rank 0
     */
    void run(Consumer<Measurement> measurements) {
        List<Rating> portion = data.portion(worker.rank(), worker.workers());
        int clocks = portion.size() / (BATCH * BATCHES);
        try (EmbeddingCache users = open("users", 1);
                EmbeddingCache movies = open("movies", 2)) {
            Ssp ssp = Ssp.join(worker, 1, Math.max(0, options.lead()));
            worker.barrier();
            began = System.nanoTime();
            for (int clock = 0; clock < options.epochs * clocks; clock++) {
                if (clock % clocks == 0) {
                    portion = Split.shuffled(portion, clock);
                }
                for (int batch = 0; batch < BATCHES; batch++) {
                    int at = (clock % clocks * BATCHES + batch) * BATCH;
                    step(portion.subList(at, at + BATCH), users, movies);
                }
                tick(ssp, users, movies);
                if (worker.rank() == 0 && clock * MEASUREMENTS % clocks < MEASUREMENTS) {
                    measurements.accept(measure((double) clock / clocks));
                }
            }
        }
        worker.barrier();
        if (worker.rank() == 0) {
            measurements.accept(measure(options.epochs));
        }
    }

    private EmbeddingCache open(String name, long seed) {
        TensorSpec table = TensorSpec.growing(name, Factors.WIDTH)
                .initializer(Initializers.normal(0, 0.1, seed))
                .optimizer(Optimizers.sgd(RATE));
        return EmbeddingCache.of(worker, table)
                .rows(10_000)
                .pullBound(options.bound())
                .pushBound(options.bound())
                .open();
    }

    private void step(List<Rating> batch, EmbeddingCache users, EmbeddingCache movies) {
        long[] user = keys(batch, Rating::user);
        long[] movie = keys(batch, Rating::movie);
        float[] ofUser = new float[batch.size() * Factors.WIDTH];
        float[] ofMovie = new float[batch.size() * Factors.WIDTH];
        users.lookUp(user, ofUser);
        movies.lookUp(movie, ofMovie);
        model.gradient(batch, ofUser, ofMovie);
        users.update(user, ofUser);
        movies.update(movie, ofMovie);
    }

    /** Ends a clock. The next one of the other workers sees the updates of this one, except in mode asp. */
    private void tick(Ssp ssp, EmbeddingCache users, EmbeddingCache movies) {
        if (options.pause > 0 && pauses.nextInt(10) == 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(options.pause));
        }
        if (options.lead() >= 0) {
            users.flush();
            movies.flush();
            ssp.tick();
        }
    }

    /** Measures the values at the servers, which lack the unsent updates of the caches. */
    private Measurement measure(double epoch) {
        double seconds = (System.nanoTime() - began) / 1e9;
        long[] user = keys(data.test(), Rating::user);
        long[] movie = keys(data.test(), Rating::movie);
        float[] ofUser = new float[user.length * Factors.WIDTH];
        float[] ofMovie = new float[movie.length * Factors.WIDTH];
        List.of(
                        Tensors.pullRows(worker, TensorId.of("users"), user, ofUser),
                        Tensors.pullRows(worker, TensorId.of("movies"), movie, ofMovie))
                .forEach(Pending::await);
        return new Measurement(options.mode.toString(), epoch, seconds, model.rmse(data.test(), ofUser, ofMovie));
    }

    private static long[] keys(List<Rating> ratings, ToLongFunction<Rating> key) {
        return ratings.stream().mapToLong(key).toArray();
    }
}
