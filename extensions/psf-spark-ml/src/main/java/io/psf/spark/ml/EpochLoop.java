package io.psf.spark.ml;

import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
import io.psf.spark.PsSpark;
import io.psf.spark.StoppingWork;
import java.util.List;
import org.apache.spark.SparkContext;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.Params;
import org.apache.spark.sql.SparkSession;

/**
 * The epochs of a fit. With checkpoints, an epoch in which a server is lost is repeated; without, the fit fails then.
 *
 * @param name the name of the model on the servers, of this fit alone
 * @param saves true if each epoch ends with a checkpoint
 */
record EpochLoop(SparkSession spark, String name, boolean saves) {
    /** One is enough, unless a file of it is damaged. */
    private static final int KEPT = 2;
    /** The property of Spark for a job's description. */
    private static final String DESCRIPTION = "spark.job.description";

    static BooleanParam param(String uid) {
        return new BooleanParam(
                uid,
                "checkpoints",
                "whether each epoch ends with a checkpoint; if it is not set, whether spark.psf.checkpoints is");
    }

    /** Returns whether the fits of an estimator save checkpoints. */
    static boolean saves(Params estimator, BooleanParam param, SparkSession spark) {
        return estimator.isSet(param)
                ? (Boolean) estimator.getOrDefault(param)
                : !spark.sparkContext()
                        .getConf()
                        .get("spark.psf.checkpoints", "")
                        .isEmpty();
    }

    /** Returns the checkpoints of a fit. */
    static ModelCheckpoints checkpoints(String name) {
        return ModelCheckpoints.at(PsSpark.client(), "fits/" + name.replaceAll("[^A-Za-z0-9_-]", "_"))
                .keep(KEPT);
    }

    /**
     * Runs the epochs. Returns their number.
     *
     * @param estimator the estimator's uid: the application's page shows it beside the jobs, with the epoch
     * @param tensors the tensors of the model
     */
    int run(String estimator, int most, List<TensorId> tensors, StoppingWork work) {
        StoppingWork described = epoch -> described(estimator + ": epoch " + epoch + " of " + most, epoch, work);
        try {
            return saves
                    ? PsSpark.trainUntil(
                            spark, checkpoints(name).tensors(tensors.toArray(TensorId[]::new)), most, described)
                    : runOnce(most, described);
        } catch (Exception e) {
            throw EpochLoop.<RuntimeException>thrown(e);
        }
    }

    private boolean described(String description, int epoch, StoppingWork work) throws Exception {
        SparkContext context = spark.sparkContext();
        String before = context.getLocalProperty(DESCRIPTION);
        context.setJobDescription(description);
        try {
            return work.run(epoch);
        } finally {
            context.setJobDescription(before);
        }
    }

    /** A failure of a job is a checked exception, which the methods of Spark throw without declaring it. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Exception> E thrown(Exception failure) throws E {
        throw (E) failure;
    }

    private int runOnce(int most, StoppingWork work) throws Exception {
        ServersOfFit servers = ServersOfFit.now();
        for (int epoch = 1; epoch <= most; epoch++) {
            boolean isLast = work.run(epoch);
            ServersOfFit now = ServersOfFit.now();
            if (!servers.isSame(now)) {
                throw new IllegalStateException(name + ": a server was lost in epoch " + epoch
                        + ", and the server in its place lacks its part of the model: " + now.addresses()
                        + " (expected: " + servers.addresses() + "; with setCheckpoints(true) the epoch is repeated)");
            }
            if (isLast) {
                return epoch;
            }
        }
        return most;
    }

    /** Returns the servers that the model needs from the end of the fit on. */
    ServersOfFit servers() {
        return saves ? ServersOfFit.ANY : ServersOfFit.now();
    }
}
