package io.psf.spark.ml;

import io.psf.spark.PsSpark;

/**
 * The vectors on the servers.
 *
 * @param table the tensors
 */
record ServerVectors(VectorTable table) implements VectorSource {
    @Override
    public int size() {
        return table.size();
    }

    @Override
    public float[] vectors(int[] of) {
        return table.pull(PsSpark.client(), of);
    }

    @Override
    public float[] similarities(float[] vector) {
        return table.similarities(PsSpark.client(), vector);
    }
}
