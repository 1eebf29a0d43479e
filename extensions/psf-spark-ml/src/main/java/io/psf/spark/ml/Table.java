package io.psf.spark.ml;

import io.psf.api.ClusterCaller;
import io.psf.api.Pending;
import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.sparse.SparsePull;
import io.psf.builtin.sparse.SparsePullPsf;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.builtin.sparse.StoreRowsPsf;
import java.io.Serial;
import java.io.Serializable;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * The weights of a model on the servers: the rows of the keys, and the bias.
 *
 * @param name the table's name
 * @param features the number of keys; 0 if the table grows
 * @param isSaved true if there are checkpoints of it
 */
record Table(String name, long features, int width, boolean isSaved) implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    /** The most floats of a table that has a row for each key from the start. */
    private static final long DENSE = 1L << 24;

    private static final long PAGE = 1 << 16;

    /** Returns a table of that many keys, or of any keys, for a model with a uid. It has a name of its own. */
    static Table of(String uid, long features, int width, boolean isSaved) {
        String name = uid + "/" + UUID.randomUUID().toString().substring(0, 8);
        return new Table(name, features > 0 && features <= DENSE / width ? features : 0, width, isSaved);
    }

    List<TensorId> tensors() {
        return List.of(rows(), bias());
    }

    /** True if the table is of a model with a uid. */
    boolean isOf(String uid) {
        return name.startsWith(uid + "/");
    }

    TensorId rows() {
        return TensorId.of(name);
    }

    TensorId bias() {
        return TensorId.of(name + "/bias");
    }

    /**
     * Makes the tensors.
     *
     * @param biases the number of biases
     */
    void create(TensorCaller caller, int biases, OptimizerSpec ofRows, OptimizerSpec ofBias) {
        TensorSpec rows = features > 0 ? TensorSpec.table(name, features, width) : TensorSpec.growing(name, width);
        TensorSpec bias = TensorSpec.dense(bias().name(), biases).optimizer(ofBias);
        Tensors.init(caller, List.of(rows.optimizer(ofRows), bias));
    }

    /** Does work that fills the table, which is freed if the work fails. */
    <T> T orClear(TensorCaller caller, Supplier<T> work) {
        try {
            return work.get();
        } catch (Throwable e) { // Spark throws checked exceptions, too
            try {
                clear(caller);
            } catch (RuntimeException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
    }

    /** Frees the weights, and deletes their checkpoints. */
    void clear(TensorCaller caller) {
        tensors().forEach(each -> Tensors.clear(caller, each));
        if (isSaved) {
            EpochLoop.checkpoints(name).delete();
        }
    }

    Pending<?> pull(TensorCaller caller, long[] keys, float[] into) {
        FloatArray values = FloatArray.wrap(into, 0, keys.length * width);
        return SparsePullPsf.stub(caller).call(rows(), LongArray.wrap(keys), new SparsePull.Response(values));
    }

    Pending<?> push(TensorCaller caller, long[] keys, float[] update) {
        return SparsePushPsf.stub(caller)
                .call(rows(), LongArray.wrap(keys), FloatArray.wrap(update, 0, keys.length * width));
    }

    /** Sets rows, which a growing table creates. No optimizer is stepped. Blocks. */
    void set(ClusterCaller caller, long[] keys, float[] rows) {
        var unused = StoreRowsPsf.stub(caller)
                .call(rows(), LongArray.wrap(keys), FloatArray.wrap(rows, 0, keys.length * width))
                .await();
    }

    Pending<?> pullBias(TensorCaller caller, float[] into) {
        return Tensors.pull(caller, bias(), into);
    }

    Pending<?> pushBias(TensorCaller caller, float[] update) {
        return Tensors.push(caller, bias(), update);
    }

    /** Returns the pages of the keys that have a row, or of all. */
    Iterable<long[]> keys(TensorCaller caller) {
        if (features == 0) {
            return Tensors.keys(caller, rows());
        }
        return () -> LongStream.range(0, (features + PAGE - 1) / PAGE)
                .mapToObj(page -> LongStream.range(page * PAGE, Math.min(features, (page + 1) * PAGE))
                        .toArray())
                .iterator();
    }
}
