package io.psf.spark.ml;

import io.psf.api.Pending;
import io.psf.spark.PsClient;
import io.psf.spark.PsSpark;
import java.io.Serial;

/**
 * Weights on the servers.
 *
 * @param hasBias false if the bias is 0
 */
record TableWeights(Kernel kernel, Table table, boolean hasBias) implements Margins {
    @Serial
    private static final long serialVersionUID = 1;

    @Override
    public float[] margins(Batch batch, boolean needsAll) {
        PsClient caller = PsSpark.client();
        int n = batch.keys().length;
        float[] weights = new float[n * kernel.width()];
        Pending<?> rows = table.pull(caller, batch.keys(), weights);
        float[] bias = bias();
        rows.await();
        kernel.complete(batch.keys(), n, weights, true);
        return kernel.margins(batch, weights, bias, needsAll);
    }

    @Override
    public float[] weightsOf(long[] keys) {
        float[] weights = new float[keys.length * kernel.width()];
        table.pull(PsSpark.client(), keys, weights).await();
        kernel.complete(keys, keys.length, weights, true);
        return weights;
    }

    @Override
    public float[] bias() {
        float[] bias = new float[kernel.shared()];
        if (hasBias) {
            table.pullBias(PsSpark.client(), bias).await();
        }
        return bias;
    }

    /** Fetches all weights other than 0. Blocks. */
    LocalWeights fetch() {
        Fetched fetched = new Fetched(kernel.width());
        for (long[] keys : table.keys(PsSpark.client())) {
            fetched.add(keys, weightsOf(keys));
        }
        return fetched.weights(kernel, bias());
    }
}
