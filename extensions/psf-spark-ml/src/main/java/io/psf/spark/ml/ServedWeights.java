package io.psf.spark.ml;

import io.psf.api.PsException;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import io.psf.spark.PsClient;
import io.psf.spark.PsSpark;
import java.io.Serial;
import java.lang.ref.Cleaner;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The weights of a model on the servers. They are freed by {@link #release}, or once nothing in the driver refers to
 * them any more: no model, and no frame of predictions. Thread-safe.
 */
final class ServedWeights implements Weights {
    @Serial
    private static final long serialVersionUID = 1;

    private static final Logger LOG = LoggerFactory.getLogger(ServedWeights.class);
    private static final Cleaner CLEANER = Cleaner.create();
    /** The tables of models of this driver. */
    private static final Set<Table> SERVED = ConcurrentHashMap.newKeySet();

    private final TableWeights weights;
    private final ServersOfFit servers;

    /**
     * Makes the owner of a table.
     *
     * @param servers that have the table
     */
    ServedWeights(TableWeights weights, ServersOfFit servers) {
        this.weights = weights;
        this.servers = servers;
        Table table = weights.table();
        SERVED.add(table);
        CLEANER.register(this, () -> {
            if (free(table)) {
                LOG.info("{}: freed, since nothing refers to the model any more", table.name());
            }
        });
    }

    /**
     * Puts the weights of a frame on the servers, by tasks. Blocks.
     *
     * @param uid the model's
     * @param rows a frame of {@link WeightFrames}
     */
    static ServedWeights store(String uid, Dataset<Row> rows, Kernel kernel, float[] bias) {
        PsClient caller = PsSpark.client();
        ServersOfFit servers = ServersOfFit.now();
        Table table = Table.of(uid, 0, kernel.width(), false);
        OptimizerSpec add = Optimizers.add();
        return table.orClear(caller, () -> {
            table.create(caller, kernel.shared(), add, add);
            table.pushBias(caller, bias).await();
            PsSpark.write(WeightFrames.vectors(rows, kernel), table.rows());
            servers.require(uid);
            return new ServedWeights(new TableWeights(kernel, table, true), servers);
        });
    }

    /**
     * Has the garbage collected if earlier models of an estimator are on the servers: those that {@code CrossValidator}
     * has dropped are freed then, before another one is trained.
     */
    static void collectGarbage(String uid) {
        if (SERVED.stream().anyMatch(table -> table.isOf(uid))) {
            System.gc();
        }
    }

    private static boolean free(Table table) {
        boolean isFirst = SERVED.remove(table);
        if (isFirst) {
            table.clear(PsSpark.client());
        }
        return isFirst;
    }

    /** Frees the weights, unless they are freed. Blocks. */
    void release() {
        var unused = free(weights.table());
    }

    /**
     * Checks that the weights are there, as far as this driver knows.
     *
     * @throws IllegalStateException if they are released, or a server was lost that had some
     */
    void require(String uid) {
        if (!SERVED.contains(weights.table())) {
            throw new IllegalStateException(uid
                    + ": its weights on the servers are released (expected: a call of exported() before release())");
        }
        servers.require(uid);
    }

    /** Makes calls for a frame, and says what to do if the frame is evaluated too late. */
    <T> T call(Supplier<T> calls) {
        try {
            return calls.get();
        } catch (PsException e) {
            if (e.code() != PsException.Code.UNKNOWN_TENSOR) {
                throw e;
            }
            throw new IllegalStateException(
                    weights.table().name() + ": the weights are no longer on the servers (expected: a frame that is"
                            + " evaluated, cached or written before release(), or that a model of exported() made)",
                    e);
        }
    }

    @Override
    public Kernel kernel() {
        return weights.kernel();
    }

    @Override
    public float[] bias() {
        return weights.bias();
    }

    @Override
    public float[] margins(Batch batch, boolean needsAll) {
        return call(() -> weights.margins(batch, needsAll));
    }

    @Override
    public float[] weightsOf(long[] keys) {
        return call(() -> weights.weightsOf(keys));
    }

    /** The tasks of the frame pull the weights. */
    @Override
    public Dataset<Row> frame(SparkSession spark) {
        return WeightFrames.of(spark, PsSpark.read(spark, weights.table().rows()), this);
    }

    /** Fetches all weights other than 0 into this process. Blocks. */
    LocalWeights fetch() {
        return weights.fetch();
    }
}
