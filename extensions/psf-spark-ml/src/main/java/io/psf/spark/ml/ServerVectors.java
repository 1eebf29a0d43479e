package io.psf.spark.ml;

import io.psf.spark.PsSpark;

/**
 * The vectors on the servers.
 *
 * @param table the tensors
 * @param servers that have them
 */
record ServerVectors(VectorTable table, ServersOfFit servers) implements VectorSource {
    @Override
    public int size() {
        return table.size();
    }

    @Override
    public float[] vectors(int[] of) {
        servers.require(table.name());
        return table.pull(PsSpark.client(), of);
    }

    @Override
    public float[] similarities(float[] vector) {
        servers.require(table.name());
        return table.similarities(PsSpark.client(), vector);
    }
}
